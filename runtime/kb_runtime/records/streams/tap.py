"""Reads the Test Anything Protocol, versions 12 to 14: a line for each test, subtests and diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kb_runtime.records.gherkin import numbered
from kb_runtime.records.outcomes import FAILED, PASSED, SKIPPED, ended

_POINT = re.compile(
    r"(?P<failed>not )?ok\b[ \t]*+(?P<number>\d+)?[ \t]*+(?:-[ \t]+)?"
    r"(?P<title>(?:[^#\\]|\\.|\\\Z|#(?![ \t]*(?i:skip|todo)))*+)"
    r"(?:#[ \t]*(?P<directive>(?i:skip|todo))\S*[ \t]*(?P<reason>.*))?"
)
_PLAN = re.compile(r"1\.\.\d+\b[ \t]*(?:#.*)?")
_VERSION = re.compile(r"TAP version \d+")
_SUBTEST = re.compile(r"#[ \t]*Subtest(?::[ \t]*(.*))?")
_GROUP = re.compile(
    r"#[ \t]+(?!(?i:tests|pass|fail|skip|todo|ok|time|suites|cancelled|duration_ms)\b)(\S.*)"
)
"""A comment above tests, which tape writes for the test that they are assertions of."""
_FIELD = re.compile(r"[ \t]*(\w+):[ \t]*(?:[|>][+-]?[ \t]*)?(.*)")
_PLACE = re.compile(r"(?:.*[(\s]|\A)?(?:file://)?([^\s:()]+\.\w+):(\d+)(?::\d+)?\)?")
_TIME = re.compile(r"#[ \t]*time=\S*\Z")
_MESSAGES = ("message", "error", "failure")
_QUOTES = "\"'"
_COMMENTS = 3
"""Lines behind a test that failed, in which older producers say why."""


@dataclass(slots=True)
class _Point:
    """A test in the document at `depth`; those of its subtest are `inner`."""

    title: str
    status: str
    depth: int
    inner: list[_Point]
    said: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)


def records(text: str, name: str) -> list[dict[str, Any]] | None:
    """A record for each test of the file `name` that has no subtests; None where no line is of a test or a
    plan."""
    stem = name.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
    points = _points(text.splitlines())
    return None if points is None else numbered(list(_tests(points, [stem])))


def _points(lines: Sequence[str]) -> list[_Point] | None:
    """The tests at the top; None where nothing is of the protocol."""
    is_tap = False
    waiting: list[list[_Point]] = [[]]  # by depth: the tests whose own line has not come yet
    groups = [""]
    is_yaml = False
    last: _Point | None = None
    failed: _Point | None = None  # of which the next comments tell why
    for line in lines:
        inner = line.lstrip(" ")
        if is_yaml:
            is_yaml = inner.rstrip() != "..."
            if is_yaml and last is not None:
                _note(last, line)
            continue
        depth = (len(line) - len(inner)) // 4
        if point := _POINT.fullmatch(inner.rstrip()):
            is_tap = True
            _open(waiting, groups, depth)
            below = [each for level in waiting[depth + 1 :] for each in level]
            del waiting[depth + 1 :], groups[depth + 1 :]
            last = _point(point, depth, below, groups[depth])
            failed = last if last.status == FAILED else None
            waiting[depth].append(last)
        elif inner.rstrip() == "---" and last is not None:
            is_yaml, failed = True, None
        elif _PLAN.fullmatch(inner.rstrip()) or _VERSION.match(inner):
            is_tap = True
        elif _SUBTEST.match(inner):
            _open(waiting, groups, depth + (len(line) == len(inner)))
            last = None
        elif failed is not None and inner.startswith("#"):
            if len(failed.said) < _COMMENTS:
                failed.said.append(inner[1:].strip())
        elif group := _GROUP.fullmatch(inner.rstrip()):
            _open(waiting, groups, depth)
            groups[depth] = group[1]
    return [each for level in waiting for each in level] if is_tap else None


def _open(waiting: list[list[_Point]], groups: list[str], depth: int) -> None:
    while len(waiting) <= depth:
        waiting.append([])
        groups.append("")


def _point(found: re.Match[str], depth: int, inner: list[_Point], group: str) -> _Point:
    title = re.sub(r"\\(.)", r"\1", found["title"]).strip()
    title = (
        _TIME.sub("", title).removesuffix("{").strip() or f"test {found['number'] or ''}".strip()
    )
    directive = (found["directive"] or "").lower()
    status = FAILED if found["failed"] else PASSED
    if directive == "skip":
        status = SKIPPED
    elif directive == "todo" and status == FAILED:
        status = "todo"
    point = _Point(title, status, depth, inner)
    if directive and found["reason"].strip():
        point.said.append(found["reason"].strip())
    if group:
        point.fields["group"] = group
    return point


def _note(point: _Point, line: str) -> None:
    """Remembers a field of the diagnostics: of a text over several lines its first."""
    if found := _FIELD.fullmatch(line):
        point.fields.setdefault(found[1].lower(), found[2].strip().strip(_QUOTES))
    elif point.fields:
        name = next(reversed(point.fields))
        point.fields[name] = point.fields[name] or line.strip()


def _tests(points: Sequence[_Point], above: list[str]) -> Iterator[dict[str, Any]]:
    waiting = [(point, above) for point in reversed(points)]
    while waiting:
        point, around = waiting.pop()
        group = point.fields.get("group", "")
        place = [*around, group] if group else around
        if point.inner:
            waiting += [(each, [*place, point.title]) for each in reversed(point.inner)]
            continue
        told = _message(point.fields) if point.status == FAILED else ""
        said = [told] if told else point.said
        yield {
            "uid": "::".join([*place, point.title]),
            "title": point.title,
            "testType": "Automated",
            "folderStructure": "/".join(each.replace("/", " ") for each in place),
            "testPath": _path(point),
            "expectedResults": ended(point.status, [" ".join(said)] if said else []),
        }


def _message(fields: dict[str, str]) -> str:
    """Why a test failed, as its diagnostics say; "" where they do not."""
    if said := next((fields[name] for name in _MESSAGES if fields.get(name)), ""):
        return said
    compared = [f"{name}: {fields[name]}" for name in ("expected", "actual") if name in fields]
    return ", ".join(compared)


def _path(point: _Point) -> str:
    file, line = point.fields.get("file", ""), point.fields.get("line", "")
    if file:
        return f"{file}:{line}" if line.isdecimal() else file
    for name in ("location", "at"):
        if found := _PLACE.fullmatch(point.fields.get(name, "")):
            return f"{found[1]}:{found[2]}"
    return ""
