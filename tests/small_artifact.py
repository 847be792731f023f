"""A small artifact, made by the real writers: catalog and chunks only, no model and no index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kbc.backends.catalog import write_catalog, write_chunks
from kbc.linking import linker
from kbc.linking.linker import Published, SelfCheck, Staging
from kbc.records import CompiledChunk

Entries = Mapping[str, Sequence[Mapping[str, Any]]]

SMALL: Entries = {
    "builtins": [
        {"id": "map", "name": "map", "title": "map", "text": "maps a set", "aliases": ["mapSet"]},
        {"id": "filter", "name": "filter", "title": "filter", "text": "filters a set"},
    ],
    "docs": [{"id": "docs/lang.md", "title": "Language", "path": "docs/lang.md", "text": "# L\n"}],
}


def small_fields(entries: Entries, **changes: Any) -> dict[str, Any]:
    """Manifest fields for an artifact with one chunk per entry."""
    collections = []
    row = 0
    for name, records in entries.items():
        count = len(records)
        collections.append(
            {"name": name, "kind": name, "records": count, "chunks": count, "first_row": row}
        )
        row += count
    return {
        "name": "small",
        "title": "Small",
        "version": "1",
        "description": "",
        "license": "",
        "prefix": "small",
        "built_at": "2026-01-01T00:00:00Z",
        "collections": collections,
        "scopes": {"all": list(entries)},
        "encoder": None,
        "search": {"rrf_k": 60},
        "tools": {},
        "package": {},
        "libraries": {},
        "warnings": [],
        **changes,
    }


def write_small(folder: Path, entries: Entries) -> None:
    chunks = []
    for name, records in entries.items():
        write_catalog(folder, name, records)
        for position, record in enumerate(records):
            chunk = CompiledChunk(
                collection=name,
                record_id=record["id"],
                index=0,
                text=record["text"],
                start_line=1,
                end_line=2,
            )
            chunks.append((position, chunk))
    write_chunks(folder, chunks)
    (folder / "tools.json").write_text("{}\n", encoding="utf-8")
    (folder / "inputs.json").write_text("[]\n", encoding="utf-8")


def publish_small(
    out: Path,
    entries: Entries = SMALL,
    *,
    keep: int = 0,
    self_check: SelfCheck | None = None,
    more_sections: Callable[[Path], None] | None = None,
    **changes: Any,
) -> Published:
    """Publishes `entries` below `out`; `changes` are manifest fields with other values, and
    `more_sections` writes into the staging folder."""
    fields = small_fields(entries, **changes)
    identity = linker.build_id([dict(entries)], changes, {})
    with Staging(out, "small", identity) as staging:
        write_small(staging.folder, entries)
        if more_sections is not None:
            more_sections(staging.folder)
        return staging.publish(fields, self_check, keep=keep)
