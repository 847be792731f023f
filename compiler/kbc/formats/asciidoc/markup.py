"""The lines of AsciiDoc that begin or end blocks, and what writes the blocks inside others."""

from __future__ import annotations

import re
from typing import Protocol

from kbc.formats.asciidoc.lines import LineReader, SourceLine

Written = list[str]

TITLE = re.compile(r"\.([^\s.].*)\Z")
DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|[|,:!]={3,}|```[\w-]*)\Z")


class BlockWriter(Protocol):
    """Writes the contents of lists and tables. `contained` counts the containers around what is
    written: headings within one are no sections of the document."""

    contained: int

    def text(self, text: str) -> str: ...

    def paragraph(self, text: str) -> Written: ...

    def nested(self, lines: list[SourceLine]) -> Written: ...

    def block(self, lines: LineReader) -> Written: ...
