from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kb_runtime.cli.runner import TERMINATIONS, run
from kb_runtime.errors import exit_codes

PATIENCE_S = 60


@pytest.fixture(params=TERMINATIONS)
def termination(request: pytest.FixtureRequest) -> Iterator[int]:
    """A signal that ends a process, which nohup may have had the tests ignore."""
    before = signal.signal(request.param, signal.SIG_DFL)
    yield request.param
    signal.signal(request.param, before)


def cleaned_up(folder: Path, number: int, *, times: int = 1) -> int:
    """The exit code of a command that gets a signal, and again while it cleans up."""

    @click.command()
    def work() -> None:
        (folder / "unfinished").touch()
        try:
            os.kill(os.getpid(), number)
            time.sleep(PATIENCE_S)
        finally:
            for _ in range(times - 1):
                os.kill(os.getpid(), number)
                time.sleep(0)  # where Python calls its handler
            (folder / "unfinished").unlink()

    return run(work, [], "kbc")


def test_a_command_that_is_terminated_cleans_up_and_tells_by_which_signal(
    tmp_path: Path, termination: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cleaned_up(tmp_path, termination) == 128 + termination
    assert list(tmp_path.iterdir()) == []
    assert "interrupted" in capsys.readouterr().err
    assert signal.getsignal(termination) == signal.SIG_DFL


def test_a_signal_that_is_sent_twice_does_not_interrupt_the_clean_up(
    tmp_path: Path, termination: int
) -> None:
    assert cleaned_up(tmp_path, termination, times=3) == 128 + termination
    assert list(tmp_path.iterdir()) == []


def test_a_signal_that_is_ignored_stays_ignored(termination: int) -> None:
    signal.signal(termination, signal.SIG_IGN)
    assert (
        run(click.Command("c", callback=lambda: os.kill(os.getpid(), termination)), [], "kbc") == 0
    )


def test_a_closed_terminal_is_no_error_of_its_own(
    monkeypatch: pytest.MonkeyPatch, termination: int
) -> None:
    def closed(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(click, "echo", closed)
    monkeypatch.setattr(click, "secho", closed)
    command = click.Command("c", callback=lambda: os.kill(os.getpid(), termination))
    assert run(command, [], "kbc") == 128 + termination
    assert run(click.Command("c", callback=closed), [], "kbc") == exit_codes.INTERNAL
