"""Resolves the uses of names to the definitions that they mean, as far as syntax and imports tell.

A use has one of three outcomes. It means a definition of the tree: the name stands in its scope, is
imported from its file, or is a member of a class or module that is named before it. It means something
else (a local variable, a library): then it is left out. Or only a type checker would know, as of the
object in `object.method()`: then it is kept by its name, as a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from kb_runtime.store.symbols import CALL, MEMBER_HOLDERS, TYPE, DefinitionRow, UseRow
from kbc.languages.uses.definitions import OUTER, SourceText, TreeDefinitions
from kbc.languages.uses.extraction import IMPORT, UNKNOWN, FileUses
from kbc.languages.uses.imports import ALL, ImportedName
from kbc.languages.uses.modules import ModuleTable, TreeFile
from kbc.records import CodeRecord

GUESS, OTHER = -1, -2
"""Targets of uses: only the name is known, and something that is not in the tree."""

MANIFESTS = frozenset({"go.mod", "package.json", "Cargo.toml"})

_MEMBERS_BY_NAME = frozenset({"java", "csharp", "c", "ruby"})  # `f()` may be a method of the class
_STRICT = frozenset({"python", "go", "rust"})  # every name is bound by a statement of the file
_PASSING = frozenset({"python", "javascript", "c", "rust"})  # what a module imports is in it, too
_MAX_HOPS = 4  # of names that modules pass on
_RECENT = 64  # files whose reach is at hand as a table, which takes ten times as much as a list


class _ModuleFiles(NamedTuple):
    files: tuple[int, ...]


class Resolved(NamedTuple):
    """`uses` are by name; of names that are defined nowhere in the tree only with `keep_all`."""

    definitions: list[DefinitionRow]
    uses: dict[str, list[UseRow]]


def resolve(records: Sequence[CodeRecord], *, keep_all: bool = False) -> Resolved:
    """The definitions of a source tree and the uses of their names."""
    return _Resolver(records).run(keep_all=keep_all)


class _Resolver:
    def __init__(self, records: Sequence[CodeRecord]) -> None:
        self._tree = tree = TreeDefinitions(records)
        self._definitions, self._files = tree.rows, tree.files
        self._top, self._nested = tree.top, tree.nested
        files = [
            TreeFile(file.path, file.family, file.found.package if file.found else "")
            for file in self._files
        ]
        manifests = {
            record.path: record.text
            for record in records
            if record.path.rpartition("/")[2] in MANIFESTS
        }
        self._modules = ModuleTable(files, manifests)
        self._find = cache(self._modules.find)
        self._by_local = [_by_local(file.found) for file in self._files]
        self._locals = cache(self._by_imported_name)
        self._with_top: dict[str, list[int]] = {}  # by name: the files with such a definition
        for number, names in enumerate(self._top):
            for name in names:
                self._with_top.setdefault(name, []).append(number)
        self._imported: dict[tuple[int, str], int | _ModuleFiles] = {}
        self._reached = cache(self._seen_from)
        self._places = lru_cache(_RECENT)(self._places_reached)
        self._is_open = cache(self._opens_unknown)
        self._from_all = cache(self._in_whole_modules)
        self._packages: dict[int, dict[str, int]] = {}

    def run(self, *, keep_all: bool) -> Resolved:
        defined = {
            (self._files[each.file].family, each.name)
            for each in self._definitions
            if self._files[each.file].family
        }
        renamed = {
            (file.family, each.local)
            for file in self._files
            if file.found is not None
            for each in file.found.imports
            if each.local != each.name
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
                is_known = keep_all or (file.family, original) in defined
                if at in own or not (is_known or (file.family, original) in renamed):
                    continue
                target = self._target(number, name, line, way, before)
                if target == OTHER or (target == GUESS and not is_known):
                    continue
                name = self._definitions[target].name if target >= 0 else original
                use = UseRow(number, line, column, way, before not in ("", IMPORT), target)
                out.setdefault(name, []).append(use)
        return Resolved(self._definitions, out)

    def _original(self, file: int, name: str) -> str:
        """The name under which an import knows what this file calls `name`."""
        for each in self._by_local[file].get(name, ()):
            if each.name not in ("", "default"):
                return each.name
        return name

    def _own_names(self, file: SourceText) -> set[int]:
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
            if isinstance(found, _ModuleFiles):
                return OTHER
            if found == GUESS and self._is_bound_elsewhere(file, name, way):
                return OTHER
            return found
        if before == IMPORT:
            return self._imported_row(file, name)
        if before == "self":
            # Of the class that the line lies in; inherited ones are guesses.
            return self._tree.member_of(self._tree.owner(file, line), name, file)
        if before == UNKNOWN:
            return GUESS
        holder = self._path(file, before, line)
        if isinstance(holder, _ModuleFiles):
            found = self._in_module(holder, name)
            if isinstance(found, int) and found >= 0:
                return found
            return OTHER
        if holder < 0:
            return holder
        return self._tree.member(holder, name)

    def _named(self, file: int, name: str, line: int) -> int | _ModuleFiles:
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
        return around.kind not in MEMBER_HOLDERS or self._files[file].family in _MEMBERS_BY_NAME

    def _import(self, file: int, name: str) -> int | _ModuleFiles:
        """What an import statement binds a name to; `GUESS` where none does."""
        key = file, name
        if key not in self._imported:
            self._imported[key] = OTHER  # for circles
            self._imported[key] = self._read_import(file, name)
        return self._imported[key]

    def _read_import(self, file: int, name: str) -> int | _ModuleFiles:
        for each in self._by_local[file].get(name, ()):
            files = self._find(file, each.module)
            if files is None:
                return self._class_of(file, each.module, each.name)
            if not files:
                return GUESS
            if not each.name:
                return _ModuleFiles(files)
            return self._in_module(_ModuleFiles(files), each.name, each.module, file)
        return GUESS

    def _imported_row(self, file: int, name: str) -> int:
        """The definition that an import statement names; `OTHER` for a module or a library."""
        local = self._locals(file).get(name)
        found = OTHER if local is None else self._import(file, local)
        return found if isinstance(found, int) else OTHER

    def _by_imported_name(self, file: int) -> dict[str, str]:
        """What a file calls the names that it imports, the first name of several."""
        locals_: dict[str, str] = {}
        for local, imports in self._by_local[file].items():
            for each in imports:
                locals_.setdefault(each.name, local)
        return locals_

    def _class_of(self, file: int, module: str, name: str) -> int:
        """A member of a class that an import names with its package; `OTHER` outside of the tree."""
        package, _, owner = module.rpartition(".")
        if self._files[file].family in ("java", "csharp") and owner:
            files = self._find(file, package) if package else None
            for each in files or ():
                if owner in self._top[each]:
                    return self._tree.member(self._top[each][owner], name) if name else OTHER
        return OTHER

    def _in_module(
        self, module: _ModuleFiles, name: str, path: str = "", file: int = -1
    ) -> int | _ModuleFiles:
        """A name of a module: defined there, passed on by it, or a module inside of it."""
        for each in module.files:
            row = self._top[each].get(name, -1)
            # In Rust a file often passes on what its module of the same name defines.
            if row >= 0 and self._definitions[row].kind in OUTER:
                passed = self._import(each, name)
                if isinstance(passed, int) and passed >= 0:
                    return passed
            if row >= 0:
                return row
        if name == "default":
            return self._default(module)
        for each in module.files:
            found = self._import(each, name)
            if found == GUESS:
                found = self._from_all(each, name)
            if found != GUESS:
                return found
        if path and file >= 0:
            between = "" if path.endswith(".") else "."
            inner = self._find(file, f"{path}{between}{name}")
            if inner:
                return _ModuleFiles(inner)
        return OTHER

    def _default(self, module: _ModuleFiles) -> int | _ModuleFiles:
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

    def _in_whole_modules(self, file: int, name: str) -> int:
        """A name that an import of a whole module brings in; `GUESS` where none is known to."""
        reached, candidates = self._reached(file), self._with_top.get(name, ())
        if len(candidates) < len(reached):
            places = self._places(file)
            reached = sorted(
                (each for each in candidates if each in places), key=places.__getitem__
            )
        return next((self._top[each][name] for each in reached if name in self._top[each]), GUESS)

    def _places_reached(self, file: int) -> dict[int, int]:
        return {each: place for place, each in enumerate(self._reached(file))}

    def _seen_from(self, file: int) -> Sequence[int]:
        """The files whose names a file sees, and where its language passes these on those of theirs."""
        found: dict[int, None] = {file: None}
        layer = [file]
        for _ in range(_MAX_HOPS if self._files[file].family in _PASSING else 1):
            layer = [other for each in layer for other in self._opens(each)]
            layer = [other for other in dict.fromkeys(layer) if other not in found]
            found |= dict.fromkeys(layer)
        return tuple(found)[1:]

    def _all_imports(self, file: int) -> Sequence[ImportedName]:
        return self._by_local[file].get(ALL, ())

    def _opens(self, file: int) -> Iterator[int]:
        for each in self._all_imports(file):
            yield from self._find(file, each.module) or ()

    def _package_names(self, file: int) -> dict[str, int]:
        siblings = self._modules.siblings(file)
        if not siblings:
            return {}
        first = siblings[0]
        if first not in self._packages:
            tops = (self._top[each].items() for each in reversed(siblings))
            self._packages[first] = {name: row for top in tops for name, row in top}
        return self._packages[first]

    def _opens_unknown(self, file: int) -> bool:
        """Whether a file imports all of a module that only a run would tell."""
        return any(self._find(file, each.module) == () for each in self._all_imports(file))

    def _is_bound_elsewhere(self, file: int, name: str, way: int) -> bool:
        """Whether a name that no statement of the file binds can mean none of the tree."""
        entry = self._files[file]
        found = entry.found
        assert found is not None
        if self._is_open(file):
            return False
        if entry.family == "javascript":
            return bool(found.imports)
        if entry.family == "java":
            return way == TYPE
        if entry.family == "rust" and way == CALL:  # macros are seen without an import
            rows = (self._top[each][name] for each in self._with_top.get(name, ()))
            return all(self._definitions[row].kind != "macro" for row in rows)
        return entry.family in _STRICT

    def _path(self, file: int, path: str, line: int) -> int | _ModuleFiles:
        """What a path such as `os.path` or `Shape` means."""
        whole = self._import(file, path)
        if whole != GUESS:
            return whole
        first, *rest = path.split(".")
        family = self._files[file].family
        if family == "rust" and first in ("crate", "super"):
            files = self._find(file, path)
            return _ModuleFiles(files) if files else OTHER
        here = self._named(file, first, line)
        if here == GUESS and family in ("java", "csharp", "php") and rest:
            files = self._find(file, path)
            return _ModuleFiles(files) if files else GUESS
        for name in rest:
            if isinstance(here, _ModuleFiles):
                here = self._in_module(here, name)
            elif here >= 0:
                here = self._tree.member(here, name)
        return here


def _by_local(found: FileUses | None) -> dict[str, list[ImportedName]]:
    imports: dict[str, list[ImportedName]] = {}
    for each in found.imports if found is not None else ():
        imports.setdefault(each.local, []).append(each)
    return imports
