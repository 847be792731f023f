"""The names that a program and its functions have: constants, functions and parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kbc.languages.grammars import text_of
from kbc.recognition.site import mapping


@dataclass(slots=True)
class NameScope:
    """The names of a module, or of a function in the scope `around` it: `values` that are known, and `nodes`
    whose values are not needed yet."""

    around: NameScope | None = None
    values: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, Any] = field(default_factory=dict)

    def holding(self, name: str) -> NameScope | None:
        """The innermost scope that has a name; None where no visible one has."""
        if name in self.values or name in self.nodes:
            return self
        return self.around.holding(name) if self.around is not None else None


def parameters(function: Any, arguments: list[Any], scope: NameScope) -> None:
    """Gives the parameters of a function the values of `arguments`, or else their defaults."""
    single = function.child_by_field_name("parameter")
    stated = function.child_by_field_name("parameters")
    nodes = [single] if single is not None else list(stated.named_children if stated else ())
    for place, node in enumerate(each for each in nodes if each.type != "comment"):
        value = arguments[place] if place < len(arguments) else None
        pattern = node.child_by_field_name("pattern") or node
        default = node.child_by_field_name("value")
        if pattern.type == "object_pattern":
            _take_apart(pattern, value, scope)
        elif value is None and default is not None:
            scope.nodes[text_of(pattern)] = default
        else:
            scope.values[text_of(pattern)] = value


def _take_apart(pattern: Any, value: Any, scope: NameScope) -> None:
    """`({label, link: place, open = true}) => ...`."""
    given = mapping(value)
    for each in pattern.named_children:
        default = None
        if each.type == "object_assignment_pattern":
            name = alias = text_of(each.child_by_field_name("left"))
            default = each.child_by_field_name("right")
        elif each.type == "pair_pattern":
            name = text_of(each.child_by_field_name("key"))
            target = each.child_by_field_name("value")
            if target.type == "assignment_pattern":
                default = target.child_by_field_name("right")
                target = target.child_by_field_name("left")
            alias = text_of(target)
        elif each.type == "rest_pattern":
            scope.values[text_of(each).lstrip(".")] = given
            continue
        else:
            name = alias = text_of(each)
        if name not in given and default is not None:
            scope.nodes[alias] = default
        else:
            scope.values[alias] = given.get(name)
