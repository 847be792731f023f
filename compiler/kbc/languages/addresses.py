"""Addresses as pages write them: some are none."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit

_NONE = urlsplit("")


def split_url(url: str) -> SplitResult:
    """The parts of an address; all empty where it is none (`https://[`)."""
    try:
        return urlsplit(url)
    except ValueError:
        return _NONE


def joined_url(base: str, url: str) -> str:
    """`url` as it is meant on a page at `base`; itself where it is none."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url
