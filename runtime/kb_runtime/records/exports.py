"""Finds the records in exports of test management tools and gives their fields the names of `cases`.

Each function takes parsed JSON and knows one tool's shape. Fields that no tool renames stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb_runtime.records import allure, outcomes, runs
from kb_runtime.records.streams.values import an_object, objects

WRAPPERS = ("tests", "rows", "data", "testCases", "cases", "issues", "results", "values")
"""Objects that hold a list of records call it so, the more telling names first."""

_PAGES = (*WRAPPERS, "sections")

MOST_FOLDERS = 64
"""Levels of the folder of a test: a filter by folder knows each of them, and each holds those above it."""

NOT_A_TEST = "not-a-test"
"""The field that marks an issue of another type: its value is that type."""

COLUMNS_NOT_READ, LONG_ROWS = "columnsNotRead", "longRows"
"""What is said beside the rows of a table: columns with text that no field is read from, and the tests with a
row of more cells than the header."""

_IDENTIFYING = frozenset(
    [
        *("uid", "jiraKey", "issueKey", "testKey", "testCaseId", "testId", "title", "summary"),
        *("testInfo", "id", "key", "name", "jira", "nodeid"),
    ]
)
"""One of them is in every record."""

_TESTRAIL_PRIORITIES = {1: "Low", 2: "Medium", 3: "High", 4: "Critical"}
"""The ids that TestRail installs with. Others are an installation's own."""

_TEST_TYPES = re.compile(r"(?:\w+ )?test(?: case)?", re.IGNORECASE)
"""Types of Jira issues that are tests: "Test", "Test Case", "Manual Test"; not "Test Plan"."""

_ZEPHYR_KEY = re.compile(r"[A-Z][A-Z0-9_]*-T[0-9]+")

_Record = Mapping[str, Any]


def records(data: Any) -> Sequence[Any] | None:
    """The records of an export, each with fields as `cases` knows them; None for another shape."""
    if (tests := runs.records(data)) is not None or (tests := allure.records(data)) is not None:
        return tests
    found = _listed(data)
    if found is None:
        return None
    pages = [data]
    if isinstance(data, list):  # perhaps the pages of an API, one after another
        pages = [each for each in data if _is_page(each)]
        found = [
            record for each in data for record in (_of_page(each) if _is_page(each) else [each])
        ]
    folders = _testrail_folders(pages)
    return [_renamed(each, folders) if isinstance(each, Mapping) else each for each in found]


def _is_page(item: Any) -> bool:
    """Whether an element of a list is an answer of an API, and no record itself."""
    if not isinstance(item, Mapping) or not _IDENTIFYING.isdisjoint(item):
        return False
    return bool(_of_page(item)) or any(isinstance(item.get(name), list) for name in _PAGES)


def _of_page(page: _Record) -> Sequence[Any]:
    found = _listed(page)
    return [] if found is None or found == [page] else found


def _listed(data: Any) -> Sequence[Any] | None:
    if isinstance(data, list):
        return data
    if not isinstance(data, Mapping):
        return None
    for name in ("testSuite", "data", "getTests", "getExpandedTests"):  # objects around the list
        inner = data.get(name)
        if isinstance(inner, Mapping) or (name == "testSuite" and isinstance(inner, list)):
            return _listed(inner)
    for name in WRAPPERS:
        if isinstance(data.get(name), list):
            return list(data[name])
    return [data] if data else None


def _renamed(record: _Record, folders: Mapping[Any, str]) -> _Record:
    if isinstance(record.get("fields"), Mapping) and "key" in record:
        return _jira_issue(record)
    if isinstance(record.get("jira"), Mapping):
        return _xray(record)
    if "custom_steps_separated" in record or ("section_id" in record and "id" in record):
        return _testrail(record, folders)
    if "nodeid" in record:
        return _pytest(record)
    if isinstance(record.get("testScript"), Mapping) or _is_zephyr(record):
        return _zephyr(record)
    if isinstance(status := record.get("status"), str) and not {"testKey", "testInfo"}.isdisjoint(
        record
    ):
        return _with(record, expectedResults=outcomes.ended(status, [record.get("comment")]))
    return record


def _with(record: _Record, **found: Any) -> dict[str, Any]:
    """`record` with `found` where it says nothing itself."""
    stated = {name: value for name, value in record.items() if value not in (None, "", [], {})}
    return {**{name: value for name, value in found.items() if value is not None}, **stated}


