"""Formats that are told by how files begin."""

from __future__ import annotations

import pytest

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
