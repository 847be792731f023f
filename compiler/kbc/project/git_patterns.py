"""Patterns of ignore files as Git reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress

from pathspec import GitIgnoreSpec, RegexPattern

_STAR_BEFORE_ANOTHER = re.compile(
    r"\[\^/\]\*(?P<piece>(?:\\.|\[\^/\](?!\*)|\[(?!\^/\])(?:\\.|[^\]\\])+\]|[^\\\[\](){}*+?|/^$])*)"
    r"(?=\[\^/\]\*)"
)
"""In the library's expressions: a star, and what stands between it and the next one of the same name."""


def git_patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """Like Git, passes over a line that is no pattern.

    Of several stars in a name, all but the last take as little as possible, once and for all: nothing else
    can make a name match, and no pattern takes exponential time.
    """
    found: list[GitIgnoreSpec] = []
    for line in lines:
        with suppress(ValueError):
            found.append(GitIgnoreSpec.from_lines([line]))
    spec = GitIgnoreSpec([each for own in found for each in own.patterns])
    for each in spec.patterns:
        if isinstance(each, RegexPattern) and each.regex is not None:
            stated = each.regex.pattern
            each.regex = re.compile(_STAR_BEFORE_ANOTHER.sub(r"(?>[^/]*?\g<piece>)", stated))
    return spec
