"""Adds test cases to a workspace: merges them into its generated knowledge base and builds that.

The live build was made from a `tests.json` with the hash in its manifest. New tests are written beside
that file, built, and replace it after they are live. Whenever this process dies, the next one finds both
files and the manifest, and the hash tells which of the two is in force.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from kb_runtime.errors import ArtifactError
from kb_runtime.live.workspace import TESTS, TestsFolder, Workspace
from kb_runtime.records.cases import Case, as_record, normalise
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.location import resolve
from kb_runtime.store.locks import open_locked
from kb_runtime.store.manifest import CURRENT, load
from kb_runtime.text.tables import utc_time
from kbc.diagnostics import Diagnostic
from kbc.errors import InputError
from kbc.linking.errors import PublishError
from kbc.linking.flushing import flush, flush_tree
from kbc.pipeline.build import BuildOptions, build
from kbc.project.loading import PROJECT_FILE

KEPT_BUILDS = 2
LOCK_WAIT_S = 120.0
"""For another ingestion to finish: most take seconds."""

_LOCK = ".lock"
_KB = "kb"
_PENDING = "pending"
_FILE = f"{TESTS}/tests.json"
_PROJECT = f"""\
# Written by kbc: the tests that were ingested into this workspace.
[kb]
name = "{TESTS}"
title = "Ingested test cases"

