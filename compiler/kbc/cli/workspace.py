"""`kbc workspace`: adds to a workspace. A server with `--workspace` runs these commands as well."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json, tell
from kb_runtime.errors import UsageError
from kb_runtime.live.compiler_process import EXIT_WITH_PARENT
from kb_runtime.text.tables import count_of
from kbc.cli.environment import default_models
from kbc.cli.options import JOBS, flag, path_option
from kbc.errors import InputError, OutputError

if TYPE_CHECKING:
    from kb_runtime.live.workspace import Workspace
    from kb_runtime.records.cases import Normalised
    from kbc.following.source_files import SourceFiles
    from kbc.following.source_index import SourceIndex

STDIN = "-"

CODE = path_option("--code", "tree", help="The folder of the source tree.", required=True)
MODEL = path_option(
    "--model", help="The model that the server's artifact was built with, if not the default one."
)
PREFIX = click.option(
    "--prefix", default="", help="Prefix of the files' paths, to distinguish trees."
)

WORKSPACE = click.argument("workspace", type=click.Path())
CHILD = flag(
    EXIT_WITH_PARENT,
    "has_parent",
    help="Exit when stdin is closed. Servers start the compiler with it.",
)
LOW_PRIORITY = 10
"""A tenth of a busy core's time. At the lowest, 19, it is a hundredth: an index that took 5 s was not
there after 45 s while four other processes were computing."""


@click.group()
def workspace() -> None:
    """Manage the workspace of a server, whether the server runs or not."""


@workspace.command("ingest")
@WORKSPACE
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--suite",
    type=click.Choice(["functional", "api"]),
    help="Kind of the tests; default: according to the names of the files.",
)
@flag("--sync", help="Remove stored tests of the same sources that FILES no longer contain.")
@MODEL
@JOBS
@CHILD
@AS_JSON
def ingest_command(
    workspace: str,
    files: tuple[str, ...],
    suite: str | None,
    sync: bool,
    model: Path | None,
    jobs: int | None,
    has_parent: bool,
    as_json: bool,
) -> None:
    """Merge the test cases of FILES into WORKSPACE and publish it.

    FILES are JSON, CSV, XLSX, XML of a test runner, Gherkin, Robot Framework or Markdown; - is one line of
    JSON on stdin. A test replaces the one that has its uid.
    """
    from kb_runtime.records.cases import LEAVING_OUT, CaseFinding, sentences
    from kbc.following.ingestion import ingest
    from kbc.following.parent_death import exit_with_parent

    given = {name: _content(name) for name in files}
    if has_parent:
        exit_with_parent()
    found = [_tests(name, data, suite) for name, data in given.items()]
    cases = [case for each in found for case in each.cases]
    skipped = sum(each.skipped for each in found)
    last = {case.uid: number for number, each in enumerate(found) for case in each.cases}
    replaced = [
        [
            CaseFinding("duplicate-uid", position, case.uid)
            for position, case in enumerate(each.cases, 1)
            if last[case.uid] != number
        ]
        for number, each in enumerate(found)
    ]
    left_out = [
        f"{name}: {sentence}"
        for name, each, others in zip(given, found, replaced, strict=True)
        for code, sentence in sentences([*each.findings, *others]).items()
        if code in LEAVING_OUT
    ]
    result = ingest(
        _open(workspace), cases, jobs or os.cpu_count() or 1, model, default_models(), sync=sync
    )
    if as_json:
        print_json(
            {
                "build_id": result.build_id,
                "path": str(result.path),
                "tests": result.tests,
                "added": result.added,
                "replaced": result.replaced,
                "unchanged": result.unchanged,
                "removed": result.removed,
                "skipped": skipped,
                "left_out": left_out,
                "embedded": result.embedded,
                "diagnostics": [each.as_dict() for each in result.diagnostics],
            }
        )
        return
    for line in left_out:
        click.echo(line, err=True)
    removed = f", {result.removed} removed" if sync else ""
    click.echo(
        f"{count_of(result.added, 'test')} added, {result.replaced} replaced,"
        f" {result.unchanged} unchanged{removed}; build {result.build_id} with"
        f" {count_of(result.tests, 'test')} is live"
    )


@workspace.command("remove")
@WORKSPACE
@click.argument("identifiers", nargs=-1, required=True)
@MODEL
@JOBS
@AS_JSON
def remove_command(
    workspace: str,
    identifiers: tuple[str, ...],
    model: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Remove ingested tests by uid, Jira key or case id from WORKSPACE and publish the rest."""
    from kbc.following.ingestion import remove

    cpus = jobs or os.cpu_count() or 1
    result = remove(_existing(workspace), identifiers, cpus, model, default_models())
    facts = {"build_id": result.build_id, "tests": result.tests, "removed": result.removed}
    live = (
        f"build {result.build_id} with {count_of(result.tests, 'test')} is live"
        if result.tests
        else "none is left"
    )
    tell(facts, f"{count_of(result.removed, 'test')} removed; {live}", as_json=as_json)


