"""What a configuration that is a program exports."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from kbc.project.well_formed import is_bounded
from kbc.recognition.javascript.modules import DEFAULT, Read, Scripts
from kbc.recognition.site import mapping


def exported(source: str, path: str = "", read: Read | None = None) -> Mapping[str, Any]:
    """The exported configuration of a file; empty when it is none. With `read`, what it imports from files
    beside `path`, its own, has values as well."""
    reader = Scripts(read).module(path, source)
    for value in chain((reader.named(DEFAULT),), reader.defaults()):
        if isinstance(value, Mapping) and is_bounded(value):
            return value
    # A configuration that a function returns, or whose export cannot be followed: the largest object.
    constants = (
        each for each in reader.scope.nodes.values() if each.type != "function_declaration"
    )
    found = [mapping(reader.value(each)) for each in constants]
    return max(filter(is_bounded, found), key=len, default={})


def exported_value(
    source: str, grammar: str = "typescript", path: str = "", read: Read | None = None
) -> Any:
    """What a file exports, of any type; with the grammar `tsx` elements of JSX have no value. `path` and
    `read` are as for `exported`."""
    reader = Scripts(read).module(path, source, grammar)
    found = next((value for value in reader.defaults() if value is not None), None)
    return found if is_bounded(found) else None
