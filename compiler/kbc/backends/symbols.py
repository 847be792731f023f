"""Writes the symbols of a source tree: definitions and the uses of their names.

The layout is described in `docs/format.md`, and `kb_runtime.store.symbols` reads it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from kb_runtime.store.symbols import (
    COLUMN_SHIFT,
    MAX_COLUMN,
    MAX_USES_OF_NAME,
    MEMBER,
    SUFFIX,
    DefinitionRow,
    UseRow,
)
from kbc.backends.catalog import little_endian


def write_symbols(
    folder: Path,
    collection: str,
    files: int,
    definitions: Sequence[DefinitionRow],
    uses: Mapping[str, Sequence[UseRow]],
) -> None:
    """Writes `catalog/<collection>.symbols` below `folder`.

    `files` counts the records; `definitions` are ordered by file, each behind the one around it; `uses`
    are those of each name, of which the first `MAX_USES_OF_NAME` are stored.
    """
    by_name: dict[str, list[int]] = {name: [] for name in uses}
    for row, definition in enumerate(definitions):
        by_name.setdefault(definition.name, []).append(row)
    names = sorted(by_name, key=str.encode)
    numbers = {name: number for number, name in enumerate(names)}
    kinds = sorted({definition.kind for definition in definitions})
    kind_numbers = {kind: number for number, kind in enumerate(kinds)}
    kept = [sorted(uses.get(name, ()))[:MAX_USES_OF_NAME] for name in names]
    flat = [use for found in kept for use in found]
    per_file = [0] * files
    for definition in definitions:
        per_file[definition.file] += 1
    strings = [text.encode() + b"\n" for text in (*names, *kinds)]
    text = b"".join(strings)
    columns = (
        accumulate(map(len, strings), initial=0),
        accumulate((len(by_name[name]) for name in names), initial=0),
        (row for name in names for row in by_name[name]),
        accumulate(map(len, kept), initial=0),
        accumulate(per_file, initial=0),
        (numbers[each.name] for each in definitions),
        (kind_numbers[each.kind] for each in definitions),
        (each.line for each in definitions),
        (each.end_line for each in definitions),
        (each.parent + 1 for each in definitions),
        (each.ordinal for each in definitions),
        (use.file for use in flat),
        (use.line for use in flat),
        map(_info, flat),
        (use.target + 1 for use in flat),
    )
    catalog = folder / "catalog"
    catalog.mkdir(exist_ok=True)
    counts = (len(names), len(kinds), len(definitions), len(flat), files, len(text), 0, 0)
    data = (struct.pack("<8Q", *counts), *(little_endian("I", each) for each in columns), text)
    (catalog / (collection + SUFFIX)).write_bytes(b"".join(data))


def _info(use: UseRow) -> int:
    column = min(use.column, MAX_COLUMN)
    return column << COLUMN_SHIFT | (MEMBER if use.is_member else 0) | use.way
