"""Man pages in scdoc, and help of Vim, as Markdown."""

from __future__ import annotations

import time

import pytest
from tests.compiler.formats.samples import read, samples

from kbc.formats import convert
from kbc.sources.formats import format_by_content


def test_terms_lists_tables_and_code_are_kept() -> None:
    path, data = samples()["scdoc"]
    (document,) = convert(path, data, read)
    assert (document.format, document.title) == ("scdoc", "heron(1)")
    assert document.summary == "count birds *at* the pond"
    assert document.text == (
        "# heron(1)\n\n## NAME\n\nheron - count birds \\*at\\* the pond\n\n## OPTIONS\n\n"
        "- **-f, --fast** \\<file>\n\n"
        "  Fly at once, see **pond**(5) and *WINGS_LONG* or\n  snake_case_name.\n\n"
        "  Second paragraph:\n\n  ```\n  heron --fast\t<x>\n  ```\n\n"
        "- **-h**\n\n  Help.\n\nValues:\n\n- one,\n  which goes on\n\n- two\n\n1. first\n\n"
        "### EXAMPLES\n\nLine\\\nother line\n\n"
        "| **NAME** | Meaning |\n| --- | --- |\n| nest | Where it lives |\n"
    )


def test_what_is_never_closed_is_kept() -> None:
    (document,) = convert("heron.1.scd", b"# A\n\n```\n*code\n", read)
    assert document.text == "## A\n\n```\n*code\n```\n"
    (deep,) = convert("heron.1.scd", b"\t" * 40 + b"deep\n", read)
    assert "deep" in deep.text


def test_help_of_vim_has_sections_tags_code_and_lists() -> None:
    path, data = samples()["vim-help"]
    (document,) = convert(path, data, read, format="vim-help")
    assert (document.title, document.summary) == ("heron", "Count birds at the pond")
    assert document.anchors == ("heron.txt", "heron-options", "g:heron_fast", "heron#count()")
    assert document.targets == ("b:heron_fast", "heron-note")
    assert document.text == (
        "# heron\n\nCount birds at the pond\n\n## 1. Options\n\nSet these in `vimrc`. For example:\n\n"
        '```vim\nlet g:heron_fast = 1\n\n" More\n```\n\nThen `:Heron` is fast:\n\n'
        "- at once, and\n  always\n- with 2_eggs\n\n#### g:heron_fast\n\nType: `Number` \\<n>\n\n"
        "This is only text that goes on,\nbelow a tag.\n\n"
        "```text\nUsage: ~\n  count   of birds\n  size    of eggs\n```\n\n"
        "### heron#count({pond})\n\nCounts.\n"
    )


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("  *:Heron*\n:Heron {n}   Count the birds.\n             All of them.\n",
         "#### :Heron {n}\n\nCount the birds.\nAll of them.\n"),
        ("*g:heron_wings*\n  How many wings there are.\n\n  Default: 2\n",
         "#### g:heron_wings\n\nHow many wings there are.\n\nDefault: 2\n"),
        ("        *heron-nest*\nThis sets where they live.\n",
         "#### heron-nest\n\nThis sets where they live.\n"),
        ("* *g:heron_old*\n  Deprecated: use another one\n",
         "#### g:heron_old\n\nDeprecated: use another one\n"),
        ("FEEDING TIMES     *heron-feeding*\n\nAt noon.\n", "### FEEDING TIMES\n\nAt noon.\n"),
        (f"{'=' * 78}\nThis file tells everybody who counts birds at the pond how to do\nthat.\n",
         "This file tells everybody who counts birds at the pond how to do\nthat.\n"),
        (f"{'=' * 78}\nNests\nThey are in trees.\n", "## Nests\n\nThey are in trees.\n"),
    ],
)  # fmt: skip
def test_headings_of_help_are_names_and_no_sentences(lines: str, text: str) -> None:
    (document,) = convert("heron.txt", f"*heron.txt*\n\n{lines}".encode(), read, format="vim-help")
    assert document.text == f"# heron\n\n{text}"


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("*heron.txt*  Birds\n", "vim-help"),
        (f"{'=' * 78}\nBirds    *heron-birds*\n\nText.\n", "vim-help"),
        (f"{'=' * 78}\nBirds\n{'=' * 78}\n", ""),
        ("*Herons* are birds, see heron.txt.\n", ""),
    ],
)
def test_help_of_vim_is_told_by_its_tags(start: str, found: str) -> None:
    assert format_by_content("doc/heron.txt", start.encode()) == found


@pytest.mark.parametrize(
    "line", ["*a* " * 100_000, "> " * 100_000, " " * 200_000 + "~", "*a*\n" * 50_000, "|" * 200_000]
)
def test_long_lines_of_help_take_no_time(line: str) -> None:
    started = time.process_time()
    convert("a.txt", f"*a.txt*\n{line}".encode(), read, format="vim-help")
    assert time.process_time() - started < 5
