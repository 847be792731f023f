"""Draws docs/assets/demo.svg: the README's commands and what they really print.

    python scripts/record_demo.py

Compiles docs/ of this repository in a temporary folder. Times differ from machine to machine, so the picture
is drawn anew when the output changes, not in every build.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "assets" / "demo.svg"
COMMANDS = (
    "kbc build docs --out out --name handbook --quiet",
    'kbc search out/handbook "how do I undo an installation" --limit 2',
    "kbc install out/handbook --client cursor --dry-run",
)
COLUMNS = 110
MAX_LINES = 14
"""Of one command; the rest is left out."""


def run(command: str, folder: Path) -> list[str]:
    """What a command prints, both streams in one."""
    environment = {**os.environ, "HOME": str(folder), "COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    arguments = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", done.stdout)
    for path, shown in ((folder, "~"), (Path(sys.executable).parent, "~/.local/bin")):
        text = text.replace(str(path), shown)
    lines = [line.rpartition("\r")[2].rstrip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    return lines if len(lines) <= MAX_LINES else [*lines[:MAX_LINES], "..."]


def main() -> None:
    with tempfile.TemporaryDirectory() as name, open(os.devnull, "w", encoding="utf-8") as nowhere:
        folder = Path(name)
        (folder / "docs").symlink_to(ROOT / "docs")
        console = Console(record=True, width=COLUMNS, file=nowhere)
        for command in COMMANDS:
            console.print(Text(f"$ {command}", style="bold"))
            for line in run(command, folder):
                console.print(Text(line))
            console.print()
        PICTURE.parent.mkdir(exist_ok=True)
        console.save_svg(str(PICTURE), title="kbc", unique_id="kbc")


if __name__ == "__main__":
    main()
