"""`kbc bundle`: writes an artifact in the forms that clients, registries and agents read."""

from __future__ import annotations

import click

from kb_runtime.cli.runner import print_json
from kbc.cli.shipment import Shipment, ships


@click.command()
@ships
def bundle(shipment: Shipment, as_json: bool) -> None:
    """Write bundles of the artifact: .mcpb, server.json, a skill, a plugin, llms.txt."""
    from kb_runtime.text.tables import size, table
    from kbc.shipping.bundle.folder import write_bundles

    report = write_bundles(*shipment)
    if as_json:
        print_json(report.as_dict())
        return
    rows = [[path, size(size_bytes)] for path, size_bytes in report.files.items()]
    click.echo(table(rows, frozenset({1})))
    for sentence in report.left_out:
        click.echo(f"left out {sentence}", err=True)
    click.echo(f"wrote {report.folder}")