def _xray(record: _Record) -> _Record:
    """A test of Xray's GraphQL API: Jira's fields below `jira`, steps with `result`."""
    jira = record["jira"]
    steps = (
        record.get("steps") or _gherkin_steps(record.get("gherkin")) or record.get("unstructured")
    )
    folder, kind = record.get("folder"), record.get("testType")
    held = record.get("preconditions")
    found = held.get("results") if isinstance(held, Mapping) else held
    conditions = [_precondition(each) for each in found] if isinstance(found, list) else None
    return {
        "jiraKey": jira.get("key"),
        "testCaseId": record.get("issueId"),
        "summary": jira.get("summary"),
        "description": text_of(jira.get("description")),
        "labels": jira.get("labels"),
        "priority": _name(jira.get("priority")),
        "testType": _name(kind),
        "folderStructure": folder.get("path") if isinstance(folder, Mapping) else folder,
        "preconditions": conditions,
        "steps": steps,
        "relatedIssues": _linked(jira),
    }


def _precondition(held: Any) -> Any:
    if not isinstance(held, Mapping):
        return held
    return held.get("definition") or an_object(held.get("jira")).get("summary")


def _jira_issue(record: _Record) -> _Record:
    """An issue of Jira's REST API. Which custom field has the steps differs by installation: it is the
    one whose value looks like steps."""
    fields = record["fields"]
    issue_type = _name(fields.get("issuetype"))
    if issue_type and not _TEST_TYPES.fullmatch(str(issue_type).strip()):
        return {NOT_A_TEST: str(issue_type), "title": fields.get("summary"), "uid": record["key"]}
    custom = [value for name, value in sorted(fields.items()) if name.startswith("customfield_")]
    steps = next((found for found in map(jira_steps, custom) if found), None)
    return {
        "jiraKey": record["key"],
        "summary": fields.get("summary"),
        "description": text_of(fields.get("description")),
        "labels": fields.get("labels"),
        "priority": _name(fields.get("priority")),
        "platforms": [_name(each) for each in _list(fields.get("components"))],
        "steps": steps or fields.get("steps"),
        "relatedIssues": _linked(fields),
    }


def jira_steps(value: Any) -> list[dict[str, Any]] | None:
    """The steps in a custom field of Jira, as Xray and others store them; None if it has none."""
    items = value.get("steps") if isinstance(value, Mapping) else value
    if not isinstance(items, list) or not items:
        return None
    found = []
    for item in items:
        inner = item.get("fields", item) if isinstance(item, Mapping) else None
        if not isinstance(inner, Mapping):
            return None
        named = {re.sub(r"[^a-z]", "", str(name).lower()): each for name, each in inner.items()}
        action = next(
            (named[name] for name in ("action", "step", "teststep") if name in named), None
        )
        if action is None:
            return None
        expected = next(
            (named[n] for n in ("expectedresult", "result", "expected") if n in named), ""
        )
        found.append(
            {
                "index": item.get("index"),
                "action": text_of(action),
                "data": text_of(named.get("data", named.get("testdata"))),
                "expected": text_of(expected),
            }
        )
    return found


def _linked(fields: _Record) -> list[str]:
    ends = (
        link.get(side)
        for link in objects(fields.get("issuelinks"))
        for side in ("inwardIssue", "outwardIssue")
    )
    return [str(end["key"]) for end in ends if isinstance(end, Mapping) and end.get("key")]


def _testrail(record: _Record, folders: Mapping[Any, str]) -> _Record:
    """A case of TestRail's API: steps with `content`, priorities by number, folders in `sections`."""
    steps: Any = record.get("custom_steps_separated")
    if isinstance(steps, list):
        steps = [
            {
                "action": step.get("content"),
                "expected": step.get("expected"),
                "data": step.get("additional_info"),
            }
            for step in objects(steps)
        ]
    elif record.get("custom_steps"):
        steps = [{"action": record["custom_steps"], "expected": record.get("custom_expected")}]
    number = record.get("id")
    references = record.get("refs")
    return _with(
        record,
        testCaseId=f"C{number}" if isinstance(number, int) else number,
        preconditions=record.get("custom_preconds"),
        priority=_TESTRAIL_PRIORITIES.get(_id(record.get("priority_id"))),
        folderStructure=folders.get(_id(record.get("section_id"))),
        steps=steps,
        relatedIssues=re.split(r"[\s,]+", references) if isinstance(references, str) else None,
    )


