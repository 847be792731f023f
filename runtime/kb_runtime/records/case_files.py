"""Parses files of test cases, by their ending, into what `cases.normalise` takes.

JSON is taken as it is. A CSV file has a header; rows without an identifier go on with the test above them.
XML is the report of a test runner, and a feature has a test for each scenario.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

from kb_runtime.records.runs import COLOUR

ENDINGS = (".json", ".csv", ".xml", ".trx", ".feature")

MAX_CELL_CHARS = 1 << 20

_COLUMNS = {
    "uid": ("uid",),
    "jiraKey": ("issue key", "jira key", "jirakey", "test key", "key"),
    "testCaseId": ("id", "case id", "test case id", "testcaseid", "test id", "tcid", "issue id"),
    "title": ("title", "summary", "name", "test summary", "test case", "test name"),
    "description": ("description", "objective"),
    "priority": ("priority", "test priority"),
    "testType": ("type", "test type", "testtype"),
    "labels": ("labels", "label", "tags"),
    "folderStructure": (
        "folder",
        "section hierarchy",
        "section",
        "test repository path",
        "test repo",
        "suite",
    ),
    "preconditions": ("preconditions", "precondition"),
    "relatedIssues": ("references", "refs", "related issues", "linked issues", "coverage (issues)"),
    "platforms": ("platforms", "platform", "components"),
    "testPath": ("test path", "path", "file"),
    "index": ("step number", "step #", "step no"),
    "action": (
        "steps (step)",
        "test script (step-by-step) - step",
        "test script (plain text)",
        "test script (bdd)",
        "action",
        "step",
        "steps",
        "test step",
        "step description",
        "manual steps",
    ),
    "data": (
        "steps (additional info)",
        "test script (step-by-step) - test data",
        "data",
        "test data",
    ),
    "expected": (
        "steps (expected result)",
        "test script (step-by-step) - expected result",
        "expected result",
        "expected",
        "result",
        "expected results",
    ),
}
"""Field -> headers of columns, lower-cased, the more telling ones first. The first of a file counts; of those
with brackets, which a tool has for steps in rows of their own, and of the next, the first with a value."""
_REFERENCE = re.compile(r"&#(x[0-9A-Fa-f]{1,4}|[0-9]{1,4});")
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Programs that run tests write what a test printed, in colours, and XML cannot hold."""
_XML_ENCODING = re.compile(
    rb"""(?:\xef\xbb\xbf)?<\?xml[^>]{1,99}?\sencoding=["']([\w.-]{1,40})["']"""
)
_STEP_FIELDS = ("index", "action", "data", "expected")
_CUSTOM = re.compile(r"custom field \((.*)\)")
_LISTS = ("labels", "relatedIssues", "platforms")


