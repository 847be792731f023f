"""An artifact of 100,000 chunks, by the real writers: short texts, and made-up vectors in groups.

Embedding so many would take half an hour. The encoder is a real one, so queries are encoded as ever.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from benchmarks.made_up import Vocabulary
from tests.small_artifact import small_fields

from kb_runtime.search.vectors import EXACT_ROWS, RowRange
from kbc.backends.catalog import write_catalog, write_chunks
from kbc.backends.lexical import write_lexical
from kbc.backends.vectors import write_vectors
from kbc.linking import linker
from kbc.linking.linker import Staging
from kbc.records import CompiledChunk

COLLECTIONS = ("docs", "guides", "notes", "posts", "lessons")
GROUPS = 40


def publish_large(out: Path, model: Path, chunks: int) -> Path:
    """The folder of the knowledge base; `model` is a build whose encoder it gets."""
    vocabulary = Vocabulary(3)
    each = chunks // len(COLLECTIONS)
    entries = {
        name: [
            {
                "id": f"{name}/{at}.md",
                "collection": name,
                "title": " ".join(vocabulary.some_names(2)),
                "path": f"{name}/{at}.md",
                "text": f"{vocabulary.sentence()}\n",
                "line": 1,
                "lines": 1,
                "size": 80,
            }
            for at in range(each)
        ]
        for name in COLLECTIONS
    }
    encoder = json.loads((model / "manifest.json").read_text())["encoder"]
    fields = small_fields(entries, name="large", title="Large", prefix="large", encoder=encoder)
    for collection in fields["collections"]:
        collection["kind"] = "docs"
    made = [
        (
            at,
            CompiledChunk(
                collection=name,
                record_id=entry["id"],
                index=0,
                text=entry["text"],
                start_line=1,
                end_line=1,
                title=entry["title"],
            ),
        )
        for name, records in entries.items()
        for at, entry in enumerate(records)
    ]
    with Staging(out, "large", linker.build_id(["large", chunks], {}, {})) as staging:
        folder = staging.folder
        for name, records in entries.items():
            write_catalog(folder, name, records)
        write_chunks(folder, made)
        write_lexical(
            folder / "lexical",
            [chunk for _, chunk in made],
            {name: at for at, name in enumerate(COLLECTIONS)},
            {(chunk.collection, chunk.record_id): chunk.record_id for _, chunk in made},
        )
        ranges = [RowRange(name, at * each, each) for at, name in enumerate(COLLECTIONS)]
        vectors = grouped_vectors(len(made), encoder["dimensions"])
        write_vectors(folder / "vectors", vectors, ranges, graphs_above=EXACT_ROWS)
        shutil.copytree(model / "encoder", folder / "encoder")
        document = json.loads((model / "tools.json").read_text())
        document["families"] = {name: {"tools": [], "prompts": []} for name in document["families"]}
        (folder / "tools.json").write_text(json.dumps(document))
        (folder / "inputs.json").write_text("[]\n")
        staging.publish(fields, None, keep=0)
    return out / "large"


def grouped_vectors(count: int, width: int) -> np.ndarray:
    """float32 [count, width], of norm 1, around a few directions."""
    chance = np.random.default_rng(11)
    centres = chance.normal(size=(GROUPS, width)).astype(np.float32)
    rows = centres[chance.integers(0, GROUPS, count)]
    rows += chance.normal(scale=0.9, size=(count, width)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows
