"""The reference of a Python object that a page names, from the source in the same tree.

mkdocstrings' `::: package.object` and Sphinx's autodoc directives stand for such text. Nothing is imported.
"""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import griffe

from kbc.formats import commonmark
from kbc.formats.document import FormatError, decode
from kbc.formats.python.api import (
    MAX_BYTES,
    ApiWriter,
    Prose,
    first_paragraph,
    markdown_prose,
    visited,
)
from kbc.project.include_tree import folders_above

Find = Callable[[str], bytes | None]
"""The content of a file of the tree by its path below the folders that modules are looked for in."""

_FOLDERS = ("", "src", "lib", "python")
_TOPS = ("", "..", "../..")
"""Where packages begin, from the root of the knowledge base: documentation is often built alone."""

_SHARED = 32
"""Modules that are kept for the next page, which often names objects of the same ones."""
_SHARED_BYTES = 256 << 10
"""Larger modules are not kept: what is read of one takes some forty times its source."""

_MAX_ALIASES = 12
_MAX_PARTS = 12
_MAX_EXPORTS = 500


@dataclass(frozen=True, slots=True)
class Reference:
    """An object, and the name that it was asked for by: where it is defined is another matter. `others` are
    those that a module has from elsewhere and names in `__all__`. `prose` reads their docstrings."""

    name: str
    found: Any
    others: tuple[Reference, ...] = ()
    prose: Prose = markdown_prose

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring; "" without one."""
        return first_paragraph(self.found)

    def methods(self) -> list[tuple[str, str]]:
        """The public methods of a class, each with its summary; none of other objects."""
        members = self.found.members.values() if self.found.is_class else ()
        own = (each for each in members if not each.is_alias and each.name[:1] != "_")
        methods = (each for each in own if each.is_function)
        return [(f"{self.found.name}.{each.name}", first_paragraph(each)) for each in methods]

    def markdown(self, level: int, members: Collection[str] | bool) -> str:
        """The reference under a heading of `level`, in which headings state their objects' names as anchors.
        `members` are those to describe, or whether to."""
        lines, _ = self.lines(level, members, states_anchors=True)
        return commonmark.document(lines).strip("\n")

    def lines(
        self, level: int, members: Collection[str] | bool, *, states_anchors: bool = False
    ) -> tuple[list[str], list[str]]:
        """The lines of the reference, and the anchors of its headings."""
        writer = ApiWriter(self.prose, self.name, members, states_anchors=states_anchors)
        blocks, anchors = list(writer.entry(self.found, level)), writer.anchors
        for other in self.others:
            name = other.name.rpartition(".")[2]
            if members is True or (not isinstance(members, bool) and name in members):
                writer = ApiWriter(self.prose, other.name, states_anchors=states_anchors)
                blocks += writer.entry(other.found, level + 1)
                anchors = [*anchors, *writer.anchors]
        return commonmark.blocks(blocks), anchors


class PythonObjects:
    """Objects by their dotted names; modules are parsed once. `folders` are where packages begin; after these
    they are looked for in the usual folders, also in those of a project below one called as its package."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self._modules: dict[str, Any] = {}
        self._unreadable: dict[str, str] = {}
        self.problem = ""  # of the last module that was looked at and cannot be read
        self._under_way: set[str] = set()  # classes whose bases are looked at

    def reference(
        self, name: str, find: Find, *, imported: bool = False, is_module: bool = False
    ) -> Reference | None:
        """The reference of `name`; None where its source is not in the tree. With `imported`, that of a
        module without `__all__` has what it imports from its own package. A name that a package gives both to
        a module and to what it imports from there is that of the import, unless it `is_module`."""
        found = self._object(name, find, is_module=is_module)
        if found is None:
            return None
        elsewhere = []
        exports = [*map(str, found.exports or ())] if found.is_module else []
        if found.is_module and found.exports is None and imported:
            exports = [*self._imported(found, name.partition(".")[0], find)]
        if len(exports) <= _MAX_EXPORTS:
            for each in exports:
                member = found.members.get(each)
                if member is None or member.is_alias:
                    other = self._object(f"{name}.{each}", find)
                    is_value = other is not None and other.is_attribute and not other.has_docstring
                    if other is not None and not (other.is_module or is_value):
                        elsewhere.append(Reference(f"{name}.{each}", other))
        return Reference(name, found, tuple(elsewhere))

    def _object(self, name: str, find: Find, *, is_module: bool = False) -> Any:
        """The object that a name leads to, through imports and assignments (`save = _files.save`)."""
        assigned = None
        for _ in range(_MAX_ALIASES):
            parts = name.split(".")
            if len(parts) > _MAX_PARTS or not all(part.isidentifier() for part in parts):
                break
            module, rest = self._longest(parts, find)
            if module is None:
                break
            found, target = self._member(module, rest, find)
            is_member = found is not None if rest else is_module
            if not (target or is_member):
                imported = self._imported_as(parts[: len(parts) - len(rest)], find)
                target = ".".join([imported, *rest]) if imported else ""
                assigned = found if found is not None else assigned
            if not target and found is not None:
                assigned, target = found, _assigned_from(found)
            if not target:
                return assigned
            name = target
        return assigned

    def _longest(self, parts: list[str], find: Find) -> tuple[Any, list[str]]:
        for count in range(len(parts), 0, -1):
            module = self._module(parts[:count], find)
            if module is not None:
                return module, parts[count:]
        return None, []

    def _imported_as(self, parts: list[str], find: Find) -> str:
        """What a package imports under the name of its module, as `from .pump import pump` does."""
        package = self._module(parts[:-1], find) if len(parts) > 1 else None
        path = "" if package is None else self._member(package, parts[-1:], find)[1]
        return path if path != ".".join(parts) else ""

    def _member(self, module: Any, rest: list[str], find: Find) -> tuple[Any, str]:
        """The member that `rest` leads to, or the name that an import on the way stands for."""
        found = module
        for index, part in enumerate(rest):
            member = found.members.get(part)
            if member is None:
                if found.is_class:
                    return None, self._inherited(found, rest[index:], find)
                if assigned := _assigned_from(found):
                    return None, ".".join([assigned, *rest[index:]])
                return None, self._wildcards(found, rest[index:], find) if found.is_module else ""
            if member.is_alias:
                return None, ".".join([member.target_path, *rest[index + 1 :]])
            found = member
        return found, ""

    def _inherited(self, owner: Any, rest: list[str], find: Find) -> str:
        """The full name of a member that a class has from the first of its bases with one."""
        if owner.path in self._under_way:
            return ""
        self._under_way.add(owner.path)
        names = (".".join([str(getattr(b, "canonical_path", b)), *rest]) for b in owner.bases)
        try:
            return next((name for name in names if self._object(name, find) is not None), "")
        finally:
            self._under_way.remove(owner.path)

    def _wildcards(self, module: Any, rest: list[str], find: Find) -> str:
        """Where `from x import *` of a module, or of those that it imports so, may have an object from."""
        waiting, seen = deque([module]), {module.path}
        while waiting:
            for name, member in waiting.popleft().members.items():
                path = member.target_path.removesuffix(".*") if member.is_alias else ""
                if not name.endswith("/*") or path in seen:
                    continue
                seen.add(path)
                source = self._module(path.split("."), find)
                if source is not None and rest[0] in source.members:
                    return ".".join([path, *rest])
                if source is not None:
                    waiting.append(source)
        return ""

    def _imported(self, module: Any, package: str, find: Find) -> Iterator[str]:
        """The public names that a module imports from `package`."""
        for name, member in module.members.items():
            if not member.is_alias or not member.target_path.startswith(f"{package}."):
                continue
            if not name.endswith("/*"):
                yield from () if name.startswith("_") else (name,)
                continue
            source = self._module(member.target_path.removesuffix(".*").split("."), find)
            for each, inner in source.members.items() if source is not None else ():
                is_public = each[:1] != "_" if source.exports is None else each in source.exports
                if is_public and not inner.is_alias:
                    yield each

    def _module(self, parts: list[str], find: Find) -> Any:
        name = ".".join(parts)
        if name not in self._modules:
            self._modules[name] = self._read(parts, find)
        self.problem = self._unreadable.get(name, self.problem)
        return self._modules[name]

    def _read(self, parts: list[str], find: Find) -> Any:
        stem = "/".join(parts)
        usual = (posixpath.join(*each) for each in product(_TOPS, ("", parts[0]), _FOLDERS))
        for folder in dict.fromkeys((*self._folders, *usual)):
            place = posixpath.normpath(posixpath.join(folder, stem))
            for ending in ("/__init__.py", ".py", "/__init__.pyi", ".pyi"):
                path = place + ending
                data = find(path)
                if data is not None and len(data) <= MAX_BYTES:
                    read = _shared_module if len(data) <= _SHARED_BYTES else module_of
                    try:
                        return read((*parts,), stem + ending, data)
                    except FormatError as error:
                        self._unreadable[".".join(parts)] = f"{path}:{error.line}: {error.message}"
                        return None
        return None


