"""Reads what the explorer shows of earlier commands, as they print it with `--json`: evaluations, and the
report of a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import UsageError
from kb_runtime.store.manifest_schema import (
    is_count,
    is_number,
    is_text,
    list_of,
    map_of,
    object_of,
    or_null,
)

if TYPE_CHECKING:
    from kb_runtime.store.manifest_schema import Check

_is_run = object_of(
    measures_=map_of(object_of(mean=is_number, low=is_number, high=is_number)),
    answers_=list_of(object_of(query=is_text, rank=or_null(is_count))),
)
_is_report = object_of(
    phases=list_of(object_of(name=is_text, seconds=is_number, count=is_count, unit=is_text)),
    diagnostics=list_of(object_of(code=is_text, message=is_text)),
)


def read_runs(folder: str) -> list[tuple[str, dict[str, Any]]]:
    """The evaluations in `folder` by the names of their files, oldest first; none for "". Raises
    `UsageError`."""
    if not folder:
        return []
    if not Path(folder).is_dir():
        raise UsageError(f"--runs: {folder} is not a folder.")
    files = sorted(Path(folder).glob("*.json"), key=lambda path: (path.lstat().st_mtime, path.name))
    return [(path.stem, _read(path, _is_run, "kbc eval --json")) for path in files]


def read_report(path: str) -> dict[str, Any] | None:
    """What `kbc build --json` printed; None for "". Raises `UsageError`."""
    return _read(Path(path), _is_report, "kbc build --json") if path else None


def _read(path: Path, is_evidence: Check, command: str) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except RecursionError:
        raise UsageError(f"{path} cannot be read as JSON: it nests too deeply.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON: {error}.") from None
    if not is_evidence(value):
        raise UsageError(f"{path} does not hold what `{command}` prints.")
    return value
