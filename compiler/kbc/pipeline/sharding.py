"""Divides a large knowledge base into shards, and joins what they have in common.

The shard of a record follows from its id alone, so an edit changes the shards of what was edited and no
others. Shards are as many as a power of two: where a knowledge base outgrows their number, each is halved.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb_runtime.knowledge.sharding.order import MOST_SHARDS, ROWS, SUFFIX
from kb_runtime.store.catalog import ANSWER, COLUMNS, LABELLED
from kbc.cache.codec import CodecError, pack
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.sections import Extent
from kbc.records import CompiledRecord

# An edit compiles one shard again, and a query asks them all. By default both grow with the square root
# of the chunks: shards are of at most 32 times it, 10,000 at 100,000 chunks and 32,000 at a million.
_UNDIVIDED_CHUNKS = 25_000
_LEAST_CHUNKS = 8_000
_CHUNKS_PER_ROOT = 32
# Characters of text for which one chunk is expected: the division must not depend on the chunks, which an
# edit of one shard does not compute for the others.
_CHARS_PER_CHUNK = 500
# What the caches must keep for each of these characters, although a build asks only for what it compiles:
# parsed texts, chunks and terms; a vector of 1.7 kB for each chunk, of which there may be twice as many.
_PHASE_BYTES_PER_CHAR = 10
_VECTOR_BYTES_PER_CHAR = 7


@dataclass(frozen=True, slots=True)
class Shard:
    """`inputs` are those of the knowledge base with the records of this shard; `places` says by collection
    which of its records these are, in order."""

    inputs: Inputs
    places: Mapping[str, NDArray[np.uint32]]

    @property
    def digest(self) -> str:
        """A hash over the records."""
        digest = hashlib.sha256()
        for name, records in self.inputs.records.items():
            digest.update(f"{name}:{len(records)}\n".encode())
            for record in records:
                digest.update(hashlib.sha256(_packed(record)).digest())
        return digest.hexdigest()

    def entry(self, build_id: str, extent: Extent) -> dict[str, Any]:
        """What the manifest of the whole says of it."""
        records = self.inputs.records
        return {
            "build_id": build_id,
            "records": {name: len(found) for name, found in records.items()},
            "chunks": {name: extent.chunks[name] for name in records},
            "languages": dict(sorted(extent.languages.items())),
        }


def cached_bytes(shards: Sequence[Shard]) -> tuple[int, int]:
    """The sizes below which the cache of phases and that of vectors would lose what the shards need."""
    chars = sum(len(record.text) for shard in shards for record in shard.inputs.searched)
    return chars * _PHASE_BYTES_PER_CHAR, chars * _VECTOR_BYTES_PER_CHAR


def divided(inputs: Inputs) -> list[Shard]:
    """The shards of a knowledge base that have records, in order; none where it is small enough to stay in
    one piece."""
    chars = sum(len(record.text) for record in inputs.searched)
    count = shard_count(chars / _CHARS_PER_CHUNK, inputs.project.build.shard_chunks)
    if count == 1:
        return []
    shards = {
        name: np.array([_shard(name, record.id, count) for record in records], dtype=np.uint16)
        for name, records in inputs.records.items()
    }
    found = []
    for number in range(count):
        places = {name: np.flatnonzero(each == number) for name, each in shards.items()}
        if not any(map(len, places.values())):
            continue
        records = {
            name: [inputs.records[name][at] for at in own.tolist()] for name, own in places.items()
        }
        of_shard = replace(inputs, records=records)
        found.append(Shard(of_shard, {n: own.astype(np.uint32) for n, own in places.items()}))
    return found


def shard_count(chunks: float, most: int | None) -> int:
    """Into how many shards so many chunks are divided: a power of two, with which none is expected to have
    more than `most`, the setting of kb.toml."""
    if most is None:
        if chunks <= _UNDIVIDED_CHUNKS:
            return 1
        most = max(_LEAST_CHUNKS, round(_CHUNKS_PER_ROOT * math.sqrt(chunks)))
    count = 1
    while chunks > most * count and count < MOST_SHARDS:
        count *= 2
    return count


def _shard(collection: str, id: str, count: int) -> int:
    key = f"{collection}/{id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(key).digest()[:4], "big") % count


def _packed(record: CompiledRecord) -> bytes:
    try:
        return pack([type(record).__name__, record])
    except CodecError:
        return repr(record).encode("utf-8", "backslashreplace")


def total(entries: Iterable[Mapping[str, Any]]) -> Extent:
    """The extent of all shards, by what the manifest says of each."""
    extent = Extent(Counter(), Counter())
    for entry in entries:
        extent.chunks.update(entry["chunks"])
        extent.languages.update(entry["languages"])
    return extent


def emit_order(shards: Sequence[Shard], folders: Sequence[Path], folder: Path) -> None:
    """Writes below `folder` which shard, of those in `folders`, each record and row is in, and the columns
    of all rows."""
    catalog, columns = folder / "catalog", folder / "columns"
    catalog.mkdir(exist_ok=True)
    columns.mkdir()
    names = [collection.name for collection in shards[0].inputs.collections]
    for name in shards[0].places:
        owners = np.empty(sum(len(shard.places[name]) for shard in shards), dtype="<u2")
        for number, shard in enumerate(shards):
            owners[shard.places[name]] = number
        (catalog / f"{name}{SUFFIX}").write_bytes(owners.tobytes())
    parts = [_Columns.read(shard_folder) for shard_folder in folders]
    labels = {
        name: sorted({label for part in parts for label in part.labels[name]}) for name in LABELLED
    }
    owners_of_rows = np.repeat(
        np.arange(len(parts), dtype="<u2"), [len(part.columns["record"]) for part in parts]
    )
    values = {
        name: np.concatenate([part.recoded(name, labels.get(name)) for part in parts])
        for name in (*COLUMNS, ANSWER)
    }
    if not values[ANSWER].any():
        del values[ANSWER]
    # The collection of each row, and the place of its record in it: the order of the whole.
    collections = np.concatenate([part.collections(names) for part in parts])
    first = 0
    for shard, part in zip(shards, parts, strict=True):
        stop = first + len(part.columns["record"])
        for at, name in enumerate(names):
            rows = first + np.flatnonzero(collections[first:stop] == at)
            values["record"][rows] = shard.places[name][values["record"][rows]]
        first = stop
    order = np.lexsort((values["record"], collections))
    for name, column in values.items():
        (columns / f"{name}.u32").write_bytes(column[order].astype("<u4").tobytes())
    (columns / "labels.json").write_text(json.dumps(labels, indent=1) + "\n", encoding="utf-8")
    (folder / ROWS).write_bytes(owners_of_rows[order].tobytes())


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a shard."""

    columns: Mapping[str, NDArray[np.uint32]]
    labels: Mapping[str, Sequence[str]]
    chunks: Mapping[str, int]

    @classmethod
    def read(cls, folder: Path) -> _Columns:
        columns = {
            name: np.fromfile(folder / "columns" / f"{name}.u32", dtype="<u4") for name in COLUMNS
        }
        answers = folder / "columns" / f"{ANSWER}.u32"
        rows = len(columns["record"])
        columns[ANSWER] = (
            np.fromfile(answers, dtype="<u4") if answers.exists() else np.zeros(rows, dtype="<u4")
        )
        labels = json.loads((folder / "columns" / "labels.json").read_bytes())
        manifest = json.loads((folder / "manifest.json").read_bytes())
        return cls(
            columns, labels, {each["name"]: each["chunks"] for each in manifest["collections"]}
        )

    def recoded(self, name: str, labels: Sequence[str] | None) -> NDArray[np.uint32]:
        """A column, with the codes of `labels` where its values are labels."""
        column = self.columns[name]
        if labels is None or not len(column):
            return column
        codes = np.array([labels.index(label) for label in self.labels[name]], dtype=np.uint32)
        found: NDArray[np.uint32] = codes[column]
        return found

    def collections(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The collection of each row, as its place in `names`."""
        return np.repeat(np.arange(len(names)), [self.chunks[name] for name in names])
