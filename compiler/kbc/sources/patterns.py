"""Patterns of `include` and `exclude`, matched as Git matches those of an ignore file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from kbc.sources.ignore_files import patterns

NOT_INCLUDED = "not in `include`"


_ONE_PLACE = re.compile(r"/[^\s*?\[\]\\!](?:[^*?\[\]\\]*[^\s*?\[\]\\/])?")
"""A pattern that is the path of a file or folder. It is looked up: thousands cost no more than a few."""


class PathPatterns:
    """Which paths of a collection are wanted; a pattern that is none is passed over, as in Git."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._include = patterns(include)
        is_ordered = any(pattern.startswith("!") for pattern in exclude)
        self._places = {
            pattern for pattern in exclude if not is_ordered and _ONE_PLACE.fullmatch(pattern)
        }
        others = [pattern for pattern in exclude if pattern not in self._places]
        self._exclude = [(pattern, patterns([pattern])) for pattern in others]
        self._excluding = patterns(others)
        self._has_include = bool(include)

    def reason(self, path: str) -> str:
        """Why the file at `path` (relative to the collection's folder) is left out; "" if it is not."""
        if self._places:
            above = (f"/{each}" for each in PurePosixPath(path).parents)
            if place := next((each for each in (f"/{path}", *above) if each in self._places), ""):
                return f"excluded by {place!r}"
        if self._exclude and self._excluding.match_file(path):
            pattern = next((text for text, spec in self._exclude if spec.match_file(path)), "")
            return f"excluded by {pattern!r}"
        if self._has_include and not self._include.match_file(path):
            return NOT_INCLUDED
        return ""
