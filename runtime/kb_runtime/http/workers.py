"""Supervises worker processes: forks them, restarts those that die, and stops them on a signal.

The parent forks before it has a thread or an engine, and serves nothing itself.

uvicorn's own supervisor (`uvicorn.supervisors.Multiprocess`, 0.54) spawns its workers instead of forking
them, so that they share no imported library: with 4 workers 452 MB of PSS against 289 MB here (`python -m
benchmarks.http_workers`). It also restarts a worker that keeps dying without a pause, waits forever for
one that ignores SIGTERM, and leaves workers behind when the parent is killed.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Thread
from typing import NoReturn

from kb_runtime import log
from kb_runtime.errors import KbcError
from kb_runtime.signals import terminations
from kb_runtime.store.temporary_folders import end_process

STEADY_S = 60.0
"""A worker that lived this long is started again at once; before that, each death doubles the pause."""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
STOP_S = 20.0
"""How long workers may take to end before they are killed: more than an HTTP server needs for that."""

Work = Callable[[int], int]
"""What a worker does, given its place (0, 1, ...), and its exit code. It ends on SIGTERM."""


class Workers:
    """As many workers as there are places, until one of `terminations` comes to the parent.

    `when_dead` is called in the parent with the place of each worker that has ended.
    """

    def __init__(self, places: int, work: Work, when_dead: Callable[[int], None]) -> None:
        self._work = work
        self._when_dead = when_dead
        self._running: dict[int, int] = {}  # process id: place
        self._started = [0.0] * places
        self._pauses = [0.0] * places
        self._due = dict.fromkeys(range(places), 0.0)  # place: when it gets a worker
        self._stopping = False
        self._stop_signals = terminations()

    def run(self, when_ready: Callable[[], None]) -> None:
        """Returns after the last worker has ended. May be called once, from the main thread.
        `when_ready` is called before the first fork, once signals are handled."""
        signals, wakeup_end = os.pipe()
        self._lifeline, self._alive = os.pipe()
        for end in (signals, wakeup_end):
            os.set_blocking(end, False)
        # Handlers that do nothing: the numbers of the signals come through the pipe.
        handlers = {
            number: signal.signal(number, lambda *_: None)
            for number in (*self._stop_signals, signal.SIGCHLD)
        }
        previous = signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        try:
            when_ready()
            self._supervise(signals)
        finally:
            signal.set_wakeup_fd(previous)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for end in (signals, wakeup_end, self._lifeline, self._alive):
                os.close(end)

    def _supervise(self, signals: int) -> None:
        while not self._stopping:
            for place in [place for place, due in self._due.items() if due <= time.monotonic()]:
                del self._due[place]
                self._start(place)
            wait = min(self._due.values(), default=None)
            timeout = None if wait is None else max(0.0, wait - time.monotonic())
            self._stopping = self._stop_requested(signals, timeout)
            self._reap()
        self._end(signal.SIGTERM)
        until = time.monotonic() + STOP_S
        while self._running and time.monotonic() < until:
            self._stop_requested(signals, until - time.monotonic())
            self._reap()
        if self._running:
            log.say(f"killing {len(self._running)} workers that did not stop", program="kbc serve")
            self._end(signal.SIGKILL)
        while self._running:
            self._stop_requested(signals, None)
            self._reap()

    def _start(self, place: int) -> None:
        self._started[place] = time.monotonic()
        # Signals are blocked until the worker has handlers of its own and the parent has its id.
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, self._stop_signals)
        try:
            pid = os.fork()
            if not pid:
                self._become_worker(place, masked)
            self._running[pid] = place
        except OSError as error:
            log.say(f"a worker cannot be started: {error.strerror}", program="kbc serve")
            self._postpone(place)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)

    def _become_worker(self, place: int, masked: Iterable[int]) -> NoReturn:
        """Works, and ends the process without the parent's cleanup."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # Until the work has a handler of its own; the default one would leave temporary folders.
            signal.signal(signal.SIGTERM, lambda number, _: end_process(128 + number))
            # Ctrl-C and the end of a terminal reach all processes; the parent stops them.
            for each in self._stop_signals:
                if each != signal.SIGTERM:
                    signal.signal(each, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
            os.close(self._alive)
            Thread(target=_end_with_parent, args=(self._lifeline,), daemon=True).start()
            code = self._work(place)
        except KbcError as error:
            said = f"a worker cannot serve: {error.message} {error.hint}".rstrip()
            log.say(said, program="kbc serve", worker=place)
        except BaseException as error:
            log.failure("A worker failed", error)
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
            end_process(code)

    def _reap(self) -> None:
        """Collects the workers that have ended and schedules their replacements."""
        for pid, place in list(self._running.items()):
            try:
                ended, status = os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                ended, status = pid, 0
            if not ended:
                continue
            del self._running[pid]
            self._when_dead(place)
            if not self._stopping:
                pause = self._postpone(place)
                after = f" in {pause:g} s" if pause else ""
                log.say(
                    f"worker {pid} {_how_ended(status)}; starting another{after}",
                    program="kbc serve",
                    worker=place,
                )

    def _postpone(self, place: int) -> float:
        """Seconds until the place gets another worker; 0 after one that had lived long enough."""
        lived = time.monotonic() - self._started[place]
        before = self._pauses[place]
        pause = min(2 * before or FIRST_PAUSE_S, LONGEST_PAUSE_S) if lived < STEADY_S else 0.0
        self._pauses[place] = pause
        self._due[place] = time.monotonic() + pause
        return pause

    def _stop_requested(self, signals: int, timeout: float | None) -> bool:
        """Waits for a signal, `timeout` seconds at most; returns whether one came that stops the workers."""
        select.select([signals], [], [], timeout)
        with suppress(BlockingIOError):
            return bool(set(os.read(signals, 4096)) & set(self._stop_signals))
        return False

    def _end(self, number: signal.Signals) -> None:
        for pid in self._running:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def _how_ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGBUS:  # which a process that reads mapped files cannot handle
        return "was killed: a file of the artifact was cut short, or can no longer be read"
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"


def _end_with_parent(lifeline: int) -> None:
    """Ends this process when the parent has ended in whatever way."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)
