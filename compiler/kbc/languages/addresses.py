"""Addresses as pages write them: some are none."""

from __future__ import annotations

import html
import re
from urllib.parse import SplitResult, urljoin, urlsplit

HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?")
"""What a mirror's folder is called: the name of the host that its pages are from."""

SITEMAP = re.compile(r"sitemap[^/]*\.xml\Z", re.IGNORECASE)
_REFRESH = re.compile(
    r"<meta\b(?=[^>]*http-equiv=[\"']?refresh)[^>]*content=[\"']?\s*(?:\d|10)\s*;\s*url=[\"']?([^\"'>]+)",
    re.IGNORECASE,
)
_ALIAS_OF_QUARTO = re.compile(r'\bvar redirects = \{"":"([^"]+)"')
_HEAD_CHARS = 4_096

_NONE = urlsplit("")
_PICTURE = re.compile(r"(\bdata:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,)[A-Za-z0-9+/=]{1000,}")
"""A file as the address of itself, larger than an icon."""


def redirect_target(text: str) -> str:
    """Where a page of HTML sends its readers within ten seconds; "" when it does not."""
    head = text[:_HEAD_CHARS]
    found = _REFRESH.search(head) if "refresh" in head.lower() else None
    found = found or _ALIAS_OF_QUARTO.search(head)
    return html.unescape(found[1]).strip() if found else ""


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


def without_pictures(text: str) -> str:
    """`text` with an ellipsis for pictures and other files that its addresses hold
    (`data:image/png;base64,...`): nobody reads them, and one is longer than all the words of its page."""
    return _PICTURE.sub(r"\1…", text) if ";base64," in text else text
