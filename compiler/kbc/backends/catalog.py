"""Writes the catalog: the records of each collection, the chunk table and its columns.

The layout is described in `docs/format.md`, and `kb_runtime.store.catalog` reads it. The same records give
the same bytes: maps are written in the order of their fields, tables are sorted.
"""

from __future__ import annotations

import dataclasses
import json
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgpack

from kb_runtime.store.catalog import ANSWER, COLUMNS, LABELLED, fold, key_hash
from kbc.records import CompiledChunk

CHUNKS = "chunks"
"""File name of the chunk table in `catalog/`; no collection can have this name."""

_IMPLIED = frozenset({"collection", "record_id", "embedded_text", "embedded_summary", ANSWER})
_STORED = tuple(
    field.name for field in dataclasses.fields(CompiledChunk) if field.name not in _IMPLIED
)


def lookup_keys(entry: Mapping[str, Any]) -> list[str]:
    """What a record answers to besides its id: its name, aliases and file name, or its path.

    A path is a key only of records without a name: many named records share one file.
    """
    if "uid" in entry:  # a test case, which shares its file with many
        return [entry[key] for key in ("jira_key", "test_case_id") if key in entry]
    keys = [entry.get("name"), *entry.get("aliases", ()), entry.get("filename")]
    if not entry.get("name"):
        keys.append(entry.get("path"))
    return [key for key in keys if key]


def write_catalog(
    folder: Path,
    collection: str,
    entries: Iterable[Mapping[str, Any]],
    keys: Callable[[Mapping[str, Any]], Sequence[str]] = lookup_keys,
) -> None:
    """Writes `catalog/<collection>.bin`, `.off` and `.keys` below `folder`.

    `entries` are what `records.catalog_entry` makes: maps with a string `id`. `keys` gives further
    names under which an entry is found. Raises `ValueError`.
    """
    if collection == CHUNKS:
        raise ValueError(f"a collection cannot be called {CHUNKS!r}: the name is reserved")
    names: list[tuple[str, int]] = []

    def named() -> Iterator[Mapping[str, Any]]:
        for position, entry in enumerate(entries):
            own = dict.fromkeys([entry["id"], *keys(entry)])
            names.extend((name, position) for name in own)
            yield entry

    catalog = folder / "catalog"
    catalog.mkdir(exist_ok=True)
    _write_records(catalog / collection, named())
    _write_keys(catalog / f"{collection}.keys", names)


def write_chunks(folder: Path, rows: Iterable[tuple[int, CompiledChunk]]) -> None:
    """Writes `catalog/chunks.bin`, `.off` and `columns/` below `folder`.

    `rows` are all chunks of all collections in row order, each with the position of its record in
    its collection. Raises `ValueError`.
    """
    columns: dict[str, list[Any]] = {name: [] for name in (*COLUMNS, ANSWER)}

    def stored() -> Iterator[dict[str, Any]]:
        for record, chunk in rows:
            for name, values in columns.items():
                values.append(record if name == "record" else getattr(chunk, name))
            yield _chunk_entry(chunk)

    catalog = folder / "catalog"
    catalog.mkdir(exist_ok=True)
    _write_records(catalog / CHUNKS, stored())
    if not any(columns[ANSWER]):
        del columns[ANSWER]
    labels = {name: sorted(set(columns[name])) for name in LABELLED}
    for name in LABELLED:
        codes = {label: code for code, label in enumerate(labels[name])}
        columns[name] = [codes[label] for label in columns[name]]
    target = folder / "columns"
    target.mkdir(exist_ok=True)
    for name, values in columns.items():
        (target / f"{name}.u32").write_bytes(little_endian("I", values))
    (target / "labels.json").write_text(json.dumps(labels, indent=1) + "\n", encoding="utf-8")


def _chunk_entry(chunk: CompiledChunk) -> dict[str, Any]:
    """The chunk's fields in declared order; fields without a value are left out."""
    entry = {}
    for name in _STORED:
        value = getattr(chunk, name)
        if value or value.__class__ is int:  # 0 is a value
            entry[name] = list(value) if isinstance(value, tuple) else value
    return entry


def _write_records(stem: Path, entries: Iterable[Mapping[str, Any]]) -> None:
    packer = msgpack.Packer()
    offsets = [0]
    with stem.with_name(stem.name + ".bin").open("wb") as file:
        for entry in entries:
            try:
                data = packer.pack(entry)
            except (TypeError, ValueError, OverflowError) as error:
                raise ValueError(
                    f"record {entry.get('id', len(offsets) - 1)!r} of {stem.name} "
                    f"cannot be stored: {error}"
                ) from error
            file.write(data)
            offsets.append(offsets[-1] + len(data))
    stem.with_name(stem.name + ".off").write_bytes(little_endian("Q", offsets))


def _write_keys(path: Path, names: Sequence[tuple[str, int]]) -> None:
    """The lookup table over `names`: pairs of key and record, in record order, the id first."""
    texts = [name.encode() for name, _ in names]
    ends = [0]
    for text in texts:
        ends.append(ends[-1] + len(text))
    exact = sorted((key_hash(name), position) for position, (name, _) in enumerate(names))
    folded = sorted((key_hash(fold(name)), position) for position, (name, _) in enumerate(names))
    path.write_bytes(
        b"".join(
            (
                struct.pack("<QQ", len(names), ends[-1]),
                little_endian("Q", [number for number, _ in exact]),
                little_endian("Q", [number for number, _ in folded]),
                little_endian("I", [position for _, position in exact]),
                little_endian("I", [position for _, position in folded]),
                little_endian("I", [record for _, record in names]),
                little_endian("I", ends),
                *texts,
            )
        )
    )


def little_endian(code: str, numbers: Iterable[int]) -> bytes:
    """An array of unsigned integers of `code` (I: 4 bytes, Q: 8) as the format has it."""
    values = array(code, numbers)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()