@workspace.command("index")
@WORKSPACE
@CODE
@PREFIX
@MODEL
@JOBS
@flag("--draft", help="Parse the files, but embed nothing.")
@CHILD
@AS_JSON
def index_command(
    workspace: str,
    tree: Path,
    prefix: str,
    model: Path | None,
    jobs: int | None,
    draft: bool,
    has_parent: bool,
    as_json: bool,
) -> None:
    """Index the source files of a folder into WORKSPACE, with vectors, and publish them."""
    from kbc.following.parent_death import exit_with_parent

    if has_parent:
        exit_with_parent()
        if hasattr(os, "nice"):
            os.nice(LOW_PRIORITY)
    else:
        _require_folder(tree)
    index = _source_index(_open(workspace), tree, prefix, model, jobs)
    report = index.build(draft=draft, parsed=True)
    if not has_parent:
        index.record_status()
    facts = {"build_id": report.build_id, "path": str(report.path)}
    indexed = f"{count_of(report.records, 'file')} indexed; build {report.build_id} is live"
    tell(facts, indexed, as_json=as_json)


@workspace.command("follow")
@WORKSPACE
@CODE
@PREFIX
@MODEL
@CHILD
@AS_JSON
def follow_command(
    workspace: str, tree: Path, prefix: str, model: Path | None, has_parent: bool, as_json: bool
) -> None:
    """Keep the index of a folder in WORKSPACE up to date until interrupted.

    A server with --workspace and --code does this itself. With --json each status is a line on stderr.
    """
    from kbc.following.parent_death import exit_with_parent

    if has_parent:
        exit_with_parent()
    else:
        _require_folder(tree)
    opened = _open(workspace)
    files = _listed(opened, tree, prefix)
    # The compiler takes longer to import than the files to list.
    from kbc.following.follower import Follower

    index = _source_index(opened, tree, prefix, model, None)
    build = [
        "workspace",
        "index",
        opened.root,
        "--code",
        str(index.tree),
        EXIT_WITH_PARENT,
        "--json",
    ]
    build += ["--prefix", prefix] if prefix else []
    build += [] if model is None else ["--model", str(model)]
    Follower(index, build, Path(opened.root), report=as_json, files=files).run()


