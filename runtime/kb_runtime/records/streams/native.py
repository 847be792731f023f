"""Reads what runners of compiled languages write in JSON: GoogleTest, and the one of Rust."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kb_runtime.records.outcomes import FAILED, PASSED, SKIPPED, ended
from kb_runtime.records.streams.values import objects, text_at

_Record = Mapping[str, Any]


def is_googletest(data: _Record) -> bool:
    """Whether a report is GoogleTest's: suites, each with its tests in a list called as they are."""
    return any(isinstance(each.get("testsuite"), list) for each in objects(data.get("testsuites")))


def googletest(data: _Record) -> Iterator[dict[str, Any]]:
    """A record for each test, with the values of a parametrised one."""
    for suite in objects(data.get("testsuites")):
        for test in objects(suite.get("testsuite")):
            owner = text_at(test, "classname") or text_at(suite, "name")
            name, line = text_at(test, "name"), test.get("line")
            path = text_at(test, "file")
            given = text_at(test, "value_param") or text_at(test, "type_param")
            failures = [text_at(each, "failure") for each in objects(test.get("failures"))]
            was_run = text_at(test, "status") != "NOTRUN" and test.get("result") != "SKIPPED"
            status = FAILED if failures else PASSED if was_run else SKIPPED
            yield {
                "uid": f"{owner}::{name}",
                "title": name,
                "testType": "Automated",
                "folderStructure": owner.replace(".", "/"),
                "testPath": f"{path}:{line}" if path and isinstance(line, int) else path,
                "testData": given,
                "expectedResults": ended(status, failures[:1]),
            }


def is_libtest(events: Iterable[_Record]) -> bool:
    """Whether events are those of the runner of Rust (`--format json`)."""
    return any(each.get("type") == "suite" and "event" in each for each in events)


def libtest(events: Iterable[_Record]) -> Iterator[dict[str, Any]]:
    """A record for each test that ended."""
    statuses = {"ok": PASSED, "failed": FAILED, "ignored": SKIPPED, "timeout": "timeout"}
    for event in events:
        status = statuses.get(text_at(event, "event"))
        if event.get("type") != "test" or status is None:
            continue
        *modules, name = text_at(event, "name").split("::")
        said = text_at(event, "stdout") or text_at(event, "message")
        yield {
            "uid": "::".join([*modules, name]),
            "title": name,
            "testType": "Automated",
            "folderStructure": "/".join(modules),
            "expectedResults": ended(status, [said] if status == FAILED else []),
        }
