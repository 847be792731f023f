"""What a name was meant to be, of those that are known."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from difflib import get_close_matches

_MOST_SUGGESTED = 100


def suggest(name: str, known: Iterable[str]) -> str:
    """The path that is called most alike, in the folder that is: whole paths take long to compare."""
    named: dict[str, list[str]] = {}
    for each in sorted(known):
        named.setdefault(posixpath.basename(each), []).append(each)
    close = get_close_matches(posixpath.basename(name), named, n=1)
    if not close:
        return "Remove it, or add its target."
    (nearest,) = get_close_matches(name, named[close[0]], n=1, cutoff=0)
    return f"Did you mean {nearest!r}?"


class Suggestions:
    """`suggest` for the first hundred different names: each is compared with all that is known, and a site
    with a thousand dead links needs another remedy."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def __call__(self, name: str, known: Iterable[str]) -> str:
        if name not in self._made:
            is_enough = len(self._made) >= _MOST_SUGGESTED
            self._made[name] = suggest(name, () if is_enough else known)
        return self._made[name]
