"""What Breathe inserts: the reference of entities of C and C++, from comments of headers in the same tree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import nodes

from kbc.formats.doxygen.entities import Entity
from kbc.formats.doxygen.projects import (
    DoxygenProjects,
    HeaderIndex,
    HeaderSets,
    split_parameters,
    types_of,
)
from kbc.formats.doxygen.reference import EntityReference
from kbc.formats.rst.autodoc import described
from kbc.formats.rst.sphinx_directive import SphinxDirective

_KINDS: dict[str, tuple[str, ...]] = {
    "doxygenclass": ("class", "struct"),
    "doxygenstruct": ("struct", "class", "typedef"),
    "doxygenunion": ("union", "typedef"),
    "doxygeninterface": ("class", "struct"),
    "doxygenenum": ("enum", "typedef"),
    "doxygenenumvalue": ("enumvalue",),
    "doxygenfunction": ("function", "define"),
    "doxygendefine": ("define",),
    "doxygentypedef": ("typedef",),
    "doxygenvariable": ("variable",),
    "doxygenconcept": ("concept",),
    "doxygennamespace": ("namespace",),
}
DIRECTIVES = (
    *_KINDS, "doxygengroup", "doxygenfile", "autodoxygenfile", "doxygenindex", "autodoxygenindex",
    "doxygenpage",
)  # fmt: skip
_WITH_MEMBERS = ("doxygenclass", "doxygenstruct", "doxygenunion", "doxygeninterface")


class BreatheDirective(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        projects = self.context.doxygen or DoxygenProjects(HeaderSets("", {}))
        index = projects.index(self.options.get("project", ""), self.context.read)
        entities = self._entities(index)
        own = self.children()
        if not entities:
            message = f"no header in the tree has {self.argument!r}"
            self.context.problems.elsewhere(self.name, message, self.lineno)
            shown = [nodes.paragraph("", "", nodes.literal("", self.argument))]
            return [*(shown if self.argument else []), *own]
        kinds = sorted({kind for each in _KINDS.values() for kind in each})

        def find(name: str) -> Entity | None:
            found = index.named(name.strip(), kinds)
            return next((each for each in found if each.comment), None)

        embedded = self.context.embedded
        reference = EntityReference(entities, self._shown, index.members_of, find, embedded)
        return [described("", found=reference, members=True), *own]

    @property
    def _shown(self) -> dict[str, str]:
        """The options: an enumeration shows its values, and a class has a heading in any case."""
        shown = {"members": "", **self.options} if self.base_name == "doxygenenum" else self.options
        is_class = self.base_name in _WITH_MEMBERS
        return {name: shown[name] for name in shown if not (is_class and name == "content-only")}

    def _entities(self, index: HeaderIndex) -> Sequence[Entity]:
        name = re.sub(r"\s+", " ", self.argument)
        if self.base_name in ("doxygenfile", "autodoxygenfile"):
            header = index.file(name)
            if header is None:
                return ()
            about = [Entity("file", "", "", header.comment)] if header.comment else []
            return [*about, *_outer(header.entities)]
        if self.base_name in ("doxygenindex", "autodoxygenindex"):
            return [each for each in index.all() if each.comment]
        if self.base_name == "doxygengroup":
            found = index.group(name)
            return [found] if found else ()
        if self.base_name == "doxygennamespace":
            return _namespace(index, name.removeprefix("::"))
        kinds = _KINDS.get(self.base_name, ())
        if self.base_name != "doxygenfunction":
            return index.named(name, kinds)
        plain, parameters = _signature(name)
        return _overloads(index.named(plain, kinds), parameters)


def _signature(argument: str) -> tuple[str, str | None]:
    """The name of a function and its parameters (None: not stated)."""
    text = argument.strip()
    operator = re.search(r"\boperator\s*(?:\(\s*\)|[^\s\w(]+)", text)
    at = text.find("(", operator.end() if operator else 0)
    if at < 0:
        return text, None
    name = text[:at].strip()
    return name if operator else name.split(" ")[-1], text[at + 1 : text.rfind(")")]


def _overloads(found: Sequence[Entity], parameters: str | None) -> Sequence[Entity]:
    """Those with the stated parameters; where none has them, those with as many, else all."""
    documented = [each for each in found if each.comment] or list(found)
    if parameters is None:
        return documented
    stated = split_parameters(parameters)
    stated = [] if stated == ["void"] else stated
    exact = [each for each in found if types_of(each.parameters or ()) == types_of(stated)]
    alike = [each for each in documented if len(each.parameters or ()) == len(stated)]
    return exact or alike or documented


def _outer(entities: Sequence[Entity]) -> list[Entity]:
    """The entities that are in no other one of these."""
    classes = {each.name for each in entities if each.kind in ("class", "struct", "union", "enum")}
    return [each for each in entities if each.comment and each.owner not in classes]


def _namespace(index: HeaderIndex, name: str) -> Sequence[Entity]:
    found = index.named(name, ("namespace",))
    space = found[0] if found else Entity("namespace", name, f"namespace {name}")
    members = [each for each in index.members_of(space) if each.comment]
    return [space, *members] if found or members else ()
