"""Reads what earlier commands printed with `--json`: evaluations, and the report of a build."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import NoneType
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
    return [(path.stem, _read(path, _is_run, "kbc eval --json")) for path in files]


def read_report(path: str) -> dict[str, Any] | None:
    """What `kbc build --json` printed; None for "". Raises `KbcError`."""
    return _read(Path(path), _is_report, "kbc build --json") if path else None


def _read(path: Path, is_evidence: Callable[[Any], bool], command: str) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except RecursionError:
        raise _unusable(f"{path} cannot be read as JSON: it nests too deeply.") from None
    except (OSError, ValueError) as error:
        raise _unusable(f"{path} cannot be read as JSON: {error}.") from None
    if not (isinstance(value, dict) and is_evidence(value)):
        raise _unusable(f"{path} does not hold what `{command}` prints.")
    return value


def _is_run(value: dict[str, Any]) -> bool:
    measures = value.get("measures", {})
    return (
        isinstance(measures, dict)
        and _are_objects(
            list(measures.values()), mean=(int, float), low=(int, float), high=(int, float)
        )
        and _are_objects(value.get("answers", []), query=str, rank=(int, NoneType))
    )


def _is_report(value: dict[str, Any]) -> bool:
    return _are_objects(
        value.get("phases"), name=str, seconds=(int, float), count=int, unit=str
    ) and _are_objects(value.get("diagnostics"), code=str, message=str)


def _are_objects(values: Any, **fields: type | tuple[type, ...]) -> bool:
    """Whether it is a list of objects that have these fields, at least."""
    return isinstance(values, list) and all(
        isinstance(each, dict)
        and all(name in each and isinstance(each[name], kind) for name, kind in fields.items())
        for each in values
    )


def _unusable(message: str) -> kr.KbcError:
    return kr.KbcError("usage", message, exit_code=2)
