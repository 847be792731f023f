"""Reads results of Allure: a file has one test as it ran, with its steps, labels and links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kb_runtime.records.gherkin import issue_key
from kb_runtime.records.outcomes import PASSED, ended
from kb_runtime.records.streams.values import an_object, objects

_Record = Mapping[str, Any]

ENDING = "-result.json"
"""Of the files that have one result each, called by random numbers."""

_STOP = re.compile(rb'"stop"\s*:\s*([0-9]{1,15})(?![0-9])')
_OF_RESULT = frozenset({"uuid", "name", "status", "labels"})
_IDENTIFYING = frozenset({"fullName", "historyId", "stop"})
_OF_CONTAINER = frozenset({"uuid", "children"})
_FOLDERS = (("epic", "feature", "story"), ("parentSuite", "suite", "subSuite"))
"""Labels by which a report groups tests: what they are about, else where they are."""
_PRIORITIES = {"blocker": "Critical", "critical": "Critical", "minor": "Low", "trivial": "Low"}
"""Of severities; any other is medium."""


def records(data: Any) -> list[dict[str, Any]] | None:
    """A record for each result in a file, none for what is set up around tests (`-container.json`); None
    where `data` is neither."""
    items = data if isinstance(data, list) else [data]
    if not items or not all(map(_is_of_allure, items)):
        return None
    return [_record(each) for each in items if each.keys() >= _OF_RESULT]


def ended_at(name: str, data: bytes) -> int:
    """When the test in a file of results ended, in milliseconds since 1970: the last of the times of its
    steps and its own. 0 for another file."""
    if not name.endswith(ENDING):
        return 0
    return max((int(each) for each in _STOP.findall(data)), default=0)


def _is_of_allure(item: Any) -> bool:
    if not isinstance(item, Mapping):
        return False
    is_result = item.keys() >= _OF_RESULT and not _IDENTIFYING.isdisjoint(item)
    return is_result or item.keys() >= _OF_CONTAINER


def _record(result: _Record) -> dict[str, Any]:
    labels: dict[str, list[str]] = {}
    for label in objects(result.get("labels")):
        labels.setdefault(str(label.get("name")), []).append(str(label.get("value") or ""))
    groups = ([value for name in names for value in labels.get(name, ())] for names in _FOLDERS)
    links: dict[str, list[str]] = {}
    for link in objects(result.get("links")):
        links.setdefault(str(link.get("type")), []).append(str(link.get("name") or ""))
    parameters = _parameters(result)
    own = str(result.get("fullName") or result["name"])
    managed = [*links.get("tms", ()), *labels.get("AS_ID", ())][:1]
    key = issue_key(managed)
    return {
        "uid": f"{own} [{parameters}]" if parameters else own,
        "title": result["name"],
        "jiraKey": key,
        "testCaseId": None if key else "".join(managed),
        "description": result.get("description"),
        "testType": "Automated",
        "priority": _PRIORITIES.get(next(iter(labels.get("severity", ())), "")),
        "tags": labels.get("tag"),
        "folderStructure": next(filter(None, groups), None),
        "steps": list(_steps(result.get("steps"))),
        "testData": parameters,
        "relatedIssues": links.get("issue"),
        "expectedResults": _outcome(result),
    }


def _outcome(result: _Record) -> str:
    status, details = result["status"], an_object(result.get("statusDetails"))
    said = [] if status == PASSED else [details.get("message")]
    return ended(status, said, is_flaky=details.get("flaky") is True)


def _steps(steps: Any) -> Iterator[dict[str, Any]]:
    """The steps with those in them, each behind the one that it is part of."""
    waiting = list(reversed(objects(steps)))
    while waiting:
        step = waiting.pop()
        yield {"action": step.get("name"), "data": _parameters(step)}
        waiting.extend(reversed(objects(step.get("steps"))))


def _parameters(held: _Record) -> str:
    found = (each for each in objects(held.get("parameters")) if not each.get("excluded"))
    return ", ".join(f"{each.get('name')}={each.get('value')}" for each in found)
