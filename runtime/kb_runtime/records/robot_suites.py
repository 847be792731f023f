"""Reads suites of Robot Framework: each test or task is a test case, its keywords are its steps.

Cells are set apart by two spaces, tabs or pipes. Keywords that begin with `Then`, and with `And` or `But`
after it, are the expectations of the step before them, as in Gherkin.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile, takewhile
from typing import Any

from kb_runtime.records.gherkin import Line, WrittenTestsError, issue_key, numbered, steps_from

_SPACES = re.compile(r"\s{2,}|\t")
_PIPE = re.compile(r"(?<=\s)\|(?=\s)")
_LANGUAGE = re.compile(r"\s*language:\s*(\S.*)", re.IGNORECASE)
_ASSIGNED = re.compile(r"[$@&]\{[^{}]*\}(?:\[[^\]]*\])*\s?=?")
_ENGLISH = frozenset({"en", "english"})
_NOTHING = "NONE"
_CONTROL = frozenset(
    [
        *("FOR", ":FOR", ": FOR", "WHILE", "IF", "ELSE IF", "ELSE", "TRY", "EXCEPT", "FINALLY"),
        *("BREAK", "CONTINUE", "RETURN", "VAR", "GROUP", "END"),
    ]
)
_END = "END"
_BEHAVIOUR = frozenset({"Given", "When", "Then", "And", "But"})
_SECTIONS = {
    **dict.fromkeys(("setting", "settings"), "settings"),
    **dict.fromkeys(("test case", "test cases", "task", "tasks"), "tests"),
}
_SETTINGS = {
    **{own: own for own in ("documentation", "name", "suite setup", "tags", "default tags")},
    "setup": "setup",
    "template": "template",
    **dict.fromkeys(("test tags", "task tags", "force tags"), "test tags"),
    **dict.fromkeys(("test setup", "task setup"), "test setup"),
    **dict.fromkeys(("test template", "task template"), "test template"),
}

_Settings = dict[str, list[str]]


class _Test:
    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line
        self.rows: list[list[str]] = []


def records(text: str, name: str) -> list[dict[str, Any]]:
    """A record for each test of the suite file `name`, which may have folders, each with a uid of its own.
    Raises `WrittenTestsError`."""
    lines = text.splitlines()
    suite: _Settings = {}
    tests: list[_Test] = []
    for section, number, row in _rows(lines):
        if section == "settings":
            _set(suite, row)
        elif row[0]:
            tests.append(_Test(row[0], number))
        if section == "tests" and tests and any(row[1:]):
            tests[-1].rows.append(list(dropwhile(operator.not_, row[1:])))
    if not tests:
        _require_english(lines)
    *folders, own = name.rpartition(".")[0].split("/")
    title = " ".join(suite.get("name", ())) or _suite_name(own)
    place = [*(_suite_name(each) for each in folders if each), title]
    return numbered(_record(test, suite, place, name) for test in tests)


def _require_english(lines: Sequence[str]) -> None:
    """Raises `WrittenTestsError` where the file states above its sections that these have other names."""
    above = takewhile(lambda line: not line.startswith("*"), lines)
    for number, line in enumerate(above, start=1):
        if (stated := _LANGUAGE.match(line)) and stated[1].strip().casefold() not in _ENGLISH:
            raise WrittenTestsError(
                f"suites in the language {stated[1].strip()!r} are not read", number
            )


def _rows(lines: Iterable[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Section, line and cells of each row of settings and tests, with the rows that continue it; the first
    of these cells begins with a line break."""
    section = ""
    row: list[str] = []
    start = 0
    for number, line in enumerate(lines, start=1):
        cells = _cells(line)
        if cells and cells[0].startswith("*"):
            if row:
                yield section, start, row
            row = []
            section = _SECTIONS.get(cells[0].strip("* ").casefold(), "")
            continue
        filled = [at for at, cell in enumerate(cells) if cell]
        if not section or not filled:
            continue
        first = filled[0]
        if cells[first] == "...":
            following = cells[first + 1 :] or [""]
            if row:
                row += [f"\n{following[0]}", *following[1:]]
            continue
        if row:
            yield section, start, row
        row, start = (cells if first == 0 else ["", *cells[first:]]), number
    if row:
        yield section, start, row


