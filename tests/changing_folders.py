"""What lies below a folder in which another process works."""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path


def found_below(folder: Path, pattern: str) -> list[Path]:
    """Files and folders whose names match. Folders that go away meanwhile, on which `Path.rglob` fails,
    have nothing."""
    return [
        Path(parent, name)
        for parent, folders, files in os.walk(folder)
        for name in (*folders, *files)
        if fnmatch(name, pattern)
    ]
