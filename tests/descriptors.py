"""The files that this process has open, as far as a test has opened them: other threads of the process, and
the garbage of other tests, open and close files of their own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def open_below(folder: Path) -> list[str]:
    """The paths below a folder to which descriptors of this process lead, each as often as it is open."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile, as the one of the listing
            found.append(str(descriptor.readlink()))
    return sorted(path for path in found if path.startswith(f"{folder.resolve()}/"))
