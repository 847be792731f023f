"""`kbc build` with vectors that are drawn at random, for builds in which embedding, which is linear, must not
hide the rest.

    python -m benchmarks.encoders.drawn_vectors build KB [OPTION ...]

The command and its options are those of `kbc`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from kbc.__main__ import main
from kbc.encoding.cache import EmbeddingCache

DIMENSIONS = 384


@cache
def pool() -> Any:
    """Vectors float32 [4096, 384], the same in every process."""
    chance = np.random.Generator(np.random.SFC64(7))
    return chance.standard_normal((4096, DIMENSIONS), dtype=np.float32)


def drawn(keys: Iterable[bytes]) -> dict[bytes, Any]:
    """A unit vector float32 [384] for every key, the same each time: the sum of five that the key selects
    from 4,096, so that drawing takes no longer than reading a cache would, and a million all differ."""
    wanted = list(keys)
    selected = np.frombuffer(b"".join(key[:10] for key in wanted), "<u2").reshape(-1, 5) % 4096
    vectors = pool()[selected].sum(axis=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return dict(zip(wanted, vectors, strict=True))


def get_many(self: EmbeddingCache, encoder: str, keys: Iterable[bytes]) -> dict[bytes, Any]:
    del self, encoder
    return drawn(keys)


if __name__ == "__main__":
    EmbeddingCache.get_many = get_many  # type: ignore[method-assign]
    main()
