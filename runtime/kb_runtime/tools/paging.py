"""Answers in parts: which items or characters one has, and the cursor with which the next one goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from kb_runtime.text.cursors import bad_cursor, read_cursor, write_cursor
from kb_runtime.text.rendering import cut
from kb_runtime.text.written_json import json_text
from kb_runtime.tools import parameter

One = TypeVar("One")
Shown = TypeVar("Shown")

MARGIN = 600
"""Characters of an answer left for its other fields: titles, cursors, how to go on."""
LIST_ARGUMENTS = (
    parameter.integer("limit", "page size; default: all that fit", 1, 1_000),
    parameter.cursor("nextCursor"),
)
"""The arguments with which a list of everything is read in parts."""


def json_chars(value: Any) -> int:
    """Characters of `value` as JSON without spaces."""
    return len(json_text(value))


def fitting(items: Sequence[Any], chars: int) -> int:
    """How many of the first items take at most `chars` as JSON; at least one, so that pages go on."""
    left = chars
    for count, item in enumerate(items):
        left -= json_chars(item) + 1
        if left < 0:
            return max(count, 1)
    return len(items)


class Page(NamedTuple):
    """Items, or characters, [start, stop), and the cursor of what follows: None on the last page."""

    start: int
    stop: int
    next: str | None


class Pager(NamedTuple):
    """Pages of what one tool answers to one request: `scope` are the arguments that select the whole.
    A cursor of another build, tool or scope is refused, with BAD_INPUT."""

    build_id: str
    tool: str
    scope: Mapping[str, Any]

    def items(self, cursor: str | None, total: int, limit: int | None) -> Page:
        """The next `limit` of `total` items (None: all that are left)."""
        start = self._start(cursor, 0, total)
        return self._page(start, total if limit is None else min(start + limit, total), total)

    def fitting(
        self, cursor: str | None, items: Sequence[Any], limit: int | None, chars: int
    ) -> Page:
        """The next items: at most `limit`, and as many as take `chars` as JSON, but one at least."""
        page = self.items(cursor, len(items), limit)
        stop = page.start + fitting(items[page.start : page.stop], chars - MARGIN)
        return self._page(page.start, stop, len(items))

    def shown(
        self,
        cursor: str | None,
        items: Sequence[One],
        limit: int | None,
        chars: int,
        show: Callable[[One], Shown],
    ) -> tuple[list[Shown], Page]:
        """The next items as `show` gives them, as many as `fitting` takes: only those are made."""
        page = self.items(cursor, len(items), limit)
        entries: list[Shown] = []
        left = chars - MARGIN
        for item in items[page.start : page.stop]:
            entry = show(item)
            left -= json_chars(entry) + 1
            if left < 0 and entries:
                break
            entries.append(entry)
        return entries, self._page(page.start, page.start + len(entries), len(items))

    def part(
        self,
        cursor: str | None,
        text: str,
        limit: int | None,
        start: int = 0,
        stop: int | None = None,
    ) -> Page:
        """The next `limit` code points of `text[start:stop]` (None: all that are left)."""
        end = len(text) if stop is None else stop
        start = self._start(cursor, start, end)
        return self._page(start, end if limit is None else cut(text[:end], start, limit), end)

    def read(self, cursor: str, length: int) -> tuple[int, ...]:
        """The position in a cursor of `length` numbers, which `write` made."""
        return read_cursor(cursor, self.build_id, self.tool, self.scope, length)

    def write(self, *position: int) -> str:
        return write_cursor(self.build_id, self.tool, self.scope, position)

    def _start(self, cursor: str | None, first: int, end: int) -> int:
        if cursor is None:
            return first
        (start,) = self.read(cursor, 1)
        if not first < start < end:
            raise bad_cursor("it is beyond the end")
        return start

    def _page(self, start: int, stop: int, end: int) -> Page:
        return Page(start, stop, self.write(stop) if stop < end else None)
