"""How many shards a knowledge base has."""

import pytest

from kbc.pipeline.sharding import shard_count


@pytest.mark.parametrize(
    ("chunks", "shards"), [(25_000, 1), (26_000, 4), (83_000, 16), (830_000, 32), (3_300_000, 64)]
)
def test_by_default_shards_grow_with_the_root_of_the_chunks(chunks: int, shards: int) -> None:
    assert shard_count(chunks, None) == shards


def test_a_setting_is_the_most_that_a_shard_has() -> None:
    assert shard_count(83_000, 25_000) == 4
    assert shard_count(83_000, 100_000) == 1
