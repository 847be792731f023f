"""Chunks source code at the beginnings and ends of definitions.

A definition that fits is not cut. A larger one is split into its head and its inner definitions; without
inner definitions it is cut at outer lines. Short neighbours share a chunk. Comments and decorators
stay with the code that they belong to. Of an example program that is longer than a chunk the bodies of
functions are not embedded (`bodies`), so its chunks hold more lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from kb_runtime.store.symbols import MEMBER_HOLDERS
from kbc.chunking.assembly import Draft, assemble
from kbc.chunking.bodies import without_bodies
from kbc.chunking.budget import TokenBudget
from kbc.chunking.header import SEPARATOR, Header, header, opening_details
from kbc.chunking.lines import TextLines
from kbc.chunking.packing import REMNANT, PackedPassage, pack_lines
from kbc.chunking.plain import code_cuts
from kbc.languages import quint, syntax
from kbc.languages.barrels import passes_on
from kbc.languages.containment import TooComplexError
from kbc.languages.definitions.symbol import MAX_DEPTH, Symbol, walk
from kbc.languages.exports import exports
from kbc.languages.fences import chunk_type
from kbc.languages.suffixes import language_of, without_grammar
from kbc.records import CompiledChunk, CompiledRecord, Definition, ExampleRecord, TemplateRecord

# Neighbours are joined up to this share of the room, about 140 tokens: larger chunks mix topics.
_JOINED_SHARE = 0.75

_PREPROCESSED = frozenset({"c", "cpp", "objc"})
"""Languages whose constants of one line, mostly macros, are a run of settings: none stands for the others."""

# What closes a definition (`}`, `end`) goes with its last part, up to this many tokens.
_CLOSING_TOKENS = 8

_PLACED = MEMBER_HOLDERS | {"module"}

_MAGIC_COMMENTS = re.compile(
    r"\ufeff?(?:#[ \t]*(?:-\*-|(?:(?:en)?coding|frozen_string_literal|typed)[ \t]*:)[^\n]*\n|[ \t]*\n)+"
)
"""What a file begins with for its interpreter alone, such as `# frozen_string_literal: true`."""

_QUINT_COMMENT = re.compile(r"\s*(?://|/?\*)")


@dataclass(frozen=True, slots=True)
class _Segment:
    """A passage; the definitions around it, outermost first; those that it holds whole. In a passage
    that has lines of several definitions, both are those of its larger part."""

    passage: PackedPassage
    path: tuple[Symbol, ...]
    whole: tuple[Symbol, ...] = ()


def chunk_source(record: CompiledRecord, budget: TokenBudget) -> list[CompiledChunk]:
    language = record.language or language_of(record.path)
    lines = TextLines(record.text, budget, visible=_shown(record.text), first_number=record.line)
    found = _symbols(record, language, lines)
    if isinstance(record, ExampleRecord) and lines.cost(0, len(lines)) > budget.text_room:
        lines = lines.showing(without_bodies(lines, found, language))
    plan = _Plan(record, lines, found, language)
    segments = _join(list(plan.segments(0, len(lines), found, ())), budget)
    type_ = "config" if chunk_type(language) == "config" else "code"
    drafts = [_draft(plan, segment, type_, language) for segment in segments]
    return assemble(record, lines, drafts)


def _shown(text: str) -> str:
    """The text with blanks for the comments at its top that no reader looks for."""
    found = _MAGIC_COMMENTS.match(text)
    return re.sub(r"[^\n]", " ", found[0]) + text[found.end() :] if found else text


def _symbols(record: CompiledRecord, language: str, lines: TextLines) -> list[Symbol]:
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
    language = language or without_grammar(record.path)
    try:
        return syntax.symbols(record.text, language=language) if language else []
    except TooComplexError:  # its collection has said so
        return []


def _nested(definitions: Sequence[tuple[Definition, int, int]], lines: TextLines) -> list[Symbol]:
    """Definitions by their lines, each inside the smallest that holds it, with the comments right above."""
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
        if len(around) < MAX_DEPTH:
            around.append(symbol)
    return found


class _Plan:
    """Where a record's text is cut. `symbols` are all definitions, by the line they begin on."""

    def __init__(
        self, record: CompiledRecord, lines: TextLines, found: Sequence[Symbol], language: str
    ) -> None:
        self.record = record
        self.lines = lines
        self.opening = opening_details(record)
        self._language = language
        # A copy takes the vectors of the first: a search shows one of them.
        copied = isinstance(record, ExampleRecord) and record.copy_of
        self._place = copied or record.path
        self.symbols = sorted(walk(found), key=lambda symbol: symbol.own_line)
        self._own_lines = [symbol.own_line for symbol in self.symbols]
        self._exports = exports(record.text, language=language)
        kinds = sorted({symbol.kind for symbol in self.symbols})
        self.passes_on = bool(language) and passes_on(record.text, language=language, kinds=kinds)
        self._cuts = code_cuts(lines, 0, len(lines))

    def segments(
        self, first: int, end: int, symbols: Sequence[Symbol], path: tuple[Symbol, ...]
    ) -> Iterator[_Segment]:
        """Lines [first, end), which hold `symbols` and lie in the definitions of `path`."""
        if self._language in _PREPROCESSED:
            symbols = [
                symbol
                for symbol in symbols
                if symbol.kind != "constant" or symbol.own_line < symbol.end_line
            ]
        position = first
        for index, symbol in enumerate(symbols):
            start = max(symbol.line - 1, position)
            stop = min(max(symbol.end_line, start), end)
            if stop <= start:
                continue  # on a line that the definition before it ends on
            yield from self._packed(position, start, path)
            if index + 1 == len(symbols) and self.lines.cost(stop, end) <= _CLOSING_TOKENS:
                stop = end
            cost = self.lines.cost(start, stop)
            if cost <= self._room((*path, symbol), start, stop):
                passage = PackedPassage(self.lines.start(start), self.lines.start(stop), cost)
                yield _Segment(passage, path, (symbol,))
            else:
                yield from self.segments(start, stop, symbol.children, (*path, symbol))
            position = stop
        yield from self._packed(position, end, path)

    def _packed(self, first: int, end: int, path: tuple[Symbol, ...]) -> Iterator[_Segment]:
        if first < end:
            room = self._room(path, first, end)
            for passage in pack_lines(self.lines, first, end, self._cuts, room):
                yield _Segment(passage, path)

    def _room(self, path: tuple[Symbol, ...], first: int, end: int) -> int:
        """What lines [first, end) have beside their header; of those that fit beside any, at least."""
        budget = self.lines.budget
        if (first == 0 and self.opening) or self.lines.cost(first, end) <= budget.text_room:
            return budget.text_room
        return budget.room - self.header(path).tokens

    def header(
        self, path: Sequence[Symbol], *, above: int | None = None, opening: Sequence[str] = ()
    ) -> Header:
        """Path and names; the two innermost signatures, of them those that stand above line `above`: the
        others are in the chunk's text. `module bank` says no more than the name."""
        names = [symbol.name for symbol in path]
        signatures = [
            symbol.signature
            for symbol in reversed(path[-2:])
            if (above is None or symbol.own_line < above)
            and symbol.signature.split()[1:] != [symbol.name]
        ]
        return header([self._place, *names], [*opening, *signatures], self.lines.budget)

    def defined(self, first_line: int, last_line: int) -> list[str]:
        """The names of the definitions that begin on these lines (1-based in the text)."""
        return [symbol.name for symbol in self._begun(first_line, last_line)]

    def defining(self, symbol: Symbol, first_line: int, last_line: int) -> Symbol:
        """`symbol`, or where that adds to a type (`impl`), the type if it begins on these lines as well."""
        if symbol.kind != "implementation":
            return symbol
        alike = (each for each in self._begun(first_line, last_line) if each.name == symbol.name)
        return next((each for each in alike if each.kind != "implementation"), symbol)

    def _begun(self, first_line: int, last_line: int) -> Sequence[Symbol]:
        """The definitions that begin on these lines."""
        begin = bisect_left(self._own_lines, first_line)
        return self.symbols[begin : bisect_right(self._own_lines, last_line)]

    def exported(self, first_line: int, last_line: int) -> list[str]:
        """The names that these lines pass on from elsewhere."""
        return [one.name for one in self._exports if first_line <= one.line <= last_line]


