"""The read-only runtime: opens a compiled artifact, searches it and serves it.

Its public names are imported when they are first used: a server imports this package before its first
answer, and needs none of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kb_runtime.api import KnowledgeBase, builds, open
    from kb_runtime.errors import ArtifactError, KbcError, ToolError
    from kb_runtime.knowledge.examination.comparison import Diff
    from kb_runtime.knowledge.reading.hits import Hit
    from kb_runtime.knowledge.reading.lookup import Record
    from kb_runtime.knowledge.reading.passages import Chunk, Term
    from kb_runtime.search.request import SearchRequest
    from kb_runtime.version import __version__

__all__ = [
    "ArtifactError",
    "Chunk",
    "Diff",
    "Hit",
    "KbcError",
    "KnowledgeBase",
    "Record",
    "SearchRequest",
    "Term",
    "ToolError",
    "__version__",
    "builds",
    "open",
]

if not TYPE_CHECKING:
    _MODULES = {
        "ArtifactError": "errors",
        "Chunk": "knowledge.reading.passages",
        "Diff": "knowledge.examination.comparison",
        "Hit": "knowledge.reading.hits",
        "KbcError": "errors",
        "KnowledgeBase": "api",
        "Record": "knowledge.reading.lookup",
        "SearchRequest": "search.request",
        "Term": "knowledge.reading.passages",
        "ToolError": "errors",
        "__version__": "version",
        "builds": "api",
        "open": "api",
    }

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
