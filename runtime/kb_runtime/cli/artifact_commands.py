"""The commands on one artifact, declared once: `kbc` takes the artifact as an argument, the command of an
installed knowledge base brings its own (`for_artifact`).

Imports are inside the commands, so that `--help` does not load the engines.
"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import click

from kb_runtime.cli.runner import print_json
from kb_runtime.errors import exit_codes

if TYPE_CHECKING:
    from kb_runtime.knowledge.examination.verification import VerificationReport
    from kb_runtime.search.request import Mode

ARTIFACT = click.argument("artifact", type=click.Path())
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
MODE = click.option(
    "--mode",
    type=click.Choice(["hybrid", "lexical", "semantic"]),
    default="hybrid",
    help="Keyword search, vector search, or both (hybrid, the default).",
)


def for_artifact(command: click.Command, artifact: str, name: str = "") -> click.Command:
    """`command` without its argument ARTIFACT, which is `artifact` for good."""
    assert command.callback is not None
    return click.Command(
        name or command.name,
        params=[each for each in command.params if each.name != "artifact"],
        callback=partial(command.callback, artifact=artifact),
        help=command.help,
    )


@click.command()
@ARTIFACT
@click.option(
    "--key",
    "keys",
    multiple=True,
    type=click.Path(),
    help="Require a signature by this public key; repeatable.",
)
@AS_JSON
def verify(artifact: str, keys: tuple[str, ...], as_json: bool) -> None:
    """Hash every file of the artifact, check its structure and run the encoder's self-test."""
    from kb_runtime.cli.self_questions import verify_served

    _tell_verdict(verify_served(artifact, keys), as_json)


def verify_packaged(artifact: str, distribution: str) -> click.Command:
    """`verify` for the artifact that a `distribution` brought, and for the package that holds it."""

    def both(keys: tuple[str, ...], as_json: bool) -> None:
        from kb_runtime.cli.self_questions import verify_served
        from kb_runtime.knowledge.examination import package_files

        report = verify_served(artifact, keys)
        package = os.path.dirname(artifact)
        found = package_files.with_package(report, package, distribution, artifact)
        _tell_verdict(found, as_json)

    return click.Command(
        verify.name,
        params=[each for each in verify.params if each.name != "artifact"],
        callback=both,
        help=f"{verify.help} Also compare the package's own files with what was installed.",
    )


def _tell_verdict(report: VerificationReport, as_json: bool) -> None:
    """Prints what was found, and ends the command when something is wrong."""
    from kb_runtime.knowledge.examination import verification

    if as_json:
        print_json(report.as_dict())
    else:
        for problem in report.problems:
            click.secho(verification.render_problem(problem), err=True, fg="red")
        for note in report.notes:
            click.echo(f"note: {note}", err=True)
        click.echo(verification.render_verdict(report))
    if not report.ok:
        raise SystemExit(exit_codes.ARTIFACT)


@click.command()
@ARTIFACT
@AS_JSON
def inspect(artifact: str, as_json: bool) -> None:
    """Show what the artifact holds: collections, encoder, settings, sizes."""
    from kb_runtime.knowledge.examination import inspection

    facts = inspection.inspect(artifact)
    if as_json:
        print_json(facts)
    else:
        click.echo(inspection.render_inspection(facts))


@click.command()
@ARTIFACT
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    help="Search in this scope; repeatable. Default: everything.",
)
@click.option(
    "--path",
    "paths",
    multiple=True,
    metavar="GLOB",
    help="Only records whose id matches, such as `guides/**` or `*.md`; repeatable.",
)
@click.option(
    "--limit", type=click.IntRange(1, 50), default=10, help="Number of hits; default: 10."
)
@MODE
@click.option(
    "--rerank/--no-rerank",
    default=None,
    help="Re-score the best hits with the artifact's cross-encoder; default: as kb.toml says.",
)
@click.option("--explain", is_flag=True, help="Explain the rank of each hit.")
@AS_JSON
def search(
    artifact: str,
    query: tuple[str, ...],
    scopes: tuple[str, ...],
    paths: tuple[str, ...],
    limit: int,
    mode: Mode,
    rerank: bool | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Search for QUERY, as the MCP tools do."""
    from kb_runtime.cli import lookup
    from kb_runtime.knowledge.artifact import Artifact

    words = " ".join(query)
    with Artifact.open(artifact) as opened:
        found = lookup.search(
            opened, words, scopes, limit, mode, paths=paths, explain=explain, rerank=rerank
        )
    if as_json:
        print_json(found.as_dict())
    else:
        click.echo(found)


@click.command()
@ARTIFACT
@click.argument("name")
@AS_JSON
def get(artifact: str, name: str, as_json: bool) -> None:
    """Print the record called NAME: a name, alias, path, hit id or kb:// address.

    A function or class that no record is called after is printed as a page describes it or code defines it,
    and only a part where NAME ends with that: a.md#heading, a.py:3-9.
    """
    from kb_runtime.errors import ToolError
    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.knowledge.reading.lookup import get as find

    with Artifact.open(artifact) as opened:
        try:
            record = find(opened, name)
        except ToolError as error:
            error.hint = error.hint or "Look for it with `search`, which shows addresses to `get`."
            raise
    if as_json:
        described = {"described": record.lines} if record.lines else {}
        print_json({"address": record.address, **record.data, **described})
    else:
        click.echo(record)
