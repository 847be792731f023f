"""What a rule about definitions is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tree_sitter import Node

from kbc.languages.definitions.tree import NodeNames, at

Definition = tuple[str, str]
"""Kind and name; one of them is empty for no definition."""

NOTHING: Definition = ("", "")

Reader = Callable[[NodeNames, Node, str], Definition]
"""Takes a node and the kind of the definition around it, "" without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Nodes of a type define a thing of this `kind`, whose name `NodeNames.name` finds in the node, or in the
    one at the path `of`, unless it is the text at one of the paths `name`, less what `strip` holds.

    It stands in a definition of one of the kinds `within` (None: of any), of none of the kinds `outside`.
    At the paths `needs` are nodes of these types (none: of any), among the modifiers all those of one of
    `marked`, and the name is like `only`.
    """

    kind: str
    name: Sequence[str] = ()
    of: str = ""
    strip: str = ""
    only: str = ".*"
    within: Collection[str] | None = None
    outside: Collection[str] = ()
    needs: Sequence[tuple[str, Collection[str]]] = ()
    marked: Sequence[Collection[str]] = ()

    def __call__(self, names: NodeNames, node: Node, holder: str) -> Definition:
        if holder in self.outside or (self.within is not None and holder not in self.within):
            return NOTHING
        for path, types in self.needs:
            needed = at(node, path)
            if needed is None or (types and needed.type not in types):
                return NOTHING
        if self.marked and not any(map(modifiers(names, node).issuperset, self.marked)):
            return NOTHING
        if self.name:
            name = names.text(at(node, *self.name)).strip(self.strip)
        else:
            name = names.name(at(node, self.of) if self.of else node)
        return (self.kind, name) if re.fullmatch(self.only, name) else NOTHING


def by_kind(types: Mapping[str, str], **options: Any) -> dict[str, Reader]:
    """A rule for each type of node, which `types` lists by what they define; all have the same `options`."""
    return {
        each: Rule(kind=kind, **options) for kind, found in types.items() for each in found.split()
    }


def modifiers(names: NodeNames, node: Node) -> set[str]:
    """The words in front of a declaration, such as `static`."""
    found = (each for each in node.named_children if each.type in ("modifier", "modifiers"))
    return {word for each in found for word in names.text(each).split()}
