from __future__ import annotations

import numpy as np

from kb_runtime.explorer.projection import NEAR_COSINE, project


def groups(count: int, each: int, width: int = 32) -> np.ndarray:
    """Vectors of norm 1 around `count` directions."""
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(count, width))
    rows = np.repeat(centres, each, axis=0) + 0.15 * chance.normal(size=(count * each, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_what_is_alike_lies_together() -> None:
    found = project(groups(5, 400))
    assert found is not None
    for at in range(5):
        labels = found.clusters[at * 400 : (at + 1) * 400]
        assert np.bincount(labels).max() > 100
        others = np.setdiff1d(found.clusters, labels)
        assert len(others) == len(np.unique(found.clusters)) - len(np.unique(labels))
    assert np.abs(found.places).max() <= 1


def test_the_same_vectors_give_the_same_map() -> None:
    vectors = groups(3, 50)
    one, two = project(vectors), project(vectors.copy())
    assert one is not None
    assert two is not None
    assert np.array_equal(one.places, two.places)
    assert np.array_equal(one.clusters, two.clusters)


def test_a_vector_is_placed_where_its_row_is() -> None:
    vectors = groups(3, 60)
    found = project(vectors)
    assert found is not None
    for row in (0, 77, 150):
        if np.abs(found.places[row]).max() < 1:
            assert np.allclose(found.place(vectors[row]), found.places[row], atol=1e-5)


def test_near_duplicates_and_lonely_rows_stand_out() -> None:
    vectors = groups(3, 60)
    vectors[10] = vectors[11]
    lonely = np.zeros(32, dtype=np.float32)
    lonely[np.abs(vectors.mean(axis=0)).argmin()] = 1
    vectors[100] = lonely
    found = project(vectors)
    assert found is not None
    assert (10, 11) in [(a, b) for a, b, _ in found.pairs]
    assert all(cosine >= NEAR_COSINE for _, _, cosine in found.pairs)
    assert 100 in found.lonely()


def test_few_or_equal_vectors_are_no_problem() -> None:
    assert project(np.zeros((2, 8), dtype=np.float32)) is None
    assert project(np.zeros((0, 0), dtype=np.float32)) is None
    same = project(np.tile(groups(1, 1), (10, 1)))
    assert same is not None
    assert np.isfinite(same.places).all()
