"""A library for each module of tests, which builds the knowledge bases of a federation."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.serving.federation.library import Library


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Library:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return Library(tmp_path_factory.mktemp("federation"), cache)