def folders_around(path: str) -> list[str]:
    """Where packages may begin in the folders above a file, the nearest first: in each of them, and in its
    `src`, `lib` and `python`."""
    return [posixpath.join(*each) for each in product(folders_above(path), _FOLDERS)]


def _assigned_from(member: Any) -> str:
    """The full name that an attribute without a docstring is another name for; "" for other members."""
    if not member.is_attribute or member.has_docstring:
        return ""
    path = getattr(member.value, "canonical_path", "")
    if path != member.path:
        return str(path)
    # `save = save` in a class is the module's: the class has none yet.
    outer = member.module.members.get(member.name) if member.parent.is_class else None
    if outer is None:
        return ""
    return str(outer.target_path if outer.is_alias else outer.path)


def module_of(parts: Sequence[str], path: str, data: bytes) -> Any:
    """The module with the full name `parts` as griffe reads it from its source; raises `FormatError`."""
    return visited(parts[-1], Path(path), decode(data), parent=_packages(parts))


_shared_module = lru_cache(maxsize=_SHARED)(module_of)


def _packages(parts: Sequence[str]) -> Any:
    """The packages that a module is in, from which its relative imports count."""
    parent = None
    for index, name in enumerate(parts[:-1]):
        path = Path("/".join(parts[: index + 1]), "__init__.py")
        parent = griffe.Module(name, filepath=path, parent=parent)
    return parent
