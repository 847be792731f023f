"""Reads test cases from tables with a header, such as CSV and the sheets of a spreadsheet.

Which columns hold what is known by the names that test management tools give them, and by those that are
usual in tables that people write. A row that has a step and no identifier, or that of the row above, is a
further step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb_runtime.records import outcomes
from kb_runtime.records.exports import COLUMNS_NOT_READ, LONG_ROWS, NOT_A_TEST, jira_steps
from kb_runtime.records.gherkin import steps_of
from kb_runtime.records.written import case_words

_COLUMNS = {
    field: [*stated.split("; "), *filter(None, case_words.FIELDS.get(field, "").split("; "))]
    for field, stated in {
        "uid": "uid",
        "jiraKey": "issue key; jira key; issuekey; jirakey; test key; key",
        "testCaseId": (
            "id; case id; test case id; testcaseid; testcase id; test case no; test case number; "
            "test id; tcid; tc id; external id; issue id; v2.id"
        ),
        "title": (
            "title; summary; name; test summary; test case; test name; test case name; testcase name; "
            "test title; test case title; case; test scenario; test scenario description; scenario; "
            "test objective"
        ),
        "description": "description; test case description; test description; objective",
        "priority": "priority; test priority",
        "testType": "type; test type; testtype",
        "issueType": "issue type",
        "labels": "labels; label; tags",
        "folderStructure": (
            "folder; section hierarchy; section; test repository path; test repo; suite; "
            "test suite; area path; module; module name"
        ),
        "preconditions": "preconditions; precondition; prerequisites; prerequisite; preparation",
        "relatedIssues": (
            "references; refs; related issues; linked issues; coverage (issues); requirement id"
        ),
        "platforms": "platforms; platform; components; component",
        "testPath": "test path; path; file",
        "index": "step number; step #; step no; test step #; test step number",
        "action": (
            "steps (step); test script (step-by-step) - step; test script (plain text); "
            "test script (bdd); gherkin definition; unstructured definition; action; step action; "
            "steps actions; step; steps; test step; test steps; teststep; step description; "
            "steps to execute; test step description; test procedure; procedure; manual steps; "
            "manual test steps"
        ),
        "data": (
            "steps (additional info); test script (step-by-step) - test data; data; test data; "
            "steps data"
        ),
        "expected": (
            "steps (expected result); steps (expected); test script (step-by-step) - expected result; "
            "expected result; expected; result; expected results; expected outcome; "
            "expected behavior; expected behaviour; step expected; "
            "steps result; test result; step expected result; step expected results; "
            "test step expected result; test step expected results"
        ),
        "outcome": (
            "status; test status; execution status; test execution status; pass/fail; pass / fail; "
            "run status; result status; outcome; test result; result"
        ),
        "actual": "actual result; actual results; actual outcome; actual",
    }.items()
}
"""Field -> headers of columns, lower-cased, the more telling ones first. The first of a file counts. Of those
with brackets, which a tool has for steps in rows of their own, of definitions, and of the next, it is the
first with a value."""
_KNOWN = frozenset(name for names in _COLUMNS.values() for name in names)
_FIELDS = {name: field for field, names in reversed(_COLUMNS.items()) for name in names}
IDENTIFIERS = ("uid", "jiraKey", "testCaseId")
_STEP_FIELDS = ("index", "action", "data", "expected")
_RUN_FIELDS = ("outcome", "actual")
"""What came of a test when it ran: read only where the outcome is one that is known."""
_LISTS = ("labels", "relatedIssues", "platforms")
_OTHER_ISSUE = re.compile(
    r"(pre-?condition)|test ?(?:set|plan|execution)|sub[ -]?test execution|bug|epic|story|(?:sub-?)?task"
    r"|improvement|new feature",
    re.IGNORECASE,
)
"""Types of issues of Jira and Xray that are no tests. What others are called, an installation decides."""
_CUSTOM = re.compile(r"custom field \((.*)\)")
_SUFFIX = re.compile(r"(?: ?\([^()]*\)|[ :*.])+$")
"""What people write behind the name of a column: `Expected Result (ER)`, `Priority *`."""
_NUMBERED = re.compile(r"(?:step )?([0-9]{1,3})[.):]\s+(.*)", re.IGNORECASE)


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row names a column that tells tests apart."""
    return not {*IDENTIFIERS, "title"}.isdisjoint(_places(cells))


def fields_of(header: Sequence[str]) -> set[str]:
    """The fields of tests that the columns of a table hold."""
    return set(_places(header))


def field_of(name: str) -> str | None:
    """The field of tests that a column called `name` holds; None of a name that is not known."""
    return _FIELDS.get(_name(name))


