#!/usr/bin/env python3
"""A folder with every wheel that a machine without network needs to serve a knowledge base.

    python scripts/wheelhouse.py ARTIFACT --out dist/wheelhouse

Holds the knowledge base as a wheel, the runtime, and what the runtime needs, all pinned with hashes in
requirements.txt. The wheels are those of this platform and this Python. Exit code 1: something could not
be fetched or does not fit its hash; OUT is not made then.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from kb_runtime.artifact import Artifact
from kbc.environment import source_date_epoch
from kbc.shipping.moment import moment_of
from kbc.shipping.product import product
from kbc.shipping.wheel import write_wheel

ROOT = Path(__file__).resolve().parents[1]
PINNED = ROOT / "requirements" / "runtime.txt"
REQUIREMENTS = "requirements.txt"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("artifact", type=Path)
    parser.add_argument("--out", type=Path, default=Path("dist/wheelhouse"))
    options = parser.parse_args(arguments)
    if os.path.lexists(options.out):
        parser.error(f"{options.out} exists already; choose another folder or remove it")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.out.parent, prefix=".wheelhouse-") as name:
        staged = Path(name, "wheelhouse")
        staged.mkdir()
        if not _fetch(staged):
            return 1
        ours = [_runtime(staged), _knowledge(options.artifact, staged)]
        lines = [PINNED.read_text("utf-8"), *(_pin(path) for path in ours)]
        (staged / REQUIREMENTS).write_text("".join(lines), encoding="utf-8")
        staged.rename(options.out)
    wheels = list(options.out.glob("*.whl"))
    total = sum(path.stat().st_size for path in wheels)
    print(f"{options.out}: {len(wheels)} wheels, {total / 1e6:.1f} MB. On the other machine:")
    print(
        f"  pip install --no-index --find-links {options.out.name} --require-hashes"
        f" -r {options.out.name}/{REQUIREMENTS}"
    )
    return 0


def _fetch(folder: Path) -> bool:
    """What the runtime needs, as wheels with the pinned hashes."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    only = ["--require-hashes", "--only-binary", ":all:", "--dest", str(folder), "-r", str(PINNED)]
    return subprocess.run([*pip, *only], check=False).returncode == 0


def _runtime(folder: Path) -> Path:
    """The wheel of this checkout; its files get the time of SOURCE_DATE_EPOCH."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    only = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run([*pip, *only], check=True)
    (wheel,) = folder.glob("kbc-*.whl")
    return wheel


def _knowledge(artifact: Path, folder: Path) -> Path:
    with Artifact.open(artifact) as opened:
        facts = product(opened)
        return write_wheel(opened, facts, folder, moment_of(facts, source_date_epoch())).path


def _pin(wheel: Path) -> str:
    name, version, *_ = wheel.name.split("-")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{name.replace('_', '-')}=={version} \\\n    --hash=sha256:{digest}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
