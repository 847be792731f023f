"""Chunks Markdown and MDX, section by section.

A section that fits is one chunk. A larger one is cut between its blocks, inside a block only when
there is no other way: lists between items, tables between rows, code at outer lines. A heading
stays with what it introduces; a section too short to be found alone joins its neighbour under the
same parent. Front matter belongs to the first chunk and is not embedded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from kb_runtime.text.members import MemberPath
from kbc.chunking import fenced, members
from kbc.chunking.assembly import Draft, assemble
from kbc.chunking.budget import TokenBudget
from kbc.chunking.header import SEPARATOR, Header, beginning, header, opening_details
from kbc.chunking.lines import TextLines
from kbc.chunking.markdown_cuts import block_cuts
from kbc.chunking.members import Heading, SectionMembers
from kbc.chunking.packing import REMNANT, PackedPassage, pack_lines
from kbc.chunking.passage_types import coded_lines, passage_type
from kbc.chunking.visible import visible_text
from kbc.languages import answers, markdown
from kbc.languages.fences import chunk_type
from kbc.languages.markdown import Block, Fence
from kbc.records import (
    BuiltinRecord,
    CompiledChunk,
    CompiledRecord,
    DocRecord,
    PageRecord,
    PatternRecord,
    TemplateRecord,
)

# A section below this many tokens is too little to be found alone: it joins a neighbour, unless the
# two together would leave more than half of the room unused for one topic. A remnant joins always.
_SMALL_SECTION = 48

_CODE_SPAN = re.compile(r"(?<!`)`++([^`]+)`+")

# Of an underlined heading, which may have any number: a name is in the first.
_HEADING_LINES = 3
# Of what stands below a heading: signatures are there at once.
_LINES_BELOW = 4

# A heading's own words when they name something of a program: `setOfMaps`, `foo_bar()`, `a::b`.
_CODE_NAME = re.compile(r"(?=\S*(?:[a-z][A-Z]|_|\(|::|\w\.\w))[\w.:$#@!?-]+(?:\([^()]*\))?")

# Titles that say nothing without their parent's.
_DEPENDENT_TITLES = frozenset([
    "api", "arguments", "caveats", "definition", "description", "details", "errors", "example",
    "examples", "faq", "introduction", "limitations", "motivation", "notes", "options", "output",
    "overview", "parameters", "properties", "remarks", "results", "return", "returns", "semantics",
    "signature", "summary", "syntax", "template", "usage",
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Section:
    """Lines [first, end): a heading and what follows it up to the next heading; `level` 0 is the
    text before the first heading. `path` are the titles from the outermost heading to this one."""

    first: int
    end: int
    level: int = 0
    path: tuple[str, ...] = ()
    anchor: str = ""
    heading_end: int = 0  # the line after the heading
    line: int = 0  # the number of the heading's line

    def heading_lines(self, lines: TextLines) -> range:
        return range(self.line - lines.first_number, self.heading_end) if self.level else range(0)


@dataclass(frozen=True, slots=True)
class _Group:
    """A passage with the sections it holds parts of: `first` to `last`, as indexes."""

    passage: PackedPassage
    first: int
    last: int
    level: int  # of the section it begins in
    language: str | None = None  # of the fence that it was set apart for
    introduction: str = ""  # the line before that fence where it is in the group before


@dataclass(frozen=True, slots=True)
class _Page:
    """What the chunks of one record share; `trails`, `headers`, `members` and `answers` are by section,
    `coded` is by line."""

    record: CompiledRecord
    lines: TextLines
    sections: Sequence[_Section]
    trails: Sequence[tuple[str, ...]]
    headers: Sequence[Header]
    members: Sequence[SectionMembers]
    coded: Mapping[int, str]
    opening: tuple[str, ...]
    answers: Sequence[int]


def chunk_markdown(record: CompiledRecord, budget: TokenBudget) -> list[CompiledChunk]:
    is_mdx = record.path.lower().endswith(".mdx")
    if isinstance(record, DocRecord):
        is_mdx = record.format == "mdx"
    document = markdown.parse(record.text, mdx=is_mdx)
    visible = visible_text(record, document, is_mdx=is_mdx)
    lines = TextLines(record.text, budget, visible=visible.text, first_number=record.line)
    base = record.line - 1  # the parser counts from the record's first line
    blocks = [
        replace(block, start_line=block.start_line + base, end_line=block.end_line + base)
        for block in document.blocks
    ]
    sections = _sections(lines, blocks, _anchors(record, document))
    trails = [_trail(record, section) for section in sections]
    opening = opening_details(record)
    headers = [header(trail, [], budget) for trail in trails]
    rooms = [budget.room - found.tokens for found in headers]
    if opening:
        lead = 0
        while lead + 1 < len(sections) and _only_introduces(lines, sections, lead):
            lead += 1
        rooms[0] = budget.room - header(trails[lead], opening, budget).tokens
    cuts = block_cuts(lines, blocks, min(rooms))
    answered = _answers(lines, sections)
    if isinstance(record, BuiltinRecord):
        groups = _whole(lines, sections, rooms[0], cuts)
    else:
        groups = _merge(lines, _group(lines, sections, rooms, cuts), answered)
    if isinstance(record, PageRecord):  # whose search filters by type and language
        fences = [
            replace(each, start_line=each.start_line + base, end_line=each.end_line + base)
            for each in document.fences
        ]
        groups = [part for group in groups for part in _set_apart(lines, sections, group, fences)]
    named = members.of_sections([_heading(lines, one) for one in sections])
    coded = coded_lines(lines, blocks)
    page = _Page(record, lines, sections, trails, headers, named, coded, opening, answered)
    return assemble(record, lines, [_draft(page, group) for group in groups], visible.comments)


def _anchors(record: CompiledRecord, document: markdown.Document) -> dict[int, str]:
    """Line -> anchor of the heading there, by the rules of the record's collection."""
    if isinstance(record, (DocRecord, PageRecord)) and record.sections:
        return {section.line: section.anchor for section in record.sections}
    own = markdown.sections(document)
    return {section.line + record.line - 1: section.anchor for section in own}


