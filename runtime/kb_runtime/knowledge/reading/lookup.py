"""Records by what a caller calls them: an address, a hit's id, a path, its ending, a name, or the name of
an object that they describe or define."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kb_runtime.errors import ToolError
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import (
    PATH_SUGGESTIONS,
    NameIndex,
    quoted,
    resolve,
    resolve_ending,
    suggest,
)
from kb_runtime.text.tables import count_of
from kb_runtime.text.tests import is_test
from kb_runtime.text.typed_names import TypedName, readings, section_called, tidy, unquoted
from kb_runtime.text.urls import is_web_address, page_key

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.records.entries import AnyEntry
    from kb_runtime.text.globs import PathGlobs

Resolver = Callable[[str, Sequence[NameIndex]], tuple[int, int] | None]

_HIT_ID = re.compile(r"(?:builtin|doc|example|pattern|template|extra|guideline:[a-z]+):(?=.)")
"""What search hits of some tools put before a record's id."""


_OBJECT = re.compile(r"[^\W\d][\w!?$]*(?:(?:\.|::|#)[^\W\d][\w!?$]*)*(?:\(\))?")
_SEPARATORS = re.compile(r"\.|::|#|/")
_SHORT_NAME = re.compile(r"[a-z]{2,4}")
"""What a package may be imported as, by some of its letters: `np`, `eqx`."""

_CANDIDATES = 40
_PER_RECORD = 3
"""Passages that are looked at for an object, and those of one record."""


class Place(NamedTuple):
    """Where a record is: its collection, and its position there. `lines` are the first and the last line of
    what a name means, where that is only a section or a definition of it."""

    info: CollectionInfo
    position: int
    lines: tuple[int, int] | None = None


class Record(NamedTuple):
    """A record as stored. `data` has all of its fields, which depend on the collection's `kind`: see
    `kb_runtime.records.entries`. `lines` are as in `Place`."""

    address: str
    collection: str
    kind: str
    data: AnyEntry
    lines: tuple[int, int] | None = None

    @property
    def id(self) -> str:
        """Its name within the collection."""
        return self.data["id"]

    @property
    def title(self) -> str:
        return self.data.get("title") or self.id

    @property
    def text(self) -> str:
        """The text as stored: line numbers of hits count in it, from `data["line"]` on. Of a record that only
        has others, such as a workshop: what it has."""
        data: Any = self.data
        text: str = data.get("text") or data.get("content", "")
        return text

    def __str__(self) -> str:
        if self.lines is None:
            return f"# {self.title}\n# {self.address}\n\n{self.text}"
        (start, end), first = self.lines, self.data.get("line", 1)
        part = "\n".join(self.text.split("\n")[start - first : end - first + 1])
        return f"# {self.title}\n# {self.address} lines {start}-{end}\n\n{part}"


def record_id(name: str) -> str:
    """The record id inside a `kb://` address or a search hit's id; other names as they are."""
    address = parse_address(name)
    if address is not None:
        return address[2]
    return _HIT_ID.sub("", name, count=1) if _HIT_ID.match(name) else name


def get(knowledge: Knowledge, name: str, collection: str | None = None) -> Record:
    """The record that a name means, in one collection or anywhere. Raises `ToolError` NOT_FOUND."""
    return record_at(knowledge, find(knowledge, name, collection)[0])


def record_at(knowledge: Knowledge, place: Place) -> Record:
    info, position, lines = place
    data = knowledge.catalog(info.name)[position]
    address = knowledge.address(info.name, data["id"])
    return Record(address, info.name, info.kind, cast("AnyEntry", data), lines)


