"""Reads specifications of Gauge (`.spec`): each scenario is a test case, with items of a list as steps."""

from __future__ import annotations

import re
from typing import Any

from kb_runtime.records.gherkin import conditions, issue_key, numbered

_SPECIFICATION = re.compile(r"#(?!#)[ \t]*(\S.*)")
_SCENARIO = re.compile(r"##(?!#)[ \t]*(\S.*)")
_STEP = re.compile(r"\*[ \t]*(\S.*)")
_TAGS = re.compile(r"tags[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_OF_PACKAGE = re.compile(
    r"^%(?:build|changelog|description|files|install|package|prep)\b", re.MULTILINE
)
"""A section of a specification of RPM, whose comments and changes look like headings and steps."""
_UNDERLINE = {"=": 1, "-": 2}
_TEARDOWN = re.compile(r"_{3,}")
_TABLE = re.compile(r"table[ \t]*:.*", re.IGNORECASE)


class _Scenario:
    """What is written below a heading in line `line`."""

    def __init__(self, title: str, line: int) -> None:
        self.title = title
        self.line = line
        self.tags: list[str] = []
        self.about: list[str] = []
        self.table: list[str] = []
        self.steps: list[dict[str, Any]] = []

    def add(self, text: str) -> None:
        step = _STEP.fullmatch(text)
        if step:
            self.steps.append({"action": step[1], "data": "", "expected": []})
        elif text.startswith("|"):
            if self.steps:
                data = self.steps[-1]["data"]
                self.steps[-1]["data"] = f"{data}\n{text}" if data else text
            else:
                self.table.append(text)
        elif _TABLE.fullmatch(text):
            self.table.append(text)
        elif text and not self.steps:
            self.about.append(text)


def records(text: str, name: str) -> list[dict[str, Any]]:
    """A record for each scenario of the specification `name`, which may have folders; none of a file of
    another kind. What is done before each of them is its preconditions; what is done after it is not read,
    nor are the steps within concepts, which other files define."""
    whole, scenarios = (None, []) if _OF_PACKAGE.search(text) else _parts(text.splitlines())
    if whole is None:
        return []
    stem = name.rpartition("/")[2].rpartition(".")[0]
    return numbered(
        [
            {
                "uid": f"{stem}: {each.title}",
                "jiraKey": issue_key([*each.tags, *whole.tags]),
                "title": each.title,
                "description": "\n\n".join(
                    "\n".join(about) for about in (each.about, whole.about) if about
                ),
                "tags": [*whole.tags, *each.tags],
                "folderStructure": whole.title.replace("/", " "),
                "preconditions": conditions(whole.steps),
                "steps": each.steps,
                "testData": "\n".join([*whole.table, *each.table]),
                "testPath": f"{name}:{each.line}",
                "testType": "Automated",
            }
            for each in scenarios
            if each.steps
        ]
    )


def _parts(lines: list[str]) -> tuple[_Scenario | None, list[_Scenario]]:
    whole: _Scenario | None = None
    scenarios: list[_Scenario] = []
    into: _Scenario | None = None
    is_open = False  # whether tags go on in the next line
    for number, line in enumerate(lines, 1):
        text = line.strip()
        level, title = _heading(text, lines[number].strip() if number < len(lines) else "")
        if level == 1 and whole is None:
            into = whole = _Scenario(title, number)
        elif level == 2 and whole is not None:
            into = _Scenario(title, number)
            scenarios.append(into)
        elif _TEARDOWN.fullmatch(text):
            into = None
        elif into is not None and not _is_underline(text):
            tags = _TAGS.fullmatch(text)
            if tags or is_open:
                listed = tags[1] if tags else text
                into.tags += [each.strip() for each in listed.split(",") if each.strip()]
                is_open = listed.rstrip().endswith(",")
            else:
                into.add(text)
    return whole, scenarios


def _heading(text: str, following: str) -> tuple[int, str]:
    """The level and title of a heading, marked or underlined; 0 for another line."""
    for level, pattern in ((1, _SPECIFICATION), (2, _SCENARIO)):
        if found := pattern.fullmatch(text):
            return level, found[1].rstrip("# ").strip() or found[1]
    is_title = text and not text.startswith(("*", "|")) and _is_underline(following)
    return (_UNDERLINE[following[0]], text) if is_title else (0, "")


def _is_underline(text: str) -> bool:
    return len(text) > 1 and text[0] in _UNDERLINE and not text.strip(text[0])
