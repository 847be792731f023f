"""`kbc model`: lists, downloads, verifies and exports the encoder model."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json, tell
from kb_runtime.store.atomic_files import replace_file
from kbc.cli.environment import default_models
from kbc.cli.options import PATH
from kbc.errors import OutputError


@click.group()
def model() -> None:
    """List, download, verify or export the model that embeds texts.

    A build takes it from --model DIR, an installed package, or the copy that was downloaded; else it
    downloads it once. Every copy is checked by SHA-256 before use.
    """


@model.command("list")
@AS_JSON
def list_command(as_json: bool) -> None:
    """Show where the model is looked for, and what is there."""
    from kb_runtime.text.tables import table
    from kbc.encoding.pinned import PINNED_NAME, REVISION

    places = _places()
    if as_json:
        print_json({"model": PINNED_NAME, "revision": REVISION, "places": places})
        return
    click.echo(f"{PINNED_NAME}, revision {REVISION}")
    rows = [[str(each["source"]), str(each["state"]), str(each["folder"])] for each in places]
    click.echo(table([["source", "state", "folder"], *rows]))


@model.command()
@AS_JSON
def fetch(as_json: bool) -> None:
    """Download the model into kbc's own folder, unless it is there already.

    A download that ended early is continued. The hub is huggingface.co, or what $HF_ENDPOINT names.
    """
    from kbc.encoding import hub

    folder = hub.fetch(default_models(), quiet=as_json)
    tell({"folder": str(folder)}, f"the model is in {folder}", as_json=as_json)


@model.command()
@click.argument("folder", required=False, type=PATH)
@AS_JSON
def verify(folder: Path | None, as_json: bool) -> None:
    """Check the model that a build would use, or the one in FOLDER, against the pinned hashes."""
    from kbc.encoding.errors import ModelError
    from kbc.encoding.pinned import wrong_files

    found = folder or _used().folder
    wrong = wrong_files(found)
    if as_json:
        print_json({"folder": str(found), "ok": not wrong, "wrong": wrong})
    elif not wrong:
        click.echo(f"ok: {found}")
    if wrong:
        raise ModelError(
            "model-hash-mismatch",
            f"{', '.join(wrong)} in '{found}' is missing or not the pinned one",
            "copy again what `kbc model export` wrote"
            if folder
            else "remove the folder and run `kbc model fetch`",
        )


@model.command()
@click.argument("folder", type=PATH)
@AS_JSON
def export(folder: Path, as_json: bool) -> None:
    """Write the model into the new FOLDER, to be carried to a machine without a network.

    There, `kbc build --model FOLDER` uses it.
    """
    from kbc.encoding.pinned import FILES

    used = _used()
    if folder.exists():
        raise OutputError(f"'{folder}' already exists; nothing was changed")
    new = folder.with_name(f".{folder.name}.new")
    try:
        if new.exists():  # of an export that was killed
            shutil.rmtree(new)
        new.mkdir(parents=True)
        for path in [*(used.folder / name for name in FILES), *used.licence_files]:
            target = new / path.relative_to(used.folder)
            target.parent.mkdir(exist_ok=True)
            replace_file(target, path.read_bytes())
        new.rename(folder)
    except OSError as error:
        where = error.filename or folder
        raise OutputError(f"'{where}' cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    facts = {"folder": str(folder), "from": str(used.folder)}
    tell(facts, f"wrote {folder}; use it with --model {folder}", as_json=as_json)


def _used() -> Any:
    from kbc.encoding.model import resolve_model

    return resolve_model(models=default_models())


def _places() -> list[dict[str, Any]]:
    from kbc.encoding.model import pinned_package
    from kbc.encoding.pinned import stored_folder, wrong_files

    package = pinned_package()
    stored = stored_folder(default_models())
    found = [("package", package[1] if package else None), ("download", stored)]
    places = []
    for source, folder in found:
        if folder is None or not folder.is_dir():
            state = "not installed" if source == "package" else "not downloaded"
        else:
            state = "damaged" if wrong_files(folder) else "verified"
        places.append({"source": source, "state": state, "folder": str(folder or "-")})
    return places
