"""Normalises test cases from the formats in which they are exported.

Pure functions from parsed JSON to test cases. The compiler reads its input with them, and the server
checks files with them before anybody compiles them, so both report the same about a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from kb_runtime.records import exports
from kb_runtime.records.streams.values import an_object
from kb_runtime.records.well_formed import well_formed
from kb_runtime.records.written import case_words

PRIORITIES = ("Critical", "High", "Medium", "Low")
DEFAULT_PRIORITY = "Medium"
TEST_TYPES = ("Manual", "Automated", "API", "Performance", "Integration", "Unit")

Suite = Literal["functional", "api"]
"""What an export holds; it decides the defaults of what a record leaves out."""
_DEFAULT_TYPE: Mapping[Suite, str] = {"functional": "Manual", "api": "API"}
_DEFAULT_FOLDER: Mapping[Suite, str] = {"functional": "Functional Tests", "api": "API Tests"}

UNTITLED = "Untitled Test"
_PRIORITY_WORDS = {
    word: name
    for number, name in enumerate(PRIORITIES, 1)
    for word in (name.casefold(), str(number), f"p{number}")
}
_PRIORITY_WORDS |= case_words.PRIORITIES
_TYPE_WORDS = {name.casefold(): name for name in TEST_TYPES}
_JIRA_KEY = re.compile(r"[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,7}")
_MAX_KEY_CHARS = 20
_MAX_DIGITS = 9  # of the position of a step
_SHOWN = 5  # tests named in a sentence about many

EXPORT_NAMES = {
    "uid": "uid",
    "title": "title",
    "jira_key": "jiraKey",
    "priority": "priority",
    "summary": "summary",
    "test_case_id": "testCaseId",
    "test_id": "testId",
    "description": "description",
    "test_type": "testType",
    "folder": "folderStructure",
    "expected_results": "expectedResults",
    "test_data": "testData",
    "test_path": "testPath",
    "source": "source",
    "ingested_at": "ingested_at",
}
"""Field of a test -> its name in exports, and in answers of tools."""
EXPORT_LISTS = {
    "tags": "tags",
    "platforms": "platforms",
    "preconditions": "preconditions",
    "related_issues": "relatedIssues",
}

FindingCode = Literal[
    "no-identifier",
    "not-an-object",
    "not-a-test",
    "duplicate-uid",
    "no-title",
    "no-steps",
    "no-tags",
    "step-without-action",
    "column-not-read",
    "row-too-long",
]
_SENTENCES: Mapping[FindingCode, str] = {
    "no-identifier": "without an identifier (uid, jiraKey or testCaseId), skipped",
    "not-an-object": "not a JSON object, skipped",
    "not-a-test": "of another issue type, skipped",
    "duplicate-uid": "replaced by a later one of the same uid",
    "no-title": f"without a title, called {UNTITLED!r}",
    "no-steps": "without steps",
    "no-tags": "without tags",
    "step-without-action": "with steps that have no action, which were left out",
    "column-not-read": "not read",
    "row-too-long": "with more cells than the header; the extra cells were not read",
}
_NOUNS: Mapping[FindingCode, str] = {"column-not-read": "column", "row-too-long": "row"}
"""What a finding is about, where it is not a test."""
_TABLE_FINDINGS: Mapping[str, FindingCode] = {
    exports.COLUMNS_NOT_READ: "column-not-read",
    exports.LONG_ROWS: "row-too-long",
}
SKIPPING: frozenset[FindingCode] = frozenset({"no-identifier", "not-an-object", "not-a-test"})
"""Findings about what does not become a test case."""
LEAVING_OUT = SKIPPING | {"duplicate-uid", "step-without-action", "column-not-read", "row-too-long"}
"""Findings about what is not stored."""


@dataclass(frozen=True, slots=True)
class Step:
    """`index` is at least 1; steps of a case may share one, as exports do."""

    index: int
    action: str
    data: str = ""
    expected: tuple[str, ...] = ()

    @property
    def instruction(self) -> str:
        """The action with its data, as readers of test plans are used to."""
        return f"{self.action} (Data: {self.data})" if self.data else self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A test case. Texts without a value are empty; `ingested_at` is what the input says."""

    uid: str
    title: str
    source: str
    test_id: int | None = None
    jira_key: str = ""
    test_case_id: str = ""
    summary: str = ""
    description: str = ""
    test_type: str = ""
    priority: str = DEFAULT_PRIORITY
    platforms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folder: str = ""
    preconditions: tuple[str, ...] = ()
    related_issues: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    expected_results: str = ""
    test_data: str = ""
    test_path: str = ""
    ingested_at: str = ""


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """Something about a record; `position` counts from 1 in its file, `label` is its uid or title."""

    code: FindingCode
    position: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Normalised:
    """The cases of one file, each uid once (the last one), in the order of the file."""

    cases: tuple[Case, ...]
    findings: tuple[CaseFinding, ...]

    @property
    def skipped(self) -> int:
        return sum(finding.code in SKIPPING for finding in self.findings)

    @property
    def step_count(self) -> int:
        return sum(len(case.steps) for case in self.cases)