def _sections(
    lines: TextLines, blocks: Sequence[Block], anchors: Mapping[int, str]
) -> list[_Section]:
    """The sections in order; together they have all lines."""
    found = [_Section(0, 0)]
    open_headings: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind != "heading":
            continue
        first, heading_end = lines.indexes(block.start_line, block.end_line)
        while open_headings and open_headings[-1][0] >= block.level:
            open_headings.pop()
        open_headings.append((block.level, block.title))
        found[-1] = replace(found[-1], end=first)
        path = tuple(title for _, title in open_headings)
        found.append(
            _Section(
                first,
                0,
                block.level,
                path,
                anchors.get(block.start_line, ""),
                heading_end,
                block.start_line,
            )
        )
    found[-1] = replace(found[-1], end=len(lines))
    if found[0].end == 0 and len(found) > 1:
        del found[0]
    elif len(found) > 1 and lines.cost(0, found[0].end) == 0:  # front matter, blank lines
        found[1] = replace(found[1], first=0)
        del found[0]
    return found


def _trail(record: CompiledRecord, section: _Section) -> tuple[str, ...]:
    """The document's title and the headings; a title that repeats the one before it is left out."""
    trail = [record.title]
    for title in section.path:
        if title and title.casefold() != trail[-1].casefold():
            trail.append(title)
    return tuple(trail)


def _group(
    lines: TextLines, sections: Sequence[_Section], rooms: Sequence[int], cuts: Sequence[int]
) -> list[_Group]:
    """Each section's passages. A heading with nothing of its own goes with the section below it."""
    groups: list[_Group] = []
    index = 0
    while index < len(sections):
        last = index
        while last + 1 < len(sections) and _only_introduces(lines, sections, last):
            last += 1
        room = min(rooms[index : last + 1])
        first_line = sections[index].first
        for passage in pack_lines(lines, first_line, sections[last].end, cuts, room):
            whole = passage.start == lines.start(first_line)
            first = index if whole else last
            groups.append(_Group(passage, first, last, sections[first].level))
        index = last + 1
    return groups


