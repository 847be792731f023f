"""Formats that are told by how files begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, write_tree

from kbc.records import DocRecord
from kbc.sources.formats import format_by_content, looks_like_html


@pytest.mark.timeout(10)
def test_files_that_begin_with_many_comments_are_told_in_bounded_time() -> None:
    comments = b"<!-- heron -->\n" * 250
    assert not looks_like_html("notes", comments)
    assert looks_like_html("notes", comments + b"<!DOCTYPE html>")
    assert format_by_content("notes.xml", comments) == ""
    assert format_by_content("notes.xml", comments + b"<chapter><title>A</title>") == "docbook"
    assert format_by_content("notes.tutorial", comments) == ""
    assert format_by_content("notes.tutorial", comments + b"@Tutorial(time: 3) {") == "docc"


def test_pages_of_dokuwiki_are_told_from_text_with_ruled_headings() -> None:
    heading = b"====== Nests ======\n\nText.\n"
    assert format_by_content("nest.txt", heading + b"\n===== Count =====\n") == "dokuwiki"
    assert format_by_content("nest.txt", heading + b"\n  * one\n") == "dokuwiki"
    assert format_by_content("nest.txt", heading) == ""
    assert format_by_content("nest.txt", b"=== Nests ===\n\n== Count ==\n\n[[a]]\n") == ""
    assert format_by_content("nest.txt", b"=====\nNests\n=====\n\n  * one\n") == ""


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("// Birds\n\n= Nests\n:toc:\n\nText.\n", "asciidoc"),
        ("include::a.adoc[]\n[[nests]]\n= Nests\n\nText.\n\n[source,c]\n----\nint a;\n----\n", "asciidoc"),
        ("nest(1)\n=======\n:doctype: manpage\n\nNAME\n----\nnest - lives\n", "asciidoc"),
        ("nest(1)\r\n=======\r\n\r\nNAME\r\n----\r\nnest - lives\r\n", "asciidoc"),
        ("= Nests\n\nText.\n\n== Eggs\n", "asciidoc"),
        ("= Nests\n\nText.\n", ""),
        ("= Nests =\n\nText.\n\n== Eggs ==\n", ""),
        ("Nests\n=====\n\nText.\n\nEggs\n----\n", ""),
        ("Nests are:\n\n= high\n= round\n:name: x\n", ""),
        ("======\nNests\n======\n\n:toc: x\n", ""),
    ],
)  # fmt: skip
def test_asciidoc_in_plain_text_is_told_by_its_title_and_more(start: str, found: str) -> None:
    assert format_by_content("doc/nest.txt", start.encode()) == found


def test_a_chapter_in_plain_text_has_the_attributes_of_its_book(tmp_path: Path) -> None:
    book = "= Birds\n:who: herons\n\ninclude::chapter.txt[]\n"
    chapter = "= Nests\n\nOf {who}.\n\n== Eggs\n\nBlue.\n"
    inputs, _ = read(write_tree(tmp_path / "tree", {"book.txt": book, "chapter.txt": chapter}))
    texts = {each.id: each.text for each in inputs.records["docs"] if isinstance(each, DocRecord)}
    assert "Of herons." in texts["chapter.txt"]
