"""The records of a kind over all collections that hold it: the shelf from which the tools read.

A knowledge base may have several collections of one kind. They are read in the manifest's order, and
where two of them hold the same id, the first one answers to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kb_runtime.addresses import parse_address
from kb_runtime.names import resolve, resolve_path

if TYPE_CHECKING:
    from kb_runtime.artifact import CollectionInfo
    from kb_runtime.knowledge import Records
    from kb_runtime.session import Session

Record = dict[str, Any]

_HIT_ID = re.compile(r"(?:builtin|doc|example|pattern|template|extra|guideline:[a-z]+):(?=.)")
"""What search hits put before a record's id."""


def collections(session: Session, kind: str) -> list[CollectionInfo]:
    """The collections of a kind; none when the knowledge base has no such kind."""
    return [info for info in session.artifact.collections if info.kind == kind]


def catalogs(session: Session, kind: str) -> list[Records]:
    return [session.artifact.catalog(info.name) for info in collections(session, kind)]


def records(session: Session, kind: str) -> Iterator[Record]:
    """Every record of a kind, in the order of the collections and in document order within one."""
    for catalog in catalogs(session, kind):
        for position in range(len(catalog)):
            yield catalog[position]


def ids(session: Session, kind: str) -> list[str]:
    """The ids of a kind, in the order of `records`, each once."""
    return list(dict.fromkeys(id for catalog in catalogs(session, kind) for id in catalog.ids()))


def find(session: Session, kind: str, name: str) -> Record | None:
    """The record that a name, an alias, a hit's id or a `kb://` address means."""
    shelves = catalogs(session, kind)
    place = resolve(name, shelves)
    if place is None and (inner := record_id(name)) != name:
        place = resolve(inner, shelves)
    return None if place is None else shelves[place[0]][place[1]]


def public_address(session: Session, record: Record) -> str:
    """Where a record can be opened: its page on the web or, without one, its `kb://` address."""
    if url := record.get("url"):
        return str(url)
    return session.artifact.address(record["collection"], record["id"])


def find_path(session: Session, kind: str, path: str) -> Record | None:
    """The record whose id is `path`, or the only one whose id ends with it."""
    shelves = catalogs(session, kind)
    place = resolve_path(path, shelves)
    return None if place is None else shelves[place[0]][place[1]]


def record_id(name: str) -> str:
    """The record id inside a `kb://` address or a search hit's id; other names as they are."""
    address = parse_address(name)
    if address is not None:
        return address[2]
    return _HIT_ID.sub("", name, count=1) if _HIT_ID.match(name) else name


def stored_lines(text: str) -> list[str]:
    """The lines of a text with their ends; only a newline ends a line, as everywhere in the index."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def tool_name(session: Session, tool: str) -> str:
    """What this server calls a tool that is declared as `{prefix}_` and `tool`."""
    declared = "{prefix}_" + tool
    name = session.tool_names.get(declared)
    return name or declared.format(prefix=session.artifact.manifest["prefix"])
