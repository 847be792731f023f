"""Facts about records and chunks for structural ranking, cached across searches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import count, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.search.analysis import WORD, Analyzer
from kb_runtime.search.ranking import paths
from kb_runtime.search.ranking.companions import Subject, subject_of
from kb_runtime.search.ranking.steps import same_text
from kb_runtime.text import members, tests
from kb_runtime.text.members import MemberPath, NameMatch
from kb_runtime.text.remembered import Remembered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.vectors import RowRange

    Mask = NDArray[np.bool_]

# Records whose name and place are remembered: about 400 bytes each.
_REMEMBERED_RECORDS = 20_000
# Rows whose definitions are remembered, about 500 bytes each; only queries with names need them.
_REMEMBERED_ROWS = 10_000
# Pairs of similar chunks of which it is remembered whether their texts are the same, 120 bytes each.
_REMEMBERED_PAIRS = 10_000
# Kinds of collections whose records are files of programs, where tests and examples are secondary.
_PROGRAMS = frozenset({"code"})
_FILES = frozenset({"code", "docs"})
# Of these, the ones that explain, change logs aside.
_DOCS = _FILES - _PROGRAMS
# Kinds of pages that say what was new once.
_DATED = frozenset({"changelog", "post"})
# Of texts that need not have anything to do with each other.
_TEXTS = frozenset({"pages"})
# Languages of files that hold values.
_VALUES = frozenset({"ini", "json", "toml", "xml", "yaml"})

# Words of a heading as names have them.
_SPELLED = re.compile(r"\w+")

RecordKey = tuple[int, int]
"""A record: its collection's position among those that have rows, and its own in the collection."""


class RecordFacts(NamedTuple):
    """What the id of a record, its `path`, says: the terms of its last part, the kinds of file it is (whether
    it is a file of re-exports its chunks say), and the version that it belongs to where several lie side by
    side (`paths.version_of`). `is_flat`: it is a text by itself and has no headings."""

    path: str
    words: frozenset[str]
    kinds: frozenset[str]
    version: paths.Version | None
    is_flat: bool
    subject: Subject | None

    @property
    def is_source(self) -> bool:
        """Whether it is a file of a program that tests and headers may be about."""
        return self.subject is not None and self.subject.role != "test"


class ChunkNames(NamedTuple):
    """The names that a chunk defines, also in lower case, the definition that it is part of, the names it
    passes on; whether that definition adds to a type (`impl`, `extension`); its subject, which other versions
    of it have as well (`_subject`); and the members that it documents, with the last parts of their names,
    folded, and the headings above."""

    names: tuple[str, ...]
    folded: tuple[str, ...]
    symbol: str
    exports: tuple[str, ...]
    is_addition: bool
    subject: str
    members: tuple[MemberPath, ...] = ()
    ends: frozenset[str] = frozenset()
    trail: str = ""

    @property
    def added_to(self) -> str:
        """The type that it adds to, in lower case; "" for none."""
        return self.symbol.lower() if self.is_addition else ""

    def match(self, name: MemberPath) -> NameMatch | None:
        """How `name` names one of the members, the closest match; None where it names none."""
        if name[-1].casefold() not in self.ends:
            return None
        around = {word.casefold() for word in _SPELLED.findall(self.trail)}
        found = (members.match(name, member, around) for member in self.members)
        return min((each for each in found if each is not None), default=None)


def are_programs(kinds: Set[str]) -> bool:
    """Whether collections of these kinds hold nothing but files of programs."""
    return kinds <= _PROGRAMS


