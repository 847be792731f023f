"""The reference of an entity as Markdown: its signature as a heading, its comment, and its members."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kbc.formats import commonmark
from kbc.formats.doxygen.comments import Embedded, copied, markdown
from kbc.formats.doxygen.entities import Entity
from kbc.project.well_formed import comma_separated

Members = Callable[[Entity], Sequence[Entity]]
Find = Callable[[str], Entity | None]
_MAX_DEPTH = 6
_DECLARED = frozenset(["class", "struct", "union", "variable", "typedef", "define", "concept"])
"""Kinds whose declaration is shown."""


@dataclass(slots=True)
class EntityReference:
    """Entities that a directive stands for; `members` gives what one has, `find` one by its name, for text
    that is copied from elsewhere, `embedded` the Markdown of reStructuredText. `options` are called as
    Breathe has them: with `members` a page shows the members of an entity that have a comment, or those that
    it names; `undoc-members`, `protected-members` and `private-members` add further ones. With `content-only`
    an entity has no heading of its own; `outline` shows no comments."""

    entities: Sequence[Entity]
    options: Mapping[str, str]
    members: Members
    find: Find
    embedded: Embedded
    _anchors: list[str] = field(default_factory=list)

    def lines(self, level: int, members: object = None) -> tuple[list[str], list[str]]:
        """The lines below headings of `level`, and the anchors of these headings."""
        self._anchors = []
        parts = [part for each in self.entities for part in self._entry(each, level, 0)]
        return commonmark.blocks(parts), self._anchors

    def _entry(self, entity: Entity, level: int, depth: int) -> Iterator[list[str]]:
        has_heading = depth > 0 or not ("content-only" in self.options or entity.kind == "file")
        if has_heading:
            self._anchors.append(entity.name)
            yield commonmark.heading(level, self._title(entity))
            if _says_more(entity):
                yield commonmark.fence(entity.signature, "cpp")
        if "outline" not in self.options:
            yield self._comment(entity)
        if depth < _MAX_DEPTH:
            yield from self._members(entity, level + has_heading, depth)

    def _title(self, entity: Entity) -> str:
        if entity.kind == "group":
            return commonmark.escaped(entity.signature or entity.name)
        return commonmark.code_span(_heading(entity))

    def _comment(self, entity: Entity) -> list[str]:
        names = (name.partition("(")[0] for _, name in copied(entity.comment))
        found = (self.find(name.replace("#", "::")) for name in names)
        others = (each for each in found if each is not None and each is not entity)
        parts = [markdown(each.comment, each.notes, self.embedded) for each in others]
        return commonmark.blocks([markdown(entity.comment, entity.notes, self.embedded), *parts])

    def _members(self, entity: Entity, level: int, depth: int) -> Iterator[list[str]]:
        found = self.members(entity)
        if entity.kind == "enum":
            yield self._values(found)
            return
        if (entity.kind == "group" and not depth) or "members" in self.options:
            shown = [each for each in found if self._is_shown(each, depth)]
            for each in shown:
                yield from self._entry(each, level, depth + 1)

    def _is_shown(self, member: Entity, depth: int) -> bool:
        names = comma_separated(self.options.get("members", ""))
        if names and not depth:
            return member.short_name in names
        is_open = member.access == "public" or f"{member.access}-members" in self.options
        return is_open and bool(member.comment or "undoc-members" in self.options)

    def _values(self, found: Sequence[Entity]) -> list[str]:
        """The values of an enumeration as a list."""
        lines: list[str] = []
        for each in found:
            head = commonmark.code_span(each.signature)
            lines += commonmark.indented(commonmark.labelled(head, self._comment(each)), "- ")
        return ["**Values**", "", *lines] if lines else []


def _says_more(entity: Entity) -> bool:
    """Whether a declaration says more than the heading."""
    if entity.parameters is not None:
        return entity.signature.startswith("template")
    return entity.kind in _DECLARED and entity.signature not in (_heading(entity), "")


def _heading(entity: Entity) -> str:
    """What is declared, by its full name and without the parameters of its template; of types and values
    without what they are."""
    name, short = entity.name, entity.short_name
    if entity.kind in ("class", "struct", "union", "enum", "namespace"):
        return f"{entity.kind} {name}"
    if entity.parameters is None:
        return name
    signature = without_template(entity.signature.removeprefix("#define "))
    places = (signature.find(f"{short}{mark}") for mark in ("(", " ("))
    at = next((place for place in places if place >= 0), -1)
    if at < 0 or name in signature:
        return signature
    return f"{signature[:at]}{name}{signature[at + len(short) :]}"


def without_template(signature: str) -> str:
    """A declaration without `template <...>` before it."""
    while signature.startswith("template"):
        depth = 0
        for index, each in enumerate(signature):
            depth += (each == "<") - (each == ">" and signature[index - 1] != "-")
            if each == ">" and not depth:
                signature = signature[index + 1 :].lstrip()
                break
        else:
            break
    return signature
