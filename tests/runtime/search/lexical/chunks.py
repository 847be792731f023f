"""Chunks of few words, and searches in their index."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import (
    LexicalHits,
    LexicalIndex,
    LexicalRequest,
    SearchFilters,
)
from kb_runtime.search.query import analyse
from kbc.records import CompiledChunk

ANALYZER = Analyzer()


def chunk(text: str, collection: str = "docs", **fields: object) -> CompiledChunk:
    values = {"record_id": "r", "index": 0, "start_line": 1, "end_line": 1, **fields}
    return CompiledChunk(collection=collection, text=text, **values)  # type: ignore[arg-type]


def search(
    index: LexicalIndex,
    query: str,
    limit: int = 10,
    boosts: Mapping[str, float] | None = None,
    **filters: Any,
) -> LexicalHits:
    restricted = SearchFilters(**filters)
    return index.search(LexicalRequest(analyse(query, ANALYZER), limit, restricted, boosts or {}))


WORDS = (
    *("state", "machine", "value", "network", "message", "leader"),
    *("round", "vote", "node", "client", "server", "token"),
)


def filler(count: int) -> list[CompiledChunk]:
    """Chunks of ordinary words, so that term statistics are those of a corpus."""
    chooser = random.Random(3)
    return [chunk(" ".join(chooser.choices(WORDS, k=30))) for _ in range(count)]
