"""Waits until something changes below a folder."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Event, Thread

from kbc.following.file_changes import NotifiedChanges

LONGEST_MS = 400
"""Changes that follow each other are one up to this time after the first of them."""
POLL_S = 2.0
RESCAN_S = 60.0
"""Without any notice: a notification may be lost, and some file systems send none."""

_LOOK_S = 0.5  # how often the thread that waits for notifications looks whether it is to begin anew
_MISSING_S = 1.0  # ... and for a tree that is not there
_RETRY_S = 60.0
"""After a failure: asking takes as many of the user's watches as there are, while it lasts."""


class Changes:
    """Tells that files below `tree` may have changed; changes below `ignored` are nobody's concern.

    The kernel is asked to tell; where it cannot (the limit of watched folders is reached, by those that
    come later, too), `problem` says so, and every `POLL_S` seconds something may have changed.
    """

    def __init__(self, tree: Path, ignored: Path) -> None:
        self._tree = tree
        self._ignored = ignored
        self._changed = Event()
        self._stop = Event()
        self._last = time.monotonic()
        self.problem = ""
        Thread(target=self._watch, name="changes", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Whether something may have changed since the last call that said so; waits for it at most
        `timeout_s` seconds."""
        due = self._last + (POLL_S if self.problem else RESCAN_S)
        changed = self._changed.wait(max(0.0, min(timeout_s, due - time.monotonic())))
        if not changed and time.monotonic() < due:
            return False
        self._changed.clear()
        self._last = time.monotonic()
        return True

    def renew(self) -> None:
        """Asks for notifications anew: the folder at the path is another one."""
        self._stop.set()

    def _watch(self) -> None:
        while True:
            self._stop.clear()
            pause = _RETRY_S
            try:
                self._notice()
                continue
            except FileNotFoundError:  # whoever looks at the tree finds that it is not there
                pause = _MISSING_S
            except Exception as error:  # whatever the engine raises: polling does without it
                self.problem = (
                    f"files are looked at every {POLL_S:g} s, because the kernel does not tell"
                    f" of changes: {error}"
                )
                self._changed.set()  # who waits now is to look as often from now on
            self._stop.wait(pause)

    def _notice(self) -> None:
        """Listens until it is time to begin anew. Raises what `NotifiedChanges` raises."""
        notified = NotifiedChanges([self._tree], LONGEST_MS)
        try:
            self.problem = ""
            self._changed.set()  # while nobody listened, something may have
            ignored = f"{self._ignored}/"
            while not self._stop.is_set():
                found = [
                    path for path in notified.wait(_LOOK_S) if not f"{path}/".startswith(ignored)
                ]
                if any(map(os.path.isdir, found)):
                    return  # the engine hides it when the kernel does not watch a new folder
                if found:
                    self._changed.set()
        finally:
            notified.close()
