"""Selects the passage of a chunk that answers a query.

A passage is exact text of the chunk, in whole code blocks, lines or sentences wherever these fit. Of a code
block that does not fit it has the beginning, followed by a closing fence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from kb_runtime.search.lexical_schema import TITLE_SEPARATOR
from kb_runtime.search.matching import Matcher, Occurrence
from kb_runtime.text.graphemes import boundary_after, boundary_before
from kb_runtime.text.unshown import behind_borders, hidden_in, outside, repeats, without

# Code points of a snippet, unless the caller has another budget: what a list of hits can afford.
BUDGET_CHARS = 240

_LINE = re.compile(r"^[^\S\n]*+\S[^\n]*\n?", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|(?<=[。！？])")
_SPACE = re.compile(r"\s")
_BLANKS = re.compile(r"[ \t]*")
# A line that opens or closes a code block, also in a list or quotation: its mark, its info string.
_FENCE = re.compile(
    r"^[ \t]*+(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(`{3,}+(?=[^`\n]*$)|~{3,})([^\n]*)", re.MULTILINE
)
_DEFINITION = re.compile(
    r"[ \t]*(?:(?:pub(?:\([a-z]+\))?|export|default|public|private|protected|static|abstract|async"
    r"|unsafe|pure|nondet)\s+)*"
    r"(?:module|action|val|def|run|temporal|assume|type|const|var|class|fn|func|function|struct|enum"
    r"|trait|impl|interface|namespace|let)\s+[\w(<]"
)
# A long passage is cut at white space when there is some in its last part.
_SEARCHED_TAIL = 0.4
# Words of a passage beyond these make it no better.
_DENSE = 8


class Snippet(NamedTuple):
    """A passage; its first and last lines are 1-based lines of the file as stored. Where it begins a
    code block that goes on behind it, its text ends with one more line, which closes the block."""

    text: str
    start_line: int
    end_line: int


class _Block(NamedTuple):
    """A fenced code block; `close` is where its closing fence begins, or its end without one.

    Without `opened` its opening fence is in an earlier chunk.
    """

    start: int
    close: int
    end: int
    opened: bool


class FoundWords(NamedTuple):
    """What was searched of a chunk, which begins with its text, and where words of the query are in it."""

    searched: str
    occurrences: Sequence[Occurrence]


class PassageReader:
    """Reads chunks for the words of one query."""

    def __init__(self, make_matcher: Callable[[], Matcher], budget: int) -> None:
        """`make_matcher` is called when the first chunk is read; `budget` are the code points of a
        snippet."""
        self._make_matcher = make_matcher
        self._budget = budget

    @cached_property
    def _matcher(self) -> Matcher:
        return self._make_matcher()

    def find(self, chunk: Mapping[str, Any]) -> FoundWords:
        """The query's words in a chunk: in its text, title and other fields."""
        shown = without(chunk.get("text", ""), chunk.get("comments", ()))
        searched = f"{shown}\n{_other_fields(chunk)}"
        return FoundWords(searched, self._matcher.find(searched, len(shown)))

    def matched(self, found: FoundWords) -> tuple[str, ...]:
        """The query's words that were found, as typed where a text has that spelling."""
        return self._matcher.matched(*found)

    def passage(
        self, chunk: Mapping[str, Any], found: FoundWords, budget: int | None = None
    ) -> Snippet:
        """The passage of a chunk that shows most of the words found in it, of at most `budget` code points
        (None: that of the reader)."""
        text, heading = chunk.get("text", ""), heading_of(chunk)
        first, hidden = chunk.get("start_line", 1), hidden_in(chunk)
        return snippet(text, first, found.occurrences, budget or self._budget, heading, hidden)


def heading_of(chunk: Mapping[str, Any]) -> str:
    """The last part of its title, which its first line may repeat."""
    return str(chunk.get("title", "")).rpartition(TITLE_SEPARATOR)[2]


