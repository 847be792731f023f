"""Divides the page of a lesson into steps, and takes solutions out of what a learner is asked to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kbc.languages.includes.fenced import fenced_stretches
from kbc.languages.markdown import heading_text
from kbc.sources.courses.plan import Lesson

_OPENING = re.compile(r"\s*+:{3,}+\s*+(?:\{\s*+\.)?([\w-]++)[^:]*+:*+\s*+$")
_CLOSING = re.compile(r"\s*+:{3,}+\s*+$")
_HEADING = re.compile(r"(#{1,6})[ \t]++(\S.*)")
_HTML_HEADING = re.compile(r"(?i)<h1\b[^<>]*+>(.*?)(?:</h1>|$)")
_TAG = re.compile(r"<[^<>]*>")
_ACTIVITY = re.compile(r"(?i)(?:[^\w\s]*:?\w*:?\s*)?activity\b")
_STEP_PREFIX = re.compile(r"(?i)(?:step|unit|lab)\s*\d*\s*[:.-]\s*")
_DETAILS = re.compile(r"\s*(?:<br\s*/?>\s*)*<details\b[^>]*>", re.IGNORECASE)
_HINT = re.compile(
    r"\s*<div\b(?=[^<>]*\bclass=[\"']hint[\"'])[^<>]*\btitle=[\"']([^\"'<>]*)", re.IGNORECASE
)
"""What JetBrains Academy unfolds, and what it says."""
_SUMMARY = re.compile(r"<summary\b[^<>]*+>", re.IGNORECASE)
_SOLUTION = re.compile(
    r"(?i)\b(?:solutions?|answers?|l(?:ö|oe)sung|soluci(?:ó|o)n|r(?:é|e)ponse)\b"
)
_SUMMARY_LINES = 4


class Lines(NamedTuple):
    """Texts of a step, in the order of the page."""

    problem: str
    solution: str


class LessonStep(NamedTuple):
    title: str
    text: str


def divided(text: str, lesson: Lesson) -> tuple[str, list[LessonStep]]:
    """What stands before or around the steps of a page, and the steps."""
    if lesson == "challenges":
        return _challenges(text)
    level = 2 if lesson == "headings" else 6
    own: list[str] = []
    steps: list[tuple[str, list[str]]] = []
    for line, is_code in _lines(text):
        heading = None if is_code else _HEADING.match(line)
        if heading and len(heading[1]) <= level and _begins(heading, lesson):
            steps.append((title_of(heading[2]), []))
        (steps[-1][1] if steps else own).append(line)
    return "\n".join(own), [LessonStep(title, "\n".join(lines)) for title, lines in steps]


def _begins(heading: re.Match[str], lesson: Lesson) -> bool:
    if lesson == "headings":
        return len(heading[1]) == 2
    return _ACTIVITY.match(heading[2]) is not None


def title_of(heading: str) -> str:
    """The title in a heading, without `Step 3:` before it, the signs that close it and its emoji."""
    own = heading.rstrip()
    unclosed = own.rstrip("#")
    own = unclosed if unclosed[-1:].isspace() else own
    plain = re.sub(r":[a-z_]+:\s*", "", heading_text(own))
    return _STEP_PREFIX.sub("", plain, count=1).strip() or plain.strip()


def page_title(text: str) -> str:
    """The title of a page: its front matter is read elsewhere, so this is its first heading. A heading of
    the second level that has prose above it is a part of the page."""
    has_prose = False
    for line, is_code in _lines(text):
        if is_code:
            continue
        heading = _HEADING.match(line)
        if heading and len(heading[1]) <= (1 if has_prose else 2):
            return title_of(heading[2])
        if found := _HTML_HEADING.search(line):
            return title_of(_TAG.sub("", found[1]))
        has_prose = has_prose or line[:1].isalpha()
    return ""


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a page, and whether each is fenced code."""
    for stretch, is_code in fenced_stretches(text):
        yield from ((line, is_code) for line in stretch.split("\n"))


def _challenges(text: str) -> tuple[str, list[LessonStep]]:
    own: list[str] = []
    steps: list[LessonStep] = []
    open_kinds: list[str] = []
    held: list[str] = []
    for line, is_code in _lines(text):
        opening = None if is_code else _OPENING.match(line)
        if opening:
            open_kinds.append(opening[1].lower())
        is_end = not is_code and not opening and bool(open_kinds) and _CLOSING.match(line)
        inside = "challenge" in open_kinds
        if inside:
            held.append(line)
        else:
            own.append(line)
        if is_end:
            open_kinds.pop()
        if inside and "challenge" not in open_kinds:
            step = _challenge(held[1:-1], len(steps) + 1)
            own.append(f"*Challenge {len(steps) + 1}: {step.title}*")
            steps.append(step)
            held = []
    if held:
        steps.append(_challenge(held[1:], len(steps) + 1))
    return "\n".join(own), steps


def _challenge(lines: Sequence[str], number: int) -> LessonStep:
    text = "\n".join(lines).strip("\n") + "\n"
    found = next(
        (
            heading[2]
            for line, is_code in _lines(text)
            if not is_code and (heading := _HEADING.match(line))
        ),
        "",
    )
    return LessonStep(title_of(found) if found else f"Challenge {number}", text)


def solutions_apart(text: str) -> Lines:
    """A step without its solutions, which are in divisions called so, or unfold below such a summary."""
    problem: list[str] = []
    solution: list[str] = []
    depth = 0
    kind = ""
    lines = list(_lines(text))
    for at, (line, is_code) in enumerate(lines):
        if (
            not kind
            and not is_code
            and (kind := _opens_solution(line, lines[at : at + _SUMMARY_LINES]))
        ):
            depth = 0
        if not kind:
            problem.append(line)
            continue
        solution.append(line)
        if is_code:
            continue
        depth += _change(line, kind)
        if depth <= 0:
            kind = ""
    return Lines(_tidy(problem), _tidy(solution))


def _opens_solution(line: str, following: Sequence[tuple[str, bool]]) -> str:
    """What ends the solution that begins here: `:::`, `div` or `details`; "" where none begins."""
    opening = _OPENING.match(line)
    if opening and opening[1].lower() in ("solution", "answer"):
        return ":::"
    if (hint := _HINT.match(line)) and _SOLUTION.search(hint[1]):
        return "div"
    if _DETAILS.match(line):
        text = "\n".join(each for each, _ in following)
        summary = _SUMMARY.search(text)
        said = text[summary.end() :].partition("</")[0] if summary else ""
        return "details" if _SOLUTION.search(said) else ""
    return ""


def _change(line: str, kind: str) -> int:
    if kind == ":::":
        return 1 if _OPENING.match(line) else -1 if _CLOSING.match(line) else 0
    lowered = line.lower()
    return lowered.count(f"<{kind}") - lowered.count(f"</{kind}")


def _tidy(lines: Sequence[str]) -> str:
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text.strip() else ""