class Facts:
    """Reads facts about candidates as they are asked for; safe to use from several threads."""

    def __init__(
        self, backend: SearchBackend, ranges: Sequence[RowRange], analyzer: Analyzer
    ) -> None:
        """`ranges` are the rows of the collections that have some, in row order."""
        self._backend = backend
        self._ranges = ranges
        self._ends = [one.end for one in ranges]
        kinds = {info.name: info.kind for info in backend.collections}
        self.collection_kinds = [kinds[one.name] for one in ranges]
        self._are_programs = [kind in _PROGRAMS for kind in self.collection_kinds]
        self.has_programs = any(self._are_programs)
        self._has_docs = not _DOCS.isdisjoint(self.collection_kinds)
        self._analyzer = analyzer
        self._package = str(backend.manifest.get("name") or "")
        self._records: Remembered[RecordKey, RecordFacts] = Remembered(_REMEMBERED_RECORDS)
        self._tree_names: dict[str, frozenset[str]] = {}
        self._defining: dict[str, bool] = {}
        self._names: Remembered[int, ChunkNames] = Remembered(_REMEMBERED_ROWS)
        self._same_text: Remembered[tuple[int, int], bool] = Remembered(_REMEMBERED_PAIRS)

    def records(self, rows: Sequence[int]) -> tuple[list[RecordKey], list[int]]:
        """The different records of some rows, and of each row the place of its record among them."""
        column = self._backend.chunks.column("record")
        places: defaultdict[RecordKey, int] = defaultdict(count().__next__)
        collections = map(bisect_right, repeat(self._ends), rows)
        keys = zip(collections, map(column.__getitem__, rows), strict=True)
        of_rows = [*map(places.__getitem__, keys)]  # of hundreds of rows, without steps in Python
        return list(places), of_rows

    def kinds(self, records: Sequence[RecordKey]) -> set[str]:
        """The kinds of the collections that records are in. Where there are several, pages that are all
        change logs do not count: these explain nothing."""
        kinds = self.collection_kinds
        found = {kinds[at] for at in {*map(itemgetter(0), records)}}
        if len(found) > 1 and not found.isdisjoint(_DOCS):
            pages = (key for key in records if kinds[key[0]] in _DOCS)
            if all("changelog" in self._of(key).kinds for key in pages):
                found -= _DOCS
        return found

    def _languages(self, rows: Sequence[int]) -> list[str]:
        """The language of the source in each of some rows; empty for pages and what is in no source tree."""
        if not self.has_programs:
            return [""] * len(rows)
        chunks, ends = self._backend.chunks, self._ends
        column, labels = chunks.column("language"), chunks.labels("language")
        programs = self._are_programs
        return [labels[column[row]] if programs[bisect_right(ends, row)] else "" for row in rows]

    def in_other_language(self, rows: Sequence[int], written: Sequence[str]) -> Mask | None:
        """Which of some rows are source in another language than the one that a query names, whose words in
        lower case are `written`: bool [rows]. None where it names none."""
        import numpy as np

        languages = self._languages(rows)
        known = {*languages} - {""}
        if len(known) < 2:
            return None
        language = paths.language_named(written, known)
        return np.array([one not in ("", language) for one in languages]) if language else None

    def lines(self, rows: Sequence[int]) -> NDArray[np.uint32]:
        """The number of lines of each of some rows, less one: uint32 [rows]."""
        import numpy as np

        chunks = self._backend.chunks
        first, last = (
            np.frombuffer(chunks.column(name), "<u4")[rows] for name in ("start_line", "end_line")
        )
        lines: NDArray[np.uint32] = last - first
        return lines

    def same_text(self, row: int, other: int) -> bool:
        """Whether the texts of two chunks are nearly the same."""
        known = self._same_text.get((row, other))
        if known is None:
            found = same_text(self._words(row), self._words(other))
            known = self._same_text.keep((row, other), found)
        return known

    def _words(self, row: int) -> set[str]:
        return set(WORD.findall(self._backend.chunks[row].get("text", "")))

    def names(self, row: int) -> ChunkNames:
        known = self._names.get(row)
        if known is None:
            chunk = self._backend.chunks[row]
            names = tuple(chunk.get("identifiers", ()))
            # The keys of a file of values are names, but define nothing.
            defines = chunk.get("language") not in _VALUES
            known = ChunkNames(
                names,
                tuple(name.lower() for name in names),
                chunk.get("symbol", "") if defines else "",
                tuple(chunk.get("exports", ())),
                chunk.get("symbol_kind") == "implementation",
                _subject(chunk),
                *self._members(chunk),
            )
            self._names.keep(row, known)
        return known

    def _members(
        self, chunk: Mapping[str, Any]
    ) -> tuple[tuple[MemberPath, ...], frozenset[str], str]:
        documented = tuple(map(members.segments, chunk.get("members", ())))
        if not documented:
            return (), frozenset(), ""
        ends = frozenset(path[-1].casefold() for path in documented)
        return documented, ends, " ".join((self._package, *chunk.get("breadcrumb", ())))

    def lasting(self, rows: Sequence[int]) -> list[int]:
        """Of `rows` those that are not of change logs and posts, which say what was new once."""
        records, record_of = self.records(rows)
        dated = [not one.kinds.isdisjoint(_DATED) for one in self.of(records)]
        return [row for row, at in zip(rows, record_of, strict=True) if not dated[at]]

    def of(self, records: Iterable[RecordKey]) -> list[RecordFacts]:
        return [*map(self._of, records)]

    def _of(self, key: RecordKey) -> RecordFacts:
        return self._records.get(key) or self._read(key)

    def _read(self, key: RecordKey) -> RecordFacts:
        at, index = key
        name = self._ranges[at].name
        id = self._backend.catalog(name).id(index)
        words = frozenset(term for term, _ in self._analyzer.prose(paths.name_of(id)))
        kind = self.collection_kinds[at]
        kinds = paths.place_kinds(id) if kind in _FILES else frozenset()
        if kind not in _PROGRAMS:
            kinds &= _DATED
        else:
            if self._has_docs and paths.is_page(id):
                kinds |= {paths.PAGE}
            if self._passes_on(key):
                kinds |= {paths.RE_EXPORTS}
            of = tests.tested_by_folders(id)
            if of and not self._names_in_tree(name).isdisjoint(of):
                kinds |= {paths.TEST}
            if paths.TEST in kinds and not self._defines_something(name):
                kinds = kinds - {paths.TEST, paths.FIXTURE} | {paths.USE}
        version = paths.version_of(id) if kind in _FILES else None
        subject = None
        if kind in _PROGRAMS and paths.DATA not in kinds:
            subject = subject_of(id, is_test=paths.TEST in kinds)
        is_flat = kind in _TEXTS and self._is_flat(key)
        facts = RecordFacts(id, words, kinds, version, is_flat, subject)
        return self._records.keep(key, facts)

    def _names_in_tree(self, collection: str) -> frozenset[str]:
        """What the files and folders of a source tree are called, and the tree itself, in lower case."""
        known = self._tree_names.get(collection)
        if known is None:
            ids = (id.lower() for id in self._backend.catalog(collection).ids())
            parts = {part.partition(".")[0] for id in ids for part in id.split("/")}
            known = self._tree_names[collection] = frozenset({*parts, self._package.lower()})
        return known

    def _defines_something(self, collection: str) -> bool:
        """Whether a source tree holds something that its tests may test."""
        known = self._defining.get(collection)
        if known is None:
            catalog = self._backend.catalog(collection)
            ids = map(catalog.id, range(len(catalog)))
            known = self._defining[collection] = any(map(paths.defines, ids))
        return known

    def _passes_on(self, key: RecordKey) -> bool:
        """Whether a file only passes on what others define: every chunk of it says so."""
        return bool(self._backend.chunks[self._rows(key)[0]].get("passes_on"))

    def _is_flat(self, key: RecordKey) -> bool:
        """Whether a text has no headings: where it has one, its last chunk is in a section."""
        return not self._backend.chunks[self._rows(key)[-1]].get("section_level")

    def _rows(self, key: RecordKey) -> range:
        own = self._ranges[key[0]]
        return self._backend.chunks.rows_of(key[1], range(own.first_row, own.end))


def _subject(chunk: Mapping[str, Any]) -> str:
    """The outermost definition that a chunk is part of; outside of definitions the title of its page."""
    trail: Sequence[str] = chunk.get("breadcrumb") or ("",)
    return str(trail[1] if chunk.get("symbol") and len(trail) > 1 else trail[0])
