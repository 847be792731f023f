"""What ships an artifact: `kbc wheel`, `kbc bundle` and `kbc export` package it, for clients, registries,
agents and other engines; `kbc keygen` and `kbc sign` sign it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_runtime.cli.artifact_commands import ARTIFACT, AS_JSON
from kb_runtime.cli.runner import print_json, tell
from kb_runtime.text.tables import count_of
from kb_runtime.version import UNSTATED_VERSION
from kbc.cli.environment import signing_passphrase
from kbc.cli.options import PATH, path_option
from kbc.cli.shipment import Shipment, ships

if TYPE_CHECKING:
    from kbc.shipping.export import Engine


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
    if shipment.product.version == UNSTATED_VERSION:
        click.echo(
            f"note: the version of the package is {UNSTATED_VERSION}, as none is stated, and pip does not"
            " replace an installed package by one of the same version; set `version` in [kb] of"
            " kb.toml, or give --version",
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


@click.command()
@ARTIFACT
@click.option(
    "--to",
    "engine",
    required=True,
    type=click.Choice(["parquet", "ndjson", "lance"]),
    help="Format: a Parquet file, a JSON Lines file, or a LanceDB table.",
)
@path_option("--out", help="The file or folder to write.", required=True)
@AS_JSON
def export(artifact: str, engine: Engine, out: Path, as_json: bool) -> None:
    """Write the chunks of ARTIFACT and their vectors for other search engines and databases.

    Parquet needs kb-compiler[export], Lance needs kb-compiler[lance].
    """
    from kb_runtime.store.atomic_files import is_stream
    from kbc.shipping.export import export as write

    chunks = write(artifact, out, to=engine)
    if as_json:
        print_json({"path": str(out), "chunks": chunks})
    else:
        # What goes to /dev/stdout is followed by nothing else.
        click.echo(f"wrote {out}, {count_of(chunks, 'chunk')}", err=is_stream(out))


@click.command()
@click.argument("file", type=PATH)
@AS_JSON
def keygen(file: Path, as_json: bool) -> None:
    """Create an Ed25519 key pair: FILE, which is secret, and FILE.pub.

    The secret key is encrypted when $KBC_SIGNING_PASSPHRASE is set.
    """
    from kbc.shipping.signing import PUBLIC_SUFFIX, generate

    name = generate(file, signing_passphrase())
    public = f"{file}{PUBLIC_SUFFIX}"
    facts = {"key": name, "private": str(file), "public": public}
    tell(facts, f"key {name}: wrote {file} (keep it secret) and {public}", as_json=as_json)


@click.command()
@ARTIFACT
@path_option("--key", help="The secret key, a PEM file.", required=True)
@AS_JSON
def sign(artifact: str, key: Path, as_json: bool) -> None:
    """Sign the manifest of the artifact's live build, and thereby all of its files.

    $KBC_SIGNING_PASSPHRASE is the passphrase of an encrypted key. Signatures by other keys stay.
    """
    from kbc.shipping.signing import sign as run_sign

    name, path = run_sign(Path(artifact), key, signing_passphrase())
    facts = {"key": name, "signatures": str(path)}
    tell(facts, f"signed with the key {name}: {path}", as_json=as_json)
