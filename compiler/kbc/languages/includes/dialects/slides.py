"""Slides of Slidev and remark: lines between or below rules that say how the next slide looks.

CommonMark takes those that end in a rule for a heading (`layout: center`), and others for text.
"""

from __future__ import annotations

import re

from kbc.languages.includes.fenced import outside_fences

_KEY = re.compile(r"^([A-Za-z][\w-]*):", re.MULTILINE)
_ABOUT_LOOKS = frozenset(
    [
        *("background", "background-image", "class", "clicks", "hideInToc", "layout", "routeAlias"),
        *("src", "template", "transition", "zoom"),
    ]
)
_OF_REMARK = _ABOUT_LOOKS | {"count", "exclude", "name"}
_FRONT_MATTER = re.compile(r"\s*^---\r?\n.*?^---\r?\n", re.DOTALL | re.MULTILINE)
_SETTINGS = re.compile(
    r"(?:(?<=^---\n)|(?<=^---\r\n))(?:\r?\n)*"
    r"(?P<lines>(?:[A-Za-z][\w-]*:(?:[ \t][^\n]*)?\r?\n|[ \t]+\S[^\n]*\n)+)(?P<end>---(?=\r?$))?",
    re.MULTILINE,
)
_LINE = re.compile(r"[^\r\n]+")


def without_settings(text: str) -> str:
    """`text` with empty lines in the place of the settings of its slides."""
    if "\n---" not in text:
        return text
    above = matter[0] if (matter := _FRONT_MATTER.match(text)) else ""
    rest = text.removeprefix(above)
    return above + outside_fences(rest, lambda stretch: _SETTINGS.sub(_blank, stretch))


def _blank(match: re.Match[str]) -> str:
    keys = frozenset(_KEY.findall(match["lines"]))
    is_one = match["end"] is not None or keys <= _OF_REMARK
    return _LINE.sub("", match[0]) if is_one and keys & _ABOUT_LOOKS else match[0]
