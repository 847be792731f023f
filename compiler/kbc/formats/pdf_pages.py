"""The program that reads a PDF from its standard input and prints its lines with the size of their type.

    {"title": "", "author": "", "created": "", "pages": [[
        {"text": "", "size": 9.5, "gap": 2.1, "left": 72.0, "pitch": 0.0}
    ]]}

`size`, `gap`, the room above the line, `left`, where it begins, and `pitch`, the width of each character of a
line in fixed-width type (0 for others), are in points. A word that is broken at the end of a line has U+FFFE
there.
"""

from __future__ import annotations

import ctypes
import json
import math
import re
import sys
from typing import Any

MAX_MEMORY = 900 << 20
MAX_PAGES = 5_000
MAX_CHARS = 8_000_000
FIXED_WIDTH = 1
"""The flag of a font whose characters have one width; many such fonts do not have it."""
_FIXED_WIDTH = re.compile(
    rb"mono|courier|consol|menlo|typewriter|inconsolata|(?:cm|sf|ec)(?:sl|it)?tt\d|code\b",
    re.IGNORECASE,
)


def main() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    data = sys.stdin.buffer.read()
    try:
        answer = read(data)
    except Exception as error:  # whatever the library raises is the file's fault
        answer = {"error": " ".join(str(error).split()) or type(error).__name__}
    sys.stdout.write(json.dumps(answer))


def read(data: bytes) -> dict[str, Any]:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    known = document.get_metadata_dict(skip_empty=True)
    pages: list[list[dict[str, Any]]] = []
    chars = 0
    for index in range(min(len(document), MAX_PAGES)):
        page = document[index]
        lines = _lines(page)
        pages.append(lines)
        chars += sum(len(line["text"]) for line in lines)
        page.close()
        if chars > MAX_CHARS:
            break
    return {
        "title": known.get("Title", ""),
        "author": known.get("Author", ""),
        "created": known.get("CreationDate", ""),
        "pages": pages,
    }


def _lines(page: Any) -> list[dict[str, Any]]:
    import pypdfium2.raw as pdfium

    text_page = page.get_textpage()
    text = text_page.get_text_range()
    found: list[dict[str, Any]] = []
    position = 0
    bottom_above: float | None = None
    edges = [ctypes.c_double() for _ in range(4)]
    for line in text.split("\n"):
        shown = line.rstrip("\r")
        first = next((i for i, char in enumerate(shown) if not char.isspace()), None)
        if first is not None:
            index = position + first
            size = _size(text_page, index)
            pdfium.FPDFText_GetCharBox(text_page, index, *edges)
            left, _, bottom, top = (edge.value for edge in edges)
            gap = bottom_above - top if bottom_above is not None else 0.0
            last = position + len(shown.rstrip()) - 1
            found.append(
                {
                    "text": shown.replace("\0", ""),
                    "size": size,
                    "gap": round(gap, 1),
                    "left": round(left, 1),
                    "pitch": _pitch(text_page, index, last, size),
                }
            )
            bottom_above = bottom
        position += len(line) + 1
    text_page.close()
    return found


def _size(text_page: Any, index: int) -> float:
    """The size of the type of a character as it is shown: programs write 1, and scale all text of a page."""
    import pypdfium2.raw as pdfium

    size = float(pdfium.FPDFText_GetFontSize(text_page, index))
    matrix = pdfium.FS_MATRIX()
    if pdfium.FPDFText_GetMatrix(text_page, index, matrix):
        size *= math.hypot(matrix.c, matrix.d) or 1.0
    return round(size * 2) / 2


def _pitch(text_page: Any, first: int, last: int, size: float) -> float:
    """The width of a character, if the first, the middle and the last one are in fixed-width type, else 0."""
    import pypdfium2.raw as pdfium

    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    for index in (first, (first + last) // 2, last):
        pdfium.FPDFText_GetFontInfo(text_page, index, name, len(name), ctypes.byref(flags))
        if not (flags.value & FIXED_WIDTH or _FIXED_WIDTH.search(name.value)):
            return 0.0
    x, y = ctypes.c_double(), ctypes.c_double()
    places: list[float] = []
    for index in (first, first + 1):
        pdfium.FPDFText_GetCharOrigin(text_page, index, x, y)
        places.append(x.value)
    width = places[1] - places[0] if last > first else 0.0
    return round(width, 2) if 0.3 * size < width < 0.9 * size else 0.6 * size


if __name__ == "__main__":
    main()
