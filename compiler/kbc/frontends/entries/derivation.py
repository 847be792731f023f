"""Makes records of the API entries that a knowledge base without a collection of them holds.

They come from headers, descriptions in JSON and tables of functions, in this order: what an earlier one
names is not repeated. The files stay what they are, source or pages.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from kbc.frontends.entries.found import FoundEntry, stem_of
from kbc.frontends.entries.headers import entries_of_headers
from kbc.frontends.entries.json_apis import entries_of_json
from kbc.frontends.entries.tables import entries_of_tables
from kbc.project.model import Collection
from kbc.project.settings import DERIVED_ENTRIES
from kbc.records import BuiltinRecord, CompiledRecord

FEWEST = 10
"""With fewer names there is no reference to speak of."""

_MAX_SUMMARY_CHARS = 200


def derive_entries(
    collections: Sequence[Collection], records: Mapping[str, Sequence[CompiledRecord]]
) -> tuple[Collection, list[CompiledRecord]] | None:
    """A collection of entries and its records; None where an author lists entries, and where there are
    no pages beside the source, which then is all that can be asked for."""
    kinds = {each.kind for each in collections}
    if "builtins" in kinds or "docs" not in kinds or DERIVED_ENTRIES in records:
        return None
    everything = list(chain(*(records[each.name] for each in collections if each.name in records)))
    found: list[FoundEntry] = []
    known: set[str] = set()
    for entries in (entries_of_headers, entries_of_json, entries_of_tables):
        own = [each for each in entries(everything) if each.name not in known]
        known |= {each.name for each in own}
        found += own
    if len({each.name for each in found}) < FEWEST:
        return None
    paths = tuple(dict.fromkeys(each.path for each in found))
    return Collection(name=DERIVED_ENTRIES, kind="builtins", paths=paths), list(_records(found))


def _records(found: Sequence[FoundEntry]) -> list[CompiledRecord]:
    """The records. A name that several files have is told apart by the files' own, or by their paths."""
    counts = Counter(each.name for each in found)
    by_file = Counter((each.name, stem_of(each.path)) for each in found)
    records: dict[str, CompiledRecord] = {}
    for each in found:
        id = each.name
        if counts[id] > 1:
            stem = stem_of(each.path)
            place = stem if by_file[id, stem] == 1 else posixpath.splitext(each.path)[0]
            id = f"{place}/{id}"
        records.setdefault(id, _record(each, id))
    return list(records.values())


def _record(entry: FoundEntry, id: str) -> BuiltinRecord:
    summary = " ".join(entry.description.partition("\n\n")[0].split())
    categories = tuple(
        dict.fromkeys([*(group.lower() for group in entry.groups if group), entry.kind])
    )
    return BuiltinRecord(
        id=id,
        collection=DERIVED_ENTRIES,
        title=entry.name,
        path=entry.path,
        text=entry.text,
        line=entry.line,
        language=entry.language,
        summary=summary[:_MAX_SUMMARY_CHARS],
        tags=categories,
        url=entry.url,
        name=entry.name,
        signature=entry.signature,
        description=entry.description,
        category=categories[0],
        categories=categories,
        aliases=entry.aliases,
    )
