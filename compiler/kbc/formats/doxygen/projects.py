"""What a page may name of the headers of its project: entities by name, by group and by file."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from kbc.cache.phases import digest
from kbc.formats.document import Read
from kbc.formats.doxygen.declarations import split
from kbc.formats.doxygen.entities import CLASSES, Entity, HeaderFile
from kbc.formats.doxygen.scanner import read_header
from kbc.formats.doxygen.tokens import joined, tokens
from kbc.project.source_file import decode_any

_TYPES = (*CLASSES, "enum", "typedef", "concept", "namespace")
_TEMPLATE = re.compile(r"<[^<>()]*>\Z")
_NOT_TYPES = frozenset(["const", "struct", "class", "enum", "typename", "volatile"])


class HeaderSets(NamedTuple):
    """The paths of the headers of each project of Breathe, and the project that directives mean that name
    none. In those that are `distributed`, the first comment in an unnamed group is one of all in it."""

    default: str
    projects: Mapping[str, Sequence[str]]
    distributed: Collection[str] = ()


@dataclass(slots=True)
class HeaderIndex:
    """The entities of a project; `types` are the names of its classes and enumerations."""

    files: dict[str, HeaderFile] = field(default_factory=dict)
    names: dict[str, list[Entity]] = field(default_factory=dict)
    members: dict[str, list[Entity]] = field(default_factory=dict)
    groups: dict[str, list[Entity]] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)

    def named(self, name: str, kinds: Sequence[str]) -> list[Entity]:
        """The entities of these kinds called `name`; the documented ones, where any is."""
        plain = re.sub(r"\s+", " ", name).removeprefix("::")
        found = [each for each in self.names.get(plain, ()) if each.kind in kinds]
        if not found and (bare := _TEMPLATE.sub("", plain)) != plain:
            found = [each for each in self.names.get(bare, ()) if each.kind in kinds]
        if not found:
            found = self._below(plain, kinds)
        if len(found) > 1 and found[0].kind != "function":
            found = sorted(found, key=lambda each: not each.comment)[:1]
        return found

    def _below(self, name: str, kinds: Sequence[str]) -> list[Entity]:
        """Those of a further namespace, which is inline; a name without any may be in each, as the files and
        groups of Doxygen have it, and those of namespaces come before those of classes."""
        around, _, short = name.rpartition("::")
        alike = (each for each in self.names.get(f"*::{short}", ()) if each.kind in kinds)
        found = [each for each in alike if _is_within(each.owner, around)]
        return [each for each in found if each.owner not in self.types] or found

    def members_of(self, entity: Entity) -> list[Entity]:
        """What a class, an enumeration, a namespace or a group has, in the order of the source."""
        of_kind = self.groups if entity.kind == "group" else self.members
        return of_kind.get(entity.name, [])

    def group(self, name: str) -> Entity | None:
        """The group with the id `name`, or what stands for it where only its members name it."""
        found = self.names.get(f"group {name}", [])
        if found:
            return next((each for each in found if each.signature), found[0])
        return Entity("group", name) if name in self.groups else None

    def file(self, name: str) -> HeaderFile | None:
        """The header at the end of whose path `name` stands."""
        ending = f"/{name.lstrip('./')}"
        found = [path for path in self.files if path == name or path.endswith(ending)]
        return self.files[min(found, key=len)] if found else None

    def all(self) -> list[Entity]:
        """All entities that are in no class."""
        everything = (each for header in self.files.values() for each in header.entities)
        return [each for each in everything if each.owner not in self.types]


class DoxygenProjects:
    """The projects of a site; the headers of each are read once."""

    def __init__(self, stated: HeaderSets) -> None:
        self.stated = stated
        self._indexes: dict[str, tuple[tuple[bytes | None, ...], HeaderIndex]] = {}

    @cached_property
    def digest(self) -> bytes:
        """The digest of what is stated of them."""
        default, projects, distributed = self.stated
        return digest([default, sorted(projects.items()), sorted(distributed)])

    def index(self, project: str, read: Read) -> HeaderIndex:
        """What a project has; that of directives that name none for ""."""
        name = project or self.stated.default
        paths = self.stated.projects.get(name, ())
        data = tuple(read(path) for path in paths)
        known = self._indexes.get(name)
        if known is None or known[0] != data:
            files = dict(zip(paths, data, strict=True))
            known = (data, _indexed(files, is_distributed=name in self.stated.distributed))
            self._indexes[name] = known
        return known[1]


_OWNING = (*CLASSES, "enum")


def _is_within(owner: str, around: str) -> bool:
    """Whether `owner` is `around` with further, inline namespaces in it."""
    parts = iter(owner.split("::"))
    return not around or all(part in parts for part in around.split("::"))


def _indexed(files: Mapping[str, bytes | None], *, is_distributed: bool) -> HeaderIndex:
    index = HeaderIndex()
    elsewhere: list[tuple[str, str, str]] = []
    for path, data in files.items():
        if data is None:
            continue
        header = read_header(decode_any(data))
        # What the cache of headers has stays as it is.
        own = [replace(each, notes=dict(each.notes)) for each in header.entities]
        index.files[path] = HeaderFile(own, header.comment, header.elsewhere)
        elsewhere += header.elsewhere
        if is_distributed:
            _distribute(own)
        for entity in own:
            key = f"group {entity.name}" if entity.kind == "group" else entity.name
            index.names.setdefault(key, []).append(entity)
            index.types |= {entity.name} if entity.kind in _OWNING else set()
            for group in entity.groups:
                index.groups.setdefault(group, []).append(entity)
    for kind, name, comment in elsewhere:
        _give(index, kind, name, comment)
    for header in index.files.values():
        for entity in header.entities:
            if entity.owner and entity.kind != "group":
                index.members.setdefault(entity.owner, []).append(entity)
    for name, found in index.names.items():
        if any(each.kind == "function" for each in found):
            index.names[name] = _merged(found)
    for owner, members in index.members.items():
        seen = {id(each) for name in {each.name for each in members} for each in index.names[name]}
        index.members[owner] = [each for each in members if id(each) in seen]
    for group, members in index.groups.items():
        named = ([each] if each.kind == "group" else index.names[each.name] for each in members)
        kept = {id(one): one for several in named for one in several if group in one.groups}
        index.groups[group] = [*kept.values()]
    by_short: dict[str, list[Entity]] = {}
    for name, found in index.names.items():
        if "::" in name:
            by_short.setdefault(f"*::{name.rpartition('::')[2]}", []).extend(found)
    index.names.update(by_short)
    return index


def _distribute(entities: Sequence[Entity]) -> None:
    """Gives the first comment in an unnamed group to all in it that have none."""
    first: dict[int, Entity] = {}
    for each in entities:
        if each.block and each.comment:
            first.setdefault(each.block, each)
    for each in entities:
        if not each.comment and (told := first.get(each.block)) is not None:
            each.comment, each.notes = told.comment, told.notes


def _give(index: HeaderIndex, kind: str, name: str, comment: str) -> None:
    """Gives a comment that names what it describes to that, whatever namespace it is in."""
    plain = name.removeprefix("::")
    inner = (some for full, some in index.names.items() if full.endswith(f"::{plain}"))
    of_kind = (some for some in inner if any(each.kind == kind for each in some))
    for each in index.names.get(plain) or next(of_kind, ()):
        if each.kind == kind and not each.comment:
            each.comment = comment


def _merged(entities: Sequence[Entity]) -> list[Entity]:
    """A declaration and its definition as one, with the comment of either: that in the class stays, since
    it has the access, where both have the same parameters."""
    found: dict[tuple[str, ...], Entity] = {}
    others: list[Entity] = []
    for each in entities:
        if each.kind != "function":
            others.append(each)
            continue
        is_const = "const" in each.signature.rpartition(")")[2].split()
        key = (*types_of(each.parameters or ()), "const" if is_const else "")
        known = found.get(key)
        if known is None:
            found[key] = each
        else:
            if not known.comment:
                known.comment, known.notes = each.comment, each.notes
            known.groups = tuple(dict.fromkeys([*known.groups, *each.groups]))
    return [*found.values(), *others]


def split_parameters(stated: str) -> list[str]:
    """The parameters of a list as a page writes it."""
    return [joined(each) for each in split(list(tokens(stated)))]


def types_of(parameters: Sequence[str]) -> tuple[str, ...]:
    """The types of parameters, without their names and defaults, to be compared."""
    return tuple(map(_type, parameters))


def _type(parameter: str) -> str:
    words = [each.text for each in tokens(parameter) if each.text not in _NOT_TYPES]
    if "=" in words:
        words = words[: words.index("=")]
    depth = 0
    outer: list[int] = []
    for index, each in enumerate(words):
        depth += (each == "<") - (each == ">")
        if not depth and re.match(r"[A-Za-z_]", each):
            outer.append(index)
    # The last word is the name where another one says the type already.
    if len(words) > 1 and outer[-1:] == [len(words) - 1]:
        before = words[-2]
        if before in (">", "&", "*", "...") or (len(outer) > 1 and before != "::"):
            words.pop()
    return "".join(words)
