"""`kbc bundle`: an artifact in the forms that clients, registries and agents read."""

from __future__ import annotations

from pathlib import Path

import click

from kb_runtime.command_line import print_json
from kb_runtime.commands import ARTIFACT, AS_JSON
from kbc.commands.wheel import MCP_NAME, NAME, OUT, VERSION
from kbc.environment import source_date_epoch


@click.command()
@ARTIFACT
@OUT
@NAME
@VERSION
@MCP_NAME
@AS_JSON
def bundle(artifact: str, out: Path, name: str, version: str, mcp_name: str, as_json: bool) -> None:
    """Write what goes beside the wheel: .mcpb, server.json, a skill, a plugin, llms.txt."""
    from kb_runtime.artifact import Artifact
    from kb_runtime.tables import size, table
    from kbc.shipping.bundle.folder import write_bundles
    from kbc.shipping.moment import moment_of
    from kbc.shipping.product import product

    with Artifact.open(artifact) as opened:
        facts = product(opened, name=name, version=version, mcp_name=mcp_name)
        report = write_bundles(opened, facts, out, moment_of(facts, source_date_epoch()))
    if as_json:
        print_json(report.as_dict())
        return
    rows = [[path, size(size_bytes)] for path, size_bytes in report.files.items()]
    click.echo(table(rows, frozenset({1})))
    for sentence in report.left_out:
        click.echo(f"left out {sentence}", err=True)
    click.echo(f"wrote {report.folder}")
