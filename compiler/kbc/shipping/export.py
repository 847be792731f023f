"""Writes the chunks of an artifact with their vectors for other engines: Parquet, NDJSON, Lance.

Rows are read and written in batches, so memory does not grow with the artifact, and what is written appears
whole or not at all.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

import kb_runtime
from kb_runtime.errors import UsageError
from kb_runtime.store.atomic_files import output_file
from kb_runtime.store.temporary_folders import locked_folder, remove_abandoned
from kb_runtime.text.addresses import parse_address
from kb_runtime.version import install_hint
from kbc.errors import MissingDependencyError, OutputError
from kbc.linking.flushing import flush_tree
from kbc.linking.retention import delete

if TYPE_CHECKING:
    import pyarrow

Engine = Literal["parquet", "ndjson", "lance"]

BATCH_ROWS = 2048  # rows; 3 MB of vectors of 384 numbers
_LANCE = ".lance"
"""What LanceDB wants the folder of a table to end with."""
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
"""How LanceDB, which has one error for everything, says what the system refused."""


class Row(TypedDict):
    """What is exported of a chunk besides its vector. `id` is unique in the artifact; `lines` are the
    first and the last, 1-based, in the file as stored."""

    id: str
    collection: str
    record: str
    title: str
    breadcrumb: list[str]
    text: str
    lines: tuple[int, int]
    address: str
    tags: list[str]


Batch = tuple[list[Row], NDArray[np.float32]]


def export(artifact: str | os.PathLike[str], out: str | os.PathLike[str], *, to: Engine) -> int:
    """Writes every chunk of `artifact` with its vector to `out`; the number of chunks.

    `to` is `parquet`, `ndjson` (both a file, which is replaced) or `lance` (a new folder that ends with
    `.lance`: a table of LanceDB). Vectors are float32 of norm 1, in the order of the rows; an artifact
    without vectors has none there. Raises `ArtifactError`, `UsageError`, `OutputError` and, without
    pyarrow or LanceDB, `MissingDependencyError`.
    """
    target = Path(out)
    if to not in _WRITERS:
        raise UsageError(f"{to!r} is not one of: {', '.join(_WRITERS)}")
    with kb_runtime.open(artifact) as kb:
        try:
            _WRITERS[to](kb, target)
        except ModuleNotFoundError as error:
            extra = "lance" if to == "lance" else "export"
            raise MissingDependencyError(
                f"exporting to {to} needs {error.name!r}, which is not installed",
                install_hint(extra),
            ) from error
        return _count(kb)


def _count(kb: kb_runtime.KnowledgeBase) -> int:
    return sum(each.chunks for each in kb.collections)


def _batches(kb: kb_runtime.KnowledgeBase) -> Iterator[Batch]:
    """All rows in order, with their vectors float32 [n, dimensions]; 0 dimensions without vectors."""
    count = _count(kb)
    for first in range(0, count, BATCH_ROWS):
        rows = range(first, min(first + BATCH_ROWS, count))
        yield [_row(kb.chunk(row)) for row in rows], kb.vectors(rows)


def _row(chunk: kb_runtime.Chunk) -> Row:
    address = parse_address(chunk.address)
    assert address is not None
    record = address[2]
    return Row(
        id=f"{chunk.collection}/{record}#{chunk.index}",
        collection=chunk.collection,
        record=record,
        title=chunk.title,
        breadcrumb=list(chunk.breadcrumb),
        text=chunk.text,
        lines=chunk.lines,
        address=chunk.address,
        tags=list(chunk.tags),
    )


def _write_ndjson(kb: kb_runtime.KnowledgeBase, out: Path) -> None:
    with output_file(out) as file:
        for rows, vectors in _batches(kb):
            # Nine digits read back as the same float32.
            numbers = ", ".join(["%.9g"] * vectors.shape[1])
            for row, vector in zip(rows, vectors, strict=True):
                line = json.dumps(row, ensure_ascii=False)
                if numbers:
                    line = f'{line[:-1]}, "vector": [{numbers % tuple(vector.tolist())}]}}'
                file.write(line.encode() + b"\n")


def _write_parquet(kb: kb_runtime.KnowledgeBase, out: Path) -> None:
    from pyarrow.parquet import ParquetWriter

    reader = _arrow(kb)
    with output_file(out) as file, ParquetWriter(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _write_lance(kb: kb_runtime.KnowledgeBase, out: Path) -> None:
    import lancedb

    if out.suffix != _LANCE:
        raise UsageError(f"{out} must end with {_LANCE}: LanceDB finds its tables by that ending")
    prefix = f".{out.name}."
    out.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(str(out.parent), prefix)
    if out.exists():
        raise OutputError(f"{out} already exists", "Remove it, or export to another folder.")
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=out.parent))
    failed: list[Exception] = []
    try:
        with locked_folder(str(folder)):
            try:
                made = lancedb.connect(folder).create_table(out.stem, _arrow(kb, failed))
                # It says nothing of a last write that the system refused: whatever can be read was written.
                rows = sum(batch.num_rows for batch in made.search().to_batches())
            except (OSError, RuntimeError, ValueError) as error:
                raise failed[0] if failed else _refused(error, out) from error
            if rows != _count(kb):
                raise OutputError(
                    f"{out} cannot be written: only {rows} of {_count(kb)} rows were written"
                )
            table = folder / out.name
            flush_tree(table)
            table.rename(out)
    finally:
        delete(folder)


def _refused(error: Exception, out: Path) -> Exception:
    """The expected error that one of LanceDB stands for."""
    number = _OS_ERROR.search(str(error))
    if number is not None:
        return OSError(int(number[1]), os.strerror(int(number[1])), str(out))
    return OutputError(f"{out} cannot be written: {' '.join(str(error).split())[:300]}")


def _arrow(
    kb: kb_runtime.KnowledgeBase, failed: list[Exception] | None = None
) -> pyarrow.RecordBatchReader:
    """The rows as a stream of batches. What prevents one is added to `failed`, because a native reader
    of the stream keeps nothing but its text."""
    import pyarrow as pa

    strings = pa.list_(pa.string())
    encoder = kb.manifest.get("encoder") or {}
    dimensions = encoder.get("dimensions", 0)
    fields: dict[str, Any] = {
        **dict.fromkeys(Row.__annotations__, pa.string()),
        "breadcrumb": strings,
        "lines": pa.list_(pa.int32(), 2),
        "tags": strings,
    }
    if dimensions:
        fields["vector"] = pa.list_(pa.float32(), dimensions)
    said = {"kb": kb.name, "build_id": kb.build_id, "encoder": encoder.get("model", "")}
    schema = pa.schema(fields, metadata=said)

    def batches() -> Iterator[pyarrow.RecordBatch]:
        try:
            yield from made()
        except Exception as error:
            if failed is not None:
                failed.append(error)
            raise

    def made() -> Iterator[pyarrow.RecordBatch]:
        for rows, vectors in _batches(kb):
            columns = [
                pa.FixedSizeListArray.from_arrays(vectors.ravel(), dimensions)
                if name == "vector"
                else pa.array([row[name] for row in rows], kind)  # type: ignore[literal-required]
                for name, kind in fields.items()
            ]
            yield pa.record_batch(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


_WRITERS: dict[Engine, Callable[[kb_runtime.KnowledgeBase, Path], None]] = {
    "parquet": _write_parquet,
    "ndjson": _write_ndjson,
    "lance": _write_lance,
}
