"""A limit on the processor time that reading one file may take.

Nearly every pattern takes time for the square of a line that was made to harm. What is common is bounded by
`limits` or linear; what is left must not keep a build from ending, and names its file.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

from kbc.diagnostics import OutOfTimeError

SECONDS = 60.0
"""Of a file of any size: thousands of times what one takes."""

SECONDS_PER_BYTE = 60e-6
"""Ten times what Markdown of the shortest paragraphs takes."""


@contextmanager
def limited(path: str, size_bytes: int) -> Iterator[None]:
    """Raises `OutOfTimeError` in the body once the main thread has used up the time of a file of this size.

    Inside of another limit, in other threads, and where the system cannot tell (Windows), there is none.
    """
    can_tell = hasattr(signal, "setitimer") and current_thread() is main_thread()
    if not can_tell or signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0:
        yield
        return
    end = time.thread_time() + SECONDS + SECONDS_PER_BYTE * size_bytes

    def check(*_: object) -> None:
        remaining = end - time.thread_time()
        if remaining <= 0:
            raise OutOfTimeError(path)
        signal.setitimer(signal.ITIMER_VIRTUAL, remaining)  # other threads have used some of it

    before = signal.signal(signal.SIGVTALRM, check)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, end - time.thread_time())
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
