"""Knowledge bases to be watched, and `kbc watch` as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from kb_runtime.knowledge.artifact import Artifact

PROJECT = """\
[kb]
name = "{name}"
title = "Demo"

[[collection]]
name = "pages"
kind = "docs"
paths = {paths}
"""


# A script in the background ignores SIGINT, one under nohup SIGHUP, and what it starts does, too.
HEEDING_CTRL_C = (
    sys.executable,
    "-c",
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "signal.signal(signal.SIGHUP, signal.SIG_DFL);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])",
)


def write_kb(root: Path, paths: str = '["docs"]', name: str = "demo") -> Path:
    (root / "docs").mkdir(parents=True)
    (root / "kb.toml").write_text(PROJECT.format(name=name, paths=paths))
    (root / "docs" / "page.md").write_text("# Page\n\nThe first text.\n")
    return root


def live_text(out: Path, name: str = "demo") -> str:
    """All text that the live version holds."""
    with Artifact.open(out / name) as artifact:
        return "\n".join(artifact.chunks[row]["text"] for row in range(len(artifact.chunks)))


@contextmanager
def command(
    environment: dict[str, str], *arguments: object, before: tuple[str, ...] = ()
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*before, *HEEDING_CTRL_C, "-m", "kbc", "watch", "--lexical-only", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def event(process: subprocess.Popen[str]) -> dict[str, Any]:
    stdout: IO[str] | None = process.stdout
    assert stdout is not None
    line = stdout.readline()
    assert line, process.stderr.read() if process.stderr else ""
    told: dict[str, Any] = json.loads(line)
    return told
