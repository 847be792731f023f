"""`kbc workspace`: what a server with `--workspace` starts, and anybody else may."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_runtime.command_line import CommandError, print_json
from kb_runtime.commands import AS_JSON
from kbc import exit_codes

if TYPE_CHECKING:
    from kb_runtime.testcases import Normalised
    from kb_runtime.workspace import Workspace

STDIN = "-"

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
@click.option("--jobs", type=click.IntRange(1, 256), help="Embedding threads; default: all cores.")
@TIED
@AS_JSON
def ingest_command(
    workspace: str,
    files: tuple[str, ...],
    suite: str | None,
    jobs: int | None,
    tied: bool,
    as_json: bool,
) -> None:
    """Merge the test cases of FILES (JSON; - is one line of stdin) into WORKSPACE and publish it.

    A test replaces the one that has its uid.
    """
    from kbc.ingestion import ingest
    from kbc.tied import tie_to_stdin

    given = {name: _content(name) for name in files}
    if tied:
        tie_to_stdin()
    found = [_tests(name, data, suite) for name, data in given.items()]
    cases = [case for each in found for case in each.cases]
    result = ingest(_open(workspace), cases, jobs or os.cpu_count() or 1)
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


def _open(path: str) -> Workspace:
    from kb_runtime.workspace import Workspace, WorkspaceError

    try:
        return Workspace.open(path)
    except WorkspaceError as error:
        raise CommandError(exit_codes.OUTPUT, error.message.rstrip("."), error.hint) from error


def _content(name: str) -> bytes:
    if name == STDIN:
        # No further: what is behind the line tells when the sender has gone.
        return sys.stdin.buffer.readline()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CommandError(exit_codes.USAGE, f"{name}: {error.strerror}") from error


def _tests(name: str, data: bytes, suite: Any) -> Normalised:
    from kb_runtime.testcases import normalise, suite_of

    base = Path(name).name
    try:
        parsed = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CommandError(exit_codes.INPUT, f"{name} is not JSON in UTF-8: {error}") from error
    found = normalise(parsed, suite or suite_of(base, parsed), base)
    if found is None or not found.cases:
        raise CommandError(exit_codes.INPUT, f"{name} holds no test case")
    return found
