"""Tells formats apart where the name of a file does not."""

from __future__ import annotations

import re
from pathlib import Path

_SNIFFED_BYTES = 1_024
_HTML_START = re.compile(
    rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def looks_like_html(name: str, data: bytes) -> bool:
    """Whether a file without an ending is HTML, by how it begins."""
    if "." in name.partition("?")[0]:
        return False
    return _HTML_START.match(data[:_SNIFFED_BYTES].removeprefix(_BYTE_ORDER_MARK)) is not None


def is_wanted(path: Path, wanted: tuple[str, ...]) -> bool:
    """Whether a file has one of the endings `wanted` (all, when there is none): `page.html?lang=en`, as
    mirrors call it, has; and where HTML is wanted, a file of HTML without an ending."""
    name = path.name.lower()
    if not wanted or name.endswith(wanted):
        return True
    plain = name.partition("?")[0]
    if plain != name and plain.endswith(wanted):
        return True
    if ".html" not in wanted or "." in plain:
        return False
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return looks_like_html(name, stream.read(_SNIFFED_BYTES))
    except OSError:
        return False
