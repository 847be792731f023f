"""Maps the rows of a federation to the rows of one part, and back.

The rows of a part are consecutive. Rows of hidden records are left out, so nothing that reads rows can
return them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb_runtime.search.vectors import Mask, Rows


class PartRows:
    """The part's rows are `first` to `stop` here. "Own" rows are those of the part's artifact."""

    def __init__(self, first: int, own_rows: int, kept: Rows | None = None) -> None:
        """`kept` are the own rows that are shown, ascending; None for all `own_rows` of them."""
        self.first = first
        self.kept = kept
        self._own_rows = own_rows
        self.stop = first + (own_rows if kept is None else len(kept))

    def __len__(self) -> int:
        return self.stop - self.first

    def own(self, row: int) -> int:
        """The own row of a row here."""
        at = row - self.first
        return at if self.kept is None else int(self.kept[at])

    def here(self, own_rows: Sequence[int]) -> list[int]:
        """Where own rows, of which none is hidden, are here."""
        if self.kept is None:
            return [self.first + row for row in own_rows]
        import numpy as np

        found: list[int] = (np.searchsorted(self.kept, own_rows) + self.first).tolist()
        return found

    def own_mask(self, mask: Mask | None) -> Mask | None:
        """A mask over all rows here as one over own rows, hidden ones left out; None for every row."""
        if self.kept is None:
            return None if mask is None else mask[self.first : self.stop]
        import numpy as np

        own = np.zeros(self._own_rows, dtype=np.bool_)
        own[self.kept] = True if mask is None else mask[self.first : self.stop]
        return own

    def own_ranges(self, ranges: Iterable[range]) -> list[range]:
        """The own rows of ranges here, which are in order and apart; hidden rows in between are in."""
        own = []
        for one in ranges:
            start, stop = max(one.start, self.first), min(one.stop, self.stop)
            if start < stop:
                own.append(range(self.own(start), self.own(stop - 1) + 1))
        return own