def _set_apart(
    lines: TextLines, sections: Sequence[_Section], group: _Group, fences: Sequence[Fence]
) -> Iterator[_Group]:
    """A group of its own for each fence in `group`; blank lines behind a fence, with which a piece may
    begin, are of no section."""
    passage = group.passage
    found = fenced.pieces(lines, passage.start, passage.end, fences)
    if len(found) == 1:
        yield replace(group, language=found[0].language)
        return
    for piece in found:
        text = lines.text[piece.start : piece.end]
        start = piece.start + len(text) - len(text.lstrip() or text)
        among = range(group.first, group.last + 1)
        inside = _inside(lines, sections, among, start, piece.end) or among
        first = inside[0]
        cost = lines.cost(*lines.holding(piece.start, piece.end))
        yield _Group(
            PackedPassage(piece.start, piece.end, cost),
            first,
            inside[-1],
            sections[first].level,
            piece.language,
            piece.introduction,
        )


def _inside(
    lines: TextLines, sections: Sequence[_Section], among: range, start: int, end: int
) -> Sequence[int]:
    """The sections `among` these indexes that have some of characters [start, end)."""
    return [
        index
        for index in among
        if lines.start(sections[index].first) < end and lines.start(sections[index].end) > start
    ]


def _only_introduces(lines: TextLines, sections: Sequence[_Section], index: int) -> bool:
    section = sections[index]
    return (
        section.level > 0
        and lines.cost(section.heading_end, section.end) == 0
        and sections[index + 1].level > section.level
    )


def _whole(
    lines: TextLines, sections: Sequence[_Section], room: int, cuts: Sequence[int]
) -> list[_Group]:
    """An entry with its sub-headings as one passage, or as few as possible. `room` is that of the
    first; the headers of further ones have the entry's signature as well."""
    if lines.cost(0, len(lines)) > room:
        room = lines.budget.text_room
    groups = []
    for passage in pack_lines(lines, 0, len(lines), cuts, room):
        inside = _inside(lines, sections, range(len(sections)), passage.start, passage.end)
        groups.append(_Group(passage, inside[0], inside[-1], sections[inside[0]].level))
    return groups


def _answers(lines: TextLines, sections: Sequence[_Section]) -> list[int]:
    above = [
        index for index in range(len(sections) - 1) if _only_introduces(lines, sections, index)
    ]
    titled = [(section.level, section.path[-1] if section.path else "") for section in sections]
    return answers.of_sections(titled, above)


def _merge(lines: TextLines, groups: Sequence[_Group], answered: Sequence[int]) -> list[_Group]:
    """Small sections joined to the next one, or, when that cannot be, to the one before; those of different
    answers stay apart."""

    def may_join(before: _Group, after: _Group, small: int) -> bool:
        is_same = answered[before.last] == answered[after.first]
        return is_same and _may_join(before, after, small, room)

    room = lines.budget.text_room
    forward: list[_Group] = []
    for group in groups:
        if forward and may_join(forward[-1], group, forward[-1].passage.cost):
            group = _join(forward.pop(), group)
        forward.append(group)
    merged: list[_Group] = []
    for group in forward:
        if merged and may_join(merged[-1], group, group.passage.cost):
            group = _join(merged.pop(), group)
        merged.append(group)
    return merged


