"""Symbols: the definitions of a source tree and the places that use their names, in mapped memory.

`docs/format.md` describes the bytes, `kbc.backends.symbols` writes them.
"""

from __future__ import annotations

import itertools
import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kb_runtime.store.catalog import MappedFile
from kb_runtime.store.integrity import inconsistent

SUFFIX = ".symbols"
HEADER_BYTES = 64
"""Eight u64: names, kinds, definitions, uses, files, bytes of text, and two that are 0."""

USE, TYPE, CALL, IMPORTED = range(4)
"""The ways in which a name is used; the low two bits of `info`."""
MEMBER = 4
"""Bit of `info`: the name stands behind a `.`, so that it is a member of something."""
COLUMN_SHIFT = 3
MAX_COLUMN = (1 << 29) - 1

MAX_USES_OF_NAME = 20_000
"""Uses stored of one name."""


FAMILIES: Mapping[str, str] = {
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "c": "c",
    "cpp": "c",
    **{name: name for name in ("python", "go", "rust", "java", "csharp", "ruby", "php")},
}
"""Languages whose uses are compiled, by those whose files use each other's names."""

MEMBER_HOLDERS = frozenset({"class", "struct", "enum", "interface", "trait", "implementation"})
"""Kinds of definitions whose inner definitions are their members."""

KEY = "key"
"""The kind of what is in the outline of a file of data, and no definition of a symbol."""


class DefinitionRow(NamedTuple):
    """A definition. `file` is the position of its record in the collection, `ordinal` its position in
    the record's `definitions`, `parent` the row of the definition around it, -1 without one. Lines count
    from 1."""

    name: str
    kind: str
    file: int
    line: int
    end_line: int
    parent: int
    ordinal: int


class UseRow(NamedTuple):
    """A place where a name is used. `target` is the row of the definition that it means, -1 where only
    the name is known to agree."""

    file: int
    line: int
    column: int
    way: int
    is_member: bool
    target: int


