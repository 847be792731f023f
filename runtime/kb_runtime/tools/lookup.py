"""The records of one kind, over all collections of that kind.

A knowledge base may have several collections of one kind. They are read in the manifest's order, and if
two of them have the same id, the first one is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.reading import lookup
from kb_runtime.knowledge.reading.lookup import Place, Resolver
from kb_runtime.knowledge.reading.lookup import record_id as record_id
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import (
    PATH_SUGGESTIONS,
    ends_with,
    known_as,
    quoted,
    resolve,
    resolve_path,
    suggest,
)
from kb_runtime.text.tables import count_of, plural
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.records.entries import CatalogEntry
    from kb_runtime.search.ports import Records
    from kb_runtime.tools.session import Session

R = TypeVar("R", bound="CatalogEntry")
T = TypeVar("T")


class RecordKind(str, Generic[R]):
    """The name of a kind of collections, whose records are of the type `R`."""

    __slots__ = ()


def collections(session: Session, kind: str) -> list[CollectionInfo]:
    """The collections of a kind; none when the knowledge base has no such kind."""
    return [info for info in session.artifact.collections if info.kind == kind]


def settings(knowledge: Knowledge, kinds: Collection[str]) -> Mapping[str, Any]:
    """`[tools]` of the first artifact that holds one of these kinds (no kinds: of the first one), which
    is the one that the tools over them are listed for."""
    for part in knowledge.parts:
        if not kinds or any(info.records and info.kind in kinds for info in part.collections):
            return part.manifest.get("tools") or {}
    return {}


def catalogs(session: Session, kind: str) -> list[Records]:
    return [session.artifact.catalog(info.name) for info in collections(session, kind)]


def records(session: Session, kind: RecordKind[R]) -> Iterator[R]:
    """Every record of a kind, in the order of the collections and in document order within one."""
    for catalog in catalogs(session, kind):
        yield from cast("Iterable[R]", catalog)


def summaries(session: Session, kind: RecordKind[R]) -> Iterator[R]:
    """Like `records`, without the fields that are as long as the text (`store.catalog.LONG_FIELDS`)."""
    for catalog in catalogs(session, kind):
        for position in range(len(catalog)):
            record: Any = catalog.head(position)
            yield record


def matching(session: Session, kind: RecordKind[R], accepts: Callable[[R], bool]) -> Iterator[R]:
    for catalog in catalogs(session, kind):
        for position in range(len(catalog)):
            summary: Any = catalog.head(position)
            if accepts(summary):
                record: Any = catalog[position]
                yield record


def heads(session: Session, kind: str, listing: str) -> Iterator[tuple[CollectionInfo, int, Any]]:
    """The records of a kind that are followed by those which they list in the field `listing`, each with
    its collection and its position there."""
    for info in collections(session, kind):
        catalog = session.artifact.catalog(info.name)
        position = 0
        while position < len(catalog):
            record = catalog[position]
            yield info, position, record
            position += 1 + len(record.get(listing, ()))


def joined(ranges: Iterable[range]) -> tuple[range, ...]:
    """Ranges of rows, which ascend, without empty ones, and those that adjoin as one."""
    found: list[range] = []
    for rows in ranges:
        if rows and found and found[-1].stop == rows.start:
            found[-1] = range(found[-1].start, rows.stop)
        elif rows:
            found.append(rows)
    return tuple(found)


def ids(session: Session, kind: str) -> list[str]:
    """The ids of a kind, in the order of `records`, each once."""
    return list(dict.fromkeys(id for catalog in catalogs(session, kind) for id in catalog.ids()))


def find(session: Session, kind: RecordKind[R], name: str) -> R | None:
    """The record that a name, an alias, a hit's id or a `kb://` address means."""
    for infos in _scopes(session, kind, name):
        place = look_up(session, infos, resolve, name)
        if place is None and (inner := record_id(name)) != name:
            place = look_up(session, infos, resolve, inner)
        if place is not None:
            return _record(session, kind, place)
    return None


