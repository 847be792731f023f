"""Docutils' state machine for nested text, which builds only the states that it enters.

Docutils starts a machine for each list item, definition and directive, and builds all of its fifteen states
with their patterns, of which most texts enter two. Building them is a quarter of reading a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docutils.parsers.rst import states


class _EnteredStates(dict[str, Any]):
    """The states of `machine` by name, built from `classes` when first asked for."""

    def __init__(self, machine: Any, classes: Iterable[type[Any]]) -> None:
        super().__init__()
        self._machine = machine
        self._classes = {each.__name__: each for each in classes}

    def __missing__(self, name: str) -> Any:
        state = self[name] = self._classes[name](self._machine, self._machine.debug)
        if hasattr(self._machine, "memo"):  # running: it has initialised the states that it had
            state.runtime_init()
        return state


class NestedMachine(states.NestedStateMachine):
    def add_states(self, state_classes: Iterable[type[Any]]) -> None:
        self.states = _EnteredStates(self, state_classes)
