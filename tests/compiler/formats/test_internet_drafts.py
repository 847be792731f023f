"""Internet-Drafts as Markdown, from RFCXML and from kramdown-rfc."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.formats.samples import read, samples

from kbc import processor_time
from kbc.formats import convert
from kbc.formats.document import Converted
from kbc.sources.formats import format_by_content, is_wanted


def _sample(name: str) -> Converted:
    path, data = samples()[name]
    assert format_by_content(path, data) == name
    (document,) = convert(path, data, read, format=name)
    assert document.problems == ()
    return document


def test_xml_keeps_sections_lists_tables_code_and_references() -> None:
    document = _sample("rfcxml")
    assert (document.title, document.author) == ("Nests over HTTP", "Ada Heron")
    assert (document.summary, document.index_names) == (
        "How nests are fetched.",
        ("draft-heron-nests-01",),
    )
    assert document.text == (
        "# Nests over HTTP\n\n## Abstract\n\nHow nests are fetched.\n\n## Fetching Nests\n\n"
        "A client MUST wait ([[RFC9110], Section 9.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2)), "
        "see [Status Codes](#codes) and [[ORNITHO]](https://birds.example/).\n\n"
        "```http-message\nGET /nest HTTP/1.1\n```\n\n*A request*\n\n"
        "### Old Lists\n\nKinds:\n\n- **twig**\n\n  A small one, `t=1`.\n\n- **moss**\n\n  Soft.\n\n"
        "1. Land.\n2. Sit & wait.\n\n## Status Codes\n\n"
        "| Code | Means |\n| --- | --- |\n| 200 | full |\n\n| Egg |\n| --- |\n| blue |\n\n*Eggs*\n\n"
        "## Normative References\n\n- **RFC9110** <https://www.rfc-editor.org/rfc/rfc9110>\n"
        "- **ORNITHO**: On Birds, Pond, 2020 <https://birds.example/>\n"
    )
    assert document.anchors == (
        *("name-nests-over-http", "name-abstract", "fetching", "name-old-lists", "codes"),
        "name-normative-references",
    )
    assert {"codes", "ORNITHO"} <= {*document.targets}


def test_kramdown_keeps_its_title_parts_captions_and_references() -> None:
    document = _sample("kramdown-rfc")
    assert (document.title, document.author) == ("Nests over HTTP", "Ada Heron")
    rfc = "https://www.rfc-editor.org/rfc/rfc"
    assert document.text == (
        "# Nests over HTTP\n\n## Abstract\n\nHow nests are fetched.\n\n## To Readers\n\n"
        "Write to the pond.\n\n## Fetching Nests\n\n"
        "MUST, MUST NOT, REQUIRED, SHALL, SHALL NOT, SHOULD, SHOULD NOT, RECOMMENDED, "
        "NOT RECOMMENDED, MAY and OPTIONAL, in capitals, have the meaning that BCP 14 (RFC 2119, "
        f"RFC 8174) gives them.\n\nA client waits ([[HTTP], Section 9.2]({rfc}9110#section-9.2)), see "
        f"[Status Codes](#codes), [[MOSS]]({rfc}8259) and [Appendix A of [ORNITHO]](https://birds.example/).\n\n"
        "~~~ http-message\nGET /{{nest}} HTTP/1.1\n~~~\n\n*A request*\n\n"
        "Code such as `{{template}}` stays; Ada Heron wrote [A request](#request).\n\n"
        "### Status Codes\n\n| Code | Means |\n| 200 | full |\n\n*Codes*\n\n"
        f"## Normative References\n\n- **HTTP**: RFC9110 <{rfc}9110>\n- **RFC9112** <{rfc}9112>\n"
        f"- **HTTP/3**: RFC9114 <{rfc}9114>\n\n"
        "## Informative References\n\n- **ORNITHO**: On Birds <https://birds.example/>\n\n"
        "## Thanks\n\nTo all.\n"
    )
    assert document.anchors == (
        *("nests-over-http", "abstract", "to-readers", "fetching", "codes", "normative-references"),
        *("informative-references", "thanks"),
    )


def test_files_that_drafts_include_are_read_and_missing_ones_are_counted() -> None:
    start = b"---\ntitle: T\n\n--- middle\n\n# S\n\n"
    data = start + b"~~~\n{::include part.abnf}\n~~~\n\n{::include gone.md}\n"
    tree = {"docs/part.abnf": b'nest = "(" ")"\n'}
    (document,) = convert("docs/d.md", data, tree.get, format="kramdown-rfc")
    assert '~~~\nnest = "(" ")"\n~~~' in document.text
    assert "(not included: gone.md)" in document.text
    assert [each.message for each in document.problems] == [
        "the included file 'gone.md' is not in the tree"
    ]


def test_entities_that_grow_without_end_are_left_as_their_names() -> None:
    data = (
        b'<!DOCTYPE rfc [<!ENTITY a "'
        + b"x" * 100_000
        + b'">]><rfc docName="d"><front><title>T</title>'
        b"</front><middle><section title='S'><t>" + b"&a;" * 60 + b"</t></section></middle></rfc>"
    )
    (document,) = convert("d.xml", data, read, format="rfcxml")
    assert len(document.text) < 4_100_000
    assert document.text.rstrip().endswith("&a;")


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("d.md", "---\ntitle: T\n---\n\nAbout\n--- middle\nof a page\n", "kramdown-rfc"),
        ("d.md", "# T\n\n--- middle\n", ""),
        ("d.md", "---\ntitle: T\n---\n\nA page.\n", ""),
        ("d.xml", '<?xml version="1.0"?><!-- old --><rfc docName="d">', "rfcxml"),
        ("d.xml", "<rfc>nothing of it</rfc>", ""),
        ("d.txt", "\n\nINTERNET STANDARD\nInternet-Draft      A. Heron\n", "rfc-text"),
        ("d.txt", "Notes on an\nInternet-Draft of mine.\n", ""),
    ],
)
def test_how_drafts_are_told_from_other_files(name: str, text: str, format: str) -> None:
    assert format_by_content(name, text.encode()) == format


def test_plain_text_has_headings_lists_and_figures_without_heads_of_pages() -> None:
    document = _sample("rfc-text")
    assert (document.title, document.index_names) == ("Nests in Trees", ("RFC 9901",))
    header, _, text = document.text.partition("```\n\n")
    assert header.startswith("# Nests in Trees\n\n```text\nNetwork Working Group")
    assert text == (
        "## 1. Fetching Nests\n\nA client MUST wait, and the nest is not\nempty when\nit returns <1>.\n\n"
        "### 1.1 Kinds of Nests, with a Title of Two Lines\n\n- twig, which is a small one and\n  weak\n\n"
        '  1. land\n\n```text\n   nest = 1*twig\n   twig = "t"\n\n +-----+\n | egg |\n\n+-----+\n```\n\n'
        "## Author's Address\n\nA. Heron\n"
    )


def test_plain_text_without_an_indented_title_is_read() -> None:
    text = "Network Group\n\nRequest for Comments: 9902\n\nKites\n\nA kite\n\nB.1 Tails\n\nA tail of\none.\n"
    (document,) = convert("d.txt", text.encode(), read, format="rfc-text")
    assert (document.title, document.problems) == ("", ())
    assert document.text.startswith("```text\nNetwork Group\n```\n\n")
    assert document.text.endswith("## Kites\n\n## A kite\n\n### B.1 Tails\n\nA tail of\none.\n")


def test_names_of_drafts_of_any_length_take_no_time() -> None:
    text = f"Request for Comments: 9903\n\n  draft-{'a' * 50_000} x\n"
    (document,) = convert("d.txt", text.encode(), read, format="rfc-text")
    assert not document.problems


def test_drafts_in_xml_are_documentation(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text('<rfc docName="d"/>')
    (tmp_path / "pom.xml").write_text("<project/>")
    assert is_wanted(tmp_path / "d.xml", (".docbook",))
    assert not is_wanted(tmp_path / "pom.xml", (".docbook",))


@pytest.mark.parametrize(
    ("line", "shown"), [("# a" + " " * 4_000 + "b", "## a b\n"), ("{:a " * 60 + '"x', '"x\n')]
)
def test_lines_of_a_draft_made_to_harm_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch, line: str, shown: str
) -> None:
    monkeypatch.setattr(processor_time, "SECONDS", 8.0)
    data = f"---\ntitle: T\n\n--- middle\n\n# S\n\n{line}\n".encode()
    (document,) = convert("docs/d.md", data, read, format="kramdown-rfc")
    assert document.problems == ()
    assert document.text.endswith(shown)