def _testrail_folders(pages: Iterable[_Record]) -> dict[Any, str]:
    """Section id -> path, from the sections that an export may hold beside its cases."""
    by_id = {
        identity: each
        for page in pages
        for each in objects(page.get("sections"))
        if (identity := _id(each.get("id"))) is not None
    }

    def path(identity: Any) -> str:
        names: list[str] = []
        while identity in by_id and len(names) < min(len(by_id), MOST_FOLDERS):
            names.append(str(by_id[identity].get("name", "")).replace("/", " "))
            identity = _id(by_id[identity].get("parent_id"))
        if len(names) == MOST_FOLDERS and identity in by_id:
            names[-1] = "…"
        return "/".join(reversed(names))

    return {identity: path(identity) for identity in by_id}


def _is_zephyr(record: _Record) -> bool:
    """Whether a record without steps is a test of Zephyr Scale; other tools have keys and names too."""
    key = str(record.get("key"))
    return "name" in record and ("steps" in record or _ZEPHYR_KEY.fullmatch(key) is not None)


def _zephyr(record: _Record) -> _Record:
    """A test case of Zephyr Scale: steps with `description`, `testData` and `expectedResult`."""
    script = an_object(record.get("testScript"))
    steps: Any = script.get("steps")
    if isinstance(steps, list):
        inner = [each.get("inline", each) if isinstance(each, Mapping) else each for each in steps]
        steps = [
            {**step, "action": step.get("description"), "data": step.get("testData")}
            if isinstance(step, Mapping)
            else step
            for step in inner
        ]
    elif script.get("text"):
        steps = _gherkin_steps(script["text"]) or script["text"]
    folder = record.get("folder")
    found = _with(
        record,
        testCaseId=record.get("key"),
        title=record.get("name"),
        description=record.get("objective"),
        steps=steps,
    )
    found["priority"] = _name(record.get("priority"))
    found["folder"] = (
        (folder.get("fullPath") or folder.get("name")) if isinstance(folder, Mapping) else folder
    )
    return found


def _pytest(record: _Record) -> _Record:
    """A test of pytest's JSON report; its markers are among the keywords, with names of files."""
    node = str(record["nodeid"])
    path, _, name = node.partition("::")
    line = record.get("lineno")
    parts = {*path.split("/"), *re.split(r"::|[\[\]]", name), node, path, name, ""}
    words = [str(each) for each in _list(record.get("keywords")) if str(each) not in parts]
    return {
        "uid": node,
        "title": name or node,
        "testType": "Automated",
        "folderStructure": path.rpartition("/")[0] or path,
        "testPath": f"{path}:{line + 1}" if isinstance(line, int) else path,
        "tags": [word for word in words if not word.startswith(("test", "__"))],
        "expectedResults": _outcome(record),
    }


def _outcome(record: _Record) -> str:
    outcome = record.get("outcome")
    crash = an_object(an_object(record.get("call")).get("crash"))
    return outcomes.ended(outcome, [crash.get("message")]) if outcome else ""


def _gherkin_steps(text: Any) -> list[dict[str, Any]] | None:
    from kb_runtime.records.gherkin import steps_of

    return steps_of(text.splitlines()) or None if isinstance(text, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _id(value: Any) -> Any:
    """An id by which something is looked up; None for a value that can be none."""
    return value if isinstance(value, (int, str)) else None


def _name(value: Any) -> Any:
    return value.get("name") or value.get("value") if isinstance(value, Mapping) else value


def text_of(value: Any) -> Any:
    """The text of a document in Atlassian's format, of an object with `raw`, or `value` itself."""
    if isinstance(value, Mapping):
        if "content" in value or value.get("type") == "doc":
            return _document(value).strip()
        return value.get("raw", value)
    return value


_BLOCKS = frozenset({"paragraph", "heading", "listItem", "codeBlock", "blockquote", "tableRow"})


def _document(node: Any) -> str:
    if not isinstance(node, Mapping):
        return ""
    if node.get("type") == "text":
        return str(node.get("text", ""))
    if node.get("type") == "hardBreak":
        return "\n"
    inner = node.get("content")
    text = "".join(map(_document, inner if isinstance(inner, Iterable) else ()))
    return text.rstrip("\n") + "\n" if node.get("type") in _BLOCKS else text
