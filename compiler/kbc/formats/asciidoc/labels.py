"""The ids that an AsciiDoc file states above sections and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbc.formats.document import LabelTarget

_ID = r"(?:[\w:.-]|\{[\w-]+\})+"
"""An id, which may have attributes in it: `guards_{context}`, as modular documentation has it."""

_STATED = re.compile(
    rf"^\[(?:\[(?P<double>{_ID})(?:,[^\]\n]*)?\]|[\w.%]*#(?P<single>[\w:-]+)[^\]\n]*"
    rf"|id=([\"']?)(?P<named>{_ID})\3[^\]\n]*)\][ \t]*\n"
    r"(?:\[[^\n]*\][ \t]*\n){0,20}(?:={1,6}[ \t]+|\.(?![\s.]))(?P<title>\S[^\n]*)",
    re.MULTILINE,
)
_MARKUP = re.compile(r"\(\(\(.{0,1000}?\)\)\)|\[\[[^\[\]]*\]\]|[`*_](?=\S)|(?<=\S)[`*_](?!\w)")


def labels_of(path: str, text: str) -> Iterator[tuple[str, LabelTarget]]:
    """The ids in a file ("\\n" line ends) with a title below them."""
    for match in _STATED.finditer(text):
        name = match["double"] or match["single"] or match["named"]
        yield name, LabelTarget(path, _MARKUP.sub("", match["title"]).strip(), name)
