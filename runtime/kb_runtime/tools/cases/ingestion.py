"""`ingest_tests`: reads files of test cases and adds them to the server's workspace; without a workspace it
reports what they would add and stores nothing.

The only tool that opens a file named in a call, so it opens little: exports of tests below one folder that is
chosen when the server is started, never through a link.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.errors import ToolError
from kb_runtime.live.compiler_process import CompilerError, CompilerMissingError
from kb_runtime.records.case_files import ENDINGS, CaseFileError, parse
from kb_runtime.records.cases import SKIPPING, Normalised, Suite, normalise, sentences, suite_of
from kb_runtime.text.names import SUGGESTIONS, quoted, suggest
from kb_runtime.text.tables import count_of, some_of
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.cases.compile_command import compile_command
from kb_runtime.tools.cases.family import case_tools
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.refusal import bad_input, not_found

if TYPE_CHECKING:
    from kb_runtime.tools.cases.answers import IngestedCounts, Ingestion, IngestionFacts
    from kb_runtime.tools.session import Session

MAX_BYTES = 100 * 1024 * 1024
MAX_PATH_CHARS = 500
SUFFIX = ".json"
_SUFFIXES = ", ".join(ENDINGS)
CONVENTIONAL = "data"
"""What the folder may be called in paths, besides its own name: `data/x.json` is `x.json` in it."""

DEFAULTS: dict[Suite, tuple[str, ...]] = {
    "functional": ("functional_tests_normalized.json", "functional_tests_xray.json"),
    "api": ("api_tests_normalized.json", "api_tests_xray.json"),
}
_LABELS: dict[Suite, str] = {"functional": "Functional Tests", "api": "API Tests"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_META = re.compile(r"[;&|`$<>(){}\[\]*?!'\"\\\x00-\x1f\x7f]")


_SHOWN_DIAGNOSTICS = 5
_SHOWN_UIDS = 5


class _File(NamedTuple):
    """A file to read: its path below the folder, and as the caller wrote it."""

    suite: Suite
    relative: str
    shown: str


class _ReadFile(NamedTuple):
    """A file with its tests. `seems_api`: it was given as functional tests, its name or shape is that of
    API tests, and read as such they would be other ones."""

    file: _File
    tests: Normalised
    seems_api: bool


TOOLS = case_tools()


@TOOLS.tool(
    "Checks exports of tests (JSON, CSV, XML of test runners, Gherkin, Robot Framework) in the server's data"
    " directory: how many tests and steps they hold, and what is wrong with them. A server with a"
    " workspace adds them; others store nothing.",
    parameter.text(
        "functional_path",
        "File of functional tests, such as data/functional_tests_xray.json.",
        MAX_PATH_CHARS,
    ),
    parameter.text("api_path", "File of API tests.", MAX_PATH_CHARS),
)
def ingest_tests(session: Session, arguments: dict[str, Any]) -> Answer[Ingestion]:
    folder = os.path.realpath(session.data_folder)
    given: dict[Suite, str | None] = {
        "functional": arguments["functional_path"],
        "api": arguments["api_path"],
    }
    files = [
        _File(suite, _checked(path, folder, _name(session)), path)
        for suite, path in given.items()
        if path is not None
    ]
    if session.read_only:
        raise _switched_off(session, files)
    files = files or _defaults(folder, _name(session))
    found = [_read(folder, file) for file in files]
    if session.workspace is None:
        return _stored_nothing(session, found)
    cases = [case for each in found for case in each.tests.cases]
    known = _known(session, {case.uid for case in cases})
    try:
        report = session.workspace.ingest(cases)
    except CompilerMissingError as error:
        return _not_compiled(found, error)
    except CompilerError as error:
        raise _failed(error) from error
    return _stored(session, found, report, known)


def _stored_nothing(session: Session, found: Sequence[_ReadFile]) -> Answer[Ingestion]:
    """The answer of a server without a workspace: what the files would add."""
    following = compile_command(session, [(file.suite, file.relative) for file, _, _ in found])
    reason = (
        "Nothing was stored: this server is read-only. To add these tests, run the compiler, where"
        f" {following.placeholders}:"
    )
    unsure = [
        f"kbc build reads {each.file.shown} as API tests, unless the collection has `suite ="
        f' "{each.file.suite}"` in kb.toml.'
        for each in found
        if each.seems_api
    ]
    return _answer(
        "Ingestion check",
        found,
        {"persisted": False, "next": following.command},
        [reason, following.command],
        [*following.notes, *unsure],
    )


def _not_compiled(found: Sequence[_ReadFile], error: CompilerMissingError) -> Answer[Ingestion]:
    """The answer of a server with a workspace and no compiler to add to it."""
    reason = "Nothing was stored: this server has no compiler. To install it, run:"
    facts: IngestionFacts = {"persisted": False, "next": error.hint}
    return _answer("Ingestion check", found, facts, [reason, error.hint])


def _known(session: Session, uids: Set[str]) -> int:
    """How many of the tests the artifact or the workspace already has."""
    known: set[str] = set()
    for info in lookup.collections(session, "tests"):
        catalog = session.artifact.catalog(info.name)
        for uid in uids - known:
            position = catalog.find(uid)
            if position is not None and catalog.head(position)["uid"] == uid:
                known.add(uid)
    return len(known)


def _stored(
    session: Session, found: Sequence[_ReadFile], report: dict[str, Any], known: int
) -> Answer[Ingestion]:
    """The answer about tests of which the server had `known`: those that only its artifact has are new to the
    workspace, and replaced."""
    in_artifact = max(0, known - report["replaced"] - report["unchanged"])
    following = f"Call {session.name_of('search_tests')}: the tests can be found now."
    facts: IngestionFacts = {"persisted": True, "buildId": report["build_id"], "next": following}
    reason = (
        f"{count_of(report['added'] - in_artifact, 'test')} added,"
        f" {report['replaced'] + in_artifact} replaced,"
        f" {report['unchanged']} unchanged; build {report['build_id']} of the workspace is live with"
        f" {count_of(report['tests'], 'test')}."
    )
    return _answer("Ingestion Complete", found, facts, [reason])


def _failed(error: CompilerError) -> ToolError:
    shown = "; ".join(error.diagnostics[:_SHOWN_DIAGNOSTICS])
    return ToolError(
        "UNAVAILABLE",
        f"the tests were not stored: {error.message}{f' {shown}' if shown else ''}",
        next_steps=[error.hint] if error.hint else [],
        details={"diagnostics": list(error.diagnostics)} if error.diagnostics else None,
    )


def _answer(
    heading: str,
    found: Sequence[_ReadFile],
    facts: IngestionFacts,
    closing: Sequence[str],
    notes: Sequence[str] = (),
) -> Answer[Ingestion]:
    """Counts and findings, then `closing`, whose first item is a sentence and the second a command,
    about which there are `notes`."""
    counts: dict[Suite, IngestedCounts] = {}
    lines = [f"**{heading}**", ""]
    warnings: list[str] = []
    errors: list[str] = []
    for file, tests, _ in found:
        counts[file.suite] = {"docs_ingested": len(tests.cases), "steps_ingested": tests.step_count}
        lines.append(f"- {_LABELS[file.suite]}: {len(tests.cases)} docs, {tests.step_count} steps")
        for code, sentence in sentences(tests.findings).items():
            (errors if code in SKIPPING else warnings).append(f"{file.shown}: {sentence}")
    warnings += _across(found)
    structured: Ingestion = {
        "warnings": [*warnings, *notes],
        "errors": errors,
        "skipped": sum(each.tests.skipped for each in found),
        "persisted": facts["persisted"],
        "next": facts["next"],
    }
    structured |= present(**counts, buildId=facts.get("buildId"))
    lines += [""] + [f"- Error: {error}" for error in errors]
    lines += [f"- Warning: {warning}" for warning in warnings]
    sentence, *commands = closing
    lines += ["", sentence]
    for command in commands:
        lines += ["", f"    {command}"]
    if notes:
        lines += ["", *notes]
    return Answer(re.sub(r"\n{3,}", "\n\n", "\n".join(lines)), structured)


def _across(found: Sequence[_ReadFile]) -> Iterator[str]:
    """What is doubtful about files and the arguments that named them."""
    for file, _, seems_api in found:
        if seems_api:
            yield (
                f"{file.shown} was read as functional tests, but its name or shape says that they are"
                " API tests: give it as api_path if they are"
            )
    if len({file.suite for file, _, _ in found}) < 2:
        return
    (first, tests, _), (second, others, _) = found
    uids = {case.uid for case in others.cases}
    both = [case.uid for case in tests.cases if case.uid in uids]
    if both:
        where = "are in both files"
        if first.relative == second.relative:
            where = "were read twice, because both arguments name one file"
        yield (
            f"{count_of(len(both), 'test')} {where}, and the one of {second.suite}_path counts:"
            f" {some_of(both, _SHOWN_UIDS)}"
        )


def _switched_off(session: Session, files: Sequence[_File]) -> ToolError:
    named: list[tuple[Suite, str]] = [(file.suite, file.relative) for file in files]
    following = compile_command(session, named or [("functional", f"TESTS{SUFFIX}")])
    return ToolError(
        "READ_ONLY",
        "ingest_tests is disabled: this server was started with --read-only and reads no files",
        next_steps=[
            f"Run the compiler, where {following.placeholders}: {following.command}",
            *following.notes,
        ],
        details={"command": following.command},
    )


def _name(session: Session) -> str:
    """What the folder is called: the path that the server was given, but for an absolute one."""
    given = os.path.normpath(session.data_folder)
    return CONVENTIONAL if os.path.isabs(given) else given.replace(os.sep, "/")


def _defaults(folder: str, called: str) -> list[_File]:
    """The files read when none is named: of each suite the first that is there."""
    found = [
        next((name for name in names if os.path.isfile(os.path.join(folder, name))), None)
        for names in DEFAULTS.values()
    ]
    files = [
        _File(suite, name, f"{called}/{name}")
        for suite, name in zip(DEFAULTS, found, strict=True)
        if name is not None
    ]
    if not files:
        names = ", ".join(f"{called}/{name}" for names in DEFAULTS.values() for name in names)
        raise not_found(
            f"none of the default files is there: {names}", "Give functional_path or api_path."
        )
    return files


def _checked(path: str, folder: str, called: str) -> str:
    """The path below `folder`, which is `called` so. Raises BAD_INPUT, which names the rule that the
    path breaks."""
    forward = path.replace(os.sep, "/")
    if _SCHEME.match(forward):
        raise _refused(path, "addresses with a scheme or a drive are not allowed")
    if forward.startswith("~"):
        raise _refused(path, "`~` is not allowed")
    if ".." in forward.split("/"):
        raise _refused(path, "`..` is not allowed")
    if _META.search(forward):
        raise _refused(path, "shell characters, quotes and control characters are not allowed")
    if not forward.casefold().endswith(ENDINGS):
        raise _refused(path, f"only {_SUFFIXES} files are read")
    if os.path.isabs(path):
        inside = os.path.normpath(path)
        if not inside.startswith(folder + os.sep):
            raise _refused(path, "it is outside the allowed directory")
        return os.path.relpath(inside, folder)
    relative = os.path.normpath(forward)
    if os.path.lexists(os.path.join(folder, relative)):
        return relative
    beginnings = (os.path.join(os.path.normpath(name), "") for name in (called, CONVENTIONAL))
    beginning = next(filter(relative.startswith, beginnings), "")
    return relative.removeprefix(beginning)


def _refused(path: str, rule: str) -> ToolError:
    return bad_input(
        f"the path {quoted(path)} is refused: {rule}",
        f"Give a file ({_SUFFIXES}) inside the server's data directory.",
    )


def _read(folder: str, file: _File) -> _ReadFile:
    """The tests of a file. Raises NOT_FOUND and BAD_INPUT."""
    name = os.path.basename(file.relative)
    try:
        parsed = parse(file.relative, _content(folder, file))
    except CaseFileError as error:
        place = f" (line {error.line}, column {error.column})" if error.column else ""
        place = place or (f" (line {error.line})" if error.line else "")
        raise bad_input(f"{quoted(file.shown)}: {error.message}{place}") from None
    found = normalise(parsed, file.suite, name)
    if found is None or not found.cases:
        reasons = list(sentences(found.findings).values()) if found is not None else []
        detail = f": {'; '.join(reasons)}" if reasons else ""
        raise bad_input(f"{quoted(file.shown)} holds no usable test{detail}")
    is_unsure = file.suite == "functional" and suite_of(name, parsed) == "api"
    other = normalise(parsed, "api", name) if is_unsure else None
    return _ReadFile(file, found, other is not None and other.cases != found.cases)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _content(folder: str, file: _File) -> bytes:
    path = os.path.join(folder, file.relative)
    if not os.path.lexists(path):
        exports = [name for name in _names(folder) if name.casefold().endswith(ENDINGS)]
        raise not_found(
            f"there is no file {quoted(file.shown)}",
            "Give a file inside the server's data directory.",
            suggestions=suggest(file.relative, exports) or exports[:SUGGESTIONS],
        )
    if os.path.realpath(path) != path:
        raise _refused(file.shown, "symbolic links are not followed")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        raise not_found(f"the file {quoted(file.shown)} cannot be read") from None
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise _refused(file.shown, "it is not a regular file")
        if info.st_size > MAX_BYTES:
            raise _refused(file.shown, f"it has more than {MAX_BYTES // 2**20} MB")
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(MAX_BYTES)
    finally:
        os.close(descriptor)