def is_jira_key(text: str) -> bool:
    """Whether `text` is a well-formed Jira key in upper case."""
    return len(text) <= _MAX_KEY_CHARS and _JIRA_KEY.fullmatch(text) is not None


def suite_of(name: str, data: Any) -> Suite:
    """What a file holds, by its wrapper, else by the word `api` in its name."""
    if isinstance(data, Mapping) and "testSuite" in data:
        return "api"
    return "api" if "api" in re.split(r"[^a-z]+", name.casefold()) else "functional"


def normalise(data: Any, suite: Suite, source: str) -> Normalised | None:
    """The test cases of a parsed file; None when it has none of the shapes of an export.

    An export is a list, an object that holds the list, or a single record. `source` is the name of
    the file, for records that do not name their source.
    """
    records = exports.records(data)
    if records is None:
        return None
    findings: list[CaseFinding] = []
    cases: dict[str, Case] = {}
    positions: dict[str, int] = {}
    for position, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            findings.append(CaseFinding("not-an-object", position, _text(record)[:40]))
            continue
        if kind := record.get(exports.NOT_A_TEST):
            label = f"{_line(record.get('uid'))} ({_line(kind)})"
            findings.append(CaseFinding("not-a-test", position, label))
            continue
        case = _case(record, suite, source)
        if case is None:
            label = _line(_first(_merged(record), "title", "summary"))
            findings.append(CaseFinding("no-identifier", position, label))
            continue
        if case.uid in cases:
            findings.append(CaseFinding("duplicate-uid", positions[case.uid], case.uid))
            del cases[case.uid]
        cases[case.uid] = case
        positions[case.uid] = position
    for uid, case in cases.items():
        if not case.title:
            findings.append(CaseFinding("no-title", positions[uid], uid))
            case = cases[uid] = replace(case, title=UNTITLED, summary=UNTITLED)
        if not all(step.action for step in case.steps):
            if any(step.data or step.expected for step in case.steps if not step.action):
                findings.append(CaseFinding("step-without-action", positions[uid], uid))
            case = cases[uid] = replace(case, steps=tuple(s for s in case.steps if s.action))
        if not case.steps:
            findings.append(CaseFinding("no-steps", positions[uid], uid))
        if not case.tags:
            findings.append(CaseFinding("no-tags", positions[uid], uid))
    if isinstance(data, Mapping):
        for name, code in _TABLE_FINDINGS.items():
            labels = data.get(name)
            for position, label in enumerate(labels if isinstance(labels, list) else (), 1):
                findings.append(CaseFinding(code, position, _line(label)))
    return Normalised(tuple(cases.values()), tuple(findings))


