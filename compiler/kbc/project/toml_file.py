"""A TOML file with the line of each key, and a diagnostic where it cannot be parsed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kb_runtime.text.toml_statements import scan
from kbc.diagnostics import Diagnostics
from kbc.limits import toml_excess
from kbc.project.source_file import SourceFile

Key = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, and 0-based indexes in arrays of tables."""


@dataclass(frozen=True, slots=True)
class TomlFile:
    """`lines` are 1-based; elements of arrays of tables have their index in the key."""

    path: str
    text: str
    data: dict[str, Any]
    lines: Mapping[Key, int]

    def line(self, *key: str | int) -> int:
        """The line of `key`, or of the nearest table around it."""
        while key and key not in self.lines:
            key = key[:-1]
        return self.lines.get(key, 1)


def read_toml(file: SourceFile, diagnostics: Diagnostics) -> TomlFile | None:
    """The parsed file; None with a diagnostic when it cannot be read."""
    text = file.text(diagnostics)
    if text is None:
        return None
    if excess := toml_excess(text):
        message, line = excess
        diagnostics.error(
            "toml-too-complex", message, file.path, line, hint="Write the value in another way."
        )
        return None
    try:
        return TomlFile(file.path, text, tomllib.loads(text), key_lines(text))
    except tomllib.TOMLDecodeError as error:
        # tomllib puts the position into the tail of the message.
        message = str(error)
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        line, column = text.count("\n") + 1, None
        if place:
            message = message[: place.start()]
            if place[1]:
                line, column = int(place[1]), int(place[2])
            else:
                message += " at the end of the file"
        hint = "Fix the TOML on this line."
        if message == "Invalid value":
            hint = 'Text needs quotes (name = "x"); true and false have small letters.'
        diagnostics.error("toml-syntax", message, file.path, line, column, hint=hint)
        return None


def key_lines(text: str) -> dict[Key, int]:
    """Maps each table and key of `text`, which `tomllib` has accepted, to its 1-based line.

    Elements of an array of tables carry their 0-based index: `[[collection]]` number two's `name` is
    `("collection", 1, "name")`.
    """
    lines: dict[Key, int] = {}
    elements: dict[tuple[str, ...], int] = {}
    header: tuple[str, ...] = ()
    prefix: Key = ()
    line = 1
    for statement in scan(text):
        if statement.is_header:
            header = prefix = statement.path
            if statement.is_array:
                elements[header] = elements.get(header, -1) + 1
                lines.setdefault(header, line)
                prefix = (*header, elements[header])
            lines.setdefault(prefix, line)
        elif statement.path:
            lines.setdefault((*prefix, *statement.path[len(header) :]), line)
        line += text.count("\n", statement.start, statement.end)
    return lines
