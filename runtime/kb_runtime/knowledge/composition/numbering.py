"""Where each position of a whole is: in which part, and which number it has there.

Positions are those of records in a collection, or of rows. Every part keeps the order of the whole. Shards
divide it in any way; the parts of a federation follow each other, and what is hidden of one has no position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Positions = NDArray[np.uint32]
    Numbers = NDArray[np.int64]
    Owners = NDArray[np.uint16]
    Mask = NDArray[np.bool_]


class PartNumbers:
    """The positions of one part. Its own numbers begin with 0 and count what is hidden, too."""

    def __init__(self, positions: Positions, shown: Mask | None = None) -> None:
        """`positions` ascend, uint32 [n]; `shown` says of each own number whether it has one, None: all."""
        self.positions = positions
        self._shown = shown
        self._kept: Numbers | None = None if shown is None else np.flatnonzero(shown)
        # Positions that follow each other need no search, and a slice of a mask is no copy.
        follow = len(positions) and int(positions[-1]) - int(positions[0]) == len(positions) - 1
        self._first = int(positions[0]) if follow else None

    def number(self, position: int) -> int:
        """The own number of one of its positions."""
        if self._first is None:
            at = int(self.positions.searchsorted(np.uint32(position)))
        else:
            at = position - self._first
        return at if self._kept is None else int(self._kept[at])

    def numbers(self, positions: Positions) -> Numbers:
        """The own numbers of some of its positions, uint32 [n]."""
        at = self.positions.searchsorted(positions)
        return at if self._kept is None else self._kept[at]

    def here(self, own: Sequence[int] | Numbers) -> Numbers:
        """The positions of own numbers, of which none is hidden."""
        at = np.asarray(own, dtype=np.int64)
        if self._kept is not None:
            at = self._kept.searchsorted(at)
        return self.positions[at].astype(np.int64)

    def place(self, own: int) -> int | None:
        """The position of an own number; None for a hidden one."""
        if self._shown is not None and not self._shown[own]:
            return None
        return int(self.here([own])[0])

    def places(self) -> list[int | None]:
        """The place of every own number."""
        if self._shown is None:
            return [*self.positions.tolist()]
        places = iter(self.positions.tolist())
        return [next(places) if is_shown else None for is_shown in self._shown.tolist()]

    def own_mask(self, mask: Mask | None) -> Mask | None:
        """A mask over all positions as one over own numbers, without the hidden ones; None for all."""
        if self._shown is None:
            return None if mask is None else self._of(mask)
        own = self._shown.copy()
        if mask is not None:
            own[self._kept] = self._of(mask)
        return own

    def _of(self, mask: Mask) -> Mask:
        if self._first is None:
            return mask[self.positions]
        return mask[self._first : self._first + len(self.positions)]

    def own_ranges(self, ranges: Sequence[range]) -> list[range]:
        """The own numbers within ranges of positions, which are in order and apart; hidden ones in between
        are in."""
        found = []
        for one in ranges:
            first, stop = self.positions.searchsorted(
                np.array([one.start, one.stop], dtype=np.uint32)
            ).tolist()
            if first < stop and self._kept is not None:
                first, stop = int(self._kept[first]), int(self._kept[stop - 1]) + 1
            if first < stop:
                found.append(range(first, stop))
        return found


class Numbering:
    """The positions of all parts."""

    def __init__(self, owners: Owners, shown: Sequence[Mask | None]) -> None:
        """`owners` gives the part of each position, uint16 [positions]; `shown`, part by part, what is
        hidden: see `PartNumbers`."""
        self.owners = owners
        # Stable, so that each part's are in the order of the whole.
        by_part = np.argsort(owners, kind="stable").astype(np.uint32)
        ends = np.bincount(owners, minlength=len(shown)).cumsum()
        self.parts = [
            PartNumbers(*each) for each in zip(np.split(by_part, ends[:-1]), shown, strict=True)
        ]

    @classmethod
    def consecutive(cls, sizes: Sequence[int], shown: Sequence[Mask | None]) -> Numbering:
        """Of parts of so many numbers each, which follow each other."""
        counts = [
            size if mask is None else int(np.count_nonzero(mask))
            for size, mask in zip(sizes, shown, strict=True)
        ]
        return cls(np.repeat(np.arange(len(sizes), dtype=np.uint16), counts), shown)

    def __len__(self) -> int:
        return len(self.owners)

    def locate(self, position: int) -> tuple[int, int]:
        """The part of a position, and its own number there. Raises `IndexError` outside 0..len-1."""
        if not 0 <= position < len(self.owners):
            raise IndexError(position)
        part = int(self.owners[position])
        return part, self.parts[part].number(position)

    def split(self, positions: Positions) -> Iterator[tuple[int, Numbers, Numbers]]:
        """For every part that has some of `positions`, uint32 [n]: where these are among them, and its own
        numbers of them."""
        owners = self.owners[positions]
        for number, part in enumerate(self.parts):
            at = np.flatnonzero(owners == number)
            if len(at):
                yield number, at, part.numbers(positions[at])
