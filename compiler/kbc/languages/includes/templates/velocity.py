"""Velocity in Markdown, as pages of Maven sites have it: text that it is to leave alone, and set values."""

from __future__ import annotations

import re
from collections.abc import Mapping

_OPENS, _CLOSES = "#[[", "]]#"
_SET = re.compile(
    r"^[ \t]{0,20}#set[ \t]{0,20}\([ \t]{0,20}\$\{?(?P<name>\w+)\}?[ \t]{0,20}=[ \t]{0,20}"
    r"(?P<quote>[\"'])(?P<value>[^\"'\n$]{0,200})(?P=quote)[ \t]{0,20}\)[ \t]*$",
    re.MULTILINE,
)
"""A value that is stated as text, on a line of its own."""

_REFERENCE = re.compile(r"\$!?(?:\{(?P<inner>\w+)\}|(?P<name>\w+))")


def expand_velocity(text: str) -> str:
    """The page with what `#[[` and `]]#` stand around, and with the values that it sets for their names; all
    else, such as what the build knows (`${project.version}`), stays. It has as many lines."""
    if "#" not in text:
        return text
    values = {each["name"]: each["value"] for each in _SET.finditer(text)}
    parts: list[str] = []
    at = 0
    while (start := text.find(_OPENS, at)) >= 0 and (end := text.find(_CLOSES, start)) >= 0:
        parts += [_filled(text[at:start], values), text[start + len(_OPENS) : end]]
        at = end + len(_CLOSES)
    return "".join([*parts, _filled(text[at:], values)])


def _filled(text: str, values: Mapping[str, str]) -> str:
    if not values:
        return text
    return _REFERENCE.sub(
        lambda match: values.get(match["inner"] or match["name"], match[0]), _SET.sub("", text)
    )
