"""`kbc wheel`: an artifact as a Python package."""

from __future__ import annotations

import click

from kb_runtime.command_line import print_json
from kbc.commands.shipment import Shipment, ships


@click.command()
@ships
def wheel(shipment: Shipment, as_json: bool) -> None:
    """Write a wheel that holds the artifact's live build and a command that serves it."""
    from kb_runtime.tables import size, table
    from kbc.shipping.wheel import write_wheel

    report = write_wheel(*shipment)
    if as_json:
        print_json(report.as_dict())
        return
    rows = [["section", "installed", "packed"]]
    rows += [
        [section, size(installed), size(packed)]
        for section, (installed, packed) in report.sections.items()
    ]
    click.echo(table(rows, frozenset({1, 2})))
    if not shipment.product.built_at:
        click.echo(
            "note: the artifact does not say when it was built (SOURCE_DATE_EPOCH was not set);"
            " an installed copy will show the time of its installation",
            err=True,
        )
    click.echo(f"wrote {report.path}, {size(report.size)}")
