"""Vectors in two dimensions: principal components, clusters, near duplicates and isolated chunks.

Pure functions over arrays; the same vectors give the same map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

COMPONENTS = 16
"""Of the vectors, so many are clustered: they hold most of what tells texts apart, at little cost."""
MOST_CLUSTERS = 24
_ROUNDS = 12
_SAMPLE = 20_000
"""Rows from which the centres of clusters are learnt; all rows are then assigned to them."""
_BLOCK = 4_096
_COMPARED = 2_048
"""Rows of one cluster that are compared with each other at a time."""
NEAR_COSINE = 0.97
"""From which texts are nearly the same: that of the step `duplicates` of ranking."""
ISOLATED_SHARE = 0.005
"""Of all chunks, the share that is farthest from any other one."""
_CANDIDATES = 4
"""For each isolated chunk, so many of the most isolated of their clusters are compared with all chunks."""


@dataclass(frozen=True)
class Projection:
    """`mean` [d] and `axes` [d, components] of the vectors; `places` float32 [n, 2] in -1..1, where
    `scale` [2] and `centre` [2] come from; `clusters` int64 [n]; `nearest` float32 [n]: the cosine of the
    nearest other row of those compared; `pairs` of rows that are nearly the same, with their cosines."""

    mean: Floats
    axes: Floats
    centre: Floats
    scale: Floats
    places: Floats
    clusters: Ints
    nearest: Floats
    pairs: list[tuple[int, int, float]]

    def place(self, vector: Floats) -> tuple[float, float]:
        """Where a vector is, as `places` are."""
        found = ((vector - self.mean) @ self.axes[:, :2] - self.centre) / self.scale
        return float(found[0]), float(found[1])

    def isolated(self) -> list[int]:
        """The rows that are farthest from any other, the most isolated first."""
        count = _isolated_count(len(self.nearest))
        return [int(row) for row in np.argsort(self.nearest, kind="stable")[:count]]

    def copies(self) -> list[list[int]]:
        """The rows that are nearly the same, in groups, the largest first."""
        leader: dict[int, int] = {}

        def find(row: int) -> int:
            while (above := leader.setdefault(row, row)) != row:
                leader[row] = row = leader[above]
            return row

        for a, b, _ in self.pairs:
            leader[find(a)] = find(b)
        groups: dict[int, list[int]] = {}
        for row in sorted(leader):
            groups.setdefault(find(row), []).append(row)
        return sorted(groups.values(), key=lambda group: (-len(group), group))


def project(vectors: Floats) -> Projection | None:
    """None where there is nothing to draw."""
    count, width = vectors.shape
    if count < 3 or not width:
        return None
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    axes = _principal_axes(vectors, mean)
    reduced = np.concatenate(
        [(vectors[at : at + _BLOCK] - mean) @ axes for at in range(0, count, _BLOCK)]
    )
    flat = reduced[:, :2]
    low, high = flat.min(axis=0), flat.max(axis=0)
    centre = ((low + high) / 2).astype(np.float32)
    scale = np.maximum((high - low) / 2 * 1.02, 1e-6).astype(np.float32)
    clusters = _clustered(reduced)
    nearest, pairs = _neighbours(vectors, reduced, clusters)
    _look_everywhere(vectors, nearest)
    places = np.clip((flat - centre) / scale, -1.0, 1.0).astype(np.float32)
    return Projection(mean, axes, centre, scale, places, clusters, nearest, pairs)


def _principal_axes(vectors: Floats, mean: Floats) -> Floats:
    width = vectors.shape[1]
    covariance = np.zeros((width, width))
    for at in range(0, len(vectors), _BLOCK):
        block = vectors[at : at + _BLOCK] - mean
        covariance += block.T @ block
    _, found = np.linalg.eigh(covariance)
    axes = found[:, ::-1][:, :COMPONENTS]
    # An axis may point either way: the largest part of each points up, so that maps can be compared.
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.ascontiguousarray(axes * np.where(signs == 0, 1, signs), dtype=np.float32)


def _clustered(rows: Floats) -> Ints:
    """k-means, begun with rows that are far from each other."""
    count = len(rows)
    wanted = int(np.clip(np.sqrt(count / 40), 2, MOST_CLUSTERS))
    chance = np.random.default_rng(0)
    sample = (
        rows if count <= _SAMPLE else rows[np.sort(chance.choice(count, _SAMPLE, replace=False))]
    )
    centres = sample[[0]]
    distance = np.full(len(sample), np.inf, dtype=np.float32)
    for _ in range(wanted - 1):
        distance = np.minimum(distance, ((sample - centres[-1]) ** 2).sum(axis=1))
        total = float(distance.sum())
        if total <= 0:
            break
        chosen = chance.choice(
            len(sample), p=distance.astype(np.float64) / distance.sum(dtype=np.float64)
        )
        centres = np.concatenate([centres, sample[[chosen]]])
    for _ in range(_ROUNDS):
        labels = _assigned(sample, centres)
        centres = np.stack(
            [
                sample[labels == at].mean(axis=0) if (labels == at).any() else centres[at]
                for at in range(len(centres))
            ]
        )
    return _assigned(rows, centres)


def _assigned(rows: Floats, centres: Floats) -> Ints:
    norms = (centres**2).sum(axis=1)
    found = [
        (norms - 2 * rows[at : at + _BLOCK] @ centres.T).argmin(axis=1)
        for at in range(0, len(rows), _BLOCK)
    ]
    return np.concatenate(found).astype(np.int64)


def _isolated_count(count: int) -> int:
    return min(count, max(1, round(count * ISOLATED_SHARE)))


def _look_everywhere(vectors: Floats, nearest: Floats) -> None:
    """Compares the most isolated rows of their clusters with all rows: what is next to them may be across a
    border. Writes into `nearest`."""
    wanted = min(len(nearest), _CANDIDATES * _isolated_count(len(nearest)))
    rows = np.argsort(nearest, kind="stable")[:wanted]
    own = vectors[rows]
    for at in range(0, len(vectors), _BLOCK):
        cosines = own @ vectors[at : at + _BLOCK].T
        inside = (rows >= at) & (rows < at + _BLOCK)
        cosines[inside, rows[inside] - at] = -1.0
        nearest[rows] = np.maximum(nearest[rows], cosines.max(axis=1))


def _neighbours(
    vectors: Floats, reduced: Floats, clusters: Ints
) -> tuple[Floats, list[tuple[int, int, float]]]:
    """Compares rows with those of their cluster, in groups along its main axis."""
    nearest = np.zeros(len(vectors), dtype=np.float32)
    pairs: list[tuple[int, int, float]] = []
    for cluster in np.unique(clusters):
        members = np.flatnonzero(clusters == cluster)
        members = members[np.argsort(reduced[members, 0], kind="stable")]
        # Of like sizes: the few rows of a last, small block would look isolated.
        for rows in np.array_split(members, -(-len(members) // _COMPARED)):
            own = vectors[rows]
            cosines = own @ own.T
            np.fill_diagonal(cosines, -1.0)
            nearest[rows] = cosines.max(axis=1) if len(rows) > 1 else 0.0
            left, right = np.nonzero(np.triu(cosines, 1) >= NEAR_COSINE)
            pairs += [
                (int(rows[a]), int(rows[b]), float(cosines[a, b]))
                for a, b in zip(left[:5_000], right[:5_000], strict=True)
            ]
    pairs.sort(key=lambda each: (-each[2], each[0], each[1]))
    return nearest, pairs
