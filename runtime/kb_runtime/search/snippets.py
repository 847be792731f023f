"""Selects the passage of a chunk that answers a query, and the words of the query in it.

A passage is exact text of the chunk, in whole code blocks, lines or sentences wherever these fit. Of a code
block that does not fit it has the beginning, followed by a closing fence.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kb_runtime.search.analysis import WORD, Analyzer, fold, is_unspaced
from kb_runtime.search.query import Query
from kb_runtime.search.spelling import shared_prefix

# Code points of a snippet, unless the caller has another budget: what a list of hits can afford.
BUDGET_CHARS = 240

_LINE = re.compile(r"^[^\S\n]*+\S[^\n]*\n?", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=\S)|(?<=[。！？])")
_SPACE = re.compile(r"\s")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?:.*\n)*?---[ \t]*\r?(?:\n|\Z)")
_FRONT_MATTER_START = re.compile(r"---[ \t]*\r?\n[\w-]+:")
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
# Characters for which folding does more than lowering the case: accented letters, compatibility forms.
# Typographic punctuation is not among them; lowering is 50 times faster than a table.
_FOLDS = re.compile("[\u00aa-\u0590\u1d00-\u1fff\u2070-\u218b\u2460-\u24ff\uf900-\uffff]")
# Words of a passage beyond these make it no better.
_DENSE = 8
# How far back the beginning of a word is looked for in text without white space.
_LONGEST_WORD_CHARS = 256
_NEVER_IN_WORDS = frozenset(" \n\t\r()[]{}<>,;!?\"'`*/=|&+#$%@^~\\")
_JOINER = "\u200d"
_VARIATION = range(0xFE00, 0xFE10)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_REGIONAL = range(0x1F1E6, 0x1F200)


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


# A word of a text that matches a term of the query: its start, its end, the position of the term in
# `Matcher.terms`. A plain tuple, because a search makes hundreds.
Occurrence = tuple[int, int, int]


class Matcher:
    """Finds the words of a query in texts, by the same analysis that built the index.

    Made once for a query and used for all its hits.
    """

    def __init__(
        self, query: Query, analyzer: Analyzer, corrections: Mapping[str, Sequence[str]]
    ) -> None:
        """`corrections` are the words that stood in for unknown ones (see `lexical`)."""
        self.terms = tuple(term.typed for term in query.terms) + query.operators
        self._folded = [typed.casefold() for typed in self.terms]
        self._analyzer = analyzer
        self._words: dict[str, tuple[int, ...]] = {}
        self._owner: dict[str, int] = {}
        self._operators = [
            (len(query.terms) + at, operator) for at, operator in enumerate(query.operators)
        ]
        wholes = [(at, term.names[:1]) for at, term in enumerate(query.terms)]
        parts = [(at, term.names[1:]) for at, term in enumerate(query.terms)]
        stand_ins = [
            (at, tuple(corrections.get(term.typed, ()))) for at, term in enumerate(query.terms)
        ]
        needles: dict[str, None] = {}
        for at, forms in [*wholes, *parts, *stand_ins]:  # a word typed by itself owns its form
            for form in forms:
                stem = analyzer.stem(form)
                self._owner.setdefault(form, at)
                self._owner.setdefault(stem, at)
                needles[form[: shared_prefix(form, stem)] or form] = None
        self._needles = [(needle, is_unspaced(needle)) for needle in needles]

    def find(self, text: str) -> list[Occurrence]:
        """Every matching word of `text`, in order."""
        folded = _fold_in_place(text)
        found: set[Occurrence] = set()
        length = len(text)
        for needle, unspaced in self._needles:
            at = folded.find(needle)
            while at >= 0:
                end = at + len(needle)
                if unspaced:
                    found.add((at, end, self._owner[needle]))
                else:
                    start = at
                    # Most often the neighbours are blanks or brackets: nothing needs to be parsed.
                    if (at and text[at - 1] not in _NEVER_IN_WORDS) or (
                        end < length and text[end] not in _NEVER_IN_WORDS
                    ):
                        start, end = _word_around(text, at, end)
                    terms = self._words.get(word := text[start:end])
                    for term in self._terms_of(word) if terms is None else terms:
                        found.add((start, end, term))
                at = folded.find(needle, end)
        for term, operator in self._operators:
            at = text.find(operator)
            if at >= 0:
                found.add((at, at + len(operator), term))
        return sorted(found)

    def matched(self, text: str, occurrences: Iterable[Occurrence]) -> tuple[str, ...]:
        """Query words that occur in a text, in the order of the query.

        As typed, if the text has that spelling in any case; otherwise the first spelling it has.
        """
        spelling: dict[int, str] = {}
        as_typed: set[int] = set()
        for start, end, term in occurrences:
            if term not in as_typed:
                if self._folded[term] in (word := text[start:end]).casefold():
                    spelling[term] = self.terms[term]
                    as_typed.add(term)
                else:
                    spelling.setdefault(term, word)
        return tuple(spelling[term] for term in sorted(spelling))

    def _terms_of(self, word: str) -> tuple[int, ...]:
        """The terms that `word` or its parts stand for."""
        forms = [name for name, _ in self._analyzer.name_terms(word).terms]
        forms += [self._analyzer.stem(form) for form in forms]
        terms = tuple({self._owner[form]: None for form in forms if form in self._owner})
        self._words[word] = terms
        return terms


def snippet(
    text: str,
    first_line: int,
    occurrences: Sequence[Occurrence],
    budget: int = BUDGET_CHARS,
    heading: str = "",
    hidden: int = 0,
) -> Snippet:
    """The passage of at most `budget` code points with the most different terms of the query.

    `text` is a chunk whose first line is line `first_line` of its file; occurrences behind its end
    are ignored, so that it may have been searched together with other texts. Between equal passages the
    denser and then the earlier one wins; without occurrences it is the beginning. A fenced code block
    that fits is shown whole or not at all; of a longer one a passage begins with the fence, and closes it
    with a line of its own, or has lines without either fence. Indented lines come with the line of their
    definition where both fit and nothing found is lost. A first line that only repeats `heading`, which a
    hit shows anyway, is left out when something follows it. The first `hidden` code points are never shown;
    where nothing else is left the passage is empty.
    """
    blocks = _blocks(text)
    pieces = [piece for piece in _pieces(text, budget) if piece[0] >= hidden]
    if blocks:
        pieces = _with_whole_blocks(pieces, blocks, budget)
    if len(pieces) > 1 and heading and text[slice(*pieces[0])].strip("# \t\r\n") == heading:
        del pieces[0]
    if not pieces:
        return Snippet("", first_line, first_line)
    start, end = _best_window(text, pieces, blocks, occurrences, budget)
    if end - start > budget:
        start, end = _inside(text, start, end, occurrences, budget)
    passage = text[start:end]
    start += len(passage) - len(passage.lstrip("\r\n"))
    end = start + len(text[start:end].rstrip())
    whole = next((at for at in range(start, end) if not _continues(text, at)), start)
    start, end, closing = _closed(text, whole, end, blocks, budget)
    line = first_line + text.count("\n", 0, start)
    return Snippet(text[start:end] + closing, line, line + text.count("\n", start, end))


def front_matter(text: str) -> int:
    """How many code points of a file's beginning are front matter, its fences included.

    Without a closing fence it is all of them when they begin with a key: long front matter continues in
    the next chunk.
    """
    if not text.startswith("---"):
        return 0
    if found := _FRONT_MATTER.match(text):
        return found.end()
    return len(text) if _FRONT_MATTER_START.match(text) else 0


def _pieces(text: str, budget: int) -> list[tuple[int, int]]:
    """(start, end) of the lines of `text`; lines beyond the budget fall into sentences.

    Blank lines are left out: no passage begins or ends with one.
    """
    lines = [match.span() for match in _LINE.finditer(text)]
    if all(end - start <= budget for start, end in lines):
        return lines
    pieces: list[tuple[int, int]] = []
    for start, end in lines:
        if end - start > budget:
            for match in _SENTENCE_END.finditer(text, start, end):
                pieces.append((start, match.end()))
                start = match.end()
        if start < end:
            pieces.append((start, end))
    return pieces


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
    occurrences: Sequence[Occurrence],
    budget: int,
) -> tuple[int, int]:
    """The run of pieces within the budget that has the most terms; at least one piece."""
    starts = [start for start, _ in pieces]
    ends = [end for _, end in pieces]
    best = (0, 0, 0)
    window = (0, 0)  # positions of the first and the last piece
    seen = -1
    for first_word, (word_start, _, _) in enumerate(occurrences):
        if word_start >= ends[-1]:
            break
        at = bisect_right(starts, word_start) - 1
        if at == seen or at < 0:  # looked at already, or in a line that is not shown
            continue
        seen = at
        at, last = _window(starts, ends, blocks, at, budget)
        inside = [term for start, _, term in occurrences[first_word:] if start < ends[last]]
        score = (len(set(inside)), min(len(inside), _DENSE), -at)
        if score > best:
            best, window = score, (at, last)
    if not best[0]:
        window = _window(starts, ends, blocks, 0, budget)
    first, last = window
    definition = _definition(text, starts, first)
    if definition < first and ends[first] - starts[definition] <= budget:
        wider = _window(starts, ends, blocks, definition, budget)
        if _terms(occurrences, starts[wider[0]], ends[wider[1]]) >= best[0]:
            first, last = wider
    return starts[first], ends[last]


def _window(
    starts: Sequence[int], ends: Sequence[int], blocks: Sequence[_Block], at: int, budget: int
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
    at = start
    if not start or text[start - 1] == "\n":
        while at < len(text) and text[at] in " \t":
            at += 1
    return at - start


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
        while start < word and _continues(text, start):
            start += 1
    if end - start <= budget:
        return start, end
    stop = start + budget
    floor = stop - int(budget * _SEARCHED_TAIL)
    spaces = [match.start() for match in _SPACE.finditer(text, floor, stop + 1)]
    if spaces:
        return start, spaces[-1]
    while stop > start + 1 and _continues(text, stop):
        stop -= 1
    return start, stop


def _continues(text: str, at: int) -> bool:
    """Whether a cut before `at` would tear a character that is written with several code points."""
    if at <= 0 or at >= len(text):
        return False
    here, before = text[at], text[at - 1]
    code = ord(here)
    if unicodedata.combining(here) or unicodedata.category(here) in ("Mn", "Mc", "Me"):
        return True
    if here == _JOINER or before == _JOINER or code in _VARIATION or code in _SKIN_TONES:
        return True
    if code in _REGIONAL and ord(before) in _REGIONAL:
        flags = 0  # flags are pairs: only a cut inside a pair tears
        while flags < at and ord(text[at - 1 - flags]) in _REGIONAL:
            flags += 1
        return flags % 2 == 1
    return here == "\n" and before == "\r"


def _word_around(text: str, at: int, end: int) -> tuple[int, int]:
    """The word of `text` that `at`..`end` lies in; `at`..`end` itself if in none."""
    length = len(text)
    while end < length and text[end].isalnum():
        end += 1
    if (at == 0 or text[at - 1] in _NEVER_IN_WORDS) and (
        end == length or text[end] in _NEVER_IN_WORDS
    ):
        return at, end
    floor = max(0, at - _LONGEST_WORD_CHARS)
    start = max(text.rfind(" ", floor, at), text.rfind("\n", floor, at), floor - 1) + 1
    for match in WORD.finditer(text, start):
        if match.end() > at:
            return match.span() if match.start() <= at else (at, end)
    return at, end


def _fold_in_place(text: str) -> str:
    """`text` folded character by character, so that positions stay what they are."""
    if text.isascii() or not _FOLDS.search(text):
        lower = text.lower()
        if len(lower) == len(text):
            return lower
    return text.translate(_FOLDED)


class _FoldTable(dict[int, str]):
    """For `str.translate`: the folded form of a character where that is one character too."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = fold(char)
        self[code] = folded if len(folded) == 1 else char
        return self[code]


_FOLDED = _FoldTable()
