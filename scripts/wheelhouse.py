#!/usr/bin/env python3
"""A folder with every wheel that a machine without network needs to serve a knowledge base.

    python scripts/wheelhouse.py ARTIFACT --out dist/wheelhouse

Holds the knowledge base as a wheel, the runtime, and what the runtime needs, all pinned with hashes in
requirements.txt. The wheels are those of this platform and this Python.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from kb_runtime.cli import runner
from kb_runtime.errors import KbcError
from kb_runtime.knowledge.artifact import Artifact
from kbc.cli import failures
from kbc.cli.environment import source_date_epoch
from kbc.errors import OutputError
from kbc.shipping.lock import read_lock
from kbc.shipping.product import product
from kbc.shipping.timestamp import timestamp_of
from kbc.shipping.wheel import write_wheel

ROOT = Path(__file__).resolve().parents[1]
PINNED = ROOT / "requirements" / "runtime.txt"
LOCKS = (PINNED, ROOT / "requirements" / "model.txt")
"""What the libraries and the model's package came from, for the bill of materials."""
REQUIREMENTS = "requirements.txt"
PACKAGED = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "compiler", "runtime")
"""What the runtime's wheel is built from."""
NOT_FETCHED = 1
"""Exit code: a wheel could not be had, or does not fit its hash."""


@click.command()
@click.argument("artifact", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("dist/wheelhouse"),
    show_default=True,
    help="A folder to be made; when something fails it is not there.",
)
def wheelhouse(artifact: Path, out: Path) -> None:
    """Put the knowledge base ARTIFACT and all that serves it into a folder of wheels."""
    if os.path.lexists(out):
        raise OutputError(f"{out} exists already.", "Choose another folder or remove it.")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".wheelhouse-") as name:
        staged = Path(name, "wheelhouse")
        staged.mkdir()
        ours = [_knowledge(artifact, staged), wheel_of_checkout(Path(name, "sources"), staged)]
        _fetch(staged)
        lines = [PINNED.read_text("utf-8"), *(_pin(path) for path in ours)]
        (staged / REQUIREMENTS).write_text("".join(lines), encoding="utf-8")
        staged.rename(out)
    wheels = list(out.glob("*.whl"))
    total = sum(path.stat().st_size for path in wheels)
    click.echo(f"{out}: {len(wheels)} wheels, {total / 1e6:.1f} MB. On the other machine:")
    click.echo(
        f"  pip install --no-index --find-links {out} --require-hashes -r {out / REQUIREMENTS}"
    )


def _knowledge(artifact: Path, folder: Path) -> Path:
    with Artifact.open(artifact) as opened:
        facts = product(opened)
        timestamp = timestamp_of(facts, source_date_epoch())
        return write_wheel(opened, facts, folder, timestamp, read_lock(LOCKS)).path


def wheel_of_checkout(sources: Path, folder: Path) -> Path:
    """The wheel of this checkout, with the time of SOURCE_DATE_EPOCH in it. It is built from a copy:
    beside the sources setuptools would find what an earlier build left, and pack that too."""
    sources.mkdir()
    for name in PACKAGED:
        if (ROOT / name).is_dir():
            unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / name, sources / name, ignore=unwanted)
        else:
            shutil.copy2(ROOT / name, sources)
    only = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(sources)]
    if not _pip("wheel", *only):
        raise KbcError(
            "wheel-not-built",
            "the wheel of the runtime could not be built.",
            "pip has said above why; `make setup` installs what it needs into .venv.",
            NOT_FETCHED,
        )
    (wheel,) = folder.glob("kb_compiler-*.whl")
    return wheel


def _fetch(folder: Path) -> None:
    """What the runtime needs, as wheels with the pinned hashes."""
    only = ["--require-hashes", "--only-binary", ":all:", "--dest", str(folder), "-r", str(PINNED)]
    if not _pip("download", *only):
        raise KbcError(
            "wheels-not-fetched",
            "the wheels could not be fetched.",
            "pip has said above which; it needs a package index, or its cache.",
            NOT_FETCHED,
        )


def _pip(*arguments: str) -> bool:
    """Whether pip did it; what is wrong it says itself."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", arguments[0], "--quiet"]
    return subprocess.run([*pip, *arguments[1:]], check=False).returncode == 0


def _pin(wheel: Path) -> str:
    name, version, *_ = wheel.name.split("-")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{name.replace('_', '-')}=={version} \\\n    --hash=sha256:{digest}\n"


if __name__ == "__main__":
    sys.exit(runner.run(wheelhouse, sys.argv[1:], "wheelhouse.py", failures.explain))
