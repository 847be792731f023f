"""Source code, cut where definitions begin and end.

A definition that fits is not cut. A larger one gives its head and its inner definitions; without
inner definitions it is cut at outer lines. Short neighbours share a chunk. Comments and decorators
stay with what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kbc import quint
from kbc.chunking import syntax
from kbc.chunking.assembly import Draft, assemble
from kbc.chunking.budget import TokenBudget
from kbc.chunking.fences import chunk_type
from kbc.chunking.header import SEPARATOR, Header, header, opening_details
from kbc.chunking.languages import language_of
from kbc.chunking.lines import Lines
from kbc.chunking.packing import REMNANT, Passage, pack_lines
from kbc.chunking.plain import code_cuts
from kbc.chunking.syntax import Symbol
from kbc.records import Chunk, Definition, ExampleRecord, Record, TemplateRecord

# Neighbours are joined up to this share of the room, about 150 tokens: larger chunks mix topics.
_JOINED_SHARE = 0.6

# What closes a definition (`}`, `end`) goes with its last part, up to this many tokens.
_CLOSING_TOKENS = 8

_QUINT_COMMENT = re.compile(r"\s*(?://|/?\*)")


@dataclass(frozen=True, slots=True)
class _Segment:
    """A passage; the definitions around it, outermost first; those that begin and end in it."""

    passage: Passage
    path: tuple[Symbol, ...]
    whole: tuple[Symbol, ...] = ()


def chunk_source(record: Record, budget: TokenBudget) -> list[Chunk]:
    language = language_of(record.path) or record.language
    lines = Lines(record.text, budget, first_number=record.line)
    found = _symbols(record, language, lines)
    cuts = code_cuts(lines, 0, len(lines))
    plan = _Plan(record, lines, cuts, opening_details(record))
    segments = _join(list(plan.segments(0, len(lines), found, ())), budget)
    type_ = "config" if chunk_type(language) == "config" else "code"
    return assemble(
        record, lines, [_draft(plan, segment, found, type_, language) for segment in segments]
    )


def _symbols(record: Record, language: str, lines: Lines) -> list[Symbol]:
    """The definitions, with 1-based lines within the record's text."""
    if isinstance(record, ExampleRecord) and record.definitions:
        base = record.line - 1
        return _nested(
            [(found, found.line - base, found.end_line - base) for found in record.definitions],
            lines,
        )
    if language == "quint":
        definitions = quint.scan(record.text).definitions
        return _nested([(found, found.line, found.end_line) for found in definitions], lines)
    return syntax.symbols(record.text, language) or [] if language else []


def _nested(definitions: Sequence[tuple[Definition, int, int]], lines: Lines) -> list[Symbol]:
    """Definitions by their line ranges, each inside the smallest that holds it, with the comments
    right above."""
    found: list[Symbol] = []
    around: list[Symbol] = []
    for definition, line, end_line in sorted(definitions, key=lambda entry: (entry[1], -entry[2])):
        while around and around[-1].end_line < end_line:
            around.pop()
        siblings = around[-1].children if around else found
        first = line
        least = siblings[-1].end_line if siblings else around[-1].own_line if around else 0
        while first - 1 > least and _QUINT_COMMENT.match(lines[first - 2]):
            first -= 1
        symbol = Symbol(
            definition.name, definition.kind, first, end_line, line, definition.signature
        )
        siblings.append(symbol)
        if len(around) < syntax.MAX_DEPTH:
            around.append(symbol)
    return found


