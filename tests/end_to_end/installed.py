"""Wheels in virtual environments, installed by pip without network: what a user's machine has."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

from tests.waiting import PATIENCE_S

from kb_runtime.knowledge.artifact import Artifact
from kbc.shipping.product import product
from kbc.shipping.wheel import write_wheel

ROOT = Path(__file__).parents[2]


class Environment:
    """A virtual environment that has the runtime of this checkout and its dependencies."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=os.name != "nt")
        self.folder = folder
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / Path(sys.executable).name
        (self.site,) = folder.glob("**/site-packages")
        known = [str(ROOT / "runtime"), *(path for path in sys.path if path.endswith("-packages"))]
        (self.site / "checkout.pth").write_text("\n".join(known) + "\n")

    def install(self, wheel: Path, *options: str) -> None:
        """As `pip install` does, but for the dependencies, which are there."""
        pip = [str(self.python), "-m", "pip", "--quiet"]  # which `checkout.pth` shows it
        options = ("--no-index", "--no-deps", "--disable-pip-version-check", *options)
        done = subprocess.run(
            [*pip, "install", *options, str(wheel)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def run(self, *command: object) -> subprocess.CompletedProcess[str]:
        """Runs a command of the environment with none of this process's variables."""
        program, *arguments = map(str, command)
        return subprocess.run(
            [self.bin / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            env={"HOME": str(self.folder), "PATH": os.defpath},
            cwd=self.folder,
        )


def wheel_of(artifact: Path, out: Path, **names: str) -> Path:
    """The wheel of an artifact."""
    with Artifact.open(artifact) as opened:
        return write_wheel(opened, product(opened, **names), out, 0).path
