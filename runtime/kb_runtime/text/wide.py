"""Text in UTF-16, in which shells and editors of Windows save what is printed or exported."""

from __future__ import annotations

import codecs

_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def as_utf8(data: bytes) -> bytes:
    """The bytes in UTF-8 where they begin with a mark of UTF-16 and are text in it, else as they are."""
    if not data.startswith(_MARKS) or len(data) <= len(_MARKS[0]):
        return data
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        return data
    return data if "\0" in text else text.encode()