def _cells(line: str) -> list[str]:
    """The cells of a line, without its comment; the first is empty where the line is indented."""
    line = line.rstrip()
    if line == "|" or (line.startswith("|") and line[1].isspace()):
        cells = _PIPE.split(f" {line} ")[1:]
    else:
        cells = _SPACES.split(line)
    found: list[str] = []
    for cell in map(str.strip, cells):
        if cell.startswith("#"):
            break
        found.append(cell)
    while found and not found[-1]:
        found.pop()
    return found


def _set(settings: _Settings, row: Sequence[str]) -> None:
    if name := _SETTINGS.get(" ".join(row[0].strip("[] ").casefold().split())):
        settings.setdefault(name, []).extend(row[1:])


def _record(test: _Test, suite: _Settings, place: Sequence[str], path: str) -> dict[str, Any]:
    own: _Settings = {}
    rows: list[list[str]] = []
    for row in test.rows:
        if row[0].startswith("[") and row[0].endswith("]"):
            _set(own, row)
        else:
            rows.append(row)
    template = _said(own.get("template", suite.get("test template", ())))
    setups = (suite.get("suite setup", ()), own.get("setup", suite.get("test setup", ())))
    tags = _tags(own, suite)
    return {
        "uid": f"{place[-1]}::{test.name}",
        "jiraKey": issue_key(tags),
        "title": test.name,
        "description": "\n\n".join(
            filter(None, (_text(each.get("documentation", ())) for each in (own, suite)))
        ),
        "tags": tags,
        "testType": "Automated",
        "folderStructure": "/".join(each.replace("/", " ") for each in place),
        "preconditions": [" ".join(filter(None, _call(each))) for each in setups if _said(each)],
        "steps": steps_from(_step(row, template) for row in rows if row[0] != _END),
        "testPath": f"{path}:{test.line}",
    }


def _tags(own: _Settings, suite: _Settings) -> list[str]:
    """A test's own tags, which come first, and those of all tests that it does not take away."""
    stated = [tag.strip() for tag in own.get("tags", suite.get("default tags", ()))]
    away = {tag[1:].casefold() for tag in stated if tag.startswith("-")}
    common = (tag.strip() for tag in suite.get("test tags", ()))
    kept = (tag for tag in stated if tag and tag.upper() != _NOTHING and not tag.startswith("-"))
    return [*kept, *(tag for tag in common if tag and tag.casefold() not in away)]


def _step(cells: Sequence[str], template: str) -> Line:
    cells = [cell.strip() for cell in cells]
    if cells[0] in _CONTROL:
        text = " ".join(filter(None, cells))
        return Line("", text, text)
    if template:
        return Line("", template, template, _data(cells))
    last = len(cells) - 1
    at = next((n for n, cell in enumerate(cells) if not _ASSIGNED.fullmatch(cell)), last)
    text = " ".join(cells[: at + 1])
    word, _, said = text.partition(" ")
    kind = word.capitalize()
    if said and kind in _BEHAVIOUR:
        return Line(kind, text, said, _data(cells[at + 1 :]))
    return Line("", text, text, _data(cells[at + 1 :]))


def _data(cells: Iterable[str]) -> list[str]:
    return [text] if (text := ", ".join(filter(None, cells))) else []


def _call(cells: Sequence[str]) -> tuple[str, str]:
    """A keyword and its arguments."""
    name, *given = (cell.strip() for cell in cells)
    return name, ", ".join(filter(None, given))


def _said(cells: Sequence[str]) -> str:
    """The name of a keyword; "" for one that is taken away."""
    name = cells[0].strip() if cells else ""
    return "" if name.upper() == _NOTHING else name


def _text(cells: Sequence[str]) -> str:
    """The cells of a documentation, in the lines in which it is written."""
    return " ".join(cells).replace(" \n", "\n").strip()


def _suite_name(name: str) -> str:
    """What Robot Framework calls the suite of a file or folder."""
    words = name.partition("__")[2] or name
    words = " ".join(words.replace("_", " ").split())
    return words.title() if words.islower() else words
