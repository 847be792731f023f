"""Runs a command line and turns its outcome into an exit code and at most one sentence on stderr."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from kb_runtime.errors import KbcError, exit_codes
from kb_runtime.errors.panics import is_panic, without_backtraces
from kb_runtime.errors.shortages import shortage
from kb_runtime.search.encoder import limit_blas_threads
from kb_runtime.text.rendering import encodable

INTERRUPTED = "interrupted"
TERMINATIONS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that ask a process to end: of a supervisor, and of a terminal that was closed."""
_REPEATED_WITHIN_S = 1.0
"""A shell and the kernel both tell that a terminal was closed, and `timeout` signals a process and its group:
what comes so soon must not interrupt the clean-up."""
# Where there is no memory left to make a sentence of.
_NO_MEMORY = b"there is not enough memory; close other programs, or allow more memory\n"

Explain = Callable[[BaseException], KbcError | None]
"""The expected error that an exception stands for; None for a defect."""


def explain(error: BaseException) -> KbcError | None:
    return error if isinstance(error, KbcError) else shortage(error)


def run(
    command: click.Command,
    arguments: Sequence[str],
    program: str,
    explain: Explain = explain,
    interrupted: str = INTERRUPTED,
) -> int:
    """Runs a command line and gives its exit code. `--debug` shows the traceback of an error, and
    with `--json` the error goes to stdout as JSON, too. `TERMINATIONS` interrupt it, as Ctrl-C does; the exit
    code is 128 and the number of the signal then."""
    with _interrupted_by_terminations() as received:
        code = _run(command, arguments, program, explain, interrupted)
    return 128 + received[0] if received else code


@contextmanager
def _interrupted_by_terminations() -> Iterator[list[int]]:
    """While the body runs, `TERMINATIONS` raise `KeyboardInterrupt`, unless this process ignores them; gives
    the numbers of those that came."""
    received: list[int] = []
    last_s = -_REPEATED_WITHIN_S

    def interrupt(number: int, _: object) -> None:
        nonlocal last_s
        received.append(number)
        before_s, last_s = last_s, time.monotonic()
        if last_s - before_s >= _REPEATED_WITHIN_S:
            raise KeyboardInterrupt

    heeded = [each for each in TERMINATIONS if signal.getsignal(each) == signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        heeded = []
    for each in heeded:
        signal.signal(each, interrupt)
    try:
        yield received
    finally:
        for each in heeded:
            signal.signal(each, signal.SIG_DFL)


def _run(
    command: click.Command,
    arguments: Sequence[str],
    program: str,
    explain: Explain,
    interrupted: str,
) -> int:
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # File names that are not text are printed as they are.
            sys.stdout.reconfigure(errors="surrogateescape")
        without_backtraces()
        limit_blas_threads()  # which no command needs; where one cannot be started, it interrupts the process
        result = command.main(list(arguments), prog_name=program, standalone_mode=False)
        return result if isinstance(result, int) else exit_codes.OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        with suppress(OSError):  # of a terminal that was closed
            click.echo(interrupted, err=True)
        return exit_codes.INTERRUPTED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else exit_codes.INTERNAL
    except BrokenPipeError:
        _discard_output()
        return exit_codes.OK
    except BaseException as error:
        if not (isinstance(error, Exception) or is_panic(error)):
            raise
        try:
            return _report(error, arguments, program, explain)
        except MemoryError:
            os.write(2, _NO_MEMORY)
            return exit_codes.SHORTAGE


def _report(error: BaseException, arguments: Sequence[str], program: str, explain: Explain) -> int:
    """Says what went wrong, and gives the exit code for it."""
    if "--debug" in arguments:
        traceback.print_exc()
    failure = explain(error) or defect(error, program)
    if "--json" in arguments:
        try:
            print_json(_as_json(failure))
        except OSError:  # nobody reads it any more, or its disk is full
            _discard_output()
    with suppress(OSError):
        click.secho(f"{program}: {failure.message}", err=True, fg="red")
        if failure.hint:
            click.echo(f"  hint: {failure.hint}", err=True)
    return failure.exit_code


def _discard_output() -> None:
    """Has Python write what is left for stdout, which cannot be written, to nowhere when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def defect(error: BaseException, program: str) -> KbcError:
    """An error that nobody expected."""
    return KbcError(
        "internal",
        f"internal error: {type(error).__name__}: {error}",
        f"run again with `{program} --debug ...` and report the output",
    )


def print_json(value: Any) -> None:
    """File names that are not UTF-8 have lone surrogates, which JSON has escapes for."""
    click.echo(encodable(json.dumps(value, ensure_ascii=False, indent=2)))


def tell(facts: Any, sentence: str, *, as_json: bool) -> None:
    """Prints what a command did: its `facts` as JSON, or a sentence."""
    if as_json:
        print_json(facts)
    else:
        click.echo(sentence)


def _as_json(failure: KbcError) -> dict[str, Any]:
    """What `--json` prints in place of a result: the error, and the diagnostics of a build."""
    shown: dict[str, Any] = {
        "error": {"message": failure.message, "hint": failure.hint, "exit_code": failure.exit_code}
    }
    diagnostics = getattr(failure, "diagnostics", ())
    if diagnostics:
        shown["diagnostics"] = [found.as_dict() for found in diagnostics]
    return shown
