"""Raised and lowered text (`<sup>`, `<sub>`) in a line of plain text: without a sign, 2 to the power of 32
would be 232."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[+\-−]?\w+(?:[.,]\w+)*")
_SAID_PLAINLY = re.compile(r"(?:st|nd|rd|th|er|TM|SM|R|®|©|℠|™|[*†‡§]+)")
"""Endings of ordinal numbers, and marks."""
_BEHIND_NUMBERS = frozenset("aeo")
"""Such endings that are exponents behind letters."""


def raised(text: str, before: str) -> str:
    """The text of a `<sup>` behind the character `before` ("" at the beginning): an exponent (`2^32`,
    `x^(n+1)`), or as it is, where it is an ending, a mark, a link, or says something of its own."""
    is_ending = _SAID_PLAINLY.fullmatch(text) or (before.isdigit() and text in _BEHIND_NUMBERS)
    if not _belongs(before) or is_ending:
        return text
    return _signed("^", text)


def lowered(text: str, before: str) -> str:
    """The text of a `<sub>`, as `raised` has it: an index (`x_i`), but a number behind a letter as it is
    (`H2O`)."""
    if not _belongs(before) or (before.isalpha() and text.isdigit()):
        return text
    return _signed("_", text)


def _belongs(before: str) -> bool:
    return before.isalnum() or before in (")", "]", "`", "*", "}", "'")


def _signed(sign: str, text: str) -> str:
    if _TOKEN.fullmatch(text):
        return f"{sign}{text}"
    is_term = bool(text) and not re.search(r"\s.*\s|[\[\]`*<>|]", text)
    return f"{sign}({text})" if is_term else text