def _join(segments: Sequence[_Segment], budget: TokenBudget) -> list[_Segment]:
    """Short neighbours inside the same definition as one segment; a remnant, and what has no visible
    text, joins any neighbour that has room, rather one inside the same definition. What little stands above a
    definition goes with all that its head has become."""
    room = budget.text_room
    joined: list[_Segment] = []
    for index, segment in enumerate(segments):
        if joined and _may_join(joined[-1], segment, room):
            following = segments[index + 1] if index + 1 < len(segments) else None
            if not (
                following is not None
                and joined[-1].path != segment.path == following.path
                and _may_join(segment, following, room)
            ):
                segment = _joined(joined.pop(), segment)
        joined.append(segment)
    whole: list[_Segment] = []
    for segment in joined:
        if whole and _is_above(whole[-1], segment) and _may_join(whole[-1], segment, room):
            segment = _joined(whole.pop(), segment)
        whole.append(segment)
    return whole


def _is_above(before: _Segment, after: _Segment) -> bool:
    """Whether `before` is a remnant that holds no definition, in one that `after` is within."""
    is_remnant = not before.whole and before.passage.cost < REMNANT
    return is_remnant and before.path == after.path[: len(before.path)]


def _may_join(before: _Segment, after: _Segment, room: int) -> bool:
    small = min(before.passage.cost, after.passage.cost)
    together = before.passage.cost + after.passage.cost
    if small == 0:
        return True
    if small < REMNANT:
        return together <= room
    return before.path == after.path and together <= room * _JOINED_SHARE


