"""Globs over indexed paths, which narrow a search to some files.

`*` and `?` stay inside a segment, `**` spans segments, `[ab]` and `{a,b}` choose. A pattern without a
slash matches file names at any depth, one with a slash the whole path; a pattern without wildcards also
matches everything in the folder of that name. Case counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kb_runtime.errors import ToolError
from kb_runtime.text.names import DRIVE, quoted

MAX_PATTERN_CHARS = 300
MAX_CHOICES = 100
"""Patterns that the braces of one pattern may stand for."""

MAX_CHOICES_IN_ALL = 500
"""What the braces of all patterns of an argument may stand for: each path is compared with all of it."""

MAX_SPANS = 4
"""`**` segments of one pattern: each multiplies the ways in which a path can be matched."""

_WILD = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_HERE = re.compile(r"\A(?:\./+)+")
_STARS = re.compile(r"\*+")
_CLASS = re.compile(r"\[(?P<negated>[!^]?)(?P<members>[^\]/]+)\]")


class PathGlobs:
    """What a call includes and excludes; `in` asks for a path. Without `include` every path counts.

    `include` and `exclude` are the normalised patterns.
    """

    def __init__(
        self, include: Iterable[str], exclude: Iterable[str] = (), argument: str = "include_paths"
    ) -> None:
        """Raises BAD_INPUT, which names the argument (`argument` is that of `include`), for a pattern
        that cannot be one of a path in the index."""
        self.include = normalise(include, argument)
        self.exclude = normalise(exclude, "exclude_paths")
        self._included = _any_of(self.include, argument) if self.include else None
        self._excluded = _any_of(self.exclude, "exclude_paths") if self.exclude else None

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude)

    def __contains__(self, path: str) -> bool:
        if self._included is not None and not self._included.fullmatch(path):
            return False
        return self._excluded is None or not self._excluded.fullmatch(path)


def normalise(patterns: Iterable[str], argument: str) -> tuple[str, ...]:
    """The patterns with forward slashes, without a leading `./`, a trailing `/` as `/**`, each once.

    Raises BAD_INPUT for absolute patterns, `..`, and patterns that are too long.
    """
    normal: dict[str, None] = {}
    for given in patterns:
        pattern = _HERE.sub("", given.replace("\\", "/"))
        if pattern.startswith(("/", "~")) or DRIVE.match(pattern):
            raise _refused(argument, given, "must be relative to the workspace, not absolute")
        if ".." in pattern.split("/"):
            raise _refused(argument, given, "must not contain `..`")
        if len(pattern) > MAX_PATTERN_CHARS:
            raise _refused(argument, given, f"may have at most {MAX_PATTERN_CHARS} characters")
        if pattern.endswith("/"):
            pattern += "**"
        if pattern and pattern != ".":
            normal[pattern] = None
    return tuple(normal)


def _refused(argument: str, pattern: str, rule: str) -> ToolError:
    return ToolError(
        "BAD_INPUT",
        f"Invalid {argument}: {quoted(pattern)} {rule}",
        next_steps=[f"Give {argument} globs such as `src/**` or `*.py`."],
    )


def _any_of(patterns: Sequence[str], argument: str) -> re.Pattern[str]:
    choices: list[str] = []
    for pattern in patterns:
        choices += _choices(pattern, argument)
        if len(choices) > MAX_CHOICES_IN_ALL:
            rule = (
                f"brings the patterns to more than {MAX_CHOICES_IN_ALL}, with their braces expanded"
            )
            raise _refused(argument, pattern, rule)
    return re.compile("|".join(map(_path_regex, dict.fromkeys(choices))), re.DOTALL)


def _choices(pattern: str, argument: str) -> list[str]:
    choices = [pattern]
    while any(_BRACES.search(choice) for choice in choices):
        choices = [expanded for choice in choices for expanded in _expanded(choice)]
        if len(choices) > MAX_CHOICES:
            raise _refused(argument, pattern, f"expands to more than {MAX_CHOICES} patterns")
    if any(choice.split("/").count("**") > MAX_SPANS for choice in choices):
        raise _refused(argument, pattern, f"may have at most {MAX_SPANS} `**`")
    return choices


def _expanded(pattern: str) -> list[str]:
    match = _BRACES.search(pattern)
    if match is None:
        return [pattern]
    before, after = pattern[: match.start()], pattern[match.end() :]
    return [before + choice + after for choice in match[1].split(",")]


def _path_regex(pattern: str) -> str:
    segments = [segment for segment in pattern.split("/") if segment]
    parts = [] if "/" in pattern else ["(?:[^/]+/)*"]
    for at, segment in enumerate(segments):
        is_last = at == len(segments) - 1
        if segment == "**":
            parts.append(".+" if is_last else "(?:[^/]+/)*")
        else:
            parts.append(_segment_regex(segment) + ("" if is_last else "/"))
    if not _WILD.search(pattern):
        parts.append("(?:/.*)?")
    return "".join(parts)


def _segment_regex(segment: str) -> str:
    """Of several stars, all but the last take as little as possible, once and for all: nothing else
    can make a segment match, and no pattern takes exponential time."""
    first, *pieces = [_literal_regex(piece) for piece in _STARS.split(segment)]
    if not pieces:
        return first
    *middle, last = pieces
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle) + "[^/]*" + last


def _literal_regex(text: str) -> str:
    """A piece without stars: `?`, classes, and characters that stand for themselves."""
    out = []
    at = 0
    while at < len(text):
        match = _CLASS.match(text, at)
        if match is not None:
            negated = "^/" if match["negated"] else ""
            out.append(f"[{negated}{_members(match['members'])}]")
            at = match.end()
            continue
        out.append("[^/]" if text[at] == "?" else re.escape(text[at]))
        at += 1
    return "".join(out)


def _members(members: str) -> str:
    """The inside of a class: ranges that run backwards are three characters."""
    out = []
    at = 0
    while at < len(members):
        first = members[at]
        if at + 2 < len(members) and members[at + 1] == "-" and first <= members[at + 2]:
            out.append(f"{re.escape(first)}-{re.escape(members[at + 2])}")
            at += 3
        else:
            out.append(re.escape(first))
            at += 1
    return "".join(out)