@workspace.command("prune")
@WORKSPACE
@flag("--dry-run", help="Show what would be removed, and remove nothing.")
@AS_JSON
def prune_command(workspace: str, dry_run: bool, as_json: bool) -> None:
    """Remove the indexes of source trees that no server follows or reads. Safe while servers run.

    A tree that is served again is indexed again. Ingested tests stay.
    """
    from kb_runtime.text.tables import size
    from kbc.following.pruning import prune

    opened = _existing(workspace)
    try:
        found = prune(opened, dry_run=dry_run)
    except OSError as error:
        raise OutputError(f"{error.filename or opened.root}: {error.strerror}") from error
    if as_json:
        trees = [
            {
                "tree": each.tree,
                "folder": str(each.folder),
                "bytes": each.bytes,
                "in_use": each.in_use,
                "removed": not each.in_use and not dry_run,
            }
            for each in found
        ]
        print_json({"workspace": opened.root, "dry_run": dry_run, "trees": trees})
        return
    verb = "would remove" if dry_run else "removed"
    for each in found:
        what = "in use" if each.in_use else verb
        click.echo(f"{what}: {each.tree}, {size(each.bytes)} in {each.folder}")
    if not found:
        click.echo("no source tree is indexed here")


def _listed(workspace: Workspace, tree: Path, prefix: str) -> SourceFiles:
    """The files of a tree, listed for its server. What cannot be read or written is the follower's to
    report."""
    from kbc.following.source_files import SourceFiles

    real = tree.resolve()
    files = SourceFiles(real, _outside(workspace, real))
    with suppress(OSError):
        files.scan()
        files.list_for(Path(workspace.code(str(real), prefix).kb_folders[0]), prefix)
    return files


def _outside(workspace: Workspace, tree: Path) -> tuple[str, ...]:
    """Where the workspace is inside of the tree, the pattern that excludes it."""
    root = Path(workspace.root)
    inside = root.is_relative_to(tree)
    return (f"/{root.relative_to(tree).as_posix()}/",) if inside else ()


def _source_index(
    workspace: Workspace, tree: Path, prefix: str, model: Path | None, jobs: int | None
) -> SourceIndex:
    from kbc.encoding.model import resolve_model
    from kbc.encoding.pinned import PINNED_WEIGHTS_SHA256
    from kbc.following.source_index import SourceIndex

    real = tree.resolve()
    return SourceIndex(
        tree=real,
        folder=workspace.code(str(real), prefix),
        prefix=prefix,
        cache=Path(workspace.cache),
        exclude=_outside(workspace, real),
        jobs=jobs or os.cpu_count() or 1,
        model=model,
        weights_sha256=(
            PINNED_WEIGHTS_SHA256 if model is None else resolve_model(model).weights_sha256
        ),
        models=default_models(),
    )


def _open(path: str) -> Workspace:
    from kb_runtime.live.workspace import Workspace

    return Workspace.open(path)


def _existing(path: str) -> Workspace:
    """A workspace that something was added to: none is made of a mistyped name. Raises `UsageError`."""
    from kb_runtime.live.workspace import FORMAT_FILE

    if not os.path.lexists(Path(path, FORMAT_FILE)):
        raise UsageError(
            f"there is no workspace at {path!r}", "Name the folder that servers get as --workspace."
        )
    return _open(path)


def _require_folder(tree: Path) -> None:
    """Raises `TreeError`, before a workspace is made. The tree of a server may be gone for a while."""
    if not tree.is_dir():
        from kbc.following.source_files import TreeError

        raise TreeError(f"{tree} is not a folder.")


def _content(name: str) -> bytes:
    if name == STDIN:
        # One line only: `exit_with_parent` watches the rest of stdin for its end.
        return b"" if sys.stdin is None else sys.stdin.buffer.readline()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from error


def _tests(name: str, data: bytes, suite: Any) -> Normalised:
    from kb_runtime.records.case_files import CaseFileError, parse
    from kb_runtime.records.cases import normalise, suite_of

    base = Path(name).name
    try:
        parsed = parse(base, data)
    except CaseFileError as error:
        place = f" (line {error.line})" if error.line else ""
        hint = "Export it again, or correct it there."
        raise InputError(f"{name}: {error.message}{place}", hint) from error
    found = normalise(parsed, suite or suite_of(base, parsed), base)
    if found is None or not found.cases:
        from kbc.frontends.cases import WHAT_IS_READ

        raise InputError(f"{name} contains no test case", f"In an export {WHAT_IS_READ}")
    return found
