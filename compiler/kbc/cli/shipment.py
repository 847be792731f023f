"""The options that `kbc wheel` and `kbc bundle` share, and the facts that both need of an artifact."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from kb_runtime.cli.artifact_commands import ARTIFACT, AS_JSON
from kbc.cli.environment import source_date_epoch
from kbc.cli.options import path_option, with_options

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import Artifact
    from kbc.shipping.product import Product

DEFAULT_OUT = Path("dist")

_OPTIONS = (
    ARTIFACT,
    path_option("--out", help="Output folder; default: dist.", default=DEFAULT_OUT),
    click.option("--name", default="", help="Name of the package; default: <kb>-kb."),
    click.option("--version", default="", help="Version of the package; default: that of kb.toml."),
    click.option(
        "--mcp-name", default="", help="Name in the MCP registry; default: mcp_name in kb.toml."
    ),
    AS_JSON,
)


class Shipment(NamedTuple):
    """An open artifact, its facts, the folder to write into, and the time of entries in archives in
    seconds since 1970: the arguments of `write_wheel` and `write_bundles`."""

    artifact: Artifact
    product: Product
    out: Path
    timestamp: int


def ships(write: Callable[..., None]) -> Callable[..., None]:
    """A command's function with the options, from one that takes a shipment, whether to print JSON, and
    the values of options of its own."""

    @functools.wraps(write)
    def run(
        artifact: str, out: Path, name: str, version: str, mcp_name: str, **own: object
    ) -> None:
        from kb_runtime.knowledge.artifact import Artifact
        from kb_runtime.knowledge.examination.inspection import DRAFT
        from kbc.shipping.product import product
        from kbc.shipping.timestamp import timestamp_of

        with Artifact.open(artifact) as opened:
            facts = product(opened, name=name, version=version, mcp_name=mcp_name)
            if opened.manifest.is_draft:
                click.echo(f"note: this is a draft: {DRAFT}", err=True)
            write(Shipment(opened, facts, out, timestamp_of(facts, source_date_epoch())), **own)

    return with_options(run, _OPTIONS)
