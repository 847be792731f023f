"""Unified diffs of two texts, in the form that `git apply` and `patch` accept.

Edit scripts are shortest ones: Myers, "An O(ND) difference algorithm and its variations" (Algorithmica,
1986). Files that have little in common are compared by difflib, whose scripts may be longer.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import NamedTuple

CONTEXT_LINES = 3

MAX_EDITS = 1500
"""Added and removed lines up to which the shortest script is looked for: time and memory grow with the
square, 1 s and 20 MB here."""

_NO_LINE_END = "\\ No newline at end of file\n"


class _Edit(NamedTuple):
    """Lines [start, end) of the old text become lines [new_start, new_end) of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


def unified_diff(path: str, old: str | None, new: str | None, context: int = CONTEXT_LINES) -> str:
    """The diff of a file at `path`; None is a file that does not exist, "" an empty one.

    "" when both sides are the same.
    """
    if old == new:
        return ""
    head = [f"diff --git a/{path} b/{path}\n"]
    if old is None:
        head.append("new file mode 100644\n")
    if new is None:
        head.append("deleted file mode 100644\n")
    hunks = list(_hunks(_lines(old), _lines(new), context))
    if hunks:
        head.append("--- /dev/null\n" if old is None else f"--- a/{path}\n")
        head.append("+++ /dev/null\n" if new is None else f"+++ b/{path}\n")
    return "".join([*head, *hunks])


def _lines(text: str | None) -> list[str]:
    """Lines with their "\\n"; the last may lack it. No other character ends a line."""
    return StringIO(text).readlines()


def _hunks(old: Sequence[str], new: Sequence[str], context: int) -> Iterator[str]:
    group: list[_Edit] = []
    for edit in _edits(old, new):
        if group and edit.start - group[-1].end > 2 * context:
            yield _hunk(old, new, group, context)
            group = []
        group.append(edit)
    if group:
        yield _hunk(old, new, group, context)


def _hunk(old: Sequence[str], new: Sequence[str], edits: Sequence[_Edit], context: int) -> str:
    start = max(edits[0].start - context, 0)
    new_start = edits[0].new_start - (edits[0].start - start)
    end = min(edits[-1].end + context, len(old))
    new_end = edits[-1].new_end + (end - edits[-1].end)
    lines = [f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"]
    position = start
    for edit in edits:
        lines += (f" {line}" for line in old[position : edit.start])
        lines += (f"-{line}" for line in old[edit.start : edit.end])
        lines += (f"+{line}" for line in new[edit.new_start : edit.new_end])
        position = edit.end
    lines += (f" {line}" for line in old[position:end])
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_LINE_END}" for line in lines)


def _range(start: int, end: int) -> str:
    """The lines as a hunk's header counts them; of no lines, the one before."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


def _edits(old: Sequence[str], new: Sequence[str]) -> list[_Edit]:
    """What differs, in order; between two edits at least one line stays."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    middle, new_middle = old[first : len(old) - last], new[first : len(new) - last]
    kept = _common(middle, new_middle)
    edits: list[_Edit] = []
    at, new_at = first, first
    for place, new_place in [
        *((first + one, first + other) for one, other in kept),
        (len(old) - last, len(new) - last),
    ]:
        if (at, new_at) != (place, new_place):
            edits.append(_Edit(at, place, new_at, new_place))
        at, new_at = place + 1, new_place + 1
    return edits


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The lines that stay, as pairs of positions: a longest common subsequence."""
    trace = _trace(old, new)
    if trace is None:
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return [
            (one + offset, other + offset)
            for one, other, size in matcher.get_matching_blocks()
            for offset in range(size)
        ]
    kept: list[tuple[int, int]] = []
    x, y = len(old), len(new)
    for edits in range(len(trace) - 1, -1, -1):
        furthest = trace[edits]
        diagonal = x - y
        down = _goes_down(furthest, diagonal, edits)
        before = diagonal + 1 if down else diagonal - 1
        from_x = furthest[before] if edits else 0
        from_y = from_x - before if edits else 0
        while x > from_x and y > from_y and old[x - 1] == new[y - 1]:
            x, y = x - 1, y - 1
            kept.append((x, y))
        x, y = from_x, from_y
    return kept[::-1]


def _trace(old: Sequence[str], new: Sequence[str]) -> list[dict[int, int]] | None:
    """Before each number of edits, how far each diagonal (x - y) was reached; None beyond the limit."""
    furthest: dict[int, int] = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MAX_EDITS) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            down = _goes_down(furthest, diagonal, edits)
            x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return trace
    return None


def _goes_down(furthest: dict[int, int], diagonal: int, edits: int) -> bool:
    """Whether the furthest path to a diagonal comes by adding a line rather than by removing one."""
    if diagonal == -edits:
        return True
    return diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
