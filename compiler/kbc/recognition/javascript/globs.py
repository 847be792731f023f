"""Globs of JavaScript's tools, and of DocFX, as patterns of an ignore file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

MAX_PATTERNS = 200
"""That the braces of one glob may stand for."""
_MAX_CHARS = 4_000
"""Of a glob whose braces are looked at."""

_BRACES = re.compile(r"(?P<before>.*?)\{(?P<choices>[^{}]*)\}(?P<after>.*)")
_OTHERS = re.compile(r"(?P<before>[^()]*)!\((?P<names>[^()]*)\)(?P<after>[^()]*)")


def as_ignored(globs: Iterable[str]) -> list[str]:
    """The patterns that leave out what the globs match: those without a folder match at the top alone, and of
    `!(a|b)/*.md` all folders but these."""
    found: dict[str, None] = {}
    for glob in globs:
        for each in spelt_out(glob.removeprefix("./")):
            if others := _OTHERS.fullmatch(each):
                before, after = others["before"], others["after"]
                found[_rooted(f"{before}*{after}")] = None
                for name in others["names"].split("|"):
                    found["!" + _rooted(f"{before}{name}{after}")] = None
            elif each.startswith("!"):
                found["!" + _rooted(each[1:])] = None
            else:
                found[_rooted(each)] = None
    return list(found)


def _rooted(glob: str) -> str:
    return glob if glob.startswith(("/", "**/")) else f"/{glob}"


def spelt_out(glob: str) -> Iterator[str]:
    """The globs that one with braces stands for, at most MAX_PATTERNS."""
    return itertools.islice(_spelt_out(glob), MAX_PATTERNS)


def _spelt_out(glob: str) -> Iterator[str]:
    waiting = [glob]
    while waiting:
        one = waiting.pop()
        if len(one) <= _MAX_CHARS and (found := _BRACES.fullmatch(one)):
            choices = re.split(r"[,|]", found["choices"])
            waiting += [f"{found['before']}{each}{found['after']}" for each in reversed(choices)]
        else:
            yield one
