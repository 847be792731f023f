"""The names that functions of a program have while their results are looked at: parameters and constants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kbc.recognition.javascript.nodes import text_of
from kbc.recognition.site import mapping


@dataclass(slots=True)
class FunctionScope:
    """`values` that are known, and `nodes` whose values are not needed yet, by their names. An `outermost`
    scope hides those of the functions that called this one."""

    outermost: bool = False
    values: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, Any] = field(default_factory=dict)


class Scopes:
    """The scopes of the functions that are being looked at, the innermost last."""

    def __init__(self) -> None:
        self._stack: list[FunctionScope] = []

    def holding(self, name: str) -> FunctionScope | None:
        """The innermost visible scope that has a name; None for names of the module."""
        for scope in reversed(self._stack):
            if name in scope.values or name in scope.nodes:
                return scope
            if scope.outermost:
                return None
        return None

    @contextmanager
    def function(self, inner: bool) -> Iterator[FunctionScope]:
        """A new scope, for a function that is `inner` to those around it or for one of the module."""
        scope = FunctionScope(outermost=not inner)
        self._stack.append(scope)
        try:
            yield scope
        finally:
            self._stack.pop()

    @contextmanager
    def module(self) -> Iterator[None]:
        """Hides all scopes, for constants of the module."""
        with self.function(inner=False):
            yield


def parameters(function: Any, arguments: list[Any], scope: FunctionScope) -> None:
    """Gives the parameters of a function the values of its `arguments`; of those that are missing, the
    defaults."""
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


def _take_apart(pattern: Any, value: Any, scope: FunctionScope) -> None:
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
