"""A background thread, in which one engine of a search runs while another runs in the caller's.

Engines release the interpreter's lock. A process has one such thread, `COMPANION`, whatever it opens and
closes: one for each version of a knowledge base would be left behind when the next version comes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class PendingCall(Generic[Result]):
    """A call that another thread makes."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._call = call
        self._done = threading.Lock()
        self._done.acquire()
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:
            self._error = error
        self._done.release()

    def result(self) -> Result:
        """Waits for the call; gives what it gave, or raises what it raised."""
        with self._done:
            pass
        if self._error is not None:
            raise self._error
        return self._result


class Companion:
    """Makes one call at a time, in a thread that the first call starts. Safe to use from several threads."""

    def __init__(self) -> None:
        self.forget_thread()

    def forget_thread(self) -> None:
        """Has the next call start a thread: a forked process has none of its parent's."""
        self._free = threading.Lock()
        self._calls: Any = None

    def start(self, call: Callable[[], Result]) -> PendingCall[Result]:
        """Begins a call; makes it at once in the caller's thread where the companion is at work."""
        pending = PendingCall(call)
        if self._free.acquire(blocking=False):
            if self._calls is None:
                from _queue import SimpleQueue

                self._calls = SimpleQueue()
                try:
                    threading.Thread(target=self._work, name="kbc-companion", daemon=True).start()
                except RuntimeError:  # no more threads: the next call tries again
                    self._calls = None
                    self._free.release()
                    pending.run()
                    return pending
            self._calls.put(pending)
        else:
            pending.run()
        return pending

    def _work(self) -> None:
        while True:
            self._calls.get().run()
            self._free.release()


COMPANION = Companion()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COMPANION.forget_thread)