class CaseFileError(ValueError):
    """The file cannot be parsed; `line` and `column` count from 1, 0 where they are not known. With
    `is_other` it is well-formed, and something else than test cases."""

    def __init__(
        self, message: str, line: int = 0, column: int = 0, *, is_other: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.is_other = is_other


def parse(name: str, data: bytes) -> Any:
    """What the file called `name` holds. Raises `CaseFileError`."""
    text = _text(data)
    ending = name.rpartition(".")[2].lower()
    if ending == "csv":
        return {"rows": _csv(text)}
    if ending in ("xml", "trx"):
        return {"tests": _report(text)}
    if ending == "feature":
        return {"tests": _feature(text, name)}
    return _json(text)


def _text(data: bytes) -> str:
    """As UTF-8, as what XML states, or as UTF-16, in which shells of Windows write what a program prints."""
    stated = _XML_ENCODING.match(data)
    encoding = stated[1].decode() if stated else "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        return str(data, encoding).removeprefix("\ufeff")
    except (UnicodeError, LookupError):
        named = "UTF-8" if encoding == "utf-8-sig" else encoding
        raise CaseFileError(f"the file is not {named} text") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if (lines := _json_lines(text)) is not None:
            return lines
        raise CaseFileError(f"not valid JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        raise CaseFileError("the JSON nests too deeply") from None
    except ValueError:  # Python converts no number of more than some thousand digits
        raise CaseFileError("the JSON holds a number that is too long") from None


def _json_lines(text: str) -> list[Any] | None:
    """The values of JSON Lines, as `go test -json` writes them; None where a line is none."""
    lines = text.splitlines()
    try:
        return [json.loads(line) for line in lines if line.strip()] if len(lines) > 1 else None
    except (ValueError, RecursionError):
        return None


def _feature(text: str, name: str) -> list[dict[str, Any]]:
    from kb_runtime.records.gherkin import GherkinError, records

    try:
        return records(text, name)
    except GherkinError as error:
        raise CaseFileError(str(error), error.line) from None


def _csv(text: str) -> list[dict[str, Any]]:
    import csv
    import io

    # The separator is the one that the header has most often: titles and steps have all of them.
    head = text.partition("\n")[0]
    separator = max(",;\t|", key=head.count)
    csv.field_size_limit(MAX_CELL_CHARS)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        header = next(rows, [])
        places = _places(header)
        if not {"uid", "jiraKey", "testCaseId", "title"} & places.keys():
            raise CaseFileError(
                f"the header names no identifier and no title: {', '.join(header)[:200]}",
                1,
                is_other=True,
            )
        return _tests(rows, places)
    except csv.Error as error:
        raise CaseFileError(f"not valid CSV: {error}", rows.line_num) from None


def _places(header: list[str]) -> dict[str, list[int]]:
    """Field -> its columns; labels often have several. Jira calls those that it does not know itself
    `Custom field (Test Type)`."""
    names = [" ".join(each.strip().strip("\ufeff").casefold().split()) for each in header]
    names = [_CUSTOM.sub(r"\1", each) for each in names]
    found: dict[str, list[int]] = {}
    for field, known in _COLUMNS.items():
        for name in known:
            columns = [place for place, each in enumerate(names) if each == name]
            if columns:
                found.setdefault(field, []).extend(columns)
                if field not in _STEP_FIELDS or "(" not in name:
                    break
    return found


def _tests(rows: Any, places: dict[str, list[int]]) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = []
    identifiers: list[str] = [
        name for name in ("uid", "jiraKey", "testCaseId") if name in places
    ] or ["title"]
    for row in rows:
        cells = {
            field: [
                row[place].strip() for place in columns if place < len(row) and row[place].strip()
            ]
            for field, columns in places.items()
        }
        if not any(cells.values()):
            continue
        identity = [cells[name] for name in identifiers]
        step = {field: cells[field][0] for field in _STEP_FIELDS if cells.get(field)}
        is_same = tests and (not any(identity) or identity == tests[-1]["_identity"])
        # A row without a step is a test: one that cannot be read is counted, not added to another.
        if step and is_same and (any(identity) or not cells.get("title")):
            test = tests[-1]
        else:
            test = {"_identity": identity, "steps": []}
            for field, values in cells.items():
                if values and field not in _STEP_FIELDS:
                    test[field] = _listed(values) if field in _LISTS else values[0]
            if "folderStructure" in test:
                test["folderStructure"] = re.sub(r"\s*>\s*", "/", test["folderStructure"])
            tests.append(test)
        if "action" in step:
            test["steps"].append(
                step | {"expected": [step["expected"]] if "expected" in step else []}
            )
        elif "expected" in step and test["steps"]:
            test["steps"][-1]["expected"].append(step["expected"])
    for test in tests:
        del test["_identity"]
    return tests


def _listed(values: list[str]) -> list[str]:
    return [part.strip() for value in values for part in re.split(r"[,;\n]", value) if part.strip()]


def _report(text: str) -> list[dict[str, Any]]:
    # Declared entities can make a small file very large, and no report has any.
    if re.search(r"<!(?:DOCTYPE|ENTITY)", text):
        raise CaseFileError("XML with a document type is not read")
    from xml.etree import ElementTree

    from kb_runtime.records import xml_reports

    text = _NOT_IN_XML.sub("", COLOUR.sub("", _REFERENCE.sub(_character, text)))
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        message = error.msg.partition(": line ")[0]  # of Python, which counts columns from 0
        raise CaseFileError(f"not valid XML: {message}", line, column + 1) from None
    tests = xml_reports.records(root)
    if tests is None:
        raise CaseFileError(f"<{root.tag}> begins no report of tests", 1, is_other=True)
    return tests


def _character(reference: re.Match[str]) -> str:
    """What a numeric reference stands for where it is a control character, else the reference."""
    digits = reference[1].lower()
    number = int(digits[1:], 16) if digits[0] == "x" else int(digits)
    return chr(number) if number < 32 and chr(number) not in "\t\n\r" else reference[0]
