"""`kbc workspace`: adds to a workspace. A server with `--workspace` runs these commands as well."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json
from kb_runtime.errors import UsageError
from kbc.errors import InputError, OutputError

if TYPE_CHECKING:
    from kb_runtime.live.workspace import Workspace
    from kb_runtime.records.cases import Normalised
    from kbc.following.indexing import Indexing

STDIN = "-"

CODE = click.option(
    "--code",
    "tree",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder where the source files are edited.",
)
MODEL = click.option(
    "--model",
    type=click.Path(path_type=Path),
    help="The model that the server's artifact was built with, where that was not the default one.",
)
JOBS = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Embedding threads; default: all cores."
)

WORKSPACE = click.argument("workspace", type=click.Path())
TIED = click.option(
    "--tied", is_flag=True, help="End when stdin is closed. Servers start the compiler like this."
)


@click.group()
def workspace() -> None:
    """Add to the workspace of a server, whether it runs or not."""


@workspace.command("ingest")
@WORKSPACE
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option(
    "--suite",
    type=click.Choice(["functional", "api"]),
    help="What the files hold; default: what their names say.",
)
@MODEL
@JOBS
@TIED
@AS_JSON
def ingest_command(
    workspace: str,
    files: tuple[str, ...],
    suite: str | None,
    model: Path | None,
    jobs: int | None,
    tied: bool,
    as_json: bool,
) -> None:
    """Merge the test cases of FILES (JSON; - is one line of stdin) into WORKSPACE and publish it.

    A test replaces the one that has its uid.
    """
    from kbc.following.ingestion import ingest
    from kbc.following.tied import tie_to_stdin

    given = {name: _content(name) for name in files}
    if tied:
        tie_to_stdin()
    found = [_tests(name, data, suite) for name, data in given.items()]
    cases = [case for each in found for case in each.cases]
    result = ingest(_open(workspace), cases, jobs or os.cpu_count() or 1, model)
    if as_json:
        print_json(
            {
                "build_id": result.build_id,
                "path": str(result.path),
                "tests": result.tests,
                "added": result.added,
                "replaced": result.replaced,
                "unchanged": result.unchanged,
                "embedded": result.embedded,
                "diagnostics": [each.as_dict() for each in result.diagnostics],
            }
        )
        return
    click.echo(
        f"{result.added} tests added, {result.replaced} replaced, {result.unchanged} unchanged;"
        f" build {result.build_id} with {result.tests} tests is live"
    )


@workspace.command("index")
@WORKSPACE
@CODE
@click.option("--edits", is_flag=True, help="Only the files that the follower has noted as edited.")
@MODEL
@JOBS
@TIED
@AS_JSON
def index_command(
    workspace: str,
    tree: Path,
    edits: bool,
    model: Path | None,
    jobs: int | None,
    tied: bool,
    as_json: bool,
) -> None:
    """Index the source files of a folder into WORKSPACE, with vectors, and publish them."""
    from kbc.following.tied import tie_to_stdin

    if tied:
        tie_to_stdin()
    indexing = _indexing(_open(workspace), tree, model, jobs)
    noted = indexing.noted_edited() if edits else None
    report = indexing.build(noted, draft=False)
    if as_json:
        print_json({"build_id": report.build_id, "path": str(report.path)})
        return
    click.echo(f"{report.records} files indexed; build {report.build_id} is live")


@workspace.command("follow")
@WORKSPACE
@CODE
@MODEL
@TIED
@AS_JSON
def follow_command(
    workspace: str, tree: Path, model: Path | None, tied: bool, as_json: bool
) -> None:
    """Keep the index of a folder in WORKSPACE up to date until interrupted.

    A server with --workspace and --code does this itself.
    """
    from kbc.following.builder import build_command
    from kbc.following.follower import Follower
    from kbc.following.tied import tie_to_stdin

    del as_json  # only an error would be printed
    if tied:
        tie_to_stdin()
    opened = _open(workspace)
    indexing = _indexing(opened, tree, model, None)
    command = build_command(opened.root, indexing.tree, model)
    Follower(indexing, command, Path(opened.root)).run()


@workspace.command("prune")
@WORKSPACE
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@AS_JSON
def prune_command(workspace: str, dry_run: bool, as_json: bool) -> None:
    """Remove the indexes of source trees that no server follows or reads now. Servers may run.

    A tree that is served again is indexed again. Ingested tests stay.
    """
    from kb_runtime.text.tables import size
    from kbc.following.pruning import prune

    opened = _open(workspace)
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


def _indexing(workspace: Workspace, tree: Path, model: Path | None, jobs: int | None) -> Indexing:
    """Where the workspace is inside of the tree, it is no part of it."""
    from kbc.encoding.model import PINNED_WEIGHTS_SHA256, resolve_model
    from kbc.following.indexing import Indexing

    real, root = tree.resolve(), Path(workspace.root)
    inside = root.is_relative_to(real)
    return Indexing(
        tree=real,
        folder=workspace.code(str(real)),
        cache=Path(workspace.cache),
        exclude=(f"/{root.relative_to(real).as_posix()}/",) if inside else (),
        jobs=jobs or os.cpu_count() or 1,
        model=model,
        weights_sha256=(
            PINNED_WEIGHTS_SHA256 if model is None else resolve_model(model).weights_sha256
        ),
    )


def _open(path: str) -> Workspace:
    from kb_runtime.live.workspace import Workspace

    return Workspace.open(path)


def _content(name: str) -> bytes:
    if name == STDIN:
        # No further: what is behind the line tells when the sender has gone.
        return sys.stdin.buffer.readline()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from error


def _tests(name: str, data: bytes, suite: Any) -> Normalised:
    from kb_runtime.records.cases import normalise, suite_of

    base = Path(name).name
    try:
        parsed = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON in UTF-8: {error}") from error
    found = normalise(parsed, suite or suite_of(base, parsed), base)
    if found is None or not found.cases:
        raise InputError(f"{name} holds no test case")
    return found
