"""Waits until something changes below a folder."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Thread

STEP_MS = 50
"""Changes that follow each other faster are one."""
LONGEST_MS = 400
"""... up to this time after the first of them."""
POLL_S = 2.0
RESCAN_S = 60.0
"""Without any notice: a notification may be lost, and some file systems send none."""
_RETRY_S = 5.0


class Changes:
    """Tells that files below `tree` may have changed; changes below `ignored` are nobody's concern.

    Where the system notifies of changes, it is asked to; where it cannot (the limit of watched folders
    is reached), `problem` says so, and every `POLL_S` seconds something may have changed.
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
            try:
                self._notice()
            except Exception as error:  # whatever the engine raises: polling does without it
                self.problem = (
                    f"changes are looked for every {POLL_S:g} s, because the system does not"
                    f" notify of them ({error})"
                )
                time.sleep(_RETRY_S)

    def _notice(self) -> None:
        from watchfiles import watch

        ignored = f"{self._ignored}/"
        for changes in watch(
            self._tree,
            watch_filter=lambda _change, path: not f"{path}/".startswith(ignored),
            debounce=LONGEST_MS,
            step=STEP_MS,
            stop_event=self._stop,
            rust_timeout=1_000,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        ):
            self.problem = ""
            if changes:
                self._changed.set()
