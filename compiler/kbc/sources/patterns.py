"""Patterns of `include` and `exclude`, matched as Git matches those of an ignore file."""

from __future__ import annotations

from collections.abc import Sequence

from kbc.sources.ignore_files import patterns

NOT_INCLUDED = "not in `include`"


class PathPatterns:
    """Which paths of a collection are wanted; a pattern that is none is passed over, as in Git."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._include = patterns(include)
        self._exclude = [(pattern, patterns([pattern])) for pattern in exclude]
        self._excluding = patterns(exclude)
        self._has_include = bool(include)

    def reason(self, path: str) -> str:
        """Why the file at `path` (relative to the collection's folder) is left out; "" if it is not."""
        if self._exclude and self._excluding.match_file(path):
            pattern = next((text for text, spec in self._exclude if spec.match_file(path)), "")
            return f"excluded by {pattern!r}"
        if self._has_include and not self._include.match_file(path):
            return NOT_INCLUDED
        return ""
