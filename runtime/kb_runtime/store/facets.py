"""Facets: the values by which records of a collection can be filtered, as posting lists in mapped memory.

A facet has a name and values; each value has the ordinals of its records. A filter becomes a mask over
rows by setting bits, for any number of records, and decodes none of them. `docs/format.md` describes the
bytes, `kbc.backends.facets` writes them.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.store.catalog import MappedFile
from kb_runtime.store.integrity import inconsistent
from kb_runtime.store.value_globs import Glob, Values, is_glob

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ordinals = NDArray[np.uint32]
    Mask = NDArray[np.bool_]

SUFFIX = ".facets"
HEADER_BYTES = 32
"""Four u64: facets, values, postings, and bytes of text."""

SEARCHED = ("tag", "platform", "folder", "issue", "priority", "testtype", "testpath")
"""Facets whose terms the lexical index has too, so that it filters before it ranks."""

# Patterns whose matches are remembered, each an array of a few hundred kilobytes at most.
_REMEMBERED_PATTERNS = 16


class Facet(NamedTuple):
    """A value of a facet. Values have no line breaks and are folded by whoever makes them."""

    name: str
    value: str

    @property
    def term(self) -> str:
        """How the lexical index writes it. No name of a facet is `scope`, `type` or `language`."""
        return f"{self.name}:{self.value}"


class RowFilter(NamedTuple):
    """What a search is restricted to. `mask`, over all rows, decides; of each group of `terms` every
    row that it leaves has one, so that the lexical index passes over most of the others at once."""

    terms: tuple[tuple[str, ...], ...]
    mask: Mask


def folder_values(folder: str) -> list[str]:
    """A folder and the folders above it, folded: a record in a folder is in all of these."""
    parts = [part.strip().casefold() for part in folder.replace("\\", "/").split("/")]
    parts = [part for part in parts if part]
    return ["/".join(parts[: length + 1]) for length in range(len(parts))]


def issue_key(issue: str) -> str:
    return issue.strip().upper()


class Facets:
    """The facets of one collection."""

    def __init__(self, folder: str, collection: str) -> None:
        """`folder` is the build's `catalog` folder, verified. Raises `ArtifactError`."""
        path = os.path.join(folder, collection + SUFFIX)
        self._file = file = MappedFile(path)
        if len(file.view) < HEADER_BYTES:
            raise inconsistent(path)
        names, values, postings, text_bytes = file.array(0, 4, 8)
        arrays = (names + values + 1, names + 1, values + 1, postings)
        if len(file.view) != HEADER_BYTES + 4 * sum(arrays) + text_bytes:
            raise inconsistent(path)
        at = HEADER_BYTES
        self._starts = file.array(at, arrays[0], 4)
        self._firsts = file.array(at := at + 4 * arrays[0], arrays[1], 4)
        self._lists = file.array(at := at + 4 * arrays[1], arrays[2], 4)
        self._postings = file.array(at := at + 4 * arrays[2], arrays[3], 4)
        self._text_at = at + 4 * arrays[3]
        self._names = {self._line(at).decode(): at for at in range(names)}
        self._matches: dict[tuple[str, str], Ordinals] = {}
        self._texts: dict[str, Values] = {}  # of facets that globs were looked for in

    def values(self, name: str) -> Iterator[tuple[str, int]]:
        """Every value of a facet with the number of its records, sorted by the value's UTF-8."""
        for position in self._range(name):
            yield self._value(position), self._lists[position + 1] - self._lists[position]

    def count(self, name: str, value: str) -> int:
        """The records that have the value."""
        position = self._find(name, value)
        return 0 if position is None else self._lists[position + 1] - self._lists[position]

    def counts(self, name: str, among: Mask) -> list[int]:
        """For every value of a facet, in the order of `values`, how many of the records in `among`
        (bool, one for each record of the collection) have it."""
        import numpy as np

        reach = self._range(name)
        if not reach:
            return []
        lists = np.frombuffer(self._lists, dtype="<u4")[reach.start : reach.stop + 1]
        owners = np.repeat(np.arange(len(reach)), np.diff(lists))
        counted = owners[among[self._slice(reach.start, reach.stop)]]
        found: list[int] = np.bincount(counted, minlength=len(reach)).tolist()
        return found

    def records(self, facets: Iterable[Facet], total: int) -> Mask:
        """Which of the collection's `total` records have one of the values: bool [total]."""
        import numpy as np

        found = (self._find(*facet) for facet in facets)
        positions = sorted({position for position in found if position is not None})
        return self._marked(np.array(positions, dtype=np.uint32), total)

    def records_matching(
        self, name: str, patterns: Iterable[str], total: int, most: int
    ) -> tuple[Mask, list[str] | None]:
        """Which records have a value that one of the patterns matches (see `matching`), and these
        values, None where they are more than `most`."""
        import numpy as np

        matches = [self._matching(name, pattern) for pattern in patterns]
        positions = matches[0] if len(matches) == 1 else np.unique(np.concatenate(matches))
        values = [self._value(at) for at in positions.tolist()] if len(positions) <= most else None
        return self._marked(positions, total), values

    def matching(self, name: str, pattern: str) -> list[str]:
        """The values that a pattern matches.

        A pattern with `*`, `?` or `[...]` is a glob over the whole value, with and without a
        trailing `:` and up to 20 digits, and its `*` crosses slashes; any other is a part of the value.
        """
        return [self._value(position) for position in self._matching(name, pattern).tolist()]

    def count_matching(self, name: str, pattern: str) -> int:
        """How many values a pattern matches, without reading them."""
        return len(self._matching(name, pattern))

    def near(self, name: str, value: str, limit: int) -> list[str]:
        """Up to `limit` values on each side of where `value` stands or would stand."""
        reach = self._range(name)
        at = bisect_left(reach, value.encode(), key=self._bytes)
        window = reach[max(at - limit, 0) : at + limit]
        return [self._value(position) for position in window]

    def close(self) -> None:
        self._texts.clear()
        self._file.close()

    def _range(self, name: str) -> range:
        facet = self._names.get(name)
        return range(0) if facet is None else range(self._firsts[facet], self._firsts[facet + 1])

    def _find(self, name: str, value: str) -> int | None:
        reach = self._range(name)
        wanted = value.encode()
        at = bisect_left(reach, wanted, key=self._bytes)
        return reach[at] if at < len(reach) and self._bytes(reach[at]) == wanted else None

    def _bytes(self, position: int) -> bytes:
        return self._line(len(self._names) + position)

    def _value(self, position: int) -> str:
        return self._bytes(position).decode()

    def _line(self, at: int) -> bytes:
        """A name of a facet or, behind all names, a value, without its line break."""
        start, end = self._text_at + self._starts[at], self._text_at + self._starts[at + 1] - 1
        return bytes(self._file.view[start:end])

    def _marked(self, positions: Ordinals, total: int) -> Mask:
        """The records that have one of the values at `positions`, which ascend."""
        import numpy as np

        mask = np.zeros(total, dtype=np.bool_)
        if not len(positions):
            return mask
        first, end = int(positions[0]), int(positions[-1]) + 1
        if len(positions) == end - first:
            mask[self._slice(first, end)] = True
        else:
            chosen = np.zeros(end - first, dtype=np.bool_)
            chosen[positions - first] = True
            lengths = np.diff(np.frombuffer(self._lists, dtype="<u4")[first : end + 1])
            mask[self._slice(first, end)[np.repeat(chosen, lengths)]] = True
        return mask

    def _slice(self, first: int, end: int) -> Ordinals:
        """The postings of values [first, end)."""
        import numpy as np

        found: Ordinals = np.frombuffer(self._postings, dtype="<u4")[
            self._lists[first] : self._lists[end]
        ]
        return found

    def _matching(self, name: str, pattern: str) -> Ordinals:
        key = (name, pattern)
        found = self._matches.get(key)
        if found is None:
            found = self._scanned(name, pattern)
            if len(self._matches) >= _REMEMBERED_PATTERNS:
                self._matches.clear()
            self._matches[key] = found
        return found

    def _scanned(self, name: str, pattern: str) -> Ordinals:
        """Positions of the values that `pattern` matches, ascending. A literal beginning is a range of
        the sorted values."""
        import numpy as np

        reach = self._range(name)
        glob = Glob.of(pattern) if is_glob(pattern) else Glob.containing(pattern)
        if glob.beginning:
            start = glob.beginning.encode(errors="surrogatepass")
            low = bisect_left(reach, start, key=self._bytes)
            high = bisect_left(reach, True, key=lambda at: self._bytes(at)[: len(start)] > start)
            reach = reach[low:high]
        if not reach or glob.takes_all:
            return np.arange(reach.start, reach.stop, dtype=np.uint32)
        whole = self._range(name)
        values = self._texts.get(name) or self._text(whole)
        self._texts[name] = values
        found = glob.matching(values, reach.start - whole.start, reach.stop - whole.start)
        return (found + whole.start).astype(np.uint32)

    def _text(self, reach: range) -> Values:
        """The values at `reach`, at least one, for globs: a few megabytes for 100,000 of them."""
        import numpy as np

        first, end = (len(self._names) + at for at in (reach.start, reach.stop))
        starts = np.frombuffer(self._starts, dtype="<u4")[first : end + 1].astype(np.int64)
        text = self._file.view[self._text_at + starts[0] : self._text_at + starts[-1] - 1]
        starts -= starts[0]
        return Values(text, starts[:-1], starts[1:] - 1)
