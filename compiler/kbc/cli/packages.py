"""`kbc wheel` and `kbc bundle`: package an artifact as a wheel, and for clients, registries and agents."""

from __future__ import annotations

from pathlib import Path

import click

from kb_runtime.cli.runner import print_json
from kbc.cli.shipment import Shipment, ships


@click.command()
@click.option(
    "--lock",
    "locks",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Requirements with hashes to include in the bill of materials; repeatable.",
)
@ships
def wheel(shipment: Shipment, locks: tuple[Path, ...], as_json: bool) -> None:
    """Write a wheel that contains the artifact's live build and a command that serves it."""
    from kb_runtime.text.tables import size, table
    from kbc.shipping.lock import read_lock
    from kbc.shipping.wheel import write_wheel

    report = write_wheel(*shipment, lock=read_lock(locks))
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
