"""Addresses that mean the same page have one key."""

from __future__ import annotations

import pytest

from kb_runtime.text.urls import page_key, split_fragment


@pytest.mark.parametrize(
    "same",
    [
        "http://example.org/a/b",
        "https://example.org/a/b/",
        "https://EXAMPLE.org:443/a/b",
        "https://example.org/a/b#part",
        " https://example.org/%61/b ",
    ],
)
def test_variants_share_a_key(same: str) -> None:
    assert page_key(same) == page_key("https://example.org/a/b")


@pytest.mark.parametrize(
    "other",
    ["https://example.org/a/B", "https://example.org/a/b?x=1", "https://sub.example.org/a/b"],
)
def test_other_pages_have_other_keys(other: str) -> None:
    assert page_key(other) != page_key("https://example.org/a/b")


def test_what_is_no_web_address_is_its_own_key() -> None:
    assert page_key("docs/a.md") == "docs/a.md"
    assert page_key("http://[broken") == "[broken"


def test_a_fragment_is_decoded() -> None:
    assert split_fragment("https://example.org/a#two%20words") == (
        "https://example.org/a",
        "two words",
    )
