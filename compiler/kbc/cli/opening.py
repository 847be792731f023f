"""Opens what a command is given: a folder with a kb.toml, or any documentation, which is recognised."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_runtime.errors import UsageError
from kb_runtime.store.temporary_folders import temporary_folder

if TYPE_CHECKING:
    from kbc.pipeline.options import StrPath
    from kbc.project.model import Project
    from kbc.recognition.detection import Recognition
    from kbc.sources.accounting import Accounting

SHOWN_REASONS = 6
"""Reasons that a summary names; `kbc inspect --files` has all of them."""


def opened(path: Path, name: str, cache: StrPath | None, quiet: bool = False) -> Path | Project:
    """`path` where it holds a kb.toml or nothing, else the project that was recognised there; what was
    recognised is told on stderr. Raises `UsageError` and `RecognitionError`."""
    from kbc.project.loading import PROJECT_FILE

    if path.name == PROJECT_FILE and path.is_file():
        path = path.parent
    has_config = (path / PROJECT_FILE).exists()
    if not path.exists() or has_config:
        if name and has_config:
            raise UsageError(
                "--name is for folders without a kb.toml",
                "Write `name` into the table [kb] of kb.toml.",
            )
        return path
    found = recognised(path, name, cache)
    if not quiet:
        notes = [f"note: {note}" for note in found.notes]
        for line in (f"recognised: {found.what}", f"collections: {found.parts}", *notes):
            click.echo(line, err=True)
    return found.project


def recognised(path: Path, name: str, cache: StrPath | None) -> Recognition:
    """What is at `path`. Archives are unpacked below `cache`, or into a folder for this process."""
    from kbc.project.settings import NAME
    from kbc.recognition.archives import release
    from kbc.recognition.detection import recognise

    if name and not NAME.fullmatch(name):
        raise UsageError(
            f"--name is {name!r}; it must be a lower-case name matching {NAME.pattern}"
        )
    folder = None if cache is None else Path(cache)
    if folder is None:
        context = click.get_current_context()
        folder = Path(context.with_resource(temporary_folder("kbc-archive-")))
        context.call_on_close(partial(release, folder))
    return recognise(path, folder, name)


def show_accounting(accounting: Accounting) -> None:
    """One line on stderr: how many files were found, and what became of them."""
    click.echo(summary(accounting), err=True)


def summary(accounting: Accounting) -> str:
    """`files: 10 found = 7 read + 1 included + 2 left out (2 hidden) + 0 not readable`."""
    parts = []
    for outcome, count in accounting.counts().items():
        reasons = accounting.reasons(outcome) if outcome in ("left out", "not readable") else {}
        shown = [f"{number:,} {reason}" for reason, number in list(reasons.items())[:SHOWN_REASONS]]
        if len(reasons) > SHOWN_REASONS:
            shown.append("...")
        parts.append(f"{count:,} {outcome}" + (f" ({', '.join(shown)})" if shown else ""))
    folders = accounting.folders
    whole = f"; whole folders left out: {len(folders):,}" if folders else ""
    return f"files: {len(accounting):,} found = {' + '.join(parts)}{whole}"
