"""Runs a command line and turns its outcome into an exit code and at most one sentence on stderr."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import click

from kb_runtime import exit_codes
from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.store.signature import KeyFileError

INTERRUPTED = "interrupted"


class CommandError(Exception):
    """A command that ends in one sentence on stderr and an exit code."""

    def __init__(self, code: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


Explain = Callable[[Exception], CommandError | None]
"""Turns the expected errors of a program into sentences; None for an error that nobody expects."""


def run(
    command: click.Command,
    arguments: Sequence[str],
    program: str,
    explain: Explain,
    interrupted: str = INTERRUPTED,
) -> int:
    """Runs a command line and gives its exit code. `--debug` shows the traceback of an error, and
    with `--json` the error goes to stdout as JSON, too."""
    try:
        result = command.main(list(arguments), prog_name=program, standalone_mode=False)
        return result if isinstance(result, int) else exit_codes.OK
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo(interrupted, err=True)
        return exit_codes.INTERRUPTED
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else exit_codes.INTERNAL
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_codes.OK
    except Exception as error:
        if "--debug" in arguments:
            traceback.print_exc()
        failure = explain(error) or CommandError(
            exit_codes.INTERNAL,
            f"a defect of kbc: {type(error).__name__}: {error}",
            f"run again with `{program} --debug ...` and report what it prints",
        )
        if "--json" in arguments:
            print_json(_failure_json(failure, error))
        click.secho(f"{program}: {failure.message}", err=True, fg="red")
        if failure.hint:
            click.echo(f"  hint: {failure.hint}", err=True)
        return failure.code


def explain(error: Exception) -> CommandError | None:
    """The expected errors of reading an artifact."""
    if isinstance(error, CommandError):
        return error
    if isinstance(error, ArtifactError):
        return CommandError(exit_codes.ARTIFACT, error.message, error.hint)
    if isinstance(error, KeyFileError):
        return CommandError(exit_codes.USAGE, error.message, error.hint)
    if isinstance(error, ToolError):
        codes = {"NOT_FOUND": exit_codes.NOT_FOUND, "UNAVAILABLE": exit_codes.ARTIFACT}
        code = codes.get(error.kind, exit_codes.USAGE)
        names = f"Close names: {', '.join(error.suggestions)}." if error.suggestions else ""
        return CommandError(code, error.message, names)
    return None


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _failure_json(failure: CommandError, error: Exception) -> dict[str, Any]:
    """What `--json` prints in place of a result: the error, and the diagnostics of a build."""
    told: dict[str, Any] = {
        "error": {"message": failure.message, "hint": failure.hint, "exit_code": failure.code}
    }
    diagnostics = getattr(error, "diagnostics", ())
    if diagnostics:
        told["diagnostics"] = [found.as_dict() for found in diagnostics]
    return told