def snippet(
    text: str,
    first_line: int,
    occurrences: Sequence[Occurrence],
    budget: int = BUDGET_CHARS,
    heading: str = "",
    hidden: Sequence[Sequence[int]] = (),
) -> Snippet:
    """The passage of at most `budget` code points with the most different terms of the query.

    `text` is a chunk whose first line is line `first_line` of its file; occurrences, in order, behind its
    end are ignored, so that it may have been searched together with other texts. Between equal passages the
    denser and then the earlier one wins; without occurrences it is the beginning. A fenced code block
    that fits is shown whole or not at all; of a longer one a passage begins with the fence, and closes it
    with a line of its own, or has lines without either fence. Indented lines come with the line of their
    definition where both fit and nothing found is lost. What only repeats `heading`, which a hit shows
    anyway, or borders a comment is no first line if something follows. The spans `hidden` are never shown,
    and no passage goes on behind one of them; where nothing else is left the passage is empty.
    """
    # Fences with a comment between or before them are none of one block.
    hidden_ends = [end for _, end in hidden]
    blocks = [
        block
        for block in _blocks(without(text, hidden))
        if (at := bisect_right(hidden_ends, block.start)) == len(hidden)
        or hidden[at][0] >= block.end
    ]
    pieces = _pieces(text, budget)
    if hidden:
        pieces = outside(text, pieces, hidden)
    if blocks:
        pieces = _with_whole_blocks(pieces, blocks, budget)
    if len(pieces) > 1 and repeats(text[slice(*pieces[0])], heading):
        is_underlined = set(text[slice(*pieces[1])].strip()) in ({"="}, {"-"})
        if len(pieces) > 1 + is_underlined:
            del pieces[: 1 + is_underlined]
    pieces = behind_borders(text, pieces)
    if not pieces:
        return Snippet("", first_line, first_line)
    gaps = [start for start, _ in hidden]
    start, end = _best_window(text, pieces, blocks, gaps, occurrences, budget)
    if end - start > budget:
        start, end = _inside(text, start, end, occurrences, budget)
    passage = text[start:end]
    start += len(passage) - len(passage.lstrip("\r\n"))
    end = start + len(text[start:end].rstrip())
    start, end = _whole_clusters(text, start, end)
    start, end, closing = _closed(text, start, end, blocks, budget)
    line = first_line + text.count("\n", 0, start)
    return Snippet(text[start:end] + closing, line, line + text.count("\n", start, end))


def _pieces(text: str, budget: int) -> list[tuple[int, int]]:
    """(start, end) of the lines of `text`; lines beyond the budget fall into sentences.

    Blank lines are left out: no passage begins or ends with one.
    """
    lines = [*map(re.Match[str].span, _LINE.finditer(text))]
    if max(map(len, text.split("\n"))) < budget:
        return lines
    pieces: list[tuple[int, int]] = []
    for start, end in lines:
        if end - start > budget:
            for match in _SENTENCE_END.finditer(text, start, end):
                pieces.append((start, match.end()))
                start = match.end()
        if start < end:
            pieces.append((start, end))
    return [(start, end) for start, end in pieces if not text[start:end].isspace()]


def _blocks(text: str) -> list[_Block]:
    """The fenced code blocks of `text`, in order."""
    if "```" not in text and "~~~" not in text:
        return []
    fences = list(_FENCE.finditer(text))
    blocks, plausible = _paired(text, fences, inside=False)
    if not plausible and not fences[0][2].strip():  # it closes a block of the chunk before
        blocks, _ = _paired(text, fences, inside=True)
    return blocks


def _paired(
    text: str, fences: Sequence[re.Match[str]], *, inside: bool
) -> tuple[list[_Block], bool]:
    """Blocks when the text begins inside of one or not, and whether that can be.

    It hardly can when a block stays open, or when another seems to open within.
    """
    blocks: list[_Block] = []
    mark = fences[0][1] if inside and fences else ""  # of the open block
    start, opened, plausible = 0, not inside, True
    for fence in fences:
        named = bool(fence[2].strip())
        if not mark:
            mark, start, opened = fence[1], fence.start(), True
        elif fence[1].startswith(mark):
            if named:
                plausible = False
            else:
                blocks.append(_Block(start, fence.start(), fence.end(), opened))
                mark = ""
    if mark:
        blocks.append(_Block(start, len(text), len(text), opened))
    return blocks, plausible and not mark


def _closed(
    text: str, start: int, end: int, blocks: Sequence[_Block], budget: int
) -> tuple[int, int, str]:
    """The passage with what closes the code block that it begins and does not end, if any.

    Lines make room for that. Where none would be left, they stay, without the fence if they come first.
    """
    cut = [one for one in blocks if one.opened and start <= one.start < end <= one.close]
    if not cut:
        return start, end, ""
    fence = _FENCE.match(text, cut[-1].start)
    assert fence is not None
    closing = "\n" + " " * (fence.start(1) - fence.start()) + fence[1]
    first = text.find("\n", fence.end(), end) + 1  # of the lines in the block
    shorter = end
    while shorter - start + len(closing) > budget:
        shorter = text.rfind("\n", first, shorter) if first else -1
        if shorter < 0:
            return (first, end, "") if first and cut[-1].start == start else (start, end, "")
        shorter = start + len(text[start:shorter].rstrip())
    if shorter <= fence.end():
        return start, end, ""
    return start, shorter, closing


