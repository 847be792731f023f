"""Hides from the parser what keeps it from reading the definitions of a source file.

A grammar is older than some of the programs that it reads. One construct that it does not know, deep in a
method, can cost every definition of the file: the parser gives up the class around it. Hidden are as few
lines as let the rest be read, mostly those of one statement or function. Macros that stand around
definitions are hidden as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

Parse = Callable[[bytes], Node | None]
"""Gives the root of the tree of a text that the grammar reads throughout, else None."""

_GOES_ON = re.compile(rb"[ \t]*(?:[)\]}>{:.?]|(?:end|else|elif|catch|finally|where|then)\b)")
"""A line that does not begin a thing of its own, though it is indented like the one before."""
_ABOVE = re.compile(rb"[ \t]*(?:@[\w.:]+(?:\(.*\))?|\[.*\])\s*$")
"""An annotation that has a line for itself: what it belongs to follows."""
_HOLDING_ITEMS = frozenset({"declaration_list", "impl_item", "mod_item"})
_CLOSING = ord("}")
_MOST_LEVELS = 5
_MOST_LINES, _MOST_OF_FILE = 100, 0.25
"""Lines, or the share of all lines, of a thing that is hidden as a whole: a longer one is likely to hold
definitions that do read."""
_MOST_PARSED = 4_000_000
"""Bytes that are parsed to find what does not read, about a second."""
_RECENT = 8
"""Texts of which it is known whether they read; each may be as long as the file."""


class _Thing(NamedTuple):
    """The lines [first, end) of something, and the runs of those that are indented deeper."""

    first: int
    end: int
    runs: Sequence[tuple[int, int]]


def mended(source: bytes, parse: Parse) -> bytes:
    """The source with blanks in place of what does not read, of the same length."""
    mender = _Mender(source.splitlines(keepends=True), parse)
    mender.mend(0, len(mender.lines), b"", b"", _MOST_LEVELS)
    return b"".join(mender.lines)


def without_item_macros(source: bytes, root: Node, parse: Parse) -> bytes:
    """Rust without `name! {` and `}` around what reads as definitions, outside of functions.
    `root` is the tree of the source."""
    left = bytearray(source)
    to_parse = _MOST_PARSED
    waiting = [(root, 0)]
    while waiting:
        place, offset = waiting.pop()
        for node in place.named_children:
            if node.type in _HOLDING_ITEMS:
                waiting.append((node, offset))
            if node.type != "macro_invocation" or source[offset + node.end_byte - 1] != _CLOSING:
                continue
            first = offset + node.named_children[-1].start_byte + 1
            last = offset + node.end_byte - 1
            to_parse -= last - first
            if to_parse < 0:
                return bytes(left)
            if (items := parse(source[first:last])) is not None:
                start = offset + node.start_byte
                # As a comment that line belongs to what follows.
                is_line = source[first : first + 1].isspace() and b"\n" not in source[start:first]
                head = b"//".ljust(first - start, b"-") if is_line else blank(source[start:first])
                left[start:first] = head
                left[last : last + 1] = b" "
                waiting.append((items, first))
    return bytes(left)


_BLANKS = bytes(each if each in b"\r\n" else ord(" ") for each in range(256))


def blank(text: bytes) -> bytes:
    return text.translate(_BLANKS)


class _Mender:
    def __init__(self, lines: list[bytes], parse: Parse) -> None:
        self.lines = lines
        # What surrounds a thing is tried several times, and so is a thing of which nothing is hidden.
        self._is_read = lru_cache(_RECENT)(lambda text: parse(text) is not None)
        self._left = _MOST_PARSED
        self._most_lines = max(_MOST_LINES, _MOST_OF_FILE * len(lines))

    def mend(self, first: int, end: int, before: bytes, behind: bytes, levels: int) -> None:
        """Hides what does not read in lines [first, end), which stand between `before` and `behind`."""
        for thing in _things(self.lines, first, end):
            if self._fits(before, thing, behind):
                continue
            for start, stop in thing.runs if levels > 1 else ():
                if self._left < 0:
                    return
                first, head, tail = self._around(thing, start, stop, before, behind)
                self.mend(first, stop, head, tail, levels - 1)
            if thing.end - thing.first > self._most_lines or (
                thing.runs and self._fits(before, thing, behind)
            ):
                continue
            for start, stop in thing.runs:
                self._hide(start, stop)
            if not thing.runs or not self._fits(before, thing, behind):
                self._hide(thing.first, thing.end)

    def _around(
        self, thing: _Thing, start: int, stop: int, before: bytes, behind: bytes
    ) -> tuple[int, bytes, bytes]:
        """What reads around lines [start, stop) of a thing, or around those behind a head that goes on in
        them: the rest of the thing, that without its other runs, or only what is around it."""
        deeper = {at for run in thing.runs for at in range(*run)} - {*range(start, stop)}
        opened = (at + 1 for at in range(start, stop) if self.lines[at].rstrip().endswith(b"{"))
        left_out: Collection[int]
        for first in (start, next(opened, start)):
            for left_out in ((), deeper):
                head = before + self._text(
                    at for at in range(thing.first, first) if at not in left_out
                )
                tail = self._text(at for at in range(stop, thing.end) if at not in left_out)
                if self._reads(head + tail + behind):
                    return first, head, tail + behind
        return start, before, behind

    def _fits(self, before: bytes, thing: _Thing, behind: bytes) -> bool:
        return self._reads(before + self._text(range(thing.first, thing.end)) + behind)

    def _reads(self, text: bytes) -> bool:
        self._left -= len(text)
        return self._left < 0 or self._is_read(text)

    def _text(self, places: Iterable[int]) -> bytes:
        return b"".join(map(self.lines.__getitem__, places))

    def _hide(self, first: int, end: int) -> None:
        for at in range(first, end):
            self.lines[at] = blank(self.lines[at])


def _things(lines: Sequence[bytes], first: int, end: int) -> Iterator[_Thing]:
    """What lines [first, end) hold, by their indentation."""
    indents = {at: _indent(lines[at]) for at in range(first, end)}
    least = min((each for each in indents.values() if each >= 0), default=-1)
    level = [at for at, indent in indents.items() if indent == least]
    starts = [
        at
        for above, at in zip([None, *level], level, strict=False)
        if not _GOES_ON.match(lines[at]) and (above is None or not _ABOVE.match(lines[above]))
    ]
    for start, stop in zip(starts, [*starts[1:], end], strict=False):
        runs: list[tuple[int, int]] = []
        goes_on = False  # with nothing but blank lines since the last deeper one
        for at in range(start, stop):
            if indents[at] > least:
                runs.append((runs.pop()[0] if goes_on else at, at + 1))
                goes_on = True
            elif indents[at] == least:
                goes_on = False
        yield _Thing(start, stop, runs)


def _indent(line: bytes) -> int:
    """-1 of a blank line, and of a directive, which may stand at the left in any block."""
    text = line.expandtabs(4)
    found = text.lstrip()
    return len(text) - len(found) if found and not found.startswith(b"#") else -1
