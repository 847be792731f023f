from __future__ import annotations

import numpy as np

from kb_runtime.explorer.projection import NEAR_COSINE, project


def groups(count: int, each: int, width: int = 32, spread: float = 0.15) -> np.ndarray:
    """Vectors of norm 1 around `count` directions."""
    chance = np.random.default_rng(7)
    centres = chance.normal(size=(count, width))
    rows = np.repeat(centres, each, axis=0) + spread * chance.normal(size=(count * each, width))
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


def test_near_duplicates_and_isolated_rows_stand_out() -> None:
    vectors = groups(3, 60)
    vectors[10] = vectors[11]
    isolated = np.zeros(32, dtype=np.float32)
    isolated[np.abs(vectors.mean(axis=0)).argmin()] = 1
    vectors[100] = isolated
    found = project(vectors)
    assert found is not None
    assert (10, 11) in [(a, b) for a, b, _ in found.pairs]
    assert all(cosine >= NEAR_COSINE for _, _, cosine in found.pairs)
    assert 100 in found.isolated()


def test_few_or_equal_vectors_are_no_problem() -> None:
    assert project(np.zeros((2, 8), dtype=np.float32)) is None
    assert project(np.zeros((0, 0), dtype=np.float32)) is None
    same = project(np.tile(groups(1, 1), (10, 1)))
    assert same is not None
    assert np.isfinite(same.places).all()


def test_the_last_rows_of_a_large_cluster_are_not_isolated() -> None:
    """Clusters are compared in blocks: a block of one row has nobody next to it."""
    vectors = groups(1, 2 * 2_048 + 1)
    found = project(vectors)
    assert found is not None
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    isolated = found.isolated()
    assert np.allclose(found.nearest[isolated], cosines[isolated].max(axis=1), atol=1e-5)


def test_a_row_next_to_another_cluster_is_not_isolated() -> None:
    vectors = groups(4, 100, spread=0.6)
    found = project(vectors)
    assert found is not None
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    for row in found.isolated():
        assert np.isclose(found.nearest[row], cosines[row].max(), atol=1e-5)


def test_near_duplicates_come_in_groups() -> None:
    vectors = groups(3, 60, spread=0.6)
    vectors[[20, 40, 50]] = vectors[10]
    vectors[100] = vectors[110]
    found = project(vectors)
    assert found is not None
    assert found.copies() == [[10, 20, 40, 50], [100, 110]]


def test_every_row_has_its_own_place_on_the_map() -> None:
    """None is moved to the edge."""
    vectors = groups(3, 500)
    found = project(vectors)
    assert found is not None
    assert (np.abs(found.places) < 1).all()
