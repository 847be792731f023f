"""Which shard each record and each row of a sharded artifact is in: what the compiler writes of it.

A record belongs to one shard, and every shard keeps the order of the whole. So the shard of each position
says everything: the own number is that of earlier ones in the same shard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kb_runtime.knowledge.composition.numbering import Numbering
from kb_runtime.store.catalog import MappedFile
from kb_runtime.store.integrity import inconsistent

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARDS = "shards"
"""The folder of the shards, and the field of the manifest that describes them."""
SUFFIX = ".u16"
"""Of `catalog/<collection>`: the shard of each record."""
ROWS = "columns/shard.u16"
"""The shard of each row."""
MOST_SHARDS = 1 << 12


def read_order(path: str, sizes: Sequence[int]) -> Numbering:
    """`sizes` says how many positions each shard has. Raises `ArtifactError` when `path` says otherwise."""
    file = MappedFile(path)
    if len(file.view) != 2 * sum(sizes):
        raise inconsistent(path)
    shards: NDArray[np.uint16] = np.frombuffer(file.view, dtype="<u2")
    if np.bincount(shards, minlength=len(sizes)).tolist() != list(sizes):
        raise inconsistent(path)
    return Numbering(shards, [None] * len(sizes))
