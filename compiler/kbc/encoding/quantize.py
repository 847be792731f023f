"""Symmetric 8-bit quantisation of weight matrices. Pure numpy, no calibration data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


def by_row(matrix: Float32) -> tuple[NDArray[np.int8], Float32]:
    """`matrix` [rows, n] as int8 [rows, n] and one scale a row, [rows, 1]: `values * scales`."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)


def by_column(matrix: Float32, bits: int) -> tuple[NDArray[np.int8], Float32]:
    """`matrix` [k, n] as int8 [k, n] within `bits` bits, and one scale a column, [n].

    With 7 bits the sum of two products of an unsigned and a signed byte fits into 16 bits, so CPUs
    without VNNI, which add pairs in saturating 16-bit arithmetic, compute the same integers.
    """
    largest = np.float32((1 << (bits - 1)) - 1)
    scales = np.abs(matrix).max(axis=0) / largest
    scales[scales == 0] = 1
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)


def by_block(matrix: Float32, block: int) -> tuple[NDArray[np.uint8], Float32]:
    """`matrix` [k, n] in the layout of com.microsoft.MatMulNBits with 8 bits.

    Returns uint8 [n, ceil(k / block), block] around the implied zero point 128, and float32 scales
    [n * ceil(k / block)]. A block's extreme maps to -128, the end of the range that is one
    longer, so a scale may be negative. A last block that `k` does not fill is padded with zeros.
    """
    k, n = matrix.shape
    blocks = -(-k // block)
    padded: NDArray[Any] = np.zeros((n, blocks * block), np.float32)
    padded[:, :k] = matrix.T
    padded = padded.reshape(n, blocks, block)
    at = np.abs(padded).argmax(axis=2, keepdims=True)
    scales = np.take_along_axis(padded, at, axis=2) / np.float32(-128)
    scales[scales == 0] = 1
    values = np.clip(np.rint(padded / scales) + 128, 0, 255).astype(np.uint8)
    return values, scales.astype(np.float32).reshape(-1)