def sentences(findings: Iterable[CaseFinding]) -> dict[FindingCode, str]:
    """One sentence for each code that occurs: how many tests, and which come first."""
    by_code: dict[FindingCode, list[CaseFinding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    lines: dict[FindingCode, str] = {}
    for code in _SENTENCES:
        found = by_code.get(code, [])
        if not found:
            continue
        names = [finding.label or f"record {finding.position}" for finding in found[:_SHOWN]]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        noun = _NOUNS.get(code, "test")
        count = f"1 {noun}" if len(found) == 1 else f"{len(found):,} {noun}s"
        lines[code] = f"{count} {_SENTENCES[code]}: {', '.join(names)}{more}"
    return lines


def exported_step(step: Mapping[str, Any]) -> dict[str, Any]:
    """A stored step as exports and answers have it: without what is empty, but for `expected`."""
    return {name: value for name, value in step.items() if value or name == "expected"}


def as_record(case: Case) -> dict[str, Any]:
    """The case as JSON, in the shape of a normalised record: reading it again gives the same case.
    Fields without a value are left out, except for lists."""
    names = {**EXPORT_NAMES, **EXPORT_LISTS}
    fields: dict[str, Any] = {shown: getattr(case, name) for name, shown in names.items()}
    fields["steps"] = [exported_step(asdict(step)) for step in case.steps]
    return {name: value for name, value in fields.items() if value not in ("", None)}


def _merged(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with what a nested `testInfo` says where the record itself says nothing."""
    merged = dict(an_object(record.get("testInfo")))
    merged.update((name, value) for name, value in record.items() if not _is_empty(value))
    return merged


def _case(record: Mapping[str, Any], suite: Suite, source: str) -> Case | None:
    fields = _merged(record)
    test_id = fields.get("testId")
    number = test_id if isinstance(test_id, int) and not isinstance(test_id, bool) else None
    jira_key = _key(_line(_first(fields, "jiraKey", "issueKey", "testKey")))
    test_case_id = _line(_first(fields, "testCaseId"))
    identifiers = (_line(fields.get("uid")), jira_key, test_case_id, _line(test_id))
    uid = next(filter(None, identifiers), "")
    if not uid:
        return None
    if not test_case_id and number is None:
        test_case_id = _line(test_id)
    title = _line(_first(fields, "title", "summary"))
    test_type = _line(_first(fields, "testType", "type")) or _DEFAULT_TYPE[suite]
    priority = _PRIORITY_WORDS.get(_line(fields.get("priority")).casefold(), DEFAULT_PRIORITY)
    return Case(
        uid=uid,
        title=title,
        source=_line(fields.get("source")) or source,
        test_id=number,
        jira_key=jira_key,
        test_case_id=test_case_id,
        summary=_text(fields.get("summary")) or title,
        description=_text(_first(fields, "description", "objective")),
        test_type=_TYPE_WORDS.get(test_type.casefold(), test_type),
        priority=priority,
        platforms=_once(_lines(fields.get("platforms"))),
        tags=_once((*_lines(fields.get("tags")), *_lines(fields.get("labels")))),
        folder=_folder(_first(fields, "folderStructure", "folder")) or _DEFAULT_FOLDER[suite],
        preconditions=_texts(_first(fields, "preconditions", "precondition")),
        related_issues=_once(map(_key, _lines(fields.get("relatedIssues")))),
        steps=_steps(fields),
        expected_results=_text(fields.get("expectedResults")),
        test_data=_text(fields.get("testData")),
        test_path=_line(fields.get("testPath")),
        ingested_at=_line(fields.get("ingested_at")),
    )


def _steps(fields: Mapping[str, Any]) -> tuple[Step, ...]:
    """All steps, with those that have no action."""
    script = fields.get("testScript")
    found = _first(fields, "steps", "testSteps")
    if _is_empty(found):
        found = script.get("steps") if isinstance(script, Mapping) else script
    if _is_empty(found):
        return ()
    items = found if isinstance(found, list) else [found]
    return tuple(_step(item, position) for position, item in enumerate(items, 1))


def _step(item: Any, position: int) -> Step:
    if not isinstance(item, Mapping):
        return Step(position, _text(item))
    return Step(
        index=_index(item.get("index"), position),
        action=_text(_first(item, "action", "description")),
        data=_text(item.get("data")),
        expected=_texts(_first(item, "expected", "expectedResult", "result")),
    )


def _index(value: Any, position: int) -> int:
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= _MAX_DIGITS:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**_MAX_DIGITS:
        return value
    return position


def _folder(value: Any) -> str:
    """The path of a folder; levels below the last that is counted are one name."""
    parts = "/".join(_lines(value)).replace("\\", "/").split("/")
    names = [part for part in map(str.strip, parts) if part]
    last = exports.MOST_FOLDERS - 1
    if len(names) > last:
        names[last:] = [" ".join(names[last:])]
    return "/".join(names)


def _key(text: str) -> str:
    return text.upper() if is_jira_key(text.upper()) else text


def _first(fields: Mapping[str, Any], *names: str) -> Any:
    """The first of the fields that has a value."""
    return next((fields[name] for name in names if not _is_empty(fields.get(name))), None)


def _is_empty(value: Any) -> bool:
    return value is None or value in ([], {}) or (isinstance(value, str) and not value.strip())


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _lines(value: Any) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(text.split()) for text in _texts(value))))


def _texts(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    return tuple(filter(None, map(_text, items)))


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _text(value: Any) -> str:
    """Any JSON value as text without what no text holds: lone surrogates and NULs."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        name = _first(value, "name", "value", "key")
        value = json.dumps(value, ensure_ascii=False) if name is None else name
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    cleaned: str = well_formed(text).replace("\0", " ").strip()
    return cleaned
