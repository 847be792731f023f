"""The line of each key of a TOML file, for diagnostics."""

from __future__ import annotations

from kb_runtime.text.toml_statements import scan

Key = tuple[str | int, ...]
"""Where a value stands: names of tables and keys, and 0-based indexes in arrays of tables."""


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
