"""A text as lines, with their positions and their cost in tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from copy import copy
from itertools import accumulate

from kbc.chunking.budget import TokenBudget
from kbc.languages.includes.fenced import indentation

# Of so many tokens that are not embedded one counts.
_HIDDEN = 16

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


class TextLines:
    """The lines of `text`, which end with "\\n" (a carriage return alone ends none).

    `visible` is what of `text` is embedded: as long as `text`, character by character, with spaces
    for what is left out. Lines are addressed by 0-based index; `first_number` is the number of line
    0 in its file. `costs[i]` is what line i takes of the token budget, 0 when nothing of it is visible.
    """

    def __init__(
        self, text: str, budget: TokenBudget, *, visible: str | None = None, first_number: int = 1
    ) -> None:
        self.text = text
        self.budget = budget
        self.first_number = first_number
        self.starts = [match.start() for match in _LINE.finditer(text)]
        self._bounds = [*self.starts, len(text)]
        self._show(text if visible is None else visible)

    def _show(self, visible: str) -> None:
        assert len(visible) == len(self.text)
        self.visible = visible
        shown = [self.shown(index) for index in range(len(self.starts))]
        if not self.budget.keeps_spaces:
            shown = [line.strip() for line in shown]
        distinct = list(dict.fromkeys(shown))  # lines repeat: `}`, `return None`
        known = dict(zip(distinct, self.budget.costs(distinct), strict=True))
        self._set_costs([known[line] for line in shown])

    def _set_costs(self, costs: list[int]) -> None:
        self.costs = costs
        self._totals = [0, *accumulate(costs)]

    def showing(self, visible: str) -> TextLines:
        """The same lines, of which only `visible` is embedded. What is hidden costs a sixteenth, so that a
        passage is at most 16 times as long as what the encoder reads at once: it is shown whole."""
        lines = copy(self)
        lines._show(visible)
        costs = lines.costs
        owed = 0
        for index, whole in enumerate(self.costs):
            if costs[index] == 0:
                cost, owed = divmod(owed + whole, _HIDDEN)
                # A line without words to cut at has to fit.
                costs[index] = min(cost, self.budget.text_room)
        lines._set_costs(costs)
        return lines

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> str:
        """Line `index` as stored, with its line end."""
        return self.text[self._bounds[index] : self._bounds[index + 1]]

    def shown(self, index: int) -> str:
        """Line `index` as it is embedded."""
        return self.visible[self._bounds[index] : self._bounds[index + 1]]

    def start(self, index: int) -> int:
        """The offset of line `index`; the text's end for the line after the last."""
        return self._bounds[index]

    def cost(self, first: int, end: int) -> int:
        """What lines [first, end) cost together."""
        return self._totals[end] - self._totals[first]

    def number(self, offset: int) -> int:
        """The 1-based number, in the file, of the line that holds the character at `offset`."""
        return self.first_number + bisect_right(self.starts, offset) - 1

    def indexes(self, first_number: int, last_number: int) -> tuple[int, int]:
        """The index range [first, end) of the lines with these numbers (both inclusive)."""
        first = min(max(first_number - self.first_number, 0), len(self))
        end = min(max(last_number - self.first_number + 1, first), len(self))
        return first, end

    def holding(self, start: int, end: int) -> tuple[int, int]:
        """The index range [first, end) of the lines with characters [start, end)."""
        return self.indexes(self.number(start), self.number(end - 1))

    def is_blank(self, index: int) -> bool:
        return not self[index].strip()


def shared_indentation(lines: Sequence[str]) -> int:
    """The indentation that all of `lines` have, blank ones aside."""
    return min((indentation(line) for line in lines if line.strip()), default=0)