def find(
    knowledge: Knowledge,
    name: str,
    collection: str | None = None,
    next_steps: Sequence[str] = (),
) -> list[Place]:
    """Where the record is that a name means; behind it those that other knowledge bases call the same. The
    name may begin with a collection's, or with a kind in the singular, and a colon, as `kbc eval` prints it.
    It may also be an address without `kb://`. Behind it may be a `#` with a section, or lines, which then are
    those of the place. A name that no record has may be that of an object, such as a function: then it is
    where that is described, otherwise where it is defined.

    Raises `ToolError` NOT_FOUND, which tells `next_steps`.
    """
    address = parse_address(unquoted(name))
    if address and not is_known(knowledge, address[0]):
        served = ", ".join(part.manifest["name"] for part in knowledge.served)
        raise ToolError(
            "NOT_FOUND",
            f"{quoted(name)} belongs to the knowledge base {quoted(address[0])}, which is not searched here;"
            f" available: {served}",
            next_steps=next_steps,
        )
    wanted = collection or (address[1] if address else None)
    names = knowledge.addressed(*address[:2]) if address and not collection else ()
    infos = [knowledge.collection(each) for each in names]
    if not infos:
        infos = [named_collection(knowledge, wanted)] if wanted else list(knowledge.collections)
    bare = address[2] if address else record_id(name)
    if found := _find_any(knowledge, infos, (name, bare)):
        return found
    from urllib.parse import unquote

    # Of an address the scheme may be missing, or all before the collection.
    first, _, rest = name.partition("/")
    bare_address = rest if address is None and is_known(knowledge, first) else name
    for separator in ":/":
        prefix, _, id = bare_address.partition(separator)
        of_prefix = [each for each in infos if prefix in (each.name, each.kind.removesuffix("s"))]
        if of_prefix and (found := _find_any(knowledge, of_prefix, (id, unquote(id)))):
            return found
    if described := _described(knowledge, infos, bare):
        return [described]
    known = [id for each in infos for id in knowledge.catalog(each.name).ids()]
    within = f" in {wanted}" if wanted else ""
    folder = tidy(bare).strip("/").casefold()
    if folder and (inside := [id for id in known if f"/{folder}/" in f"/{id.casefold()}"]):
        message = f"{quoted(name)} is a folder with {count_of(len(inside), 'record')}{within}, not a record"
        suggestions = sorted(dict.fromkeys(inside), key=lambda id: id.count("/"))[:PATH_SUGGESTIONS]
    else:
        message = f"there is no record {quoted(name)}{within}"
        suggestions = suggest(bare, dict.fromkeys(known), PATH_SUGGESTIONS)
    raise ToolError("NOT_FOUND", message, suggestions=suggestions, next_steps=next_steps)


def _find_any(
    knowledge: Knowledge, infos: Sequence[CollectionInfo], names: Sequence[str]
) -> list[Place]:
    """What the first of `names` with a meaning means, or a reading of the last.

    A collection of pages knows the address of each: one that is not there means no page that it ends like.
    """
    bare = names[-1]
    forms = [*map(TypedName, names), *readings(bare)]
    by_ending = infos
    if is_web_address(bare):
        forms.append(TypedName(page_key(bare)))
        by_ending = [info for info in infos if info.kind != "pages"]
    candidates: dict[str, TypedName] = {}
    for form in filter(attrgetter("name"), forms):
        candidates.setdefault(form.name, form)
    for resolver, among in ((resolve, infos), (resolve_ending, by_ending)):
        for candidate in candidates.values():
            if found := look_up(knowledge, among, resolver, candidate.name):
                return [_part(knowledge, place, candidate) for place in found]
    return []


def _part(knowledge: Knowledge, place: Place, meant: TypedName) -> Place:
    """The place with the lines of what a reference means; all of it where the record has no such part."""
    if not (meant.section or meant.lines):
        return place
    record: Any = knowledge.catalog(place.info.name)[place.position]
    if meant.lines is None:
        section = section_called(record.get("sections", ()), meant.section)
        return place._replace(lines=(section["line"], section["end_line"])) if section else place
    begin = record.get("line", 1)
    text = record.get("text") or record.get("content", "")
    end = begin + text.removesuffix("\n").count("\n")
    first, last = meant.lines
    last = end if last is None else min(last, end)
    return place._replace(lines=(first, last)) if begin <= first <= last else place


def _described(knowledge: Knowledge, infos: Sequence[CollectionInfo], name: str) -> Place | None:
    """Where a section describes the object of that name, in full or at its end, or code defines it. Parts of
    the full name may be missing: `kb.open` means `kb.files.open`, too."""
    if not _OBJECT.fullmatch(name):
        return None
    from kb_runtime.search.request import SearchRequest

    wanted = _SEPARATORS.split(name.removesuffix("()"))
    query = ".".join(wanted[len(wanted) > 1 and _SHORT_NAME.fullmatch(wanted[0]) is not None :])
    by_name = {info.name: info for info in infos}
    request = SearchRequest(query, tuple(by_name), _CANDIDATES, "lexical", per_record=_PER_RECORD)
    best: tuple[tuple[bool, int, bool, int], Place] | None = None
    seen = set()
    try:
        hits = knowledge.searcher.search(request).hits
    except ToolError:  # without a usable index the name is still no record's
        return None
    for hit in hits:
        if (hit.collection, hit.record) in seen:
            continue
        seen.add((hit.collection, hit.record))
        record: Any = knowledge.catalog(hit.collection)[hit.record]
        is_code = bool(record.get("definitions"))
        # A test is often called what it tests, and is nearer to the top of the tree.
        is_aside = len(wanted) == 1 and is_code and is_test(record["id"])
        for path, lines in _objects(record):
            if (distance := _distance(wanted, path)) is None:
                continue
            # Pages say more than code, and what is public is often defined further down.
            order = is_aside, distance, is_code, len(path)
            if best is None or order < best[0]:
                best = order, Place(by_name[hit.collection], hit.record, lines)
    return None if best is None else best[1]


