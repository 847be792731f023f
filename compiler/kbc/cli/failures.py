"""Maps the expected errors of all phases to one sentence with an exit code."""

from __future__ import annotations

import errno

from kb_runtime.cli import runner
from kb_runtime.errors import KbcError
from kb_runtime.version import install_hint
from kbc.diagnostics import BuildError
from kbc.errors import MissingDependencyError, OutputError

BUILDERS = frozenset({"build", "watch", "workspace"})
"""Commands that publish."""
INTERRUPTED = "interrupted; the last published version stays live"
"""What these say when they end early."""
_DENIED = "Choose another folder, or change its permissions."
EXTRA_COMMAND = install_hint("compiler")
EXPLORER_COMMAND = install_hint("explorer")
EXPLORER_MODULES = frozenset({"jinja2", "markupsafe", "nh3", "pygments"})
"""Libraries that only the explorer needs."""


def explain(error: BaseException) -> KbcError | None:
    """The expected error that `error` stands for; None for a defect of kbc. The diagnostics of a build
    are shown on stderr."""
    if isinstance(error, BuildError):
        from kbc.cli import reporting

        reporting.show_diagnostics(error.diagnostics)
    if isinstance(error, ModuleNotFoundError) and error.name in EXPLORER_MODULES:
        return MissingDependencyError(
            f"this command needs the explorer, whose dependency {error.name!r} is not installed",
            EXPLORER_COMMAND,
        )
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("kb"):
        return MissingDependencyError(
            f"this command needs the compiler, whose dependency {error.name!r} is not installed",
            EXTRA_COMMAND,
        )
    found = runner.explain(error)
    if found is None and isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        hint = _DENIED if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else ""
        return OutputError(f"{where}{error.strerror}", hint)
    return found