def _record(session: Session, kind: RecordKind[R], place: Place) -> R:
    record: Any = session.artifact.catalog(place[0].name)[place[1]]
    return cast("R", record)


def searched(session: Session, kind: str, phrase: str, limit: int) -> list[str]:
    """Ids of at most `limit` records of a kind that a search finds for `phrase`, best first: what was meant
    by something that names none. Empty where the index cannot be searched."""
    from kb_runtime.search.request import SearchRequest

    names = tuple(info.name for info in collections(session, kind))
    request = SearchRequest(query=phrase, collections=names, limit=limit, per_record=1)
    try:
        hits = session.artifact.searcher.search(request).hits
    except ToolError:
        return []
    catalog = session.artifact.catalog
    return list(dict.fromkeys(catalog(hit.collection).id(hit.record) for hit in hits))


def choice(session: Session, noun: str, wanted: str, known: Sequence[str], listing: str) -> str:
    """The one of `known` that equals `wanted` up to case. Raises `unknown_choice`."""
    if (each := known_as(wanted, known)) is not None:
        return each
    raise unknown_choice(session, noun, wanted, known, listing)


def unknown_choice(
    session: Session, noun: str, wanted: str, known: Sequence[str], listing: str
) -> ToolError:
    """NOT_FOUND for a value that no record of a listing tool has; `noun` says what it is, in the
    singular, and `listing` is the tool without its prefix."""
    return not_found(
        f"there is no {noun} {quoted(wanted)}. Available {plural(noun)}: {', '.join(known)}",
        f"Call {tool_name(session, listing)} with one of them, or without.",
        suggestions=suggest(wanted, known) or known[:10],
        details={f"available{plural(noun).capitalize()}": list(known)},
    )


def look_up(
    session: Session, infos: Sequence[CollectionInfo], resolver: Resolver, name: str
) -> Place | None:
    """What a name means in some collections. Where several knowledge bases have a record of that name,
    the answer says so with their addresses."""
    return first_place(session, name, lookup.look_up(session.artifact, infos, resolver, name))


def first_place(session: Session, name: str, places: Sequence[Place]) -> Place | None:
    """The first of the places that a name means; the answer has the addresses of the others."""
    catalog = session.artifact.catalog
    if places:
        found = [(info.name, catalog(info.name).id(at)) for info, at, _ in places]
        note_duplicates(session, name, found)
    return places[0] if places else None


def note_duplicates(session: Session, name: str, places: Sequence[tuple[str, str]]) -> bool:
    """Whether records of one name, given as collection and id, are in several knowledge bases; the
    answer, which is about the first, then has their addresses."""
    artifact = session.artifact
    if (
        len(artifact.served) < 2
        or len({artifact.origin(collection) for collection, _ in places}) < 2
    ):
        return False
    first, *others = dict.fromkeys(artifact.address(*place) for place in places)
    session.notes.append(
        f"{quoted(name)} is in several knowledge bases: this is {first}; others:"
        f" {', '.join(others)}. Give an address, or the argument kb"
    )
    return True


def _scopes(session: Session, kind: str, given: str) -> Iterator[list[CollectionInfo]]:
    """Where to look for what was given: where an address points, then in all collections of the kind.
    Among several knowledge bases an address means the one that it names; one of another means nothing."""
    scopes = collections(session, kind)
    if address := parse_address(given):
        if not lookup.is_known(session.artifact, address[0]):
            return
        names = session.artifact.addressed(*address[:2])
        if meant := [info for info in scopes if info.name in names]:
            yield meant
            if len(session.artifact.served) > 1:
                return
    yield scopes


def told_address(session: Session, collection: str, id: str) -> str | None:
    """The address of a record, where several knowledge bases are served: its path may be another's,
    too."""
    return session.artifact.address(collection, id) if len(session.artifact.served) > 1 else None


def told_name(session: Session, collection: str, id: str) -> str:
    """What a record is called in an answer that several knowledge bases give: its address; otherwise
    its id."""
    return told_address(session, collection, id) or id


