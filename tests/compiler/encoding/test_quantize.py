from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from kbc.encoding import quantize

matrices = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, max_side=70),
    elements=st.floats(-100, 100, width=32, allow_subnormal=False),
)


@given(matrices)
def test_rows_are_restored_to_half_a_step(matrix: Any) -> None:
    values, scales = quantize.by_row(matrix)
    assert values.dtype == np.int8
    assert np.all(np.abs(values * scales - matrix) <= np.abs(scales) * 0.501)


@given(matrices, st.sampled_from([7, 8]))
def test_columns_are_restored_to_half_a_step_within_their_bits(matrix: Any, bits: int) -> None:
    values, scales = quantize.by_column(matrix, bits)
    assert np.abs(values.astype(int)).max() <= (1 << (bits - 1)) - 1
    assert np.all(np.abs(values * scales - matrix) <= scales * 0.501)


@given(matrices, st.sampled_from([4, 32]))
def test_blocks_are_restored_and_their_padding_is_zero(matrix: Any, block: int) -> None:
    k, n = matrix.shape
    values, scales = quantize.by_block(matrix, block)
    blocks = -(-k // block)
    assert values.shape == (n, blocks, block)
    steps = scales.reshape(n, blocks, 1)
    restored = ((values.astype(np.float32) - 128) * steps).reshape(n, blocks * block)
    # A value equal to the extreme but of the other sign is one whole step outside the range.
    bound = np.repeat(np.abs(steps), block, axis=2).reshape(n, blocks * block) * 1.001
    assert np.all(np.abs(restored[:, :k] - matrix.T) <= bound[:, :k])
    assert np.all(restored[:, k:] == 0)


@pytest.mark.parametrize("function", [quantize.by_row, lambda m: quantize.by_block(m, 4)])
def test_zeros_stay_zero(function: Any) -> None:
    values, scales = function(np.zeros((4, 4), np.float32))
    assert np.isfinite(scales).all()
    assert len(np.unique(values)) == 1
