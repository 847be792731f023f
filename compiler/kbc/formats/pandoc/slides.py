"""Code on slides: paragraphs in a monospaced font, which pandoc gives as text without its lines."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from html import unescape
from itertools import islice
from typing import Any

MAX_SLIDE_BYTES = 8 << 20
MAX_SLIDES = 1_000
MAX_CODES = 2_000

_SLIDE = re.compile(r"ppt/slides/slide(\d{1,5})\.xml")
_TOKEN = re.compile(
    r"<a:(?P<kind>p|r|fld|br)(?=[\s/>])|<a:latin\b[^<>]*?\btypeface=\"(?P<font>[^\"<>]*)\""
    r"|<a:t>(?P<text>[^<]*)|(?P<end></a:p>)"
)
_MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|inconsolata|typewriter|cascadia|\bmono|mono\b|\bcode\b|\bfixed",
    re.IGNORECASE,
)


def with_code(tree: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Pandoc's tree of the presentation `data` with code blocks in the place of paragraphs of code."""
    groups: dict[str, list[str]] = {}
    for code in islice(_code(data), MAX_CODES):
        groups.setdefault(_squeezed(code.split("\n", 1)[0]), []).append(code)
    return {**tree, "blocks": list(_replaced(tree.get("blocks", []), groups))} if groups else tree


def _replaced(blocks: list[Any], groups: dict[str, list[str]]) -> Iterator[Any]:
    """`blocks` with those that together are a text of `groups`, which begin with their keys, replaced."""
    index = 0
    while index < len(blocks):
        texts: list[str] = []
        found = None
        candidates = [
            code
            for first, codes in groups.items()
            if blocks[index]["t"] == "Para" and _text(blocks[index]).startswith(first)
            for code in codes
        ]
        wanted = {_squeezed(code): code for code in candidates}
        longest = max(map(len, wanted), default=0)
        for block in blocks[index:] if wanted else ():
            if block["t"] != "Para" or len("".join(texts)) > longest:
                break
            texts.append(_text(block))
            if "".join(texts) in wanted:
                found = (wanted["".join(texts)], len(texts))
        if found is None:
            yield blocks[index]
            index += 1
        else:
            yield {"t": "CodeBlock", "c": [["", [], []], found[0]]}
            index += found[1]


def _text(node: Any) -> str:
    """The text in a node without any space."""
    if isinstance(node, dict):
        content = node.get("c")
        return _squeezed(str(content)) if node.get("t") == "Str" else _text(content)
    return "".join(map(_text, node)) if isinstance(node, list) else ""


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _code(data: bytes) -> Iterator[str]:
    """The code of each slide; paragraphs of code that follow each other are the lines of one text."""
    for source in _slides(data):
        lines: list[str] = []
        for text, is_code in _paragraphs(source):
            if is_code or (not text.strip() and lines):
                lines.append(text)
            elif lines:
                yield "\n".join(lines).strip("\n")
                lines = []
        if lines:
            yield "\n".join(lines).strip("\n")


def _paragraphs(source: str) -> Iterator[tuple[str, bool]]:
    """The text of each paragraph, and whether all of it is in a monospaced font."""
    parts: list[str] = []
    fonts: set[bool] = set()
    is_mono = False
    for match in _TOKEN.finditer(source):
        if match["end"]:
            yield "".join(parts), fonts == {True}
            parts, fonts = [], set()
        elif match["kind"]:
            is_mono = False
            parts += ["\n"] if match["kind"] == "br" else []
        elif match["font"] is not None:
            is_mono = _MONOSPACED.search(match["font"]) is not None
        elif match["text"]:
            text = unescape(match["text"])
            parts.append(text)
            fonts.update([is_mono] if text.strip() else [])


def _slides(data: bytes) -> Iterator[str]:
    """The XML of the slides that can be read, by their numbers."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            matches = [match for name in archive.namelist() if (match := _SLIDE.fullmatch(name))]
            for match in sorted(matches, key=lambda each: int(each[1]))[:MAX_SLIDES]:
                with archive.open(match[0]) as file:
                    yield file.read(MAX_SLIDE_BYTES).decode("utf-8", "replace")
    except (
        *(OSError, KeyError, ValueError, RuntimeError, NotImplementedError, EOFError),
        *(zlib.error, zipfile.BadZipFile),
    ):
        return
