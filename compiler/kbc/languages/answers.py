"""Lists of questions and answers: pages whose headings are questions, sources whose titles are.

An answer has little to do with the ones beside it, and who asks has other words than the answer: the question
above it is what their question is like. So an answer is a chunk of its own, is also embedded as its question,
and is not compared with the text around it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

# Fewer questions are headings that a page is written with.
_LEAST = 3
_MARKS = ("?", "？", "؟")
_NAME = re.compile("[!-~]+")


def is_list(titles: Collection[str]) -> bool:
    """Whether titles are those of questions: at least half of them, and at least three."""
    asked = sum(map(is_question, titles))
    return asked >= _LEAST and 2 * asked >= len(titles)


def is_question(title: str) -> bool:
    """Whether a title ends with a question mark that is no part of a name (`empty?`, of Ruby and Scheme)."""
    return title.rstrip(" *_").endswith(_MARKS) and not _NAME.fullmatch(title)


def of_sections(sections: Sequence[tuple[int, str]], only_above: Collection[int]) -> list[int]:
    """For each section of a page the number of the answer that it is of, from 1; 0: of none.

    `sections` are level and title of each; those that are `only_above` others have no text. Sections below a
    question are of its answer, and their titles are not counted. The only section of the highest level is the
    page itself, whatever it asks.
    """
    levels = [level for level, _ in sections if level]
    highest = min(levels, default=0)
    page_level = highest if levels.count(highest) == 1 else 0
    answers: list[int] = []
    titles: list[str] = []
    count = 0
    open_level = 0  # of the question, 0: none
    for at, (level, title) in enumerate(sections):
        if not open_level or level <= open_level:
            open_level = level if level != page_level and level and is_question(title) else 0
            count += open_level > 0
            if level and at not in only_above:
                titles.append(title)
        answers.append(count if open_level else 0)
    return answers if is_list(titles) else [0] * len(sections)
