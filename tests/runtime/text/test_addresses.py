"""kb:// addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.text.addresses import address_template, format_address, parse_address

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(IDS)
def test_an_address_gives_its_id_back(record_id: str) -> None:
    assert parse_address(format_address("kb", "docs", record_id)) == ("kb", "docs", record_id)


@given(IDS)
def test_an_address_is_printable_ascii(record_id: str) -> None:
    address = format_address("kb", "docs", record_id)
    assert address.isascii()
    assert address.isprintable()


def test_slashes_stand_as_they_are() -> None:
    assert format_address("kb", "docs", "a b/c.md") == "kb://kb/docs/a%20b/c.md"


@pytest.mark.parametrize("record_id", ["../a.md", "a/./b.md", "a/..", "a//b.md", "/a.md", "a/"])
def test_no_client_can_resolve_a_path_to_another(record_id: str) -> None:
    assert format_address("kb", "docs", record_id).count("/") == 4


def test_what_the_template_expands_to_is_read() -> None:
    address = address_template("kb", "docs").replace("{id}", "a%2Fb.md")
    assert parse_address(address) == ("kb", "docs", "a/b.md")


@pytest.mark.parametrize(
    "text",
    ["", "kb://", "kb://kb", "kb://kb/docs", "kb://kb/docs/", "kb:///docs/a", "http://kb/docs/a"],
)
def test_other_text_is_no_address(text: str) -> None:
    assert parse_address(text) is None
