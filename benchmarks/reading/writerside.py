"""The code that topics of Writerside show, found without the package: between tags, in fences, in files."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from html import unescape
from pathlib import Path

_VARIABLE = re.compile(r"%[A-Za-z][\w.-]*%|%\\[\w.-]+%")
_BLOCK = re.compile(
    r"<code-block\b(?P<stated>(?:\"[^\"]*\"|[^<>\"])*?)(?:/>|>(?P<code>.*?)</code-block>)",
    re.DOTALL,
)
_PULLED = re.compile(r"^[ \t>]*\{(?P<stated>[^{}]*\bsrc\s*=[^{}]*)\}", re.MULTILINE)
_STATED = re.compile(r"([\w-]+)\s*=\s*\"([^\"]*)\"")


def topic_blocks(source: str, snippets: Path, *, is_xml: bool) -> Iterator[str]:
    """The code of a topic that is not in fences: of `<code-block>`, and of files that a block names whole or
    by lines. What is chosen by the name of a symbol has no other reader to be compared with."""
    stated = (
        [(match["stated"], match["code"]) for match in _BLOCK.finditer(source)] if is_xml else []
    )
    stated += [(match["stated"], None) for match in _PULLED.finditer(source)]
    for text, code in stated:
        attributes = dict(_STATED.findall(text))
        if "src" in attributes:
            yield from _of_file(attributes, snippets)
        elif code and code.strip():
            cdata = re.search(r"<!\[CDATA\[(.*?)\]\]>", code, re.DOTALL)
            yield textwrap.dedent((cdata[1] if cdata else unescape(code)).strip("\n"))


def _of_file(attributes: dict[str, str], snippets: Path) -> Iterator[str]:
    file = snippets / attributes["src"].lstrip("/")
    if "include-symbol" in attributes or not file.is_file():
        return
    lines = file.read_text().rstrip("\n").split("\n")
    chosen = []
    for part in attributes.get("include-lines", f"1-{len(lines)}").split(","):
        first, dash, last = part.strip().partition("-")
        chosen += lines[int(first) - 1 : int(last) if dash and last else int(first)]
    if any(line.strip() for line in chosen):
        yield "\n".join(chosen)


def is_whole(block: str, lines: str) -> bool:
    """Whether code is in `lines` apart from the values of variables in it."""
    parts = [re.escape(part) for part in _VARIABLE.split(block)]
    return re.search("[^\n]*?".join(parts), lines) is not None
