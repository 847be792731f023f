"""Files of graphs that somebody altered and sealed again: refused, or searched without a crash."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.search.vectors import ROWS_FILE, RowRange
from kb_runtime.store.graph_file import check_graph
from kbc.backends.vectors import write_vectors

ROWS, DIMENSIONS = 400, 12
MUTATIONS = 1000

SEARCH = f"""
import sys
from pathlib import Path
import numpy
from kb_runtime.errors import ArtifactError
from kb_runtime.search.vectors import RowRange, VectorIndex

rng = numpy.random.default_rng(1)
queries = rng.normal(size=(12, {DIMENSIONS})).astype("float32")
queries /= numpy.linalg.norm(queries, axis=1, keepdims=True)
folder = Path(sys.argv[1])
good = (folder / "a.usearch").read_bytes()
refused = searched = 0
for mutation in sys.stdin.read().split():
    at, _, value = mutation.partition("=")
    data = bytearray(good)
    data[int(at)] = int(value)
    (folder / "a.usearch").write_bytes(data)
    try:
        index = VectorIndex(str(folder), {{"a": ({ROWS}, {DIMENSIONS})}})
        for query in queries:
            index.search(query, [RowRange("a", 0, {ROWS})], 10, exact_rows=1)
        searched += 1
    except ArtifactError:
        refused += 1
print(refused, searched)
"""


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    vectors = np.random.default_rng(7).normal(size=(ROWS, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    write_vectors(tmp_path, vectors, [RowRange("a", 0, ROWS)])
    assert (tmp_path / ROWS_FILE).exists()
    path = tmp_path / "a.usearch"
    if not path.exists():
        pytest.fail("a collection of this size has no graph")
    return path


def test_a_graph_as_it_was_written_is_sound(graph: Path) -> None:
    check_graph(str(graph), memoryview(graph.read_bytes()), ROWS, DIMENSIONS)


@pytest.mark.slow
def test_no_altered_byte_crashes_the_process(graph: Path) -> None:
    """Only numbers are drawn that a search follows: those behind the vectors."""
    draw = random.Random(3)
    first, size = 8 + ROWS * DIMENSIONS * 2, graph.stat().st_size
    mutations = [f"{at}={value}" for at in range(first, first + 104) for value in (0, 255)]
    mutations += [f"{draw.randrange(first, size)}={draw.randrange(256)}" for _ in range(MUTATIONS)]
    run = subprocess.run(
        [sys.executable, "-c", SEARCH, str(graph.parent)],
        input=" ".join(mutations),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, (run.returncode, run.stderr)
    refused, searched = map(int, run.stdout.split())
    assert refused + searched == len(mutations)
    assert refused > MUTATIONS / 4


def test_every_truncation_is_refused(graph: Path) -> None:
    data = graph.read_bytes()
    for size in (0, 7, 100, len(data) // 2, len(data) - 1):
        with pytest.raises(ArtifactError, match="not a sound graph"):
            check_graph(str(graph), memoryview(data[:size]), ROWS, DIMENSIONS)