def addressed(
    session: Session, given: str, known: Sequence[T], collection: Callable[[T], str]
) -> tuple[Sequence[T], str]:
    """Those of `known` that the address `given` may mean, by the names of their collections, and the id in
    it; all of them and `given` itself where it is no address."""
    address = parse_address(given)
    if address is None:
        return known, given
    names = session.artifact.addressed(*address[:2])
    return [each for each in known if collection(each) in names], address[2]


def own_address(session: Session, record: CatalogEntry, *names: str) -> str | None:
    """`shared_address` of a record. Of one knowledge base alone nothing is looked at."""
    if len(session.artifact.served) < 2:
        return None
    return shared_address(session, record["collection"], record["id"], *names)


def shared_address(session: Session, collection: str, id: str, *names: str) -> str | None:
    """The address of a record, where another knowledge base has one of its kind that is called the same
    by its id or one of `names`: alone they would mean either."""
    artifact = session.artifact
    if len(artifact.served) < 2:
        return None
    own, kind = artifact.origin(collection), artifact.collection(collection).kind
    is_elsewhere = any(
        artifact.catalog(info.name).find(name) is not None
        for info in collections(session, kind)
        if artifact.origin(info.name) != own
        for name in {id, *names}
    )
    return artifact.address(collection, id) if is_elsewhere else None


def names_beside(
    session: Session, record: CatalogEntry, kind: str, names: Iterable[str] | None
) -> list[str]:
    """What answers about a record call others of its knowledge base: the names by which it knows them, or
    addresses where another knowledge base has one of that kind and name."""
    artifact = session.artifact
    if len(artifact.served) < 2:
        return list(names or ())
    origin = artifact.origin(record["collection"])
    own = [info for info in collections(session, kind) if artifact.origin(info.name) == origin]
    told = []
    for name in names or ():
        place = next(iter(lookup.look_up(artifact, own, resolve, name)), None)
        address = None
        if place is not None:
            id = artifact.catalog(place.info.name).id(place.position)
            address = shared_address(session, place.info.name, id, name)
        told.append(address or name)
    return told


def shown_path(record: Mapping[str, Any]) -> str:
    """What answers call a page and `find_path` takes: its path, or its id where one file has several, such
    as the operations of an API."""
    path, id = str(record["path"]), str(record["id"])
    return path if f"/{path}".endswith(f"/{id}") else id


def find_path(session: Session, kind: RecordKind[R], path: str, given: str) -> R | None:
    """The record whose id is `path`, or the only one whose id ends with it. `given` is what the path
    was taken from: an address says where to look."""
    for infos in _scopes(session, kind, given):
        # A path may begin like a hit's id: `doc:x.md`.
        place = look_up(session, infos, resolve, given) if given != path else None
        if place is None:
            place = look_up(session, infos, resolve_path, path)
        if place is not None:
            return _record(session, kind, place)
    return None


def several_endings(
    session: Session, kind: RecordKind[R], path: str, given: str, what: str
) -> ToolError | None:
    """NOT_FOUND that names the ids that end with `path`, if there are several. `given` is what the path was
    taken from, and `what` one of the records is: `file`."""
    endings = sorted(id for id in ids(session, kind) if path and ends_with(id, path))
    if len(endings) < 2:
        return None
    return not_found(
        f"{count_of(len(endings), what)} end with {quoted(given)}: give one of their paths",
        suggestions=endings[:PATH_SUGGESTIONS],
    )


def stored_lines(text: str) -> list[str]:
    """The lines of a text with their ends; only a newline ends a line, as everywhere in the index."""
    return StringIO(text).readlines()


def tool_name(session: Session, tool: str) -> str:
    """What this server calls a tool that is declared as `{prefix}_` and `tool`."""
    declared = "{prefix}_" + tool
    name = session.tool_names.get(declared)
    return name or declared.format(prefix=session.artifact.manifest["prefix"])