def _objects(record: Any) -> Iterator[tuple[list[str], tuple[int, int]]]:
    """The full names of what a page describes under headings with such anchors, or of what a source file
    defines, with the lines."""
    for section in record.get("sections", ()):
        anchor = section.get("anchor", "")
        if "." in anchor and "line" in section:
            yield _SEPARATORS.split(anchor), (section["line"], section["end_line"])
    module = _SEPARATORS.split(record["id"])
    for definition in record.get("definitions", ()):
        owner = [part for part in _SEPARATORS.split(definition["parent"]) if part]
        path = [*module[:-1], *owner, definition["name"]]
        yield path, (definition["line"], definition["end_line"])


def _distance(wanted: Sequence[str], path: Sequence[str]) -> int | None:
    """How far `wanted` is from a full name: 0 where it is the same, 1 where it is the end of that, 2 with
    gaps, 3 where it begins with a short name of the package; None where it is another's."""
    if wanted[-1] != path[-1]:
        return None
    if list(path[-len(wanted) :]) == list(wanted):
        return int(len(path) > len(wanted))
    rest = iter(path)
    if all(part in rest for part in wanted):
        return 2
    inner = list(wanted[1:]) if _SHORT_NAME.fullmatch(wanted[0]) else []
    if not inner or list(path[-len(inner) :]) != inner:
        return None
    letters = iter("".join(path[: -len(inner)]).casefold())
    return 3 if all(letter in letters for letter in wanted[0]) else None


def is_known(knowledge: Knowledge, kb: str) -> bool:
    """Whether the addresses of a knowledge base can mean records of this."""
    return any(part.manifest["name"] == kb for part in knowledge.parts)


def named_collection(knowledge: Knowledge, name: str) -> CollectionInfo:
    """The collection of that name, whatever its case. Raises `ToolError` NOT_FOUND."""
    names = [each.name for each in knowledge.collections]
    for each in knowledge.collections:
        if each.name.casefold() == name.casefold():
            return each
    raise ToolError(
        "NOT_FOUND",
        f"there is no collection {quoted(name)}; there are: {', '.join(names)}",
        suggestions=suggest(name, names) or names,
    )


def look_up(
    knowledge: Knowledge, infos: Sequence[CollectionInfo], resolver: Resolver, name: str
) -> list[Place]:
    """What a name means in some collections; nothing where it means nothing.

    Where several knowledge bases have a record of that name, those of the others follow; a name that
    one of them has once counts, whatever others have.
    """

    def within(among: Sequence[CollectionInfo]) -> list[Place]:
        place = resolver(name, [knowledge.catalog(info.name) for info in among])
        return [] if place is None else [Place(among[place[0]], place[1])]

    found = within(infos)
    if len(knowledge.served) < 2:
        return found
    by_origin: dict[str, list[CollectionInfo]] = {}
    for info in infos:
        by_origin.setdefault(knowledge.origin(info.name), []).append(info)
    return found + [place for among in by_origin.values() for place in within(among)]


def rows_of_paths(
    knowledge: Knowledge, infos: Iterable[CollectionInfo], globs: PathGlobs
) -> Iterator[range]:
    """The rows of the records of `infos` whose ids `globs` leave, as few ranges as possible, in order."""
    import numpy as np

    records = np.frombuffer(knowledge.chunks.column("record"), dtype="<u4")
    for info in sorted(infos, key=lambda info: info.first_row):
        ids = knowledge.catalog(info.name).ids()
        wanted = np.fromiter((id in globs for id in ids), dtype=np.bool_, count=len(ids))
        rows = wanted[records[info.rows.start : info.rows.stop]]
        edges = np.flatnonzero(np.diff(rows, prepend=False, append=False)) + info.first_row
        yield from (range(start, stop) for start, stop in edges.reshape(-1, 2).tolist())
