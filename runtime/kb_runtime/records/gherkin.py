"""Reads Gherkin: each scenario of a feature is a test case.

Steps that say what must hold (`Then`, and `And` or `But` after it) are the expectations of the step before
them. Keywords are those of the language that the file states (`# language: de`), or else of the one in which
it begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb_runtime.records.gherkin_keywords import (
    AND,
    BACKGROUND,
    BUT,
    EXAMPLES,
    FEATURE,
    RULE,
    THEN,
    Keywords,
    guessed,
    keywords_of,
)

_TAGS = re.compile(r"@\S+(?:\s+@\S+)*\s*(?:#.*)?")
_KEY_TAG = re.compile(r"(?:TEST_|TC_)?([A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,7})")
_LANGUAGE = re.compile(r"#\s*language\s*:\s*(\S+)")


class WrittenTestsError(ValueError):
    """The text has no tests that can be read; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Line:
    """A step as it is written, with the tables and doc strings below it: `said` is the `text` without its
    keyword, `kind` the English keyword."""

    kind: str
    text: str
    said: str
    data: list[str] = field(default_factory=list)


def steps_of(lines: Sequence[str], words: Keywords | None = None) -> list[dict[str, Any]]:
    """The steps among `lines`, by the keywords of their language if that is known; doc strings keep their
    indentation."""
    return steps_from(_written(lines, words or guessed(lines)))


