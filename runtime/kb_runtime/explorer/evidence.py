"""Reads what earlier commands printed with `--json`: evaluations, and the report of a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kb_runtime as kr
from kb_runtime.explorer.visit import Run


def read_runs(folder: str) -> list[tuple[str, Run]]:
    """The evaluations in `folder` by the names of their files, oldest first; none for "". Raises
    `KbcError`."""
    if not folder:
        return []
    if not Path(folder).is_dir():
        raise _unusable(f"--runs: {folder} is not a folder.")
    files = sorted(Path(folder).glob("*.json"), key=lambda path: (path.stat().st_mtime, path.name))
    return [(path.stem, _read(path)) for path in files]


def read_report(path: str) -> dict[str, Any] | None:
    """What `kbc build --json` printed; None for "". Raises `KbcError`."""
    return _read(Path(path)) if path else None


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _unusable(f"{path} cannot be read as JSON: {error}.") from None
    if not isinstance(value, dict):
        raise _unusable(f"{path} holds no JSON object, as `--json` prints it.")
    return value


def _unusable(message: str) -> kr.KbcError:
    return kr.KbcError("usage", message, exit_code=2)
