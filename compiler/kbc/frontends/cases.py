"""Front end for test cases: exports of test management tools, in any of the known formats.

`kb_runtime.records.cases` knows the formats. Here each case becomes a record, whose text is the case as
Markdown: first what it is about, then its steps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from kb_runtime.records import allure
from kb_runtime.records.case_files import CaseFileError, parse
from kb_runtime.records.cases import (
    SKIPPING,
    Case,
    CaseFinding,
    FindingCode,
    Step,
    Suite,
    normalise,
    sentences,
    suite_of,
)
from kb_runtime.text.tables import first_of, some_of
from kbc.diagnostics import Diagnostics
from kbc.project.loading import PROJECT_FILE
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CompiledRecord, TestRecord

SUITES: tuple[Suite, ...] = ("functional", "api")
_SUITE, _REQUEST, _SPEC, _PAGE = ".robot", ".bru", ".spec", ".md"
"""Endings of suites, requests, specifications and pages, and of files of keywords and variables beside them
and of READMEs beside any tests."""
_WRITTEN = (".feature", _SUITE, _REQUEST, _SPEC, _PAGE)
"""Endings of files in which tests are written; any two may call tests the same."""
_NUMBERED = (".csv", ".xlsx", ".xml", _PAGE)
"""Endings of files whose identifiers people may have written."""
_NOTES: tuple[FindingCode, ...] = ("no-steps", "no-tags", "step-without-action", "column-not-read")
_IDENTIFIED = "a test has a uid, a jiraKey or a testCaseId, a table a column `ID` or `Issue key`."
_LISTED = "Their list is the file itself, or in `tests`, `rows`, `data` or `testSuite.testCases`."
WHAT_IS_READ = f"{_IDENTIFIED} {_LISTED}"
_SHOWN = 3
"""Files named in a sentence about many."""


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[CompiledRecord]:
    """A record for each test case; of several with one uid the last one, by path and position. Scenarios
    and tests of Robot Framework in different files are different tests, whatever they are called, and so are
    rows of tables with other titles.

    A file that cannot be read is a warning, as in documentation: a report of a run that broke off must not
    stop a build. So is one without tests, which folders of reports have.
    """
    wanted = _suite(collection, diagnostics)
    records: dict[str, TestRecord] = {}
    without: list[str] = []
    incomplete: dict[str, list[CaseFinding]] = {}
    # What Allure ran again has a file of its own, with a name that does not tell which was last.
    for file in sorted(files, key=lambda each: allure.ended_at(each.path, each.data)):
        name = file.path.rsplit("/", 1)[-1]
        try:
            parsed = parse(file.path, file.data)
        except CaseFileError as error:
            if error.is_other:
                without.append(file.path)
            else:
                _report_unreadable(error, file.path, diagnostics)
            continue
        suite = wanted or suite_of(name, parsed)
        found = normalise(parsed, suite, name)
        if found is None or not found.cases:
            without.append(file.path)
            continue
        _report(found.findings, file.path, diagnostics)
        for finding in found.findings:
            if finding.code in _NOTES:
                incomplete.setdefault(file.path, []).append(finding)
        cases = [_told_apart(each, file.path, records) for each in found.cases]
        earlier = [each for case in cases if (each := records.pop(case.uid, None))]
        _report_earlier(earlier, file.path, diagnostics)
        records |= {case.uid: _record(case, collection, file) for case in cases}
    endings = {_ending(each.path) for each in records.values()}
    usual = endings & {_SUITE, _REQUEST, _SPEC} | ({_PAGE} if endings else set())
    without = [path for path in without if _ending(path) not in usual]
    if without:
        _report_without_tests(without, collection.name, diagnostics)
    _note(incomplete, diagnostics)
    return list(records.values())


def _report_unreadable(error: CaseFileError, path: str, diagnostics: Diagnostics) -> None:
    place = ", correct this place," if error.line else ""
    message = f"{error.message}; the file was left out"
    hint = f"Export it again{place} or exclude it from the collection's paths."
    diagnostics.warning("tests-unreadable", message, path, error.line, error.column, hint=hint)


def _report_without_tests(paths: Sequence[str], collection: str, diagnostics: Diagnostics) -> None:
    diagnostics.warning(
        "tests-none",
        f"files of collection {collection!r} that contain no test case were left out:"
        f" {len(paths):,} ({first_of(paths, _SHOWN)})",
        paths[0],
        hint=f"Exclude them from the collection's paths. If they are exports: {WHAT_IS_READ}",
    )


def _told_apart(case: Case, path: str, records: Mapping[str, TestRecord]) -> Case:
    """The test with its folder or file in its uid, if another test of an earlier file has the same. An
    identifier in a table or on a page, such as `1` or `TC_01`, often counts within the file."""
    earlier = records.get(case.uid)
    if earlier is None:
        return case
    ending = _ending(path)
    is_written = ending in _WRITTEN
    if is_written and (named := _with_folder(case, path)).uid not in records:
        return named
    is_numbered = ending in _NUMBERED and case.uid == case.test_case_id
    if is_numbered and (is_written or case.title.casefold() != earlier.title.casefold()):
        return dataclasses.replace(case, uid=f"{path.rpartition('.')[0]}: {case.uid}")
    return _with_folder(case, path) if is_written else case


def _ending(path: str) -> str:
    return f".{path.lower().rpartition('.')[2]}"


def _with_folder(case: Case, path: str) -> Case:
    """The test with the folder of its file in its uid."""
    folder, _, name = path.rpartition("/")
    own = f"{name.rpartition('.')[0]}: {case.title}" if case.uid == case.jira_key else case.uid
    return dataclasses.replace(case, uid=f"{folder}/{own}" if folder else own)


def head_text(case: Case) -> str:
    """What a case is about: title, summary, description, then its properties, a line each."""
    about = (case.summary, case.description)
    paragraphs = [f"# {case.title}", *(text for text in about if text not in ("", case.title))]
    properties = {
        "Type": case.test_type,
        "Priority": case.priority,
        "Tags": ", ".join(case.tags),
        "Platforms": ", ".join(case.platforms),
        "Folder": case.folder,
        "Related": ", ".join(case.related_issues),
        "Path": case.test_path,
        "Preconditions": "; ".join(case.preconditions),
        "Test data": case.test_data,
        "Expected": case.expected_results,
    }
    paragraphs.append("\n".join(f"{name}: {text}" for name, text in properties.items() if text))
    return "\n\n".join(paragraphs) + "\n"


def step_text(step: Step) -> str:
    """A step with its expectations; begins with the blank line that sets it apart."""
    expected = "".join(f"\n   Expected: {text}" for text in step.expected)
    return f"\n{step.index}. {step.instruction}{expected}\n"


def _suite(collection: Collection, diagnostics: Diagnostics) -> Suite | None:
    """What kb.toml says the files hold; None where each file is to tell."""
    wanted = collection.options.get("suite")
    for suite in SUITES:
        if wanted == suite:
            return suite
    if wanted is not None:
        message = f"`suite` of collection {collection.name!r} is {wanted!r}"
        hint = f"One of: {', '.join(SUITES)}; without it each file's name decides."
        diagnostics.error("tests-unknown-suite", message, PROJECT_FILE, collection.line, hint=hint)
    return None


def _record(case: Case, collection: Collection, file: SourceFile) -> TestRecord:
    steps = tuple(map(step_text, case.steps))
    text = head_text(case) + "".join(steps)
    fields = {field.name: getattr(case, field.name) for field in dataclasses.fields(case)}
    return TestRecord(
        id=case.uid,
        collection=collection.name,
        path=file.path,
        text=text,
        language="markdown",
        url=collection.source_url(file.path, case.uid),
        step_chars=tuple(map(len, steps)),
        **fields,
    )


def _report(findings: Sequence[CaseFinding], path: str, diagnostics: Diagnostics) -> None:
    """One diagnostic for each sort of finding: a file may have a hundred thousand tests."""
    messages = sentences(findings)
    hint = _IDENTIFIED[0].upper() + _IDENTIFIED[1:]
    for code in sorted(SKIPPING & messages.keys()):
        diagnostics.warning("test-skipped", messages[code], path, hint=hint)
    if message := messages.get("duplicate-uid"):
        diagnostics.warning("test-duplicate", message, path, hint="Remove the repeated ones.")
    if message := messages.get("no-title"):
        diagnostics.warning("test-no-title", message, path, hint="Write their titles.")
    if message := messages.get("row-too-long"):
        hint = "Quote cells that contain separators or line breaks."
        diagnostics.warning("test-row-too-long", message, path, hint=hint)


def _report_earlier(earlier: Sequence[TestRecord], path: str, diagnostics: Diagnostics) -> None:
    """One diagnostic for all tests of a file that earlier files have too."""
    if earlier:
        named = [f"{each.id!r} (in {each.path})" for each in earlier]
        diagnostics.warning(
            "test-duplicate",
            f"tests that earlier files also contain: {len(earlier):,}; those of this file are kept:"
            f" {some_of(named, _SHOWN)}",
            path,
            hint="Remove one of each, or exclude one of the files.",
        )


def _note(findings: Mapping[str, Sequence[CaseFinding]], diagnostics: Diagnostics) -> None:
    """One note for each sort of finding in a collection, `findings` by file: reports have no steps."""
    for code, message in sentences(each for found in findings.values() for each in found).items():
        with_codes = ((path, {each.code for each in found}) for path, found in findings.items())
        paths = [path for path, codes in with_codes if code in codes]
        more = f" (in {len(paths):,} files)" if len(paths) > 1 else ""
        diagnostics.note(f"test-{code}", f"{message}{more}", paths[0])
