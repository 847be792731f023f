"""kbc, the knowledge-base compiler.

Its public names are imported when they are first used: `kbc serve` passes through here before its first
answer, and needs none of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kb_runtime.errors import KbcError
    from kb_runtime.version import __version__
    from kbc.diagnostics import BuildError, Diagnostic
    from kbc.following.watching import watch
    from kbc.pipeline.build import build
    from kbc.pipeline.checking import check
    from kbc.pipeline.options import BuildOptions
    from kbc.pipeline.report import BuildReport
    from kbc.shipping.export import export

__all__ = [
    "BuildError",
    "BuildOptions",
    "BuildReport",
    "Diagnostic",
    "KbcError",
    "__version__",
    "build",
    "check",
    "export",
    "watch",
]

if not TYPE_CHECKING:
    _MODULES = {
        "BuildError": "kbc.diagnostics",
        "BuildOptions": "kbc.pipeline.options",
        "BuildReport": "kbc.pipeline.report",
        "Diagnostic": "kbc.diagnostics",
        "KbcError": "kb_runtime.errors",
        "__version__": "kb_runtime.version",
        "build": "kbc.pipeline.build",
        "check": "kbc.pipeline.checking",
        "export": "kbc.shipping.export",
        "watch": "kbc.following.watching",
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
