"""Fenced code blocks and sections of Markdown text, with their lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    line: int  # of the first line of code
    words: tuple[str, ...]  # the info string after the language
    code: str


def blocks_of(text: str, languages: set[str]) -> Iterator[Block]:
    """The closed blocks in one of the languages, in their order."""
    lines = text.split("\n")
    start, fence = 0, ""
    info: list[str] = []
    for number, line in enumerate(lines, 1):
        opened = re.match(r"^ {0,3}(`{3,}|~{3,})\s*(.*)$", line)
        if not fence and opened:
            fence, info, start = opened[1], opened[2].split(), number + 1
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            if info and info[0] in languages:
                yield Block(start, tuple(info[1:]), "\n".join(lines[start - 1 : number - 1]))
            fence = ""


def sections_of(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, heading and text of each level-2 section."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("## ")]
    for start, end in itertools.pairwise([*starts, len(lines) + 1]):
        yield start, lines[start - 1].removeprefix("## "), "\n".join(lines[start : end - 1])
