"""`kbc wheel`: an artifact as a Python package."""

from __future__ import annotations

from pathlib import Path

import click

from kb_runtime.command_line import print_json
from kb_runtime.commands import ARTIFACT, AS_JSON
from kbc.environment import source_date_epoch

DEFAULT_OUT = Path("dist")

OUT = click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, help="Default: dist."
)
NAME = click.option("--name", default="", help="Name of the package; default: <kb>-kb.")
VERSION = click.option("--version", default="", help="Default: the version in kb.toml.")
MCP_NAME = click.option(
    "--mcp-name", default="", help="Name in the MCP registry; default: mcp_name in kb.toml."
)


@click.command()
@ARTIFACT
@OUT
@NAME
@VERSION
@MCP_NAME
@AS_JSON
def wheel(artifact: str, out: Path, name: str, version: str, mcp_name: str, as_json: bool) -> None:
    """Write a wheel that holds the artifact's live build and a command that serves it."""
    from kb_runtime.artifact import Artifact
    from kb_runtime.tables import size, table
    from kbc.shipping.moment import moment_of
    from kbc.shipping.product import product
    from kbc.shipping.wheel import write_wheel

    with Artifact.open(artifact) as opened:
        facts = product(opened, name=name, version=version, mcp_name=mcp_name)
        report = write_wheel(opened, facts, out, moment_of(facts, source_date_epoch()))
    if as_json:
        print_json(report.as_dict())
        return
    rows = [["section", "installed", "packed"]]
    rows += [
        [section, size(installed), size(packed)]
        for section, (installed, packed) in report.sections.items()
    ]
    click.echo(table(rows, frozenset({1, 2})))
    if not facts.built_at:
        click.echo(
            "note: the artifact does not say when it was built (SOURCE_DATE_EPOCH was not set);"
            " an installed copy will show the time of its installation",
            err=True,
        )
    click.echo(f"wrote {report.path}, {size(report.size)}")
