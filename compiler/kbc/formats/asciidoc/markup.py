"""The lines of AsciiDoc that begin or end blocks."""

from __future__ import annotations

import re

from kbc.languages.includes.files import NOT_INCLUDED

Written = list[str]

TITLE = re.compile(r"\.([^\s.].*)\Z")
DELIMITER = re.compile(
    r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|[|,:!]={3,}|```[^\s`]*)\Z"
)

_UNDERLINES = "=-~^+"
"""The characters that underline titles, by level."""

_DOCUMENT_TITLE = re.compile(r"^(?:= +(?P<title>\S.*)|(?P<text>\S.*)\n(?P<line>=+))$", re.MULTILINE)


def underlined_level(title: str, underline: str) -> int:
    """The level (1 to 5) of a title with a second line of `=`, `-`, `~`, `^` or `+` that is as long, give
    or take one character; 0 for other lines."""
    if len(underline) < 2 or underline[0] not in _UNDERLINES:
        return 0
    is_underline = underline.count(underline[0]) == len(underline)
    if not is_underline or abs(len(title) - len(underline)) > 1:
        return 0
    is_title = title[0] != "." and not title[0].isspace() and re.search(r"\w", title)
    return _UNDERLINES.index(underline[0]) + 1 if is_title else 0


def document_title(source: str) -> str:
    """The title of a document, as it is written; "" without one."""
    for match in _DOCUMENT_TITLE.finditer(source):
        if match["title"] or underlined_level(match["text"], match["line"]):
            return (match["title"] or match["text"]).strip()
    return ""


def is_missing(text: str) -> bool:
    """Whether the line stands for a file that was not included."""
    return text.startswith(NOT_INCLUDED) and text.endswith(")")