def steps_from(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Steps with what must hold after them; tables and doc strings become the data of their step, or a part
    of what it expects."""
    found: list[dict[str, Any]] = []
    is_expectation = False
    for line in lines:
        is_expectation = line.kind == THEN or (is_expectation and line.kind in (AND, BUT))
        if is_expectation and found:
            found[-1]["expected"].append("\n".join((line.said, *line.data)))
        else:
            found.append({"action": line.text, "expected": [], "data": "\n".join(line.data)})
    return found


def conditions(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """The steps of a background as preconditions, each with its data."""
    return ["\n".join(filter(None, (step["action"], step["data"]))) for step in steps]


def issue_key(tags: Iterable[str]) -> str | None:
    """The first of the tags that is the key of an issue, without what test managers put before it."""
    return next((key[1] for tag in tags if (key := _KEY_TAG.fullmatch(tag))), None)


def numbered(tests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """`tests`, with a number in the uid of each that has one before it has; blanks do not tell uids apart."""
    found = []
    seen: Counter[str] = Counter()
    for test in tests:
        uid = " ".join((test["uid"] or "").split())
        seen[uid] += 1
        found.append({**test, "uid": f"{uid} #{seen[uid]}"} if uid and seen[uid] > 1 else test)
    return found


def _written(lines: Iterable[str], words: Keywords) -> list[Line]:
    found: list[Line] = []
    quote = ""
    indent = 0  # columns in front of the quotes
    for line in lines:
        text = line.strip()
        if quote or text.startswith(('"""', "```")):
            mark = text[:3]
            if not quote:
                quote, indent = mark, len(line) - len(line.lstrip())
            elif mark == quote:
                quote = ""
            elif found:
                found[-1].data.append(line[min(indent, len(line) - len(line.lstrip())) :].rstrip())
        elif text.startswith("|"):
            if found:
                found[-1].data.append(text)
        elif step := words.step.match(text):
            keyword = step[1].strip()
            spaced = f"{keyword} {step[2]}" if step[1] != keyword else text
            spaced = step[2] if keyword == "*" else spaced
            found.append(Line(words.steps[keyword], spaced, step[2]))
    return found


def records(text: str, name: str) -> list[dict[str, Any]]:
    """A record for each scenario of the feature file `name`, which may have folders, each with a uid of its
    own. Raises `WrittenTestsError`."""
    lines = text.splitlines()
    return _Feature(name, _stated(lines) or guessed(lines)).read(lines)


def _stated(lines: Sequence[str]) -> Keywords | None:
    """The keywords of the language that a file states above its feature; None where it states none."""
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            return None
        if language := _LANGUAGE.match(text):
            if words := keywords_of(language[1]):
                return words
            raise WrittenTestsError(
                f"features in the language {language[1]!r} are not read", number
            )
    return None


class _Feature:
    def __init__(self, name: str, words: Keywords) -> None:
        self._name = name
        self._words = words
        self._stem = name.rsplit("/", 1)[-1].removesuffix(".feature")
        self._title = ""
        self._tags: list[str] = []
        self._rule = ""
        self._rule_tags: list[str] = []
        self._about: list[list[str]] = [
            []
        ]  # the prose of the rule, if there is one, and of the feature
        self._background: list[list[str]] = [[]]  # the steps of the feature, and of the rule
        self._found: list[dict[str, Any]] = []

    def read(self, lines: Sequence[str]) -> list[dict[str, Any]]:
        tags: list[str] = []
        body: list[str] = []  # of the block that is open
        quote = ""
        for number, line in enumerate(lines, start=1):
            text = line.strip()
            if quote or text.startswith(('"""', "```")):
                quote = "" if quote == text[:3] else quote or text[:3]
                body.append(line)
            elif _TAGS.fullmatch(text):
                tags += [tag.lstrip("@") for tag in text.partition("#")[0].split()]
            elif block := self._words.block.match(text):
                body = self._open(self._words.blocks[block[1]], block[2], tags, number)
                tags = []
            elif text and not text.startswith("#"):
                body.append(line)
        if not self._title and not self._found:
            raise WrittenTestsError("there is no line `Feature: ...`", 1)
        found = [self._closed(record) for record in self._found]
        keys = Counter(record["jiraKey"] for record in found)
        for record in found:
            key, title = record["jiraKey"], record["title"]
            record["uid"] = key if key and keys[key] == 1 else f"{self._stem}: {title}"
        return numbered(found)

    def _open(self, kind: str, title: str, tags: list[str], line: int) -> list[str]:
        if kind == FEATURE:
            self._title, self._tags = title or self._stem, tags
            return self._about[-1]
        if kind == RULE:
            self._rule, self._rule_tags = title, tags
            self._about = [[], self._about[-1]]
            self._background = [self._background[0], []]
            return self._about[0]
        if kind == BACKGROUND:
            return self._background[-1]
        if kind == EXAMPLES:
            examples = [f"{title}:"] if title else []
            if self._found:
                self._found[-1]["examples"].append(examples)
                self._found[-1]["example_tags"] += tags
            return examples
        body: list[str] = []
        self._found.append(
            {
                "title": title or f"Scenario in line {line}",
                "tags": [*self._tags, *self._rule_tags, *tags],
                "own_tags": tags,
                "example_tags": [],
                "rule": self._rule,
                "about": self._about,
                "background": self._background,
                "line": line,
                "body": body,
                "examples": [],
            }
        )
        return body

    def _closed(self, record: dict[str, Any]) -> dict[str, Any]:
        nearest_first = [*record["own_tags"], *record["tags"]]
        background = [line for lines in record["background"] for line in lines]
        steps = steps_of(record["body"], self._words)
        prose = [line.strip() for line in record["body"]]
        first = next(
            (n for n, line in enumerate(prose) if self._words.step.match(line)), len(prose)
        )
        place = " / ".join(part for part in (self._title, record["rule"]) if part)
        return {
            "jiraKey": issue_key(nearest_first),
            "title": record["title"],
            "description": "\n\n".join(
                "\n".join(map(str.strip, about))
                for about in (prose[:first], *record["about"])
                if about
            ),
            "tags": [*record["tags"], *record["example_tags"]],
            "folderStructure": place.replace(" / ", "/"),
            "preconditions": conditions(steps_of(background, self._words)),
            "steps": steps,
            "testData": "\n".join(line.strip() for rows in record["examples"] for line in rows),
            "testPath": f"{self._name}:{record['line']}",
            "testType": "Automated",
        }
