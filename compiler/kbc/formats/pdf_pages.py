"""The program that reads a PDF from its standard input and prints its lines with the size of their type.

    {"title": "", "author": "", "created": "", "pages": [[{"text": "", "size": 9.5, "gap": 2.1}]]}

`size` and `gap`, the room above the line, are in points.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

MAX_MEMORY = 900 << 20
MAX_PAGES = 5_000
MAX_CHARS = 8_000_000


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
            size = round(pdfium.FPDFText_GetFontSize(text_page, index) * 2) / 2
            pdfium.FPDFText_GetCharBox(text_page, index, *edges)
            bottom, top = edges[2].value, edges[3].value
            gap = bottom_above - top if bottom_above is not None else 0.0
            clean = shown.replace("\0", "").replace("\ufffe", "-")
            found.append({"text": clean, "size": size, "gap": round(gap, 1)})
            bottom_above = bottom
        position += len(line) + 1
    text_page.close()
    return found


if __name__ == "__main__":
    main()
