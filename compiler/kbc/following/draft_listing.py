"""Keeps the list of a tree's files up to date while their first draft is made.

A server that answers from the files leaves out those that are not as the list says, so that an edited file
would be missing until the draft is there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from kb_runtime.store.manifest import CURRENT, LISTING
from kbc.following.source_files import SourceFiles

PAUSE_S = 1.0
"""Between looks at the files: also at least four times what the last look took, because the draft waits
meanwhile."""


@contextmanager
def kept_listed(files: SourceFiles, kb_folder: Path, prefix: str) -> Iterator[None]:
    """Rewrites the list in `kb_folder` within the block whenever a file has changed; `files` are used by
    nobody else meanwhile."""
    ending = Event()

    def follow() -> None:
        pause_s = PAUSE_S
        while not ending.wait(pause_s):
            began = time.monotonic()
            with suppress(OSError):  # the next look at the tree reports what is wrong
                if files.scan():
                    files.list_for(kb_folder, prefix)
            pause_s = max(PAUSE_S, 4 * (time.monotonic() - began))

    looking = Thread(target=follow, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ending.set()
        looking.join()
        if (kb_folder / CURRENT).exists():  # it may have been written after the draft replaced it
            (kb_folder / LISTING).unlink(missing_ok=True)