def record(cells: Mapping[str, list[str]]) -> dict[str, Any]:
    """A test of which all is stated at once, by field."""
    step = {field: cells[field][0] for field in _STEP_FIELDS if cells.get(field)}
    found: dict[str, Any] = {"steps": _steps(step) if "action" in step else [], **_fields(cells)}
    expected = "" if "action" in step else step.get("expected", "")
    if said := "\n".join(filter(None, (expected, _ended(cells)))):
        found["expectedResults"] = said
    return found


def steps(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[dict[str, Any]]:
    """The steps of a table with one in each row."""
    places = _places(header)
    found: list[dict[str, Any]] = []
    for row in rows:
        values = {
            field: row[columns[0]].strip()
            for field, columns in places.items()
            if columns[0] < len(row)
        }
        step = {field: values[field] for field in _STEP_FIELDS if values.get(field)}
        if "action" in step:
            expected = step.get("expected", "")
            found.append(step | {"expected": [expected] if expected else []})
    return found


def tests(header: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, Any]:
    """The tests of a table as `rows`, with what is not read of it as `COLUMNS_NOT_READ` and `LONG_ROWS`."""
    places = _places(header)
    names = [_name(each) for each in header]
    unread = {place for place, name in enumerate(names) if name not in _KNOWN}
    filled: set[int] = set()
    other_states = {*places.get("outcome", ())} - {*places.get("expected", ())}
    overlong: list[str] = []
    found: list[dict[str, Any]] = []
    identifiers = [name for name in IDENTIFIERS if name in places] or ["title"]
    for row in rows:
        cells = {
            field: [
                row[place].strip() for place in columns if place < len(row) and row[place].strip()
            ]
            for field, columns in places.items()
        }
        ended = _ended(cells)
        if cells.get("outcome") and not ended:  # of the test case, such as a draft
            filled |= other_states
        elif ended and not other_states:
            cells["expected"] = []
        filled |= {place for place in unread - filled if place < len(row) and row[place].strip()}
        if not any(cells.values()):
            continue
        identity = [cells[name] for name in identifiers]
        if any(cell.strip() for cell in row[len(header) :]):
            overlong.append(next((each[0] for each in identity if each), ""))
        step = {field: cells[field][0] for field in _STEP_FIELDS if cells.get(field)}
        is_same = found and (not any(identity) or identity == found[-1]["_identity"])
        if is_same and any(identity) and not step and not cells.get("title"):
            found[-1] = _fields(cells) | found[-1]
            continue
        # A row without a step is a test: one that cannot be read is counted, not added to another.
        if step and is_same and (any(identity) or not cells.get("title")):
            test = found[-1]
        else:
            test = {"_identity": identity, "steps": []} | _fields(cells)
            if "title" not in places and "description" in test:
                test["title"] = test["description"].partition("\n")[0]
            found.append(test)
        if ended and not outcomes.is_failed(test.get("expectedResults")):
            test["expectedResults"] = ended
        if "action" in step:
            test["steps"] += _steps(step)
        elif "expected" in step and test["steps"]:
            test["steps"][-1]["expected"].append(step["expected"])
    for test in found:
        del test["_identity"]
    _tell_apart(found)
    left = [" ".join(header[place].split()) for place in sorted(filled)]
    return {
        "rows": found,
        COLUMNS_NOT_READ: [name or "one without a name" for name in left],
        LONG_ROWS: overlong,
    }


def joined(tables: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """The `tests` of the sheets of a workbook, by their names, as of one.

    An identifier counts within its sheet: what another sheet calls alike and has another title is another
    test. Where several sheets have tests, their names are folders, unless the rows have their own.
    """
    found: dict[str, Any] = {}
    titles: dict[str, str] = {}
    held = list(tables)
    for sheet, table in held:
        for row in table["rows"]:
            if len(held) > 1 and sheet:
                row.setdefault("folderStructure", sheet.replace("/", " "))
            identity, title = row.get("testCaseId", ""), row.get("title", "")
            if identity and titles.setdefault(identity, title) != title and not row.get("jiraKey"):
                row.setdefault("uid", f"{sheet}: {identity}" if sheet else f"{identity}: {title}")
        for name, values in table.items():
            found.setdefault(name, []).extend(values)
    return found


def _tell_apart(rows: Iterable[dict[str, Any]]) -> None:
    """Marks the issues among `rows` that are no tests, and gives tests the titles of the preconditions that
    they name, where these are among them."""
    conditions: dict[str, str] = {}
    for row in rows:
        kind = row.pop("issueType", "")
        if other := _OTHER_ISSUE.fullmatch(kind):
            names = [row[name] for name in IDENTIFIERS if name in row]
            if other[1]:
                conditions |= dict.fromkeys(names, row.get("title", ""))
            row |= {NOT_A_TEST: kind, "uid": next(iter(names), row.get("title"))}
        elif kind and kind.casefold() != "test":
            row.setdefault("testType", kind)
    for row in rows:
        named = _listed([row.get("preconditions", "")])
        if named and all(conditions.get(each) for each in named):
            row["preconditions"] = [conditions[each] for each in named]


def _fields(cells: Mapping[str, list[str]]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        field: _listed(values) if field in _LISTS else values[0]
        for field, values in cells.items()
        if values and field not in (*_STEP_FIELDS, *_RUN_FIELDS)
    }
    if fields.get("priority", "").casefold() == "p0":  # people who count from zero
        fields["priority"] = "Critical"
    if "folderStructure" in fields:
        fields["folderStructure"] = re.sub(r"\s*>\s*", "/", fields["folderStructure"])
    return fields


def _ended(cells: Mapping[str, list[str]]) -> str:
    """How a test ended, where people wrote that into a table, of a failed one with what happened instead."""
    told = outcomes.stated(next(iter(cells.get("outcome", ())), ""))
    failed = told.startswith(outcomes.FAILED)
    return outcomes.ended(told, cells.get("actual", ())[:1] if failed else ()) if told else ""


def _steps(step: dict[str, str]) -> list[dict[str, Any]]:
    """The steps of a row. A cell may hold several: as the JSON that Xray has in Jira's exports, or as
    numbered lines. Expectations that are not numbered alike belong to the last of these, data to the
    first."""
    action, expected = step["action"], step.get("expected", "")
    if action.startswith("["):
        try:
            if found := jira_steps(json.loads(action)):
                return found
        except (ValueError, RecursionError):
            pass  # a text in brackets
    if scenario := _scenario(action):
        return scenario
    actions = _numbered(action)
    if len(actions) < 2:
        return [step | {"expected": [expected] if expected else []}]
    steps: list[dict[str, Any]] = [{"action": each, "expected": []} for each in actions]
    results, data = _numbered(expected), _numbered(step.get("data", ""))
    if len(results) == len(steps):
        for each, result in zip(steps, results, strict=True):
            each["expected"] = [result] if result else []
    elif expected:
        steps[-1]["expected"] = [expected]
    if len(data) == len(steps):
        for each, value in zip(steps, data, strict=True):
            each["data"] = value
    elif "data" in step:
        steps[0]["data"] = step["data"]
    return steps


def _scenario(text: str) -> list[dict[str, Any]]:
    """The steps of several lines that are all Gherkin; else nothing."""
    lines = [line for each in text.splitlines() if (line := each.strip())]
    if len(lines) > 1 and all(line.startswith(("|", "#")) or steps_of([line]) for line in lines):
        return steps_of(lines)
    return []


def _numbered(text: str) -> list[str]:
    """The items of a list that is numbered from 1, one a line or with further lines; else nothing."""
    parts: list[list[str]] = []
    for line in text.splitlines():
        numbered = _NUMBERED.fullmatch(line.strip() + " ")
        if numbered and int(numbered[1]) == len(parts) + 1:
            parts.append([numbered[2].strip()])
        elif parts:
            parts[-1].append(line.strip())
        elif line.strip():
            return []
    items = ["\n".join(lines).strip() for lines in parts]
    return [
        item[1:-1] if item[:1] == item[-1:] == '"' and len(item) > 1 else item for item in items
    ]


def _places(header: Sequence[str]) -> dict[str, list[int]]:
    """Field -> its columns; labels often have several."""
    names = [_name(each) for each in header]
    found: dict[str, list[int]] = {}
    for field, known in _COLUMNS.items():
        for name in known:
            columns = [place for place, each in enumerate(names) if each == name]
            if columns:
                found.setdefault(field, []).extend(columns)
                if field not in _STEP_FIELDS or not ("(" in name or name.endswith(" definition")):
                    break
    return found


def _name(header: str) -> str:
    """The name of a column as `_COLUMNS` has it. Jira calls those that it does not know itself `Custom field
    (Test Type)`."""
    name = " ".join(header.replace("\ufeff", "").replace("_", " ").casefold().split())
    name = _CUSTOM.sub(r"\1", name)
    if name in _KNOWN:
        return name
    return re.sub(r"\bpre[- ](?=condition|requisite)", "pre", _SUFFIX.sub("", name))


def _listed(values: list[str]) -> list[str]:
    return [part.strip() for value in values for part in re.split(r"[,;\n]", value) if part.strip()]
