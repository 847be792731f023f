"""A small artifact with a model, for benchmarks that ask servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.knowledge import write_knowledge

from kbc.pipeline.build import BuildOptions, build


@pytest.fixture(scope="module")
def searchable(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """Embeddings and the encoder's graphs are cached between sessions."""
    assert pytestconfig.cache is not None
    folder = tmp_path_factory.mktemp("searchable")
    write_knowledge(folder / "kb")
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(folder / "kb", BuildOptions(out=folder / "out", cache=cache)).path.parent
