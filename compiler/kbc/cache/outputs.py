"""Remembers which folder each output of this machine was compiled from: an artifact names no paths."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from kb_runtime.store.atomic_files import replace_file

FILE_NAME = "outputs.json"


def replaced_source(cache: Path, output: Path, source: Path) -> Path | None:
    """The folder that `output` was compiled from before `source`, where it is another one and still there: a
    checkout that was moved or made anew is no other. Remembers `source`, in the file `FILE_NAME` of `cache`.

    Nothing is known of what is inside of `cache`: unpacked archives, and builds to look at.
    """
    home, output, source = cache.resolve(), output.resolve(), source.resolve()
    if output.is_relative_to(home) or source.is_relative_to(home):
        return None
    known = _read(home / FILE_NAME)
    before = known.get(str(output))
    if before == str(source):
        return None
    kept = {name: folder for name, folder in known.items() if Path(name).is_dir()}
    with suppress(OSError):  # a cache that may only be read
        home.mkdir(parents=True, exist_ok=True)
        text = json.dumps(kept | {str(output): str(source)}, indent=1, sort_keys=True)
        replace_file(home / FILE_NAME, text.encode())
    return Path(before) if before is not None and Path(before).is_dir() else None


def _read(path: Path) -> dict[str, str]:
    """The sources by output; none where the file is damaged."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: folder for name, folder in found.items() if isinstance(folder, str)}