def _may_join(before: _Group, after: _Group, small: int, room: int) -> bool:
    """Whether a group of `small` tokens, one of the two, gives up its independence."""
    if after.level < before.level or before.last == after.first:
        return False
    together = before.passage.cost + after.passage.cost
    return together <= (room if small < REMNANT else room // 2) and small < _SMALL_SECTION


def _join(before: _Group, after: _Group) -> _Group:
    return _Group(before.passage.joined(after.passage), before.first, after.last, before.level)


def _draft(page: _Page, group: _Group) -> Draft:
    lines, sections, passage = page.lines, page.sections, group.passage
    lead = _lead(lines, sections, group)
    section, trail = sections[lead], page.trails[lead]
    inside = sections[group.first : group.last + 1]
    documented: list[MemberPath] = []
    names: list[str] = []
    for found, (own, _) in zip(inside, page.members[group.first : group.last + 1], strict=True):
        if lines.start(found.first) >= passage.start:
            documented += own
            names += [path[-1] for path in own] or _heading_names(lines, found)
    text = lines.visible[passage.start : passage.end]
    is_texinfo = page.record.language == "texinfo"
    documented += members.defined_in(text, page.members[lead].owner, is_texinfo=is_texinfo)
    details = page.opening if passage.start == 0 else ()
    signature = ""
    if isinstance(page.record, BuiltinRecord):
        section = sections[0]  # an entry is one thing, whichever of its headings a chunk is under
        signature = page.record.signature
        if signature not in lines.text[passage.start : passage.end]:
            details = (signature, *details)
    if passage.start == 0:
        names = [*_record_names(page.record), *names]
    above = header(trail, details, lines.budget) if details else page.headers[lead]
    if group.introduction:
        introduced = header(trail, (*details, group.introduction), lines.budget)
        if introduced.tokens + passage.cost <= lines.budget.room:
            above = introduced
    if group.language is not None:
        type_, language = chunk_type(group.language), group.language
    else:
        headings = [found.heading_lines(lines) for found in inside]
        type_, language = passage_type(lines, passage, headings, page.coded)
    chunk = partial(
        CompiledChunk,
        type=type_,
        language=language,
        title=_title(trail),
        breadcrumb=trail,
        answer=page.answers[lead],
        embedded_summary=_question(page, group, lead),
        anchor=section.anchor,
        section_line=section.line,
        section_level=section.level,
        signature=signature,
        identifiers=tuple(dict.fromkeys(names)),
        members=tuple(dict.fromkeys(map(".".join, documented))),
    )
    return Draft(passage.start, passage.end, above.text, chunk)


def _question(page: _Page, group: _Group, lead: int) -> str:
    """The question that a chunk begins to answer; "" where it goes on with an answer or has none."""
    answer = page.answers[lead]
    first = page.answers.index(answer, group.first)
    section = page.sections[first]
    goes_on = first > 0 and page.answers[first - 1] == answer
    if not answer or goes_on or page.lines.start(section.first) < group.passage.start:
        return ""
    return beginning(section.path[-1], page.lines.budget)


def _record_names(record: CompiledRecord) -> tuple[str, ...]:
    match record:
        case BuiltinRecord():
            return (record.name, *record.aliases)
        case PatternRecord() | TemplateRecord():
            return (record.id, record.name)
        case _:
            return ()


def _lead(lines: TextLines, sections: Sequence[_Section], group: _Group) -> int:
    """The section that a group is named after: its first, or, where that only introduces the ones
    below it and there is just one of these, the one below."""
    lead = group.first
    while lead < group.last and _only_introduces(lines, sections, lead):
        below = sections[lead + 1]
        if any(sections[index].level <= below.level for index in range(lead + 2, group.last + 1)):
            break
        lead += 1
    return lead


def _title(trail: tuple[str, ...]) -> str:
    shown = 2 if trail[-1].casefold() in _DEPENDENT_TITLES else 1
    return SEPARATOR.join([trail[0], *trail[1:][-shown:]])


def _heading(lines: TextLines, section: _Section) -> Heading:
    """A heading as it is written, without the line that underlines it."""
    found = [lines[index].strip() for index in section.heading_lines(lines)[:_HEADING_LINES]]
    if len(found) > 1 and not found[-1].strip("=-"):
        del found[-1]
    under = (lines[index].strip() for index in range(section.heading_end, section.end))
    below = list(islice(filter(None, under), _LINES_BELOW))
    return Heading(section.level, " ".join(found), section.anchor, below)


def _heading_names(lines: TextLines, section: _Section) -> list[str]:
    """The names of a program that a heading is about: code spans, and words that look like names."""
    names = []
    for index in section.heading_lines(lines):
        spans = [span.strip() for span in _CODE_SPAN.findall(lines[index])]
        names += [span for span in spans if span and " " not in span]
    if section.path:
        names += [word for word in section.path[-1].split() if _CODE_NAME.fullmatch(word)]
    return names
