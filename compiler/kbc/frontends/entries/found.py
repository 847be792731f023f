"""What is found of an API entry before it is a record."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import attrgetter

from kbc.records import DocRecord, PageRecord, Section

NAME = re.compile(r"[^\s`|,;{}\"']{1,80}")
"""What something may be called in a program: an identifier, an operator, both with owners before them."""


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """`text` is its part of the file at `path`, from line `line` on, and `language` what that is written in.
    `groups` are what it is listed under, the widest first, `kind` is what it is (`function`, `macro`). `url`
    may be empty."""

    name: str
    signature: str
    description: str
    text: str
    path: str
    line: int
    language: str
    groups: tuple[str, ...]
    kind: str
    aliases: tuple[str, ...] = ()
    url: str = ""


def stem_of(path: str) -> str:
    """What a file is called, without its folders and its ending."""
    return posixpath.splitext(posixpath.basename(path))[0]


def section_at(record: DocRecord | PageRecord, line: int) -> Section | None:
    """The section below the title of a page that has line `line`; None above the first."""
    above = bisect_right(record.sections, line, key=attrgetter("line"))
    section = record.sections[above - 1] if above else None
    return section if section is not None and section.level > 1 else None
