"""The process that parses and embeds, while the one that follows the tree goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

LOW_PRIORITY = 10
"""A tenth of a busy core's time. At the lowest, 19, it is a hundredth: an index that took 5 s was not
there after 45 s while four other processes were computing."""


def build_command(workspace: str, tree: Path, model: Path | None = None) -> list[str]:
    """What builds the tree with vectors, as a process of its own; `--edits` its edited files."""
    return [
        *(sys.executable, "-P", "-m", "kbc", "workspace", "index", workspace),
        *("--code", str(tree), "--tied", "--json"),
        *(() if model is None else ("--model", str(model))),
    ]


class Builder:
    """A running build. It ends with this process, and is in its group."""

    def __init__(self, command: list[str], *, of_edits: bool) -> None:
        self.of_edits = of_edits
        # A file: a pipe would have to be emptied meanwhile.
        self._report = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=self._report, stderr=subprocess.DEVNULL
        )
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, self._process.pid, LOW_PRIORITY)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def finish(self) -> str:
        """Lets go of the process, which has ended; gives why it failed, "" after success."""
        self._report.seek(0)
        told = self._report.read()
        self._release()
        code = self._process.returncode
        if not code:
            return ""
        try:
            error = json.loads(told)["error"]
            return f"{error['message']}. {error['hint']}".strip()
        except (ValueError, KeyError, TypeError):
            return f"The process that embeds ended with exit code {code}."

    def stop(self) -> None:
        """Ends it; it removes what is unfinished."""
        self._process.terminate()
        self._process.wait()
        self._release()

    def _release(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._report.close()
