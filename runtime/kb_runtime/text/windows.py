"""Cuts a text into windows of lines, without knowing its language, and finds the names that they define."""

from __future__ import annotations

import re
from collections.abc import Iterator

WINDOW_CHARS = 2_400
"""About 70 lines: as much as a result of a code search shows."""
LEAST_CHARS = WINDOW_CHARS // 2

_MAX_NAMES = 100  # of a window; more are a table
# A newline before and repetitions that never give back: the engine skips from line to line, which
# takes a third of the time.
_DEFINED = re.compile(
    r"\n[ \t]*+(?:\w++[ \t]++){0,4}?(?:class|def|defmodule|defp?|enum|fn|func|fun|function|interface"
    r"|module|object|protocol|record|struct|trait|type)[ \t]++(\w+)"
)


def windows(text: str) -> Iterator[str]:
    """`text` cut behind a blank line where there is one in the second half of a window, else behind
    a line; a line without end is cut where the window ends."""
    start = 0
    while len(text) - start > WINDOW_CHARS:
        end = start + WINDOW_CHARS
        blank = text.rfind("\n\n", start + LEAST_CHARS, end)
        newline = text.rfind("\n", start, end)
        stop = blank + 2 if blank >= 0 else newline + 1 if newline >= 0 else end
        yield text[start:stop]
        start = stop
    if start < len(text):
        yield text[start:]


def defined_names(window: str) -> tuple[str, ...]:
    """The names behind the keywords that most languages define with, each once."""
    return tuple(dict.fromkeys(_DEFINED.findall("\n" + window)))[:_MAX_NAMES]
