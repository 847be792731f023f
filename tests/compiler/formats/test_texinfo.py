"""Texinfo as Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.formats.samples import read, samples
from tests.compiler.recognition.trees import read as build
from tests.compiler.recognition.trees import write_tree

from kbc.formats import convert
from kbc.formats.document import Converted
from kbc.formats.texinfo.macros import with_macros
from kbc.records import DocRecord


def _converted(text: str) -> Converted:
    (document,) = convert("doc/heron.texi", f"@chapter A\n\n{text}\n".encode(), lambda path: None)
    return document


def _shown(text: str) -> str:
    return _converted(text).text.removeprefix("## A\n\n").strip("\n")


def test_sample_keeps_title_sections_and_every_text() -> None:
    path, data = samples()["texinfo"]
    (document,) = convert(path, data, read)
    assert (document.title, document.problems) == ("Heron @ Home", ())
    defined = ("index-hatch", "index-hatch_002dall")
    assert document.anchors == ("top", "Nests", "Laying-eggs", *defined, "Index")
    assert document.text == (
        "# Heron @ Home\n\nHow to live as a heron.\n\n## Nests & eggs\n\n"
        "Call `lay` (see [Laying eggs](#Laying-eggs)) — or do *not*.\n\n### Laying *eggs*\n\n"
        "- **one**\\\n  **two**\n\n  Few eggs.\n\n- `many`\n\n  ```\n  lay {x} @twice\n\n    done\n  ```\n\n"
        "#### Function: `hatch` egg [speed]\n\n#### Function: `hatch-all`\n\n"
        "Opens an *egg*.\n\n## Index\n"
    )


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("@b{bold} @emph{slanted} @file{a/b} @samp{x @{y@}}", "**bold** *slanted* `a/b` `x {y}`"),
        ("@'e @\"{o} @,{c} @ss{} @U{00E6} a@@b.c 1 @minus{} 2@dots{}", "é ö ç ß æ a@b.c 1 - 2..."),
        (
            "@uref{https://a.example/, the pond} @url{https://b.example}",
            "[the pond](https://a.example/) <https://b.example>",
        ),
        ("@xref{Top,,, gawk, The Manual}. @ref{Gone}", "See Top (*The Manual*). Gone"),
        ("@set v 1 @emph{x}\n@value{v} @value{w} @c a remark\n", "1 *x* w"),
        ("a *star* and <tag> @anchor{x}@footnote{A note.}", "a \\*star\\* and \\<tag>  (A note.)"),
        ("Text @unknown{inner} }", "Text inner }"),
        ("@quotation\nSaid.\n@end quotation", "> Said."),
        (
            "@enumerate\n@item\nOne.\n@item Two.\n\n@lisp\n(f)\n@end lisp\n@end enumerate",
            "1. One.\n\n2. Two.\n\n   ```lisp\n   (f)\n   ```",
        ),
        (
            "@multitable {A} {B}\n@headitem A @tab B\n@item @code{x|y}\n@tab z\n@end multitable",
            "| A | B |\n| --- | --- |\n| `x\\|y` | z |",
        ),
        (
            "@deftypefn {User Function} int f (int @var{a}, @\n  int b)\nRuns.\n@end deftypefn",
            "### User Function: int `f` (int a, int b)\n\nRuns.",
        ),
        (
            "@itemize\n@item\n@deftypefn {Call} int f (void)\nRuns.\n@end deftypefn\n@end itemize",
            "- **Call:** `int f (void)`\n\n  Runs.",
        ),
        (
            "@defmethod Nest add egg\n@end defmethod\n@deftypecv {Size} Nest int eggs\n@end deftypecv",
            "### Method of Nest: `add` egg\n\n### Size of Nest: int `eggs`",
        ),
        (
            "@macro egg{kind, n}\n@code{\\kind\\} (\\n\\ @@ \\\\)\n@end macro\n@egg{a@{,{b, c}} @@egg{x}",
            "`a{` ({b, c} @ \\\\) @egg{x}",
        ),
        (
            "@ifhtml\nShown.\n@end ifhtml\n\n@iftex\n@ifset x\n@end ifset\nNo\n@end iftex\n"
            "@ifset y\nNo\n@end ifset",
            "Shown.",
        ),
        ("@menu\n* A::  B\n@end menu\n@cindex a\nText\n@cindex b\ngoes on.", "Text\ngoes on."),
        ("@verbatim\n@code{x} @c y\n@end verbatim", "```\n@code{x} @c y\n```"),
        ("@item\nStray.\n@end table\n@tab", "Stray."),
    ],
)
def test_commands_are_what_they_show(source: str, shown: str) -> None:
    assert _shown(source) == shown


def test_files_are_included_and_those_of_a_build_are_elsewhere(tmp_path: Path) -> None:
    files = {
        "doc/heron.texi": "@settitle Heron (version @value{V})\n@include eggs.texi\n"
        "@include version.texi\n@include gone.texi\n",
        "doc/eggs.texi": "@node Eggs\n@chapter Eggs\n\nBlue.\n",
        "doc/version.texi.in": "x\n",
        "doc/other.md": "# Other\n\nWings.\n",
        "doc/other.texi": "@settitle Other\n@chapter Other\n\nWings.\n",
        "src/heron.c": "int main(void) { return 0; }\n",
        "Makefile": "all:\n",
    }
    (found,) = convert(
        "doc/heron.texi",
        files["doc/heron.texi"].encode(),
        lambda path: files[path].encode() if path in files else None,
    )
    assert found.text == "# Heron\n\n## Eggs\n\nBlue.\n"
    assert found.parts == ("doc/eggs.texi",)
    assert [(each.code, each.line) for each in found.problems] == [
        ("content-elsewhere", 3),
        ("unresolved-directive", 4),
    ]
    inputs, _ = build(write_tree(tmp_path / "tree", files))
    paths = [record.path for record in inputs.records["docs"]]
    assert "doc/heron.texi" in paths
    assert not {"doc/eggs.texi", "doc/other.texi"} & set(paths)


def test_parts_without_a_heading_are_text_and_definitions_are_none() -> None:
    (part,) = convert("a.texi", b"A remark.\n", lambda path: None)
    assert (part.title, part.text) == ("", "A remark.\n")
    definitions = b"@set version 1\n@macro egg{x}\nE \\x\\\n@end macro\n"
    assert [each.text for each in convert("a.texi", definitions, lambda path: None)] == [""]


def test_a_manual_beside_a_readme_is_read_with_it(tmp_path: Path) -> None:
    files = {
        "README.md": "# Heron\n\nFlies.\n",
        "heron.texi": "@settitle Heron Manual\n@chapter Wings\n\nFlap.\n",
        "heron.el": "(defun heron () 1)\n",
        "Makefile": "all:\n",
    }
    inputs, _ = build(write_tree(tmp_path / "tree", files))
    assert [each.path for each in inputs.records["readme"]] == ["README.md", "heron.texi"]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "part",
    ["@verbatim\nx\n", "@example\n", "@code{", "}", "@c x\n", "@@", "@defun a @\n", "@macro\n"],
)
def test_what_repeats_is_read_in_bounded_time(part: str) -> None:
    assert len(_converted(part * 20_000).problems) <= 1


def test_a_verbatim_block_without_an_end_keeps_what_looks_like_a_comment() -> None:
    assert "@c kept" in _shown("@verbatim\n@c kept\n")


def test_macros_may_use_others_and_take_the_rest_of_a_line() -> None:
    source = (
        "@alias cd = code\n"
        "@macro said{x}\n@cd{\\x\\}!\n@end macro\n@rmacro twice{x}\n@said{\\x\\} @said{\\x\\}\n"
        "@end rmacro\n@macro inner\nWords,\nmore.\n@end macro\n@twice{a, b}\n\n@said one two\n\n@inner"
    )
    assert _shown(source) == "`a, b`! `a, b`!\n\n`one two`!\n\nWords,\nmore."


@pytest.mark.parametrize(
    "source",
    [
        "@macro a\n@b\n@end macro\n@macro b\n@a@a\n@end macro\n@a",
        "@macro a{x}\n\\x\\\\x\\\n@end macro\n" + "@a{" * 50 + "y" + "}" * 50,
        "@macro a\n" * 20_000,
        "@macro a{x}\n\\x\\\n@end macro\n" + "@a{" * 20_000,
    ],
)
def test_macros_without_an_end_end(source: str) -> None:
    assert len(_converted(source).text) < 8_000_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "source",
    [
        "".join(f"@alias a{number} = b\n" for number in range(7_000)),
        f"@alias a = {'b' * 50_000}\n{'@a ' * 1_000}",
        "@macro a{x}\n" + "\\x\\" * 10_000 + "\n@end macro\n@a{" + "y" * 10_000 + "}",
    ],
)
def test_names_and_macros_do_not_multiply_a_manual(source: str) -> None:
    assert len(with_macros(source)) <= 2 * len(source)


@pytest.mark.parametrize("other", ["iftex", "ifinfo"])
def test_macros_for_other_formats_give_way(other: str) -> None:
    own = "@ifnottex\n@macro key{x}\n@code{\\x\\}\n@end macro\n@end ifnottex\n"
    foreign = f"@{other}\n@macro key{{x}}\nBig \\x\\\n@end macro\n@end {other}\n"
    assert _shown(f"{own}{foreign}@key{{a}}") == _shown(f"{foreign}{own}@key{{a}}") == "`a`"
    assert _shown(f"{foreign}@key{{a}}") == "Big a"


def test_a_name_may_stand_for_another_one() -> None:
    assert with_macros("@alias a = b\n@alias b = code\n@a{x} @ab{y} @@a") == (
        "@alias a = b\n@alias b = code\n@code{x} @ab{y} @@a"
    )


def test_definitions_are_found_by_their_names(tmp_path: Path) -> None:
    text = "@settitle Heron\n@chapter Eggs\n@defun lay-egg nest\nLays one.\n@end defun\n"
    inputs, _ = build(
        write_tree(tmp_path, {"doc/heron.txi": text, "README.md": "# Heron\n\nA bird.\n"})
    )
    (record,) = [each for each in inputs.records["docs"] if each.path == "doc/heron.txi"]
    assert isinstance(record, DocRecord)
    assert [(each.title, each.anchor) for each in record.sections][-1] == (
        "Function: lay-egg nest",
        "index-lay_002degg",
    )


def test_a_chapter_of_its_own_is_called_after_its_first_heading(tmp_path: Path) -> None:
    source = "@node Wings\n@section Wings\n\nFlap.\n\n@subsection Feathers\n\nMany.\n"
    inputs, _ = build(write_tree(tmp_path / "tree", {"docs/api-wings.texi": source}))
    assert [each.title for each in inputs.records["docs"]] == ["Wings"]
