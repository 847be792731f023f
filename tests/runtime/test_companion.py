from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from kb_runtime.companion import COMPANION, Companion


def test_two_calls_wait_for_each_other() -> None:
    meeting = threading.Barrier(2, timeout=60)
    pending = Companion().start(meeting.wait)
    meeting.wait()
    assert pending.result() in (0, 1)


def test_a_call_that_finds_the_companion_at_work_is_made_by_its_caller() -> None:
    companion, ended = Companion(), threading.Event()
    first = companion.start(lambda: ended.wait(60) and threading.get_ident())
    second = companion.start(threading.get_ident)
    assert second.result() == threading.get_ident()
    ended.set()
    assert first.result() not in (False, threading.get_ident())


def test_what_a_call_raises_is_raised_where_its_result_is_wanted() -> None:
    companion = Companion()

    def fail() -> None:
        raise KeyError("pump")

    for _ in range(2):  # the thread goes on
        pending = companion.start(fail)
        with pytest.raises(KeyError, match="pump"):
            pending.result()
    assert companion.start(lambda: 7).result() == 7


def test_a_call_is_made_by_its_caller_where_no_thread_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    companion = Companion()

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        for _ in range(2):
            assert companion.start(threading.get_ident).result() == threading.get_ident()
    assert companion.start(threading.get_ident).result() != threading.get_ident()


def test_a_process_ends_while_its_companion_waits() -> None:
    code = (
        "from kb_runtime.companion import Companion; print(Companion().start(lambda: 7).result())"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (run.stdout, run.stderr, run.returncode) == ("7\n", "", 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_forked_process_has_a_companion_of_its_own() -> None:
    assert COMPANION.start(lambda: 7).result() == 7
    child = os.fork()
    if not child:
        own = COMPANION.start(threading.get_ident).result() != threading.get_ident()
        os._exit(0 if own else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
