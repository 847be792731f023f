"""odoc's markup as Markdown."""

from __future__ import annotations

import pytest

from kbc.formats import convert
from kbc.formats.document import Converted


def _converted(text: str) -> Converted:
    (document,) = convert("docs/heron.mld", text.encode(), lambda path: None)
    return document


def test_headings_have_their_labels() -> None:
    document = _converted(
        "{0 Herons}\n@children_order a b\n\n{1:wings Two Wings}\n{2 Long {e legs}}\n"
    )
    assert document.text == "# Herons\n\n## Two Wings\n\n### Long *legs*\n"
    assert document.anchors == ("herons", "wings", "long-legs")
    assert _converted("{1 Wings}\nTwo.\n").text == "# Wings\n\nTwo.\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{b bold} {i slanted}, {e both}", "**bold** *slanted*, *both*"),
        ("[a.[0]] and [\\]] and [open", "`a.[0]` and `]` and [open"),
        (
            "{{:https://a.example/x} the {b x}} {:https://b.example}",
            "[the **x**](https://a.example/x)",
        ),
        (
            "{!module-Heron.val-fly} {!Heron.t} {{!page-wings} the wings}",
            "`Heron.fly` `Heron.t` the wings",
        ),
        ("{!modules: Heron Egg}", "`Heron`, `Egg`"),
        ("\\{ \\[a\\] } {unknown x", "{ [a] } {unknown x"),
        ("{b {m \\frac{a}{b}} is} {%html: x", "**`\\frac{a}{b}` is** {%html: x"),
        ("{math \\frac{a}{b}}\n\nText", "```math\n\\frac{a}{b}\n```\n\nText"),
        ("x{^2} {%html: <b>no</b>%}{image!a.png}y", "x2 y"),
    ],
)
def test_marks_in_lines(text: str, shown: str) -> None:
    assert _converted(text).text.startswith(shown)


def test_code_keeps_its_language_and_its_output() -> None:
    page = "{[\n  let a = [|1|]\n  let b = a]}\n\n{@sh skip[ls]}\n{x@ml[ f [1]} ]x[out]}\n{v {b cv}\nv}\n"
    assert _converted(page).text == (
        "```ocaml\nlet a = [|1|]\nlet b = a\n```\n\n```sh\nls\n```\n\n```ml\nf [1]}\n```\n\n```\nout\n```\n"
        "\n```\n{b cv}\n```\n"
    )


def test_lists_nest_and_tables_are_tables() -> None:
    page = (
        "Birds:\n- one\n- two\n\n{ol {- first\n\n  {[code]}} {- {ul {li inner}}}}\n"
        "{table {tr {th A} {th B}} {tr {td 1} {td [2]}}}\n{t\n | C | D |\n |---|---|\n | 3 | 4 |\n}\n"
    )
    assert _converted(page).text == (
        "Birds:\n\n- one\n\n- two\n\n1. first\n\n   ```ocaml\n   code\n   ```\n\n2. - inner\n\n"
        "| A | B |\n| --- | --- |\n| 1 | `2` |\n\n| C | D |\n|---|---|\n| 3 | 4 |\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "{b " * 5_000,
        "[" * 5_000,
        "{[" * 5_000,
        "{% " * 5_000,
        "{m " * 5_000,
        "{v x",
        "{ul {- a",
        "}" * 9,
    ],
)
def test_marks_that_never_end_are_read(text: str) -> None:
    assert _converted(text).text
