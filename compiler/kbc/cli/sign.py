"""`kbc keygen` and `kbc sign`: make keys and sign artifacts."""

from __future__ import annotations

from pathlib import Path

import click

from kb_runtime.cli.artifact_commands import ARTIFACT, AS_JSON
from kb_runtime.cli.runner import print_json
from kbc.cli.environment import signing_passphrase


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@AS_JSON
def keygen(file: Path, as_json: bool) -> None:
    """Create an Ed25519 key pair: FILE, which is secret, and FILE.pub.

    The secret key is encrypted when $KBC_SIGNING_PASSPHRASE is set.
    """
    from kbc.shipping.signing import PUBLIC_SUFFIX, generate

    name = generate(file, signing_passphrase())
    if as_json:
        print_json({"key": name, "private": str(file), "public": f"{file}{PUBLIC_SUFFIX}"})
    else:
        click.echo(f"key {name}: wrote {file} (keep it secret) and {file}{PUBLIC_SUFFIX}")


@click.command()
@ARTIFACT
@click.option(
    "--key", required=True, type=click.Path(path_type=Path), help="The secret key, a PEM file."
)
@AS_JSON
def sign(artifact: str, key: Path, as_json: bool) -> None:
    """Sign the manifest of the artifact's live build, and thereby all of its files.

    $KBC_SIGNING_PASSPHRASE is the passphrase of an encrypted key. Signatures by other keys stay.
    """
    from kbc.shipping.signing import sign as run_sign

    name, path = run_sign(Path(artifact), key, signing_passphrase())
    if as_json:
        print_json({"key": name, "signatures": str(path)})
    else:
        click.echo(f"signed with the key {name}: {path}")
