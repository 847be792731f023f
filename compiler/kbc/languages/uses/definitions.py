"""The definitions of a source tree in tables: by file, by class and by what is in scope where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
        self._members: dict[tuple[str, str], dict[str, list[int]]] = {}
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
                members = self._members.setdefault((file.family, owner), {})
                members.setdefault(each.name, []).append(row)
        self.top.append(top)
        self.nested.append(nested)

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
        owner = ""
        for row in self.files[file].rows:
            each = self.rows[row]
            if each.line > line:
                break
            if line <= each.end_line:
                owner = each.name if each.kind in MEMBER_HOLDERS else self.class_names[row] or owner
        return owner

    def member(self, holder: int, name: str) -> int:
        each = self.rows[holder]
        if each.kind in CALLABLE or each.kind in ("constant", "variable"):
            return UNKNOWN_MEMBER
        family = self.files[each.file].family
        return self._nearest(self._members.get((family, each.name), {}), name, each.file)

    def _nearest(self, members: Mapping[str, Sequence[int]], name: str, file: int) -> int:
        """The member of a name: in the file of the class, in its folder, or the only one."""
        rows = members.get(name, ())
        if not rows:
            return UNKNOWN_MEMBER
        same = [row for row in rows if self.rows[row].file == file]
        folder = self._folder(file)
        if same := same or [row for row in rows if self._folder(self.rows[row].file) == folder]:
            return max(same, key=lambda row: (self._lines(row), -row))
        return rows[0] if len(rows) == 1 else UNKNOWN_MEMBER

    def _folder(self, file: int) -> str:
        return self.files[file].path.rpartition("/")[0]

    def member_of(self, owner: str, name: str, file: int) -> int:
        """The member of a class that a file knows by the name `owner`."""
        return self._nearest(self._members.get((self.files[file].family, owner), {}), name, file)
