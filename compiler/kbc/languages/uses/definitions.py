"""The definitions of a source tree in tables: by file, by class and by what is in scope where."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from kb_runtime.store.symbols import FAMILIES, KEY, MEMBER_HOLDERS, DefinitionRow
from kbc.languages.node_types import CALLABLE
from kbc.languages.uses.extraction import FileUses, has_uses, uses
from kbc.records import CodeRecord

UNKNOWN_MEMBER = -1
OUTER = frozenset({"module"})
"""Kinds that only hold other definitions, which count as those of the file."""

_SIMPLE = re.compile(r"[\w$]+[?!=]?")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_RECEIVER = re.compile(r"func\s*\(\s*\w*\s*\*?\s*(\w+)")


class SourceText(NamedTuple):
    """A file; `rows` are its definitions, `found` its uses where its language has some."""

    path: str
    family: str
    rows: range
    found: FileUses | None


def simple_name(name: str, kind: str) -> str:
    """The name as it is used: without what it is a part of, and without type parameters."""
    is_operator = name.startswith("operator")
    last = name if is_operator else re.split(r"::|\.", _without_arguments(name))[-1]
    found = _SIMPLE.match(last)
    if kind in MEMBER_HOLDERS and found is not None:
        return found[0]
    return last or name


def _without_arguments(name: str) -> str:
    """The name without type arguments, which may contain names of their own: `Map` for `Map<text::Key>`."""
    before = ""
    while name[:1].isidentifier() and name != before:
        before, name = name, _ARGUMENTS.sub("", name)
    return name


class TreeDefinitions:
    """`rows` are all definitions; `class_names` gives for each the class that it is a member of, "" for
    none. For each file `top` has those in scope in all of it by name, `nested` the rows of the others."""

    def __init__(self, records: Sequence[CodeRecord]) -> None:
        self.rows: list[DefinitionRow] = []
        self.class_names: list[str] = []
        self.files: list[SourceText] = []
        for number, record in enumerate(records):
            self._take(number, record)
        self.top: list[dict[str, int]] = []
        self.nested: list[dict[str, list[int]]] = []
        self._last_lines: list[list[int]] = []  # by file, where its rows up to each begin at most
        self._members: dict[tuple[str, str, str], list[int]] = {}
        self._nearest = cache(self._by_place)
        for file in self.files:
            self._index(file)

    def _take(self, number: int, record: CodeRecord) -> None:
        first = len(self.rows)
        around: list[int] = []
        for ordinal, each in enumerate(record.definitions):
            if each.kind == KEY:
                continue
            while around and self.rows[around[-1]].end_line < each.line:
                around.pop()
            parent = around[-1] if around else -1
            name = simple_name(each.name, each.kind)
            end_line = max(each.line, each.end_line)
            row = DefinitionRow(name, each.kind, number, each.line, end_line, parent, ordinal)
            around.append(len(self.rows))
            self.rows.append(row)
            self.class_names.append(self._class_name(each.name, each.signature, parent))
        family = FAMILIES.get(record.language, "")
        found = None
        if family and has_uses(record.language):
            found = uses(record.text, language=record.language)
        rows = range(first, len(self.rows))
        self.files.append(SourceText(record.id, family, rows, found))

    def _class_name(self, name: str, signature: str, parent: int) -> str:
        if "::" in name:
            return simple_name(name.rpartition("::")[0], "class")
        if parent >= 0:
            around = self.rows[parent]
            return around.name if around.kind in {*MEMBER_HOLDERS, *OUTER, "type"} else ""
        if receiver := _RECEIVER.match(signature):
            return receiver[1]
        return ""

    def _index(self, file: SourceText) -> None:
        top: dict[str, int] = {}
        nested: dict[str, list[int]] = {}
        for row in file.rows:
            each = self.rows[row]
            if self._is_top(row):
                known = top.get(each.name)
                if known is None or self._weight(known) < self._weight(row):
                    top[each.name] = row
            else:
                nested.setdefault(each.name, []).append(row)
            if owner := self.class_names[row]:
                key = file.family, owner, each.name
                self._members.setdefault(key, []).append(row)
        self.top.append(top)
        self.nested.append(nested)
        lines = (self.rows[row].line for row in file.rows)
        self._last_lines.append(list(accumulate(lines, max)))

    def _is_top(self, row: int) -> bool:
        """Whether a definition is in scope in all of its file: in none, or in modules only."""
        parent = self.rows[row].parent
        if parent < 0:
            return not self.class_names[row]
        if self.class_names[row] != self.rows[parent].name:  # a member outside of its class
            return False
        return self.rows[parent].kind in OUTER and self._is_top(parent)

    def _weight(self, row: int) -> tuple[bool, int]:
        """A type counts before its implementation, and the definition with a body before a declaration."""
        return self.rows[row].kind != "implementation", self._lines(row)

    def _lines(self, row: int) -> int:
        return self.rows[row].end_line - self.rows[row].line

    def owner(self, file: int, line: int) -> str:
        """The class that a line lies in, "" for none."""
        above = bisect_right(self._last_lines[file], line)
        # What a line lies in is the last definition above it, or around that one.
        row = self.files[file].rows[above - 1] if above else -1
        while row >= 0:
            each = self.rows[row]
            if line <= each.end_line:
                if each.kind in MEMBER_HOLDERS:
                    return each.name
                if owner := self.class_names[row]:
                    return owner
            row = each.parent
        return ""

    def member(self, holder: int, name: str) -> int:
        each = self.rows[holder]
        if each.kind in CALLABLE or each.kind in ("constant", "variable"):
            return UNKNOWN_MEMBER
        return self.member_of(each.name, name, each.file)

    def member_of(self, owner: str, name: str, file: int) -> int:
        """The member of a class that a file knows by the name `owner`: in the same file, in its folder, or
        the only one."""
        key = self.files[file].family, owner, name
        rows = self._members.get(key, ())
        if len(rows) < 2:
            return rows[0] if rows else UNKNOWN_MEMBER
        nearest = self._nearest(key)
        return nearest.get(file, nearest.get(self._folder(file), UNKNOWN_MEMBER))

    def _by_place(self, key: tuple[str, str, str]) -> dict[int | str, int]:
        """For each file, and each folder, the longest member with a key that is in it."""
        nearest: dict[int | str, int] = {}
        for row in self._members[key]:
            file = self.rows[row].file
            for place in (file, self._folder(file)):
                known = nearest.setdefault(place, row)
                if self._lines(known) < self._lines(row):
                    nearest[place] = row
        return nearest

    def _folder(self, file: int) -> str:
        return self.files[file].path.rpartition("/")[0]