[[collection]]
name = "{TESTS}"
kind = "tests"
paths = ["{TESTS}"]
"""


@dataclass(frozen=True, slots=True)
class IngestionReport:
    """What is live now ("" and no path: no test is left), and how many tests were new, replaced one of
    their uid, were there already, or were removed."""

    build_id: str
    path: Path | None
    tests: int
    added: int
    replaced: int
    unchanged: int
    removed: int
    embedded: int
    diagnostics: tuple[Diagnostic, ...]


def ingest(
    workspace: Workspace,
    cases: Sequence[Case],
    jobs: int,
    model: Path | None = None,
    models: Path | None = None,
    *,
    sync: bool = False,
) -> IngestionReport:
    """Merges `cases`, builds, and makes the result live. `model` is the folder of the encoder's model,
    None for the pinned one, of which `models` may have a copy: nothing is downloaded for a server. With
    `sync`, stored tests of the same sources that `cases` lack are removed.

    Raises what `pipeline.build` raises, and `PublishError` where another ingestion does not end or
    the workspace cannot be written; the workspace is then as it was.
    """
    with _locked(workspace.tests):
        stored = _stored(workspace.tests)
        given = {case.uid: case for case in cases}  # of two with one uid the last
        merged, added, replaced = _merged(stored, list(given.values()), utc_time(time.time()))
        sources = {case.source for case in cases}
        absent = [c.uid for c in stored if sync and c.source in sources and c.uid not in given]
        for uid in absent:
            del merged[uid]
        report = _publish(workspace, merged, jobs, model, models)
    return replace(
        report,
        added=added,
        replaced=replaced,
        unchanged=len(given) - added - replaced,
        removed=len(absent),
    )


def remove(
    workspace: Workspace,
    identifiers: Sequence[str],
    jobs: int,
    model: Path | None = None,
    models: Path | None = None,
) -> IngestionReport:
    """Removes the tests that have one of `identifiers` as uid, Jira key or case id, in any case, and
    makes the rest live. Raises what `ingest` raises, and `InputError` for an identifier of no test;
    nothing is removed then."""
    with _locked(workspace.tests):
        stored = _stored(workspace.tests)
        merged = {case.uid: case for case in stored}
        for identifier in dict.fromkeys(identifiers):
            wanted = identifier.casefold()
            found = [
                case.uid
                for case in stored
                if wanted in (n.casefold() for n in (case.uid, case.jira_key, case.test_case_id))
            ]
            if not (wanted and found):
                raise InputError(f"no ingested test has the uid, key or case id {identifier!r}")
            for uid in found:
                merged.pop(uid, None)
        report = _publish(workspace, merged, jobs, model, models)
    return replace(report, unchanged=len(merged), removed=len(stored) - len(merged))


def _publish(
    workspace: Workspace,
    merged: Mapping[str, Case],
    jobs: int,
    model: Path | None,
    models: Path | None,
) -> IngestionReport:
    """Builds from `merged` and makes it live; the caller holds the lock."""
    folder = workspace.tests
    nothing = IngestionReport("", None, len(merged), 0, 0, 0, 0, 0, ())
    if not merged:
        # First what is live: until the rest is gone, an ingestion would find the tests again.
        Path(folder.kb_folder, CURRENT).unlink(missing_ok=True)
        _flush_folders(Path(folder.kb_folder))
        Path(folder.folder, _KB, _FILE).unlink(missing_ok=True)
        _flush_folders(Path(folder.folder, _KB, TESTS))
        return nothing
    pending = Path(folder.folder, _PENDING)
    options = BuildOptions(
        out=Path(folder.index),
        cache=Path(workspace.cache),
        jobs=jobs,
        model=model,
        models=models,
        offline=True,
        keep=KEPT_BUILDS,
    )
    try:
        _write(pending, list(merged.values()))
        report = build(pending, options)
    finally:
        _settle(folder)
    return replace(
        nothing,
        build_id=report.build_id,
        path=report.path,
        embedded=report.embedded,
        diagnostics=report.diagnostics,
    )


def _merged(
    stored: Sequence[Case], cases: Sequence[Case], now: str
) -> tuple[dict[str, Case], int, int]:
    """All tests by uid, and how many are new and how many replace another one. A test that says the
    same as the stored one is that one: its time of ingestion stays."""
    merged = {case.uid: case for case in stored}
    added = replaced = 0
    for case in cases:
        known = merged.get(case.uid)
        if known is not None and case in (known, replace(known, ingested_at="")):
            continue
        added += known is None
        replaced += known is not None
        merged[case.uid] = replace(case, ingested_at=case.ingested_at or now)
    return merged, added, replaced


def _stored(folder: TestsFolder) -> tuple[Case, ...]:
    """The tests of the workspace, after an ingestion that was cut short has been settled."""
    _settle(folder)
    try:
        data = Path(folder.folder, _KB, _FILE).read_bytes()
    except FileNotFoundError:
        return ()
    try:
        found = normalise(json.loads(data), "functional", _FILE)
    except (ValueError, RecursionError):
        found = None
    if found is None:
        raise PublishError(
            "io",
            f"{Path(folder.folder, _KB, _FILE)} is damaged: it holds no tests.",
            "Restore it, or remove it and ingest its tests again.",
        )
    return found.cases


def _settle(folder: TestsFolder) -> None:
    """Lets the pending tests take the place of the others when they are what is live, and removes
    what is left of them. A knowledge base with another hash was edited by hand, and stays."""
    root = Path(folder.folder)
    pending = root / _PENDING
    if _digest(pending / _FILE) == _live_digest(folder):
        kept = root / _KB
        (kept / _FILE).parent.mkdir(parents=True, exist_ok=True)
        for name in (PROJECT_FILE, _FILE):  # renamed, which a full disk does not prevent
            if (pending / name).exists():
                (pending / name).replace(kept / name)
        _flush_folders(kept / TESTS, kept, root)
    shutil.rmtree(pending, ignore_errors=True)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _live_digest(folder: TestsFolder) -> str | None:
    """The hash of the tests that are live; None where nothing is."""
    try:
        manifest = load(resolve(folder.kb_folder))
    except ArtifactError:
        return None
    return next((file["sha256"] for file in manifest.inputs() if file["path"] == _FILE), None)


def _write(pending: Path, cases: Sequence[Case]) -> None:
    path = pending / _FILE
    path.parent.mkdir(parents=True)
    replace_file(str(pending / PROJECT_FILE), _PROJECT.encode())
    with path.open("w", encoding="utf-8") as file:
        file.write("[\n")
        file.write(",\n".join(json.dumps(as_record(case), ensure_ascii=False) for case in cases))
        file.write("\n]\n")
    flush_tree(pending)
    flush(pending.parent)


def _flush_folders(*folders: Path) -> None:
    """Has what was renamed or removed in folders survive a power loss, as far as the disk can be written."""
    for folder in folders:
        with suppress(OSError):
            flush(folder)


@contextmanager
def _locked(folder: TestsFolder) -> Iterator[None]:
    """Keeps other ingestions out while the body runs. Raises `PublishError`."""
    try:
        Path(folder.folder).mkdir(parents=True, exist_ok=True)
        lock = open_locked(Path(folder.folder, _LOCK), LOCK_WAIT_S)
    except (FileExistsError, NotADirectoryError) as error:
        raise PublishError("unwritable", f"{folder.folder} is not a folder.") from error
    except OSError as error:
        raise PublishError(
            "unwritable", f"{folder.folder} cannot be written: {error.strerror}."
        ) from error
    if lock is None:
        raise PublishError(
            "locked",
            f"Another ingestion into {folder.folder} did not finish within {LOCK_WAIT_S:g} seconds.",
            "Wait for it, or stop it, and ingest again.",
        )
    try:
        yield
    finally:
        os.close(lock)
