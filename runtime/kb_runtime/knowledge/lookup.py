"""Records by what a caller calls them: an address, a hit's id, a path, its ending, or a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    without_line,
)
from kb_runtime.text.urls import is_web_address, page_key

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.records.entries import AnyEntry
    from kb_runtime.text.globs import PathGlobs

Resolver = Callable[[str, Sequence[NameIndex]], tuple[int, int] | None]

_HIT_ID = re.compile(r"(?:builtin|doc|example|pattern|template|extra|guideline:[a-z]+):(?=.)")
"""What search hits of some tools put before a record's id."""


class Place(NamedTuple):
    """Where a record is: its collection, and its position there."""

    info: CollectionInfo
    position: int


class Record(NamedTuple):
    """A record as stored. `data` has all of its fields, which depend on the collection's `kind`: see
    `kb_runtime.records.entries`."""

    address: str
    collection: str
    kind: str
    data: AnyEntry

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
        return f"# {self.title}\n# {self.address}\n\n{self.text}"


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
    info, position = place
    data = knowledge.catalog(info.name)[position]
    address = knowledge.address(info.name, data["id"])
    return Record(address, info.name, info.kind, cast("AnyEntry", data))


def find(
    knowledge: Knowledge,
    name: str,
    collection: str | None = None,
    next_steps: Sequence[str] = (),
) -> list[Place]:
    """Where the record is that a name means; behind it those that other knowledge bases call the same. The
    name may begin with a collection's, or with a kind in the singular, and a colon, as `kbc eval` prints it.
    It may also be an address without `kb://`.

    Raises `ToolError` NOT_FOUND, which tells `next_steps`.
    """
    address = parse_address(name)
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
    bare = record_id(name)
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
    known = (id for each in infos for id in knowledge.catalog(each.name).ids())
    raise ToolError(
        "NOT_FOUND",
        f"there is no record {quoted(name)}" + (f" in {wanted}" if wanted else ""),
        suggestions=suggest(bare, known, PATH_SUGGESTIONS),
        next_steps=next_steps,
    )


def _find_any(
    knowledge: Knowledge, infos: Sequence[CollectionInfo], names: Sequence[str]
) -> list[Place]:
    """What the first of `names` with a meaning means; a heading or line at the end of the last may go.

    A collection of pages knows the address of each: one that is not there means no page that it ends like.
    """
    bare = names[-1]
    forms = [*names, bare.rpartition("#")[0], without_line(bare)]
    by_ending = infos
    if is_web_address(bare):
        forms.append(page_key(bare))
        by_ending = [info for info in infos if info.kind != "pages"]
    candidates = [one for one in dict.fromkeys(forms) if one]
    for resolver, among in ((resolve, infos), (resolve_ending, by_ending)):
        for candidate in candidates:
            if found := look_up(knowledge, among, resolver, candidate):
                return found
    return []


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
