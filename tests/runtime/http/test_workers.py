"""A parent and its workers, in a process of their own: the test's has threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.waiting import PATIENCE_S, until

import kb_runtime

RUNTIME = Path(kb_runtime.__file__).parents[1]
PROGRAM = """
import os, signal, sys, time
from kb_runtime.http import workers
workers.FIRST_PAUSE_S = 0.05
workers.STOP_S = {stop_s}
def say(*words):
    # One write a line, also where PYTHONUNBUFFERED is set: several processes share the pipe.
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())
def work(place):
    say("start", place, os.getpid())
    {work}
def when_dead(place):
    say("dead", place)
workers.Workers({places}, work, when_dead).run(lambda: say("ready"))
say("end")
"""
WAIT = "signal.pause()"

Start = Callable[..., "subprocess.Popen[str]"]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")


@pytest.fixture
def start() -> Iterator[Start]:
    """`start(what a worker does, places)`: the parent, whose workers report on its stdout."""
    started: list[subprocess.Popen[str]] = []

    def run(work: str, places: int = 2, stop_s: float = 20) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(work=work, places=places, stop_s=stop_s)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(RUNTIME)},
        )
        started.append(process)
        assert said(process) == ["ready"]
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def said(process: subprocess.Popen[str]) -> list[str]:
    """The words of the next line."""
    assert process.stdout is not None
    return process.stdout.readline().split()


def workers_of(process: subprocess.Popen[str], count: int) -> dict[int, int]:
    """The process ids of the next workers to start, by place."""
    found = [said(process) for _ in range(count)]
    assert {words[0] for words in found} == {"start"}
    return {int(place): int(pid) for _, place, pid in found}


def wait_until_gone(pid: int) -> None:
    until(lambda: not psutil.pid_exists(pid), f"the end of {pid}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_the_parent_ends_all(start: Start, number: signal.Signals) -> None:
    process = start(WAIT, 3)
    workers = workers_of(process, 3)
    assert sorted(workers) == [0, 1, 2]
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert sorted(out.split("\n")) == ["", "dead 0", "dead 1", "dead 2", "end"]
    assert (process.returncode, err) == (0, "")
    assert not any(map(psutil.pid_exists, workers.values()))


def test_a_worker_that_is_killed_gets_a_successor_in_its_place(start: Start) -> None:
    process = start(WAIT)
    workers = workers_of(process, 2)
    os.kill(workers[1], signal.SIGKILL)
    assert said(process) == ["dead", "1"]
    (again,) = workers_of(process, 1).items()
    assert again[0] == 1
    assert again[1] not in workers.values()
    assert psutil.pid_exists(workers[0])
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert err == (
        f"kbc serve: worker {workers[1]} was killed by signal 9; starting another in 0.05 s\n"
    )


def test_a_worker_whose_file_was_cut_short_is_explained(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(bytes(100_000))
    read = (
        f"import mmap; file = open({str(path)!r}, 'r+b'); rows = mmap.mmap(file.fileno(), 0);"
        " file.truncate(0); return rows[50_000]"
    )
    process = start(read, 1)
    workers_of(process, 1)
    assert said(process) == ["dead", "0"]
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert "was killed: a file of the artifact was cut short" in err


def test_a_worker_that_keeps_dying_is_started_less_and_less_often(start: Start) -> None:
    process = start("return 3", 1)
    for _ in range(3):
        assert said(process)[0] == "start"
        assert said(process)[0] == "dead"
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    pauses = [line.split("ended with exit code 3; ")[1] for line in err.splitlines()]
    assert pauses[:3] == [f"starting another in {pause:g} s" for pause in (0.05, 0.1, 0.2)]


def test_a_worker_that_fails_says_why(start: Start) -> None:
    process = start("raise ValueError('why')", 1)
    workers_of(process, 1)
    assert said(process) == ["dead", "0"]
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert "ValueError: why" in err
    assert "ended with exit code 1" in err


def test_a_worker_that_cannot_open_what_it_serves_says_so_in_one_sentence(start: Start) -> None:
    process = start(
        "from kb_runtime.errors import UsageError; raise UsageError('It is gone.', 'Build it.')", 1
    )
    workers_of(process, 1)
    assert said(process) == ["dead", "0"]
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    first, second, *_ = err.splitlines()
    assert first == "kbc serve: a worker cannot serve: It is gone. Build it."
    assert "ended with exit code 1" in second


def test_workers_end_when_the_parent_is_killed(start: Start) -> None:
    process = start(WAIT)
    workers = workers_of(process, 2)
    process.kill()
    process.communicate(timeout=PATIENCE_S)
    for pid in workers.values():
        wait_until_gone(pid)


def test_a_worker_that_does_not_end_is_killed(start: Start) -> None:
    stubborn = "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('ready')"
    process = start(f"{stubborn}\n    while True: time.sleep(1)", 1, stop_s=0.1)
    workers = workers_of(process, 1)
    assert said(process) == ["ready"]
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert "killing 1 workers that did not stop" in err
    assert not psutil.pid_exists(workers[0])


def test_a_signal_that_comes_with_the_first_word_of_the_parent_is_not_lost(start: Start) -> None:
    process = start(WAIT)
    process.terminate()  # as early as anybody can know that there is a server
    out, err = process.communicate(timeout=PATIENCE_S)
    assert out.endswith("end\n")
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_that_end_while_they_start_leave_no_temporary_folders(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    process = start(
        "from kb_runtime.store.temporary_folders import make_folder\n"
        f"    make_folder('links-', {str(tmp_path)!r}); say('made'); signal.pause()"
    )
    words = sorted(said(process) for _ in range(4))
    assert [each[0] for each in words] == ["made", "made", "start", "start"]
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    for _, _, pid in words[2:]:
        wait_until_gone(int(pid))
    assert list(tmp_path.iterdir()) == []


def test_a_parent_that_was_started_to_ignore_hangups_outlives_them(start: Start) -> None:
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start(WAIT)
    finally:
        signal.signal(signal.SIGHUP, previous)
    workers = workers_of(process, 2)
    for each in (process.pid, *workers.values()):
        os.kill(each, signal.SIGHUP)
    os.kill(workers[0], signal.SIGKILL)
    assert said(process) == ["dead", "0"]
    assert workers_of(process, 1)
    assert psutil.pid_exists(workers[1])
