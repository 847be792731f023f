"""The documented objects of packages of Julia, from the source in the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kbc.formats import commonmark
from kbc.languages.julia.docstrings import VALUE, Docstring, JuliaSource, read_source
from kbc.languages.julia.names import Wanted, fit
from kbc.languages.julia.script import Name
from kbc.project.include_tree import Read
from kbc.project.source_file import decode_any, resolved_path
from kbc.project.well_formed import texts

ORDER = ("module", "constant", "type", "function", "macro")
"""Kinds of objects in the order in which `@autodocs` has them without `Order`."""

MAX_DEPTH = 4
"""Of texts that are put into texts."""

MAX_INSERTED_CHARS = 200_000
"""Of texts that are put into one docstring."""

_SIGNATURES = frozenset(["SIGNATURES", "TYPEDEF", "TYPEDSIGNATURES"])
_FIELDS = frozenset(["FIELDS", "TYPEDFIELDS"])
_COMPUTED = frozenset([
    "DOCSTRING", "IMPORTS", "INTERFACE", "LICENSE", "METHODLIST", "README", "TYPEDMETHODLIST",
])  # fmt: skip
"""Abbreviations of DocStringExtensions for what a session of Julia knows."""


@dataclass(frozen=True, slots=True)
class JuliaObject:
    """A docstring of `binding` (`Heron.fly`), written in the module `module` and the file `path`; `text` is
    Markdown."""

    binding: str
    module: str
    path: str
    is_public: bool
    text: str
    doc: Docstring

    @property
    def name(self) -> str:
        return self.doc.name[-1]


class JuliaPackages:
    """The docstrings of packages. `files` are the paths of each package's source by its name, of which the
    first one begins it."""

    def __init__(self, files: Mapping[str, Sequence[str]]) -> None:
        self._files = files
        self._sources: list[tuple[str, tuple[str, ...], JuliaSource]] = []
        self._by_name: dict[str, list[JuliaObject]] | None = None
        self._modules: set[str] = set()
        self._exports: set[tuple[str, str]] = set()
        self._imports: dict[tuple[str, str], str] = {}
        self._texts: dict[str, str] = {}
        self._inserted = 0  # characters of texts in the docstring that is read

    def named(self, wanted: Wanted, current: str, read: Read) -> list[JuliaObject]:
        """The docstrings of what a page names whose `CurrentModule` is `current`; none where they are not in
        the tree."""
        found = self._of_path(wanted.path, current, read)
        if wanted.types is None or not found:
            return found
        types, docs = wanted.types, (each.doc for each in found)
        fits = [fit(types, doc.types, doc.optional) if doc.types is not None else 0 for doc in docs]
        best = max(fits)
        return [each for each, own in zip(found, fits, strict=True) if own == best]

    def _of_path(self, path: tuple[str, ...], current: str, read: Read) -> list[JuliaObject]:
        known = self._known(read).get(path[-1], [])
        stated = ".".join(path)
        if len(path) > 1:
            full = (stated, f"{current}.{stated}")
            exact = [each for each in known if each.binding in full]
            module = stated.rpartition(".")[0]
            return exact or [
                each
                for each in known
                if each.binding.endswith(f".{stated}") or f"{each.module}.".startswith(f"{module}.")
            ]
        own = [each for each in known if current in (each.module, each.binding.rpartition(".")[0])]
        public = [each for each in known if each.is_public]
        return own or public or known

    def listed(self, stated: Mapping[str, Any], current: str, read: Read) -> list[JuliaObject]:
        """The docstrings that an `@autodocs` block with these values has, in its order."""
        known = self._known(read)
        modules = [self.module(name, current, read) for name in names_in(stated.get("Modules"))]
        order = texts(stated.get("Order")) or list(ORDER)
        pages = texts(stated.get("Pages"))
        chosen: list[tuple[tuple[int, int, int, str], JuliaObject]] = []
        for each in (each for several in known.values() for each in several):
            is_wanted = stated.get("Public" if each.is_public else "Private") is not False
            page = next((at for at, own in enumerate(pages) if each.path.endswith(own)), -1)
            is_listed = each.module in modules and each.doc.kind in order
            if is_listed and is_wanted and (page >= 0 or not pages):
                place = (modules.index(each.module), page, order.index(each.doc.kind), each.binding)
                chosen.append((place, each))
        return [each for _, each in sorted(chosen, key=lambda one: one[0])]

    def module(self, name: str, current: str, read: Read) -> str:
        """The full name of a module as a page names it; "" where its source is not in the tree."""
        self._known(read)
        inner = f"{current}.{name}"
        ending = sorted(each for each in self._modules if each.endswith(f".{name}"))
        known = (each for each in (name, inner, *ending[:1]) if each in self._modules)
        return next(known, "")

    def _known(self, read: Read) -> dict[str, list[JuliaObject]]:
        if self._by_name is None:
            self._by_name = {}
            for name, files in self._files.items():
                self._load(name, files, read)
            for path, outer, source in self._sources:
                for doc in source.docs:
                    found = self._object(path, outer, doc)
                    self._by_name.setdefault(found.name, []).append(found)
        return self._by_name

    def _load(self, name: str, files: Sequence[str], read: Read) -> None:
        """Reads the files of a package; those that none includes by a literal are part of it as well."""
        seen: set[str] = set()
        waiting: list[tuple[str, tuple[str, ...] | None]] = [(path, None) for path in files]
        waiting.reverse()
        while waiting:
            path, outer = waiting.pop()
            data = None if path in seen else read(path)
            if data is None:
                continue
            seen.add(path)
            source = read_source(decode_any(data))
            if outer is None:  # what begins the package, or an extension, has a module of its own
                outer = () if any(len(each) == 1 for each in source.modules) else (name,)
            self._add(path, outer, source)
            for module, target in reversed(source.includes):
                waiting.append((resolved_path(target, path), outer + module))

    def _add(self, path: str, outer: tuple[str, ...], source: JuliaSource) -> None:
        self._sources.append((path, outer, source))
        self._modules |= {_dotted(outer, module) for module in source.modules}
        self._exports |= {(_dotted(outer, module), name) for module, name in source.exports}
        for module, name, origin in source.imports:
            self._imports[_dotted(outer, module), name] = origin
        self._texts |= dict(source.texts)

    def _object(self, path: str, outer: tuple[str, ...], doc: Docstring) -> JuliaObject:
        module = _dotted(outer, doc.module)
        stated = ".".join(doc.name)
        inner = f"{module}.{stated}" if module else stated
        if doc.kind == "module":
            module = inner
        if len(doc.name) > 1:
            binding = inner if f"{module}.{doc.name[0]}" in self._modules else stated
        else:
            origin = self._imports.get((module, stated), "")
            binding = f"{origin.lstrip('.')}.{stated}" if origin.strip(".") else inner
        self._inserted = 0
        return JuliaObject(
            binding=inner if doc.kind == "module" else binding,
            module=module,
            path=path,
            is_public=(module, doc.name[-1]) in self._exports or doc.kind == "module",
            text=self._filled(doc, doc.text, module),
            doc=doc,
        )

    def _filled(self, doc: Docstring, text: str, module: str, depth: int = 0) -> str:
        """A docstring with the values that the source states for what stands in it."""

        def value(match: re.Match[str]) -> str:
            name = match[1].rpartition(".")[2]
            if name in _SIGNATURES:
                before = text[: match.start()].rpartition("\n")[2]
                if before.strip():
                    return commonmark.code_span(doc.signature)
                fenced = "\n".join(commonmark.fence(doc.signature, "julia"))
                return doc.signature if before else fenced  # that margin makes it code already
            if name in _FIELDS:
                return "\n".join(_fields(doc))
            if name == "FUNCTIONNAME":
                return doc.name[-1]
            if name == "EXPORTS":
                own = sorted(each for place, each in self._exports if place == module)
                return "\n".join(f"- {commonmark.code_span(each)}" for each in own)
            is_small = depth < MAX_DEPTH and self._inserted < MAX_INSERTED_CHARS
            if match[1] in self._texts and is_small:
                self._inserted += len(self._texts[match[1]])
                return self._filled(doc, self._texts[match[1]], module, depth + 1)
            is_name = match[1].isidentifier()
            return "" if name in _COMPUTED else f"${match[1]}" if is_name else f"$({match[1]})"

        return VALUE.sub(value, text)


def _dotted(outer: Sequence[str], inner: Sequence[str]) -> str:
    return ".".join((*outer, *inner))


def _fields(doc: Docstring) -> Iterator[str]:
    for declaration, text in doc.fields:
        said = " ".join(VALUE.sub("", text).split())
        yield f"- {commonmark.code_span(declaration)}{': ' if said else ''}{said}"


def names_in(value: Any) -> list[str]:
    """The names in a value such as `[Heron, Heron.Nests]`."""
    items = value if isinstance(value, list) else [value]
    return [each.text for each in items if isinstance(each, Name)]
