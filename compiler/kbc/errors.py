"""Errors of the compiler that belong to no room: see `kb_runtime.errors` for the family."""

from __future__ import annotations

from kb_runtime.errors import SingleCodeError, exit_codes


class InputError(SingleCodeError):
    """A file given to a command does not hold what it should."""

    code = "input"
    exit_code = exit_codes.INPUT


class OutputError(SingleCodeError):
    """A file or folder cannot be written or read."""

    code = "output"
    exit_code = exit_codes.OUTPUT


class BelowBoundError(SingleCodeError):
    """An evaluation is below a bound that was asked for."""

    code = "below-bound"
    exit_code = exit_codes.BELOW


class MissingDependencyError(SingleCodeError):
    """The compiler's dependencies are not installed; the hint is the command that installs them."""

    code = "compiler-missing"
    exit_code = exit_codes.EXTRA
