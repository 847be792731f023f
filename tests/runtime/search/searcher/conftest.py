"""Two small indexes that tests must not change."""

from __future__ import annotations

import random

import pytest
from tests.runtime.search.searcher.toy_index import SMALL, Built, Search, build

from kb_runtime.search.request import (
    SearchRequest,
)
from kb_runtime.search.searcher import Searcher


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("small"), SMALL)


@pytest.fixture
def search(small: Built) -> Search:
    return lambda query, **options: Searcher(small).search(SearchRequest(query, **options))


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Built:
    chooser = random.Random(11)
    vocabulary = [f"{a}{b}" for a in ("con", "pro", "mul", "ver") for b in ("tal", "dine", "sor")]
    docs = [
        (f"d{at}", [" ".join(chooser.choices(vocabulary, k=12)) for _ in range(3)])
        for at in range(150)
    ]
    return build(tmp_path_factory.mktemp("large"), {"docs": docs})
