"""The rows of a vector section with 8 bits a number, which say which rows can be among the nearest."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, NamedTuple

from kb_runtime.errors import ArtifactError
from kb_runtime.store.catalog import MappedFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int64]

COARSE_FILE = "rows.i8"
# How far from 1 the norm of a row can be.
_NORM_TOLERANCE = 1e-3
# What the arithmetic of float32 can add to the bound on rounded products.
FLOAT_SLACK = 1e-5


class CoarseRows(NamedTuple):
    """The rows with 8 bits a number, which say which rows can be among the nearest.

    `codes` is int8 [n, d]; times `scales`, float32 [n], they are the rows but for a difference whose norm is
    at most `error`. Reading the rows takes most of the time of a scan and drives the encoder's weights out of
    the processor's cache; these are a quarter of it. What rounding can do to a product is bounded by the norm
    of what was rounded off (Cauchy-Schwarz), so that no row is missed.
    """

    codes: NDArray[np.int8]
    scales: Floats
    error: float

    def at(self, rows: Rows) -> CoarseRows:
        """The rows at `rows`, int64 [n], in this order: a copy."""
        return self._replace(codes=self.codes[rows], scales=self.scales[rows])

    def cosines(self, query: RoundedQuery, start: int, end: int) -> tuple[Floats, float]:
        """The cosines of rows start..end to a query by the rounded rows, float32 [end - start]; and by how
        much each of them can be wrong."""
        import numpy as np
        import simsimd

        norm = 1.0 + _NORM_TOLERANCE  # of any row
        wrong = self.error * query.norm + (norm + self.error) * query.lost + FLOAT_SLACK
        products = np.asarray(
            simsimd.cdist(query.codes, self.codes[start:end], "dot", out_dtype="float32")
        )[0]
        products *= self.scales[start:end]
        products *= query.scale
        return products, wrong


class RoundedQuery(NamedTuple):
    """A query with 8 bits a number: `codes`, int8 [1, d], times `scale` are it but for a difference of the
    norm `lost`. `norm` is its own."""

    codes: NDArray[np.int8]
    scale: float
    lost: float
    norm: float

    @classmethod
    def of(cls, vector: Floats) -> RoundedQuery:
        import numpy as np

        scale = max(float(vector.max()), -float(vector.min())) / 127
        codes = np.rint(vector / scale)
        lost = vector - scale * codes
        return cls(
            codes.astype(np.int8)[None],
            scale,
            math.sqrt(lost @ lost),
            math.sqrt(vector @ vector),
        )


def read_coarse_rows(path: str, numbers: int) -> CoarseRows | None:
    """The file of the rounded rows of a section with so many numbers; None where there is none, as in
    artifacts of earlier versions. Raises `ArtifactError`."""
    if not numbers or not os.path.exists(path):
        return None
    import numpy as np

    mapped = map_numbers(path)
    packed = -(-numbers // 4)  # of four codes each
    rows = len(mapped) - packed - 1
    if rows < 1 or numbers % rows:
        raise ArtifactError("truncated", f"{path} does not belong to the rows beside it.")
    codes = mapped[:packed].view(np.int8)[:numbers].reshape(rows, -1)
    return CoarseRows(codes, mapped[packed:-1], float(mapped[-1]))


def map_numbers(path: str) -> Floats:
    """All numbers of the file as one read-only flat array over mapped memory."""
    import numpy as np

    mapped = MappedFile(path).view
    if len(mapped) % 4:
        raise ArtifactError("truncated", f"{path} does not hold whole numbers.")
    return np.frombuffer(mapped, dtype="<f4")