def _joined(before: _Segment, after: _Segment) -> _Segment:
    passage = before.passage.joined(after.passage)
    if before.path == after.path:
        return _Segment(passage, before.path, before.whole + after.whole)
    larger = before if before.passage.cost >= after.passage.cost else after
    return _Segment(passage, larger.path, larger.whole)


def _only_one(around: Symbol) -> Symbol | None:
    """The type or module that a module holds if it holds nothing else: it is then no more than its place."""
    held = around.children if around.kind == "module" else ()
    return held[0] if len(held) == 1 and held[0].kind in _PLACED else None


def _draft(plan: _Plan, segment: _Segment, type_: str, language: str) -> Draft:
    passage = segment.passage
    base = plan.lines.first_number - 1
    first = plan.lines.number(passage.start) - base
    last = plan.lines.number(passage.end - 1) - base
    path = segment.path
    has_head = bool(path) and path[-1].own_line >= first
    if len(segment.whole) == 1 and not has_head:
        path = (*path, segment.whole[0])
    elif segment.whole and not path:
        path = (max(segment.whole, key=lambda symbol: symbol.end_line - symbol.line),)
    while (
        path and (held := _only_one(path[-1])) and first <= held.own_line <= held.end_line <= last
    ):
        path = (*path, held)
    names = plan.defined(first, last)
    opening: Sequence[str] = ()
    if passage.start == 0:
        opening = plan.opening
        if isinstance(plan.record, TemplateRecord):
            names = [plan.record.id, plan.record.name, *names]
    symbol = plan.defining(path[-1], first, last) if path else None
    trail = (plan.record.title, *(outer.name for outer in path))
    chunk = partial(
        CompiledChunk,
        type=type_,
        language=language,
        title=SEPARATOR.join((trail[0], ".".join(trail[1:]))) if path else trail[0],
        breadcrumb=trail,
        symbol=symbol.name if symbol else "",
        symbol_kind=symbol.kind if symbol else "",
        signature=symbol.signature if symbol else "",
        identifiers=tuple(dict.fromkeys(names)),
        exports=tuple(dict.fromkeys(plan.exported(first, last))),
        passes_on=plan.passes_on,
    )
    above = plan.header(path, above=first, opening=opening)
    return Draft(passage.start, passage.end, above.text, chunk)
