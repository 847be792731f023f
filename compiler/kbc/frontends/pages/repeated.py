"""What all pages of a built site say around their content and no mark tells apart: names, licences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from kbc.formats import Converted

_FEWEST_PAGES = 8
_SHARE = 0.9
"""The share of the pages that has a paragraph at the same end, for it to belong to none of them: what many
functions return may also be said in the same words."""
_MOST_PARAGRAPHS = 8
"""Paragraphs at an end of a page that are looked at."""
_TARGET = re.compile(r"\]\([^()]*\)")
_NO_PARAGRAPH = ("#", "|")


def without_repeated(pages: Sequence[Converted]) -> list[Converted]:
    """The pages of HTML without the paragraphs that nearly all begin with, before any heading, or end with. A
    page that has nothing but headings else keeps them."""
    counts = [Counter[str](), Counter[str]()]
    for each in map(_paragraphs, pages):
        counts[0].update(set(_first(each)))
        counts[1].update(set(_first(each[::-1])))
    least = _SHARE * len(pages)
    if len(pages) < _FEWEST_PAGES or all(max(each.values(), default=0) < least for each in counts):
        return [*pages]
    found: list[Converted] = []
    for page in pages:
        each = _paragraphs(page)
        start = _repeated(each, counts[0], least)
        end = len(each) - _repeated(each[::-1], counts[1], least)
        left = each[start:end]
        has_text = any(part.strip() and not part.startswith("#") for part in left)
        text = "\n\n".join(left).strip("\n")
        found.append(replace(page, text=f"{text}\n") if has_text else page)
    return found


def _paragraphs(page: Converted) -> list[str]:
    return page.text.strip("\n").split("\n\n")


def _first(parts: Sequence[str]) -> list[str]:
    """The paragraphs before a heading, a table or code, without the addresses of links: they are relative."""

    def is_paragraph(part: str) -> bool:
        return not part.startswith(_NO_PARAGRAPH) and "```" not in part

    first = takewhile(is_paragraph, parts[:_MOST_PARAGRAPHS])
    return [_TARGET.sub("]", part) for part in first]


def _repeated(parts: Sequence[str], counts: Counter[str], least: float) -> int:
    """How many of the first paragraphs are on nearly all pages."""
    return sum(1 for _ in takewhile(lambda part: counts[part] >= least, _first(parts)))
