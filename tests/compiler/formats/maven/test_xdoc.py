"""Pages of Maven sites: xdoc and FML, as Markdown."""

from __future__ import annotations

import pytest
from tests.compiler.formats.samples import read, samples

from kbc.formats import convert
from kbc.formats.document import Converted
from kbc.sources.formats import format_by_content


def one(path: str, source: str) -> Converted:
    (document,) = convert(path, source.encode(), read, format="xdoc")
    return document


def test_sections_code_tables_and_what_a_site_has_of_its_own_are_kept() -> None:
    path, data = samples()["xdoc"]
    (document,) = convert(path, data, read, format="xdoc")
    assert (document.title, document.author) == ("Sluices & gates", "A. Heron")
    assert document.text == (
        "# Sluices & gates\n\n## Opening a gate\n\nTurn the *wheel* – see [levels](levels.html#Low).\n\n"
        '```\ngate.open(&nbsp;);\n  <gate name="a"/>\n```\n\n### Slowly\n\n'
        "| Gate | Time |\n| --- | --- |\n| east | 5 |\n\n`maxWidth`\n\nIn metres.\n"
    )
    assert document.anchors[1:] == ("Opening_a_gate", "slow")
    (problem,) = document.problems
    assert (problem.code, problem.name) == ("content-elsewhere", "macro snippet")


def test_questions_have_their_answers_below_them() -> None:
    source = (
        '<faqs title="Questions"><part id="g"><title>Gates</title><faq id="why"><question>Why <b>two</b>?'
        "</question><answer><p>One may fail.</p></answer></faq></part></faqs>"
    )
    (document,) = convert("src/site/fml/faq.fml", source.encode(), read)
    assert document.text == "# Questions\n\n## Gates\n\n### Why **two**?\n\nOne may fail.\n"
    assert document.anchors[2] == "why"


@pytest.mark.parametrize(
    ("title", "anchor"),
    [("Über 2 Tore!", "a.C3.9Cber_2_Tore.21"), ("a-b_c", "a-b_c"), (" Low gates ", "Low_gates")],
)
def test_sections_have_the_anchors_of_doxia(title: str, anchor: str) -> None:
    document = one(
        "a.xml", f"<document><body><section name='{title}'>x</section></body></document>"
    )
    assert document.anchors == (anchor,)


def test_a_page_may_be_in_the_encoding_that_it_declares() -> None:
    source = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><document><body><p>Tür</p></body></document>'
    )
    for encoding in ("latin-1", "utf-8"):
        (document,) = convert("a.xml", source.encode(encoding), read, format="xdoc")
        assert document.text == "Tür\n"


def test_entities_of_html_are_characters_and_others_are_files() -> None:
    body = "<document><body><p>Up &AMP; down&nvlt; &copy;&sect;</p></body></document>"
    declared = '<!ENTITY sect SYSTEM "a.xml"><!ENTITY copy "&#169;">'
    document = one("a.xml", f"<!DOCTYPE document [{declared}]>{body}")
    assert (document.text, document.problems) == ("Up & down<\u20d2 ©\n", ())


def test_other_xml_is_no_page() -> None:
    for source, message in (("<html/>", "begins with <html>"), ("<document>", "is no XML")):
        (problem,) = one("a.xml", source).problems
        assert message in problem.message


@pytest.mark.parametrize(
    ("start", "format"),
    [
        ("<?xml version='1.0'?>\n<!-- ours -->\n<document>\n<properties>", "xdoc"),
        ('<!DOCTYPE document [<!ENTITY a SYSTEM "a.xml">]>\n<document url="a">&a;<body>', "xdoc"),
        ("<document><nest/></document>", ""),
        ("<documents><body/></documents>", ""),
    ],
)
def test_pages_are_told_by_how_they_begin(start: str, format: str) -> None:
    assert format_by_content("gates.xml", start.encode()) == format
