"""Man pages in scdoc as Markdown."""

from __future__ import annotations

from tests.compiler.formats.samples import read, samples

from kbc.formats import convert


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
