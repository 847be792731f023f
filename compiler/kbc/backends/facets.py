"""Writes the facets of a collection: which records have which values, sorted and packed.

The layout is described in `docs/format.md`, and `kb_runtime.store.facets` reads it.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

from kb_runtime.store.facets import SUFFIX, Facet
from kbc.backends.catalog import little_endian


def write_facets(folder: Path, collection: str, facets: Iterable[Sequence[Facet]]) -> int:
    """Writes `catalog/<collection>.facets` below `folder`; gives the number of postings.

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
    return sum(counts)
