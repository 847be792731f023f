"""What Breathe inserts: the reference of entities of C and C++, from comments of headers in the same tree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import nodes

from kbc.formats.document import Read
from kbc.formats.doxygen.entities import Entity
from kbc.formats.doxygen.projects import DoxygenProjects, HeaderSets, split_parameters, types_of
from kbc.formats.doxygen.reference import EntityReference, Shown
from kbc.formats.rst.autodoc import described
from kbc.formats.rst.sphinx_directive import SphinxDirective
from kbc.project.well_formed import comma_separated

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
        project = self.options.get("project", "")
        entities = self._entities(projects, project)
        own = self.children()
        if not entities:
            message = f"no header in the tree has {self.argument!r}"
            self.context.problems.elsewhere(self.name, message, self.lineno)
            shown = [nodes.paragraph("", "", nodes.literal("", self.argument))]
            return [*(shown if self.argument else []), *own]
        return [self._described(projects, project, entities), *own]

    def _described(
        self, projects: DoxygenProjects, project: str, entities: Sequence[Entity]
    ) -> described:
        read = self.context.read
        kinds = sorted({kind for each in _KINDS.values() for kind in each})

        def members(entity: Entity) -> list[Entity]:
            return projects.members(project, entity, read)

        def find(name: str) -> Entity | None:
            found = projects.named(project, name.strip(), kinds, read)
            return next((each for each in found if each.comment), None)

        embedded = self.context.embedded
        reference = EntityReference(entities, self._shown, members, find, embedded)
        return described("", found=reference, members=True)

    @property
    def _shown(self) -> Shown:
        stated = self.options.get("members")
        is_whole = self.base_name not in _WITH_MEMBERS
        return Shown(
            members=stated is not None or self.base_name == "doxygenenum",
            names=tuple(comma_separated(stated or "")),
            undocumented="undoc-members" in self.options,
            protected="protected-members" in self.options,
            private="private-members" in self.options,
            content_only="content-only" in self.options and is_whole,
            outline="outline" in self.options,
        )

    def _entities(self, projects: DoxygenProjects, project: str) -> Sequence[Entity]:
        read = self.context.read
        name = re.sub(r"\s+", " ", self.argument)
        if self.base_name in ("doxygenfile", "autodoxygenfile"):
            header = projects.file(project, name, read)
            if header is None:
                return ()
            about = [Entity("file", "", "", header.comment)] if header.comment else []
            return [*about, *_outer(header.entities)]
        if self.base_name in ("doxygenindex", "autodoxygenindex"):
            return [each for each in projects.all(project, read) if each.comment]
        if self.base_name == "doxygengroup":
            found = projects.group(project, name, read)
            return [found] if found else ()
        if self.base_name == "doxygennamespace":
            return _namespace(projects, project, name.removeprefix("::"), read)
        kinds = _KINDS.get(self.base_name, ())
        if self.base_name != "doxygenfunction":
            return projects.named(project, name, kinds, read)
        plain, parameters = _signature(name)
        return _overloads(projects.named(project, plain, kinds, read), parameters)


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


def _namespace(projects: DoxygenProjects, project: str, name: str, read: Read) -> Sequence[Entity]:
    found = projects.named(project, name, ("namespace",), read)
    space = found[0] if found else Entity("namespace", name, f"namespace {name}")
    members = [each for each in projects.members(project, space, read) if each.comment]
    return [space, *members] if found or members else ()