def _with_whole_blocks(
    pieces: Sequence[tuple[int, int]], blocks: Sequence[_Block], budget: int
) -> list[tuple[int, int]]:
    """`pieces` with one piece for each block that fits, without fences that close nothing."""
    kept: list[tuple[int, int]] = []
    done = 0
    for block in blocks:
        first = bisect_left(pieces, (block.start, 0), done)
        close = bisect_left(pieces, (block.close, 0), first)
        behind = bisect_left(pieces, (block.end, 0), close)
        kept += pieces[done:first]
        if not block.opened:
            kept += pieces[first:close]
        elif first < behind and block.end - block.start <= budget:
            kept.append((block.start, block.end))
        else:
            kept += pieces[first:behind]
        done = behind
    return kept + list(pieces[done:])


def _best_window(
    text: str,
    pieces: Sequence[tuple[int, int]],
    blocks: Sequence[_Block],
    gaps: Sequence[int],
    occurrences: Sequence[Occurrence],
    budget: int,
) -> tuple[int, int]:
    """The run of pieces within the budget and between `gaps` that has the most terms; at least one piece."""
    starts, ends = zip(*pieces, strict=True)
    best = (0, 0, 0)
    window = (0, 0)  # positions of the first and the last piece
    seen = -1
    words, _, terms = zip(*occurrences, strict=True) if occurrences else ((), (), ())
    different = len(set(terms))
    for first_word, word_start in enumerate(words):
        # Of equal passages the first wins, and what is left cannot be better than this.
        left = (different, min(len(words) - first_word, _DENSE))
        if word_start >= ends[-1] or best[:2] >= left:
            break
        at = bisect_right(starts, word_start) - 1
        if at == seen or at < 0:  # looked at already, or in a line that is not shown
            continue
        seen = at
        at, last = _window(starts, ends, blocks, gaps, at, budget)
        inside = terms[first_word : bisect_left(words, ends[last])]
        score = (len(set(inside)), min(len(inside), _DENSE), -at)
        if score > best:
            best, window = score, (at, last)
    if not best[0]:
        window = _window(starts, ends, blocks, gaps, 0, budget)
    first, last = window
    definition = _definition(text, starts, first)
    if definition < first and ends[first] - starts[definition] <= budget:
        wider = _window(starts, ends, blocks, gaps, definition, budget)
        if _terms(occurrences, starts[wider[0]], ends[wider[1]]) >= best[0]:
            first, last = wider
    return starts[first], ends[last]


def _window(
    starts: Sequence[int],
    ends: Sequence[int],
    blocks: Sequence[_Block],
    gaps: Sequence[int],
    at: int,
    budget: int,
) -> tuple[int, int]:
    """The first and the last piece of a passage that begins with piece `at`, or its block's fence."""
    limit = len(starts) - 1
    for block in blocks:
        if block.start <= starts[at] < block.end:
            fence = bisect_left(starts, block.start)
            if block.opened and ends[at] - starts[fence] <= budget:
                at = fence
            else:
                limit = bisect_left(starts, block.close) - 1
            break
    gap = bisect_right(gaps, starts[at])
    if gap < len(gaps):
        limit = min(limit, bisect_left(starts, gaps[gap]) - 1)
    last = max(at, min(_reach(starts, ends, at, budget), limit))
    if last > at and any(
        block.start == starts[last] and ends[last] < block.end for block in blocks
    ):
        last -= 1  # a fence with nothing behind it
    return at, last


def _definition(text: str, starts: Sequence[int], at: int) -> int:
    """The piece whose line begins the definition that an indented piece `at` is in; `at` if none."""
    indent = _indent(text, starts[at])
    if not indent or _DEFINITION.match(text, starts[at]):
        return at
    for before in range(at - 1, -1, -1):
        here = _indent(text, starts[before])
        if here < indent:
            if _DEFINITION.match(text, starts[before]):
                return before
            if not here:
                break
            indent = here
    return at


def _indent(text: str, start: int) -> int:
    """How many blanks a line begins with; 0 in the middle of a line."""
    found = _BLANKS.match(text, start) if not start or text[start - 1] == "\n" else None
    return found.end() - start if found else 0


