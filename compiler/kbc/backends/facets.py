"""Facets: the values by which a record can be filtered, and the section that maps values to records.

The layout is described in `docs/format.md`, and `kb_runtime.store.facets` reads it.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from kb_runtime.store.facets import SUFFIX, Facet, folder_values, issue_key
from kbc.backends.catalog import little_endian
from kbc.records import CompiledRecord, TestRecord


def write_facets(folder: Path, collection: str, facets: Iterable[Sequence[Facet]]) -> None:
    """Writes `catalog/<collection>.facets` below `folder`.

    `facets` are those of each record, in the order of the catalog, without repetition.
    """
    lists: dict[str, dict[bytes, array[int]]] = {}
    for ordinal, found in enumerate(facets):
        for name, value in found:
            postings_of = lists.setdefault(name, {})
            postings_of.setdefault(value.encode(), array("I")).append(ordinal)
    names = sorted(lists)
    values = [(name, value) for name in names for value in sorted(lists[name])]
    postings = [lists[name][value] for name, value in values]
    strings = [name.encode() + b"\n" for name in names] + [value + b"\n" for _, value in values]
    text = b"".join(strings)
    counts = [len(posting) for posting in postings]
    catalog = folder / "catalog"
    catalog.mkdir(exist_ok=True)
    (catalog / (collection + SUFFIX)).write_bytes(
        b"".join(
            (
                struct.pack("<QQQQ", len(names), len(values), sum(counts), len(text)),
                little_endian("I", accumulate(map(len, strings), initial=0)),
                little_endian("I", accumulate((len(lists[name]) for name in names), initial=0)),
                little_endian("I", accumulate(counts, initial=0)),
                *(little_endian("I", posting) for posting in postings),
                text,
            )
        )
    )


def facets(record: CompiledRecord) -> list[Facet]:
    """The facets of a record, each once; none for kinds that have no filters."""
    return list(dict.fromkeys(_of_test(record))) if isinstance(record, TestRecord) else []


def _of_test(record: TestRecord) -> Iterator[Facet]:
    yield from (Facet("tag", tag.casefold()) for tag in record.tags)
    yield from (Facet("platform", platform.casefold()) for platform in record.platforms)
    yield from (Facet("folder", folder) for folder in folder_values(record.folder))
    yield from (Facet("issue", issue_key(issue)) for issue in record.related_issues)
    yield Facet("priority", record.priority.casefold())
    yield Facet("testtype", record.test_type.casefold())
    if record.test_path:
        yield Facet("testpath", record.test_path)
    if record.jira_key:
        yield Facet("key", record.jira_key)
    yield Facet("steps", str(len(record.steps)))