class _Plan:
    """Where a record's text is cut."""

    def __init__(
        self, record: Record, lines: Lines, cuts: Sequence[int], opening: Sequence[str]
    ) -> None:
        self.record = record
        self.lines = lines
        self.opening = opening
        self._cuts = cuts
        self._room = lines.budget.room - (lines.budget.header_room if opening else 0)

    def segments(
        self, first: int, end: int, symbols: Sequence[Symbol], path: tuple[Symbol, ...]
    ) -> Iterator[_Segment]:
        """Lines [first, end), which hold `symbols` and lie in the definitions of `path`."""
        room = self._room - self.header(path, own_line=-1).tokens
        position = first
        for index, symbol in enumerate(symbols):
            start = max(symbol.line - 1, position)
            stop = min(max(symbol.end_line, start), end)
            if stop <= start:
                continue  # on a line that the definition before it ends on
            yield from self._packed(position, start, path, room)
            if index + 1 == len(symbols) and self.lines.cost(stop, end) <= _CLOSING_TOKENS:
                stop = end
            yield from self._definition(symbol, start, stop, path, room)
            position = stop
        yield from self._packed(position, end, path, room)

    def _definition(
        self, symbol: Symbol, start: int, stop: int, path: tuple[Symbol, ...], room: int
    ) -> Iterator[_Segment]:
        cost = self.lines.cost(start, stop)
        if cost <= room:
            passage = Passage(self.lines.start(start), self.lines.start(stop), cost)
            yield _Segment(passage, path, (symbol,))
        else:
            yield from self.segments(start, stop, symbol.children, (*path, symbol))

    def _packed(
        self, first: int, end: int, path: tuple[Symbol, ...], room: int
    ) -> Iterator[_Segment]:
        for passage in pack_lines(self.lines, first, end, self._cuts, room):
            yield _Segment(passage, path)

    def header(
        self, path: Sequence[Symbol], *, own_line: int, opening: Sequence[str] = ()
    ) -> Header:
        """Path and names; the innermost signatures that stand above line `own_line` (all for -1)."""
        names = [symbol.name for symbol in path]
        signatures = [
            symbol.signature
            for symbol in reversed(path)
            if symbol.signature and (own_line < 0 or symbol.own_line < own_line)
        ]
        return header([self.record.path, *names], [*opening, *signatures[:2]], self.lines.budget)


def _join(segments: Sequence[_Segment], budget: TokenBudget) -> list[_Segment]:
    """Short neighbours inside the same definition as one segment; a remnant, and what has no visible
    text, joins any neighbour that has room."""
    room = budget.room - budget.header_room
    joined: list[_Segment] = []
    for segment in segments:
        if joined and _may_join(joined[-1], segment, room):
            before = joined.pop()
            passage = Passage(
                before.passage.start,
                segment.passage.end,
                before.passage.cost + segment.passage.cost,
            )
            path = before.path if len(before.path) <= len(segment.path) else segment.path
            segment = _Segment(passage, path, before.whole + segment.whole)
        joined.append(segment)
    return joined


def _may_join(before: _Segment, after: _Segment, room: int) -> bool:
    small = min(before.passage.cost, after.passage.cost)
    together = before.passage.cost + after.passage.cost
    if small == 0:
        return True
    if small < REMNANT:
        return together <= room
    return before.path == after.path and together <= room * _JOINED_SHARE


def _draft(
    plan: _Plan, segment: _Segment, symbols: Sequence[Symbol], type_: str, language: str
) -> Draft:
    passage = segment.passage
    first = plan.lines.number(passage.start) - plan.lines.first_number + 1
    path = segment.path + (segment.whole if len(segment.whole) == 1 else ())
    if not path and segment.whole:
        largest = max(segment.whole, key=lambda symbol: symbol.end_line - symbol.line)
        path = (largest,)
    opening = plan.opening if passage.start == 0 else ()
    found = plan.header(path, own_line=first, opening=opening)
    names = [symbol.name for symbol in segment.path if symbol.own_line >= first]
    names += [symbol.name for symbol in syntax.walk(segment.whole)]
    if passage.start == 0 and isinstance(plan.record, TemplateRecord):
        names = [plan.record.id, plan.record.name, *names]
    symbol = path[-1] if path else None
    trail = (plan.record.title, *(symbol.name for symbol in path))
    return Draft(
        start=passage.start,
        end=passage.end,
        header=found.text,
        type=type_,
        language=language,
        title=SEPARATOR.join((trail[0], ".".join(trail[1:]))) if path else trail[0],
        breadcrumb=trail,
        symbol=symbol.name if symbol else "",
        symbol_kind=symbol.kind if symbol else "",
        signature=symbol.signature if symbol else "",
        identifiers=tuple(dict.fromkeys(names)),
    )
