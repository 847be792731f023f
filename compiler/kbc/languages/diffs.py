"""Unified diffs of two texts, in the form that `git apply` and `patch` accept.

Edit scripts are shortest ones: Myers, "An O(ND) difference algorithm and its variations" (Algorithmica,
1986). Files that have little in common are compared by difflib, whose scripts may be longer.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from io import StringIO

from kb_runtime.text.names import shared_prefix

CONTEXT_LINES = 3

MAX_EDITS = 1500
"""Added and removed lines up to which the shortest script is looked for: time and memory grow with the
square, 1 s and 20 MB here."""

_NO_LINE_END = "\\ No newline at end of file\n"


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
    for group in _Matcher(old, new).get_grouped_opcodes(context):
        (_, start, _, new_start, _), (_, _, end, _, new_end) = group[0], group[-1]
        lines = [f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"]
        for tag, first, last, new_first, new_last in group:
            if tag == "equal":
                lines += (f" {line}" for line in old[first:last])
            else:
                lines += (f"-{line}" for line in old[first:last])
                lines += (f"+{line}" for line in new[new_first:new_last])
        yield "".join(line if line.endswith("\n") else f"{line}\n{_NO_LINE_END}" for line in lines)


def _range(start: int, end: int) -> str:
    """The lines as a hunk's header counts them; of no lines, the one before."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


class _Matcher(difflib.SequenceMatcher[str]):
    """Finds a longest common subsequence, where that takes no more than `MAX_EDITS`."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new, autojunk=False)
        self._old, self._new = old, new

    def get_matching_blocks(self) -> list[difflib.Match]:
        first = shared_prefix(self._old, self._new)
        last = shared_prefix(self._old[first:][::-1], self._new[first:][::-1])
        x, y = len(self._old) - last, len(self._new) - last
        trace = _trace(self._old[first:x], self._new[first:y])
        if trace is None:
            return super().get_matching_blocks()
        blocks = [difflib.Match(x, y, last), difflib.Match(x + last, y + last, 0)]
        for edits in range(len(trace) - 1, -1, -1):
            furthest = trace[edits]
            diagonal = x - y
            before = diagonal + 1 if _goes_down(furthest, diagonal, edits) else diagonal - 1
            from_x = furthest[before] if edits else 0
            from_y = from_x - before if edits else 0
            if size := min(x - from_x, y - from_y) - first:
                blocks.insert(0, difflib.Match(x - size, y - size, size))
            x, y = from_x + first, from_y + first
        return [difflib.Match(0, 0, first), *blocks]


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