class Symbols:
    """The symbols of one collection."""

    def __init__(self, folder: str, collection: str) -> None:
        """`folder` is the build's `catalog` folder, verified. Raises `ArtifactError`."""
        path = os.path.join(folder, collection + SUFFIX)
        self._file = file = MappedFile(path)
        if len(file.view) < HEADER_BYTES:
            raise inconsistent(path)
        names, kinds, definitions, uses, files, text_bytes, *rest = file.array(0, 8, 8)
        sizes = {
            "ends": names + kinds + 1,
            "name_definitions": names + 1,
            "by_name": definitions,
            "name_uses": names + 1,
            "file_definitions": files + 1,
            **dict.fromkeys(DEFINITION_COLUMNS, definitions),
            **dict.fromkeys(USE_COLUMNS, uses),
        }
        if any(rest) or len(file.view) != HEADER_BYTES + 4 * sum(sizes.values()) + text_bytes:
            raise inconsistent(path)
        self.columns: dict[str, memoryview] = {}
        """Every array of the file by its name in docs/format.md."""
        at = HEADER_BYTES
        for name, count in sizes.items():
            self.columns[name] = file.array(at, count, 4)
            at += 4 * count
        self._text_at = at
        self.names, self.kinds, self.files = names, kinds, files
        self.definitions, self.uses = definitions, uses

    def definition(self, row: int) -> DefinitionRow:
        column = self.columns
        files = column["file_definitions"]
        file = bisect_left(files, row + 1) - 1
        return DefinitionRow(
            self._string(column["name"][row]),
            self._string(self.names + column["kind"][row]),
            file,
            column["line"][row],
            column["end_line"][row],
            column["parent"][row] - 1,
            column["ordinal"][row],
        )

    def find(self, name: str) -> int | None:
        """The number of a name, None where nothing of this name is defined or used."""
        wanted = name.encode("utf-8", "surrogatepass")
        at = bisect_left(range(self.names), wanted, key=self._bytes)
        return at if at < self.names and self._bytes(at) == wanted else None

    def name(self, number: int) -> str:
        return self._string(number)

    def definitions_of(self, number: int) -> list[int]:
        """The rows of the definitions with a name, in the order of the files."""
        starts = self.columns["name_definitions"]
        return list(self.columns["by_name"][starts[number] : starts[number + 1]])

    def uses_of(self, number: int) -> Iterator[UseRow]:
        """The uses of a name, by file and line."""
        starts = self.columns["name_uses"]
        return map(self.use, range(starts[number], starts[number + 1]))

    def use(self, row: int) -> UseRow:
        column = self.columns
        info = column["info"][row]
        return UseRow(
            column["use_file"][row],
            column["use_line"][row],
            info >> COLUMN_SHIFT,
            info & 3,
            bool(info & MEMBER),
            column["target"][row] - 1,
        )

    def name_of_use(self, row: int) -> int:
        """The number of the name that a use is of."""
        starts = self.columns["name_uses"]
        return bisect_left(starts, row + 1) - 1

    def uses_in(self, file: int, first_line: int, last_line: int) -> list[int]:
        """The rows of the uses on these lines of a file, by line and column."""
        import numpy as np

        column = self.columns
        files = np.frombuffer(column["use_file"], dtype="<u4")
        at = np.flatnonzero(files == file)
        lines = np.frombuffer(column["use_line"], dtype="<u4")[at]
        inside = at[(lines >= first_line) & (lines <= last_line)]
        rows: list[int] = inside.tolist()
        info, use_line = column["info"], column["use_line"]
        return sorted(rows, key=lambda row: (use_line[row], info[row] >> COLUMN_SHIFT))

    def definitions_in(self, file: int) -> range:
        """The rows of a file's definitions, in its order."""
        starts = self.columns["file_definitions"]
        return range(starts[file], starts[file + 1])

    def around(self, file: int, line: int) -> int:
        """The row of the innermost definition that a line of a file lies in, -1 for none."""
        starts, ends = self.columns["line"], self.columns["end_line"]
        inner = -1
        for row in self.definitions_in(file):
            if starts[row] > line:
                break
            if line <= ends[row]:
                inner = row
        return inner

    def matching(self, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
        """The numbers of the names in which the pattern is found, with where."""
        if not self.names:
            return
        start, end = self._text_at, self._text_at + self.columns["ends"][self.names]
        for number, name in enumerate(str(self._file.view[start:end], "utf-8").split("\n")[:-1]):
            if found := pattern.search(name):
                yield number, found

    def close(self) -> None:
        self._file.close()

    def _bytes(self, number: int) -> bytes:
        ends = self.columns["ends"]
        start, end = self._text_at + ends[number], self._text_at + ends[number + 1] - 1
        return bytes(self._file.view[start:end])

    def _string(self, number: int) -> str:
        return self._bytes(number).decode()

    def inconsistencies(self) -> Iterator[str]:
        """What contradicts itself, as sentences without an end; nothing where all is well."""
        import numpy as np

        def column(name: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
            return np.frombuffer(self.columns[name], dtype="<u4")

        text_bytes = len(self._file.view) - self._text_at
        limits = {
            "ends": text_bytes,
            "name_definitions": self.definitions,
            "name_uses": self.uses,
            "file_definitions": self.definitions,
        }
        for name, last in limits.items():
            starts = column(name)
            if starts[0] != 0 or starts[-1] != last or (starts[:-1] > starts[1:]).any():
                yield f"{name} does not ascend from 0 to {last}"
                return
        bounds = {
            "by_name": self.definitions,
            "name": self.names,
            "kind": self.kinds,
            "parent": self.definitions + 1,
            "use_file": self.files,
            "target": self.definitions + 1,
        }
        for name, bound in bounds.items():
            if (column(name) >= bound).any():
                yield f"{name} names an entry of {bound} that is not there"
                return
        if (np.sort(column("by_name")) != np.arange(self.definitions)).any():
            yield "by_name does not hold each definition once"
        elif (
            np.repeat(np.arange(self.names), np.diff(column("name_definitions")))
            != column("name")[column("by_name")]
        ).any():
            yield "by_name lists a definition under another name"
        if (column("parent") > np.arange(self.definitions)).any():
            yield "a definition comes before the one around it"
        if (column("line") > column("end_line")).any():
            yield "a definition ends before it begins"
        try:
            names = [self._bytes(number) for number in range(self.names)]
            text = [name.decode() for name in names]
        except UnicodeDecodeError:
            yield "a name is not UTF-8"
            return
        if any(first >= second for first, second in itertools.pairwise(names)):
            yield "names are not in order"
        if any("\n" in name for name in text):
            yield "a name has a line break"


DEFINITION_COLUMNS = ("name", "kind", "line", "end_line", "parent", "ordinal")
USE_COLUMNS = ("use_file", "use_line", "info", "target")