def _terms(occurrences: Iterable[Occurrence], start: int, end: int) -> int:
    """How many different terms occur from `start` to `end`."""
    return len({term for at, _, term in occurrences if start <= at < end})


def _reach(starts: Sequence[int], ends: Sequence[int], at: int, budget: int) -> int:
    """The last piece of a passage that begins with piece `at`."""
    return max(at, bisect_right(ends, starts[at] + budget) - 1)


def _inside(
    text: str, start: int, end: int, occurrences: Sequence[Occurrence], budget: int
) -> tuple[int, int]:
    """A part of one overlong piece, around its first occurrence, cut at white space."""
    first = next((one for one in occurrences if start <= one[0] < end), None)
    if first is not None and first[1] - start > budget:
        # The word goes to the first third, so that what follows it is seen.
        word = first[0]
        begin = max(start, min(word - budget // 3, end - budget))
        space = _SPACE.search(text, begin, word)
        start = space.end() if space else begin
        start = min(boundary_after(text, start), word)
    if end - start <= budget:
        return start, end
    stop = start + budget
    floor = stop - int(budget * _SEARCHED_TAIL)
    spaces = [match.start() for match in _SPACE.finditer(text, floor, stop + 1)]
    if spaces:
        return start, spaces[-1]
    return start, boundary_before(text, stop, start) or stop


def widened(found: Snippet, chunk: Mapping[str, Any], least: int, most: int) -> Snippet:
    """`found`, a passage of `chunk`, with what follows it and then with what is before it, until it has
    `least` to `most` code points. It is not widened across a fence or a comment, nor by its heading."""
    text, hidden = chunk.get("text", ""), hidden_in(chunk)
    start = 0
    for _ in range(found.start_line - chunk.get("start_line", 1)):
        start = text.find("\n", start) + 1
    start = text.find(found.text, start)
    for gap_start, gap_end in hidden:
        if gap_start <= start < gap_end:
            start = text.find(found.text, gap_end)
    if start < 0 or not found.text:
        return found
    end = start + len(found.text)
    fences = [match.start() for match in _FENCE.finditer(text)]
    highest = min((at for at in fences if at >= end), default=len(text))
    lowest = max((at for at in fences if at < start), default=-1)
    lowest = text.find("\n", lowest) + 1 if lowest >= 0 else 0
    first_line, _, _ = text.partition("\n")
    if repeats(first_line, heading_of(chunk)):
        lowest = max(lowest, min(len(first_line) + 1, start))
    for gap_start, gap_end in hidden:
        if gap_end <= start:
            lowest = max(lowest, gap_end)
        elif gap_start >= end:
            highest = min(highest, gap_start)
    if end - start < least:
        end = _space_before(text, min(highest, start + most), start + least, end)
    if end - start < least:
        start = _space_after(text, max(lowest, end - most), max(end - least, 0), start)
    shown = text[start:end]
    start += len(shown) - len(shown.lstrip("\n"))
    shown = shown.strip("\n")
    line = chunk.get("start_line", 1) + text.count("\n", 0, start)
    return Snippet(shown, line, line + shown.count("\n"))


def _space_before(text: str, end: int, least: int, otherwise: int) -> int:
    """The last white space from `least` to `end`, or `end`: where a passage can end; not before
    `otherwise`."""
    if end < len(text) and end > least:
        spaces = [match.start() for match in _SPACE.finditer(text, least, end + 1)]
        end = spaces[-1] if spaces else end
    return max(end, otherwise)


def _space_after(text: str, start: int, latest: int, otherwise: int) -> int:
    """Behind the first white space from `start` to `latest`, or `start`; not behind `otherwise`."""
    if 0 < start < latest:
        space = _SPACE.search(text, start, latest)
        start = space.end() if space else start
    return min(start, otherwise)


def _whole_clusters(text: str, start: int, end: int) -> tuple[int, int]:
    """`start` and `end` moved inwards to where no grapheme cluster is torn, if anything is left then."""
    first = boundary_after(text, start)
    last = boundary_before(text, end, first)
    return (start, end) if last is None else (first, last)


def _other_fields(chunk: Mapping[str, Any]) -> str:
    """The texts besides its body by which a chunk can be found and which a hit shows."""
    trail = chunk.get("breadcrumb") or (chunk.get("title", ""),)
    names = (chunk.get("signature", ""), chunk.get("symbol", ""))
    return "\n".join((*trail, *names, *chunk.get("identifiers", ()), *chunk.get("tags", ())))
