"""Definitions of links that a page includes: those of a whole book may stand in each page of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from kbc.languages.includes.fenced import fenced_lines

_DEFINITION = re.compile(
    r"[ ]{0,3}\[(?P<label>(?!\^)(?:[^\[\]\\]|\\.)++)\]:[ \t]*+\S++"
    r"(?:[ \t]++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?[ \t\r]*+"
)
_LABEL = re.compile(r"\[([^\[\]]++)\]")


def without_unused(text: str, own: str) -> str:
    """A page without the lines that define links which it does not have, unless they are lines of its `own`
    source, perhaps further right: readers see the same."""
    if "]:" not in text:
        return text
    kept = frozenset(map(str.strip, own.splitlines()))
    lines = [
        (line, "" if is_code or line.strip() in kept else _defined(line))
        for line, is_code in fenced_lines(text)
    ]
    if not any(label for _, label in lines):
        return text
    said = (line for line, label in lines if not label)
    used = frozenset(_folded(label) for line in said for label in _LABEL.findall(line))
    return "\n".join(_needed(lines, used))


def _defined(line: str) -> str:
    """The label of the link that a line defines; "" for another line."""
    found = _DEFINITION.fullmatch(line)
    return _folded(found["label"]) if found else ""


def _needed(lines: Iterable[tuple[str, str]], used: Set[str]) -> Iterator[str]:
    """The lines that define nothing or what is `used`; of the blank ones around others, those before them."""
    is_below_removed = False
    for line, label in lines:
        if label and label not in used:
            is_below_removed = True
        elif line.strip() or not is_below_removed:
            is_below_removed = False
            yield line


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()
