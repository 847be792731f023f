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
def test_an_address_is_printable_ascii_with_three_segments(record_id: str) -> None:
    address = format_address("kb", "docs", record_id)
    assert address.isascii()
    assert address.isprintable()
    assert address.count("/") == 4


def test_the_template_expands_to_the_address() -> None:
    template = address_template("kb", "docs")
    assert template.replace("{id}", "a%2Fb.md") == format_address("kb", "docs", "a/b.md")


def test_unencoded_slashes_are_read() -> None:
    assert parse_address("kb://kb/docs/a/b.md") == ("kb", "docs", "a/b.md")


@pytest.mark.parametrize(
    "text",
    ["", "kb://", "kb://kb", "kb://kb/docs", "kb://kb/docs/", "kb:///docs/a", "http://kb/docs/a"],
)
def test_other_text_is_no_address(text: str) -> None:
    assert parse_address(text) is None
