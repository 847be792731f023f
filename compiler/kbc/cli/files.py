"""`kbc inspect`: what an artifact holds, or what became of each file of an artifact or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kb_runtime.cli import artifact_commands
from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json
from kbc.cli.environment import default_cache
from kbc.cli.opening import opened, show_accounting
from kbc.cli.options import ALLOW_OUTSIDE, PATH, flag, path_option


@click.command()
@click.argument("artifact", type=PATH)
@flag(
    "--files",
    help="List files instead: those an artifact was built from, or all files of a folder or archive with"
    " what a build does with each.",
)
@ALLOW_OUTSIDE
@path_option("--html", help="Also write a health report as a single-file page.")
@AS_JSON
def inspect(
    artifact: Path, files: bool, allow_outside: bool, html: Path | None, as_json: bool
) -> None:
    """Show what the artifact holds: collections, encoder, settings, sizes."""
    if html is not None:
        from kbc.cli.artifact_reports import write_health

        write_health(artifact, html)
    if not files:
        command = artifact_commands.inspect.callback
        assert command is not None
        command(artifact=str(artifact), as_json=as_json)
    elif any((artifact / name).exists() for name in ("manifest.json", "CURRENT")):
        _list_inputs(artifact, as_json)
    else:
        _list_files(artifact, allow_outside, as_json)


def _list_inputs(artifact: Path, as_json: bool) -> None:
    from kb_runtime.knowledge.artifact import Artifact

    with Artifact.open(artifact) as found:
        inputs: list[dict[str, Any]] = found.manifest.inputs()
    if as_json:
        print_json({"files": inputs})
        return
    for each in inputs:
        click.echo(f"read          {each['path']}")
    click.echo(f"files: {len(inputs):,} read", err=True)


def _list_files(path: Path, allow_outside: bool, as_json: bool) -> None:
    from kbc.cli import reporting
    from kbc.diagnostics import BuildError, Diagnostics, Severity
    from kbc.pipeline.checking import check_files

    diagnostics, accounting = check_files(opened(path, "", default_cache(), as_json), allow_outside)
    if accounting is None:
        collected = Diagnostics()
        for problem in diagnostics:
            collected.add(problem)
        raise BuildError(collected)
    if as_json:
        listed = [
            {"path": each.path, "outcome": each.outcome, "reason": each.reason}
            for each in accounting
        ]
        print_json({"files": listed, "summary": accounting.as_dict()})
        return
    for each in accounting:
        reason = f"  ({each.reason})" if each.reason else ""
        click.echo(f"{each.outcome:<12}  {each.path}{reason}")
    show_accounting(accounting)
    reporting.show_diagnostics(each for each in diagnostics if each.severity is Severity.ERROR)
