"""Finds the keywords of Gherkin in any language at the beginning of lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kb_runtime.records.gherkin_languages import KEYWORDS

ENGLISH = "en"
FEATURE, RULE, BACKGROUND = "Feature", "Rule", "Background"
SCENARIO, EXAMPLES = "Scenario", "Examples"
THEN, AND, BUT = "Then", "And", "But"

_BLOCKS = (FEATURE, RULE, BACKGROUND, SCENARIO, EXAMPLES)
_STEPS = ("Given", "When", THEN, AND, BUT)

_UNSPACED = ("ja", "ml", "zh-CN", "zh-TW")
"""Languages in which a step goes on right behind its keyword."""


class Keywords(NamedTuple):
    """The keywords of one language with the English ones that they stand for (`Scenario Outline` is a
    `Scenario`), and what finds them at the start of a line."""

    blocks: Mapping[str, str]
    steps: Mapping[str, str]
    block: re.Pattern[str]
    step: re.Pattern[str]


def keywords_of(language: str) -> Keywords | None:
    """Those of a language by its tag, such as `de`, `zh-CN` or `pt-BR`; None where it is not known."""
    tags = {tag.lower(): tag for tag in KEYWORDS}
    wanted = language.lower()
    found = tags.get(wanted) or tags.get(wanted.partition("-")[0])
    return _keywords(found) if found else None


def guessed(lines: Sequence[str]) -> Keywords:
    """Those of the language in which most of these lines begin as steps, of the languages in which one of
    them begins a feature, or else of all; the English ones where that tells nothing."""
    stripped = [text for line in lines if (text := line.strip())]
    titles = {line.partition(":")[0] for line in stripped if ":" in line}
    named = [language for language in KEYWORDS if not titles.isdisjoint(_features(language))]
    english = _keywords(ENGLISH)
    if named == [ENGLISH] or (not named and all(map(english.step.match, stripped))):
        return english  # nearly always, and the patterns of all the others need not be made
    return max(
        map(_keywords, named or KEYWORDS),
        key=lambda words: sum(words.step.match(line) is not None for line in stripped),
    )


@cache
def steps_in_any_language() -> Mapping[str, str]:
    """English keyword of a step by the keyword in any language. `Dan` is "then", which it is in Dutch, and
    not "and", as in Indonesian."""
    found: dict[str, str] = {}
    for language in KEYWORDS:
        for keyword, kind in _keywords(language).steps.items():
            if kind == THEN or keyword not in found:
                found[keyword] = kind
    return found


def _features(language: str) -> list[str]:
    """The keywords of features, the first of those of blocks."""
    return KEYWORDS[language].partition(";")[0].split("|")


@cache
def _keywords(language: str) -> Keywords:
    stated = KEYWORDS[language].split(";")
    blocks = {**_by_keyword(_BLOCKS, stated[: len(_BLOCKS)]), RULE: RULE}
    steps = {**_by_keyword(_STEPS, stated[len(_BLOCKS) :]), "*": AND}
    space = r"\s*" if language in _UNSPACED else r"\s+"
    # Of those that end with an apostrophe nothing follows but what they are joined to.
    written = (
        re.escape(each) + ("" if each.endswith("'") else space) for each in _longest_first(steps)
    )
    return Keywords(
        blocks,
        steps,
        re.compile(rf"({'|'.join(map(re.escape, _longest_first(blocks)))}):\s*(.*)"),
        re.compile(rf"({'|'.join(written)})(.*)"),
    )


def _by_keyword(kinds: Sequence[str], stated: Sequence[str]) -> dict[str, str]:
    """Kind by keyword, of a part of a row of `KEYWORDS`."""
    return {
        keyword.strip(): kind
        for kind, keywords in zip(kinds, stated, strict=True)
        for keyword in keywords.split("|")
        if keyword.strip()
    }


def _longest_first(keywords: Mapping[str, str]) -> list[str]:
    return sorted(keywords, key=len, reverse=True)
