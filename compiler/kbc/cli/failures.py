"""Maps the expected errors of all phases to one sentence with an exit code."""

from __future__ import annotations

from kb_runtime import exit_codes
from kb_runtime.cli import runner
from kb_runtime.cli.runner import CommandError

EXTRA_COMMAND = 'pip install "kbc[compiler]"'


def explain(error: Exception) -> CommandError | None:
    """What `error` means for whoever ran the command; None for a defect of kbc.

    The diagnostics of a build are shown on stderr.
    """
    known = runner.explain(error)
    if known is not None:
        return known
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("kb"):
        return CommandError(
            exit_codes.EXTRA,
            f"this command needs the compiler, whose dependency {error.name!r} is not installed",
            EXTRA_COMMAND,
        )
    return _of_compiler(error)


def defect(error: Exception) -> CommandError:
    """An error that nobody expected."""
    return CommandError(
        exit_codes.INTERNAL,
        f"a defect of kbc: {type(error).__name__}: {error}",
        "run again with `kbc --debug ...` and report what it prints",
    )


def _of_compiler(error: Exception) -> CommandError | None:
    from kbc.diagnostics import BuildError

    if isinstance(error, BuildError):
        from kbc.cli import reporting

        reporting.show_diagnostics(error.diagnostics)
        return CommandError(exit_codes.INPUT, f"{error}; nothing was published")
    try:
        from kbc.encoding.errors import EncodingError, ModelError
        from kbc.following.source_index import TreeError
        from kbc.linking.linker import PublishError
        from kbc.shipping.errors import ShippingError
    except ModuleNotFoundError:
        return None
    if isinstance(error, TreeError):
        return CommandError(exit_codes.INPUT, str(error).rstrip("."))
    if isinstance(error, ModelError):
        return CommandError(exit_codes.MODEL, error.message, error.hint)
    if isinstance(error, ShippingError):
        return CommandError(exit_codes.USAGE, error.message, error.hint)
    if isinstance(error, EncodingError):
        return CommandError(exit_codes.MODEL, str(error))
    if isinstance(error, PublishError):
        return CommandError(exit_codes.OUTPUT, error.message, error.hint)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return CommandError(exit_codes.OUTPUT, f"{where}{error.strerror}")
    return None
