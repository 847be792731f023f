"""Resolves the uses of names to the definitions that they mean, as far as syntax and imports tell.

A use has one of three outcomes. It means a definition of the tree: the name stands in its scope, is
imported from its file, or is a member of a class or module that is named before it. It means something
else (a local variable, a library): then it is left out. Or only a type checker would know, as of the
object in `object.method()`: then it is kept by its name, as a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb_runtime.store.symbols import CALL, FAMILIES, TYPE, DefinitionRow, UseRow
from kbc.languages.node_types import CALLABLE, HOLDERS
from kbc.languages.uses.extraction import FileUses, has_uses, uses
from kbc.languages.uses.imports import ALL, Import
from kbc.languages.uses.modules import Modules, TreeFile
from kbc.records import CodeRecord

GUESS, OTHER = -1, -2
"""Targets of uses: only the name is known, and something that is not in the tree."""

MANIFESTS = frozenset({"go.mod", "package.json", "Cargo.toml"})

_MEMBERS_BY_NAME = frozenset({"java", "csharp", "c", "ruby"})  # `f()` may be a method of the class
_STRICT = frozenset({"python", "go", "rust"})  # every name is bound by a statement of the file
_PASSING = frozenset({"python", "javascript", "c", "rust"})  # what a module imports is in it, too
_OUTER = frozenset({"module"})
_MAX_HOPS = 4  # of names that modules pass on
_SIMPLE = re.compile(r"[\w$]+[?!=]?")
_RECEIVER = re.compile(r"func\s*\(\s*\w*\s*\*?\s*(\w+)")
_KEYS = "key"


class _Module(NamedTuple):
    files: tuple[int, ...]


class _File(NamedTuple):
    path: str
    family: str
    rows: range
    found: FileUses | None


class Resolved(NamedTuple):
    """`uses` are by name; of names that are defined nowhere in the tree only with `keep_all`."""

    definitions: list[DefinitionRow]
    uses: dict[str, list[UseRow]]


def resolve(records: Sequence[CodeRecord], *, keep_all: bool = False) -> Resolved:
    """The definitions of a source tree and the uses of their names."""
    return _Resolver(records).run(keep_all=keep_all)


def simple_name(name: str, kind: str) -> str:
    """The name as it is used: without what it is a part of, and without type parameters."""
    last = re.split(r"::|\.", name)[-1] if not name.startswith("operator") else name
    found = _SIMPLE.match(last)
    if kind in HOLDERS and found is not None:
        return found[0]
    return last or name


class _Resolver:
    def __init__(self, records: Sequence[CodeRecord]) -> None:
        self._definitions: list[DefinitionRow] = []
        self._class_names: list[str] = []  # of each definition: the class that it is a member of
        self._files: list[_File] = []
        for number, record in enumerate(records):
            self._take(number, record)
        files = [
            TreeFile(file.path, file.family, file.found.package if file.found else "")
            for file in self._files
        ]
        manifests = {
            record.path: record.text
            for record in records
            if record.path.rpartition("/")[2] in MANIFESTS
        }
        self._modules = Modules(files, manifests)
        self._top: list[dict[str, int]] = []
        self._nested: list[dict[str, list[int]]] = []
        self._members: dict[tuple[str, str], dict[str, list[int]]] = {}
        for file in self._files:
            self._index(file)
        self._by_local = [_by_local(file.found) for file in self._files]
        self._packages: dict[int, dict[str, int]] = {}
        self._imported: dict[tuple[int, str], int | _Module] = {}
        self._opened: dict[int, tuple[int, ...]] = {}
        self._of_all: dict[tuple[int, str], int] = {}
        self._owners: dict[tuple[int, int], str] = {}

    def _take(self, number: int, record: CodeRecord) -> None:
        first = len(self._definitions)
        around: list[int] = []
        for ordinal, each in enumerate(record.definitions):
            if each.kind == _KEYS:
                continue
            while around and self._definitions[around[-1]].end_line < each.line:
                around.pop()
            parent = around[-1] if around else -1
            name = simple_name(each.name, each.kind)
            end_line = max(each.line, each.end_line)
            row = DefinitionRow(name, each.kind, number, each.line, end_line, parent, ordinal)
            around.append(len(self._definitions))
            self._definitions.append(row)
            self._class_names.append(self._class_name(each.name, each.signature, parent))
        family = FAMILIES.get(record.language, "")
        found = None
        if family and has_uses(record.language):
            found = uses(record.text, language=record.language)
        rows = range(first, len(self._definitions))
        self._files.append(_File(record.id, family, rows, found))

    def _class_name(self, name: str, signature: str, parent: int) -> str:
        if parent >= 0:
            around = self._definitions[parent]
            return around.name if around.kind in {*HOLDERS, *_OUTER, "type"} else ""
        if "::" in name:
            return simple_name(name.rpartition("::")[0], "class")
        if receiver := _RECEIVER.match(signature):
            return receiver[1]
        return ""

    def _index(self, file: _File) -> None:
        top: dict[str, int] = {}
        nested: dict[str, list[int]] = {}
        for row in file.rows:
            each = self._definitions[row]
            if self._is_top(row):
                known = top.get(each.name)
                if known is None or self._weight(known) < self._weight(row):
                    top[each.name] = row
            else:
                nested.setdefault(each.name, []).append(row)
            if owner := self._class_names[row]:
                members = self._members.setdefault((file.family, owner), {})
                members.setdefault(each.name, []).append(row)
        self._top.append(top)
        self._nested.append(nested)

    def _is_top(self, row: int) -> bool:
        parent = self._definitions[row].parent
        if parent < 0:
            return not self._class_names[row]
        return self._definitions[parent].kind in _OUTER and (
            self._definitions[parent].parent < 0 or self._is_top(parent)
        )

    def _weight(self, row: int) -> tuple[bool, int]:
        """Of a type and its implementation the type counts, of a declaration and a definition the one
        that has a body."""
        return self._definitions[row].kind != "implementation", self._lines(row)

    def _lines(self, row: int) -> int:
        return self._definitions[row].end_line - self._definitions[row].line

    def run(self, *, keep_all: bool) -> Resolved:
        defined = {
            (self._files[each.file].family, each.name)
            for each in self._definitions
            if self._files[each.file].family
        }
        out: dict[str, list[UseRow]] = {}
        for number, file in enumerate(self._files):
            if file.found is None:
                continue
            own = self._own_names(file)
            found = file.found
            columns = zip(
                found.names, found.lines, found.columns, found.ways, found.receivers, strict=True
            )
            for at, (name, line, column, way, before) in enumerate(columns):
                original = self._original(number, name)
                if at in own or not (keep_all or (file.family, original) in defined):
                    continue
                target = self._target(number, name, line, way, before)
                if target == OTHER:
                    continue
                name = self._definitions[target].name if target >= 0 else original
                use = UseRow(number, line, column, way, bool(before), target)
                out.setdefault(name, []).append(use)
        return Resolved(self._definitions, out)

    def _original(self, file: int, name: str) -> str:
        """The name under which an import knows what this file calls `name`."""
        for each in self._by_local[file].get(name, ()):
            if each.name not in ("", "default"):
                return each.name
        return name

    def _own_names(self, file: _File) -> set[int]:
        """Which uses are the names of the file's definitions, where they are defined."""
        assert file.found is not None
        places: dict[tuple[str, int], list[int]] = {}
        for at, place in enumerate(zip(file.found.names, file.found.lines, strict=True)):
            places.setdefault(place, []).append(at)
        own: set[int] = set()
        for row in file.rows:
            each = self._definitions[row]
            for line in range(each.line, min(each.end_line, each.line + 8) + 1):
                at = next((one for one in places.get((each.name, line), ()) if one not in own), -1)
                if at >= 0:
                    own.add(at)
                    break
        return own

    def _target(self, file: int, name: str, line: int, way: int, before: str) -> int:
        if before == "":
            found = self._named(file, name, line)
            if isinstance(found, _Module):
                return OTHER
            if found == GUESS and self._is_bound_elsewhere(file, name, way):
                return OTHER
            return found
        if before == "self":
            return self._own_member(file, name, line)
        if before == "?":
            return GUESS
        holder = self._path(file, before, line)
        if isinstance(holder, _Module):
            found = self._in_module(holder, name)
            if isinstance(found, int) and found >= 0:
                return found
            return OTHER
        if holder < 0:
            return holder
        return self._member(holder, name)

    def _named(self, file: int, name: str, line: int) -> int | _Module:
        """What a name alone means on a line."""
        for row in self._nested[file].get(name, ()):
            if self._sees(file, row, line):
                return row
        if name in self._top[file]:
            return self._top[file][name]
        imported = self._import(file, name)
        if imported != GUESS:
            return imported
        package = self._package_names(file)
        if name in package:
            return package[name]
        return self._from_all(file, name)

    def _sees(self, file: int, row: int, line: int) -> bool:
        """Whether a definition inside another one is in scope by its bare name."""
        each = self._definitions[row]
        if each.parent < 0:  # a member that is defined outside of its class
            return False
        around = self._definitions[each.parent]
        if not around.line <= line <= around.end_line:
            return False
        return around.kind not in HOLDERS or self._files[file].family in _MEMBERS_BY_NAME

    def _import(self, file: int, name: str) -> int | _Module:
        """What an import statement binds a name to; `GUESS` where none does."""
        key = file, name
        if key not in self._imported:
            self._imported[key] = OTHER  # for circles
            self._imported[key] = self._read_import(file, name)
        return self._imported[key]

    def _read_import(self, file: int, name: str) -> int | _Module:
        for each in self._by_local[file].get(name, ()):
            files = self._modules.find(file, each.module)
            if files is None:
                return self._class_of(file, each.module, each.name)
            if not files:
                return GUESS
            if not each.name:
                return _Module(files)
            return self._in_module(_Module(files), each.name, each.module, file)
        return GUESS

    def _class_of(self, file: int, module: str, name: str) -> int:
        """A member of a class that an import names with its package; `OTHER` outside of the tree."""
        package, _, owner = module.rpartition(".")
        if self._files[file].family in ("java", "csharp") and owner:
            files = self._modules.find(file, package) if package else None
            for each in files or ():
                if owner in self._top[each]:
                    return self._member(self._top[each][owner], name) if name else OTHER
        return OTHER

    def _in_module(
        self, module: _Module, name: str, path: str = "", file: int = -1, hops: int = _MAX_HOPS
    ) -> int | _Module:
        """A name of a module: defined there, passed on by it, or a module inside of it."""
        for each in module.files:
            row = self._top[each].get(name, -1)
            # In Rust a file often passes on what its module of the same name defines.
            if row >= 0 and self._definitions[row].kind in _OUTER and hops:
                passed = self._import(each, name)
                if isinstance(passed, int) and passed >= 0:
                    return passed
            if row >= 0:
                return row
        if name == "default":
            return self._default(module)
        if hops:
            for each in module.files:
                found = self._import(each, name)
                if found == GUESS:
                    found = self._from_all(each, name)
                if found != GUESS:
                    return found
        if path and file >= 0:
            between = "" if path.endswith(".") else "."
            inner = self._modules.find(file, f"{path}{between}{name}")
            if inner:
                return _Module(inner)
        return OTHER

    def _default(self, module: _Module) -> int | _Module:
        """The default export: the only definition of a file or the one named like it, otherwise the
        module as a whole."""
        for each in module.files:
            top = self._top[each]
            stem = self._files[each].path.rpartition("/")[2].partition(".")[0]
            if stem in top:
                return top[stem]
            if len(top) == 1:
                return next(iter(top.values()))
        return module

    def _from_all(self, file: int, name: str) -> int:
        """A name that an import of a whole module brings in; `GUESS` where none is known to."""
        key = file, name
        if key not in self._of_all:
            rows = (
                self._top[each][name] for each in self._reached(file) if name in self._top[each]
            )
            self._of_all[key] = next(rows, GUESS)
        return self._of_all[key]

    def _reached(self, file: int) -> tuple[int, ...]:
        """The files whose names a file sees, and where its language passes these on those of theirs."""
        if file not in self._opened:
            found: dict[int, None] = {file: None}
            layer = [file]
            for _ in range(_MAX_HOPS if self._files[file].family in _PASSING else 1):
                layer = [other for each in layer for other in self._opens(each)]
                layer = [other for other in dict.fromkeys(layer) if other not in found]
                found |= dict.fromkeys(layer)
            self._opened[file] = tuple(found)[1:]
        return self._opened[file]

    def _all_imports(self, file: int) -> Sequence[Import]:
        return self._by_local[file].get(ALL, ())

    def _opens(self, file: int) -> Iterator[int]:
        for each in self._all_imports(file):
            yield from self._modules.find(file, each.module) or ()

    def _package_names(self, file: int) -> dict[str, int]:
        siblings = self._modules.siblings(file)
        if not siblings:
            return {}
        first = siblings[0]
        if first not in self._packages:
            names: dict[str, int] = {}
            for each in siblings:
                for name, row in self._top[each].items():
                    names.setdefault(name, row)
            self._packages[first] = names
        return self._packages[first]

    def _is_bound_elsewhere(self, file: int, name: str, way: int) -> bool:
        """Whether a name that no statement of the file binds can mean none of the tree."""
        entry = self._files[file]
        found = entry.found
        assert found is not None
        if any(self._modules.find(file, each.module) == () for each in self._all_imports(file)):
            return False
        if entry.family == "javascript":
            return bool(found.imports)
        if entry.family == "java":
            return way == TYPE
        if entry.family == "rust" and way == CALL:  # macros are seen without an import
            kinds = {self._definitions[row].kind for row in self._rows_of(name)}
            return "macro" not in kinds
        return entry.family in _STRICT

    def _rows_of(self, name: str) -> Iterable[int]:
        return (top[name] for top in self._top if name in top)

    def _path(self, file: int, path: str, line: int) -> int | _Module:
        """What a path such as `os.path` or `Shape` means."""
        whole = self._import(file, path)
        if whole != GUESS:
            return whole
        first, *rest = path.split(".")
        family = self._files[file].family
        if family == "rust" and first in ("crate", "super"):
            files = self._modules.find(file, path)
            return _Module(files) if files else OTHER
        here = self._named(file, first, line)
        if here == GUESS and family in ("java", "csharp", "php") and rest:
            files = self._modules.find(file, path)
            return _Module(files) if files else GUESS
        for name in rest:
            if isinstance(here, _Module):
                here = self._in_module(here, name)
            elif here >= 0:
                here = self._member(here, name)
        return here

    def _own_member(self, file: int, name: str, line: int) -> int:
        """A member of the class that a line lies in; inherited ones are guesses."""
        key = file, line
        if key not in self._owners:
            self._owners[key] = self._owner(file, line)
        owner = self._owners[key]
        return self._nearest(self._members.get((self._files[file].family, owner), {}), name, file)

    def _owner(self, file: int, line: int) -> str:
        """The class that a line lies in, "" for none."""
        owner = ""
        for row in self._files[file].rows:
            each = self._definitions[row]
            if each.line > line:
                break
            if line <= each.end_line:
                owner = each.name if each.kind in HOLDERS else self._class_names[row] or owner
        return owner

    def _member(self, holder: int, name: str) -> int:
        each = self._definitions[holder]
        if each.kind in CALLABLE or each.kind in ("constant", "variable"):
            return GUESS
        family = self._files[each.file].family
        return self._nearest(self._members.get((family, each.name), {}), name, each.file)

    def _nearest(self, members: Mapping[str, Sequence[int]], name: str, file: int) -> int:
        """The member of a name: in the file of the class, in its folder, or the only one."""
        rows = members.get(name, ())
        if not rows:
            return GUESS
        folder = self._files[file].path.rpartition("/")[0]
        for same in (
            [row for row in rows if self._definitions[row].file == file],
            [row for row in rows if self._folder(row) == folder],
        ):
            if same:
                return max(same, key=lambda row: (self._lines(row), -row))
        return rows[0] if len(rows) == 1 else GUESS

    def _folder(self, row: int) -> str:
        return self._files[self._definitions[row].file].path.rpartition("/")[0]


def _by_local(found: FileUses | None) -> dict[str, list[Import]]:
    imports: dict[str, list[Import]] = {}
    for each in found.imports if found is not None else ():
        imports.setdefault(each.local, []).append(each)
    return imports
