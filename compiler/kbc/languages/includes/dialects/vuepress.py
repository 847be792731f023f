"""VuePress: `@[code{3-10} js](../file.js)` shows a file, `@include(./part.md)` a page."""

from __future__ import annotations

import re

from kbc.languages.includes.files import (
    IncludingPage,
    fence,
    indented,
    language_of,
    lines_in,
    not_included,
)

TRIGGER = r"^[ \t]*@(?:\[code|include\()"

_CODE = re.compile(
    r"^(?P<indent>[ \t]*)@\[code(?P<options>[^\]\n]*)\]\([ \t]*(?P<target>[^)\s]+)[ \t]*\)[ \t]*$",
    re.MULTILINE,
)
_LINES = re.compile(r"\{(?P<lines>\d[\d,-]*)\}")
_PAGE = re.compile(
    r"^(?P<indent>[ \t]*)@include\([ \t]*(?P<target>[^)\s{\"']+)[ \t]*\)[ \t]*$", re.MULTILINE
)


def replace(text: str, page: IncludingPage) -> str:
    """Prose with the files that it names in the place of their directives."""
    text = _CODE.sub(lambda match: _code(match, page), text)
    return _PAGE.sub(lambda match: _page(match, page), text)


def _code(match: re.Match[str], page: IncludingPage) -> str:
    found = page.load(match["target"], "@[code]")
    if found is None:
        return match["indent"] + not_included(match["target"])
    path, text = found
    text = text.rstrip("\n")
    options = match["options"]
    if stated := _LINES.match(options):
        text = lines_in(text, stated["lines"])
    language = re.sub(r"\{[^}]*\}", "", options).strip().partition(":")[0].split(" ")[0]
    shown = fence(text, language or language_of(path))
    return indented(match["indent"], shown)


def _page(match: re.Match[str], page: IncludingPage) -> str:
    found = page.load(match["target"], "@include")
    if found is None:
        return match["indent"] + not_included(match["target"])
    return page.expanded(*found).strip("\n")
