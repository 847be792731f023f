"""Keeps answers within a number of characters: which items fit, how far a text goes, what is left out.

An answer has a text and a structure; each of them may take `Session.max_chars`. Tools over long texts and
lists give them in parts, with a cursor. What is still too long is shortened here, whatever the tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from kb_runtime.text.rendering import cut
from kb_runtime.text.written_json import json_text
from kb_runtime.tools.answers import parsed
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import MARGIN, Pager, fitting, json_chars

S = TypeVar("S", bound=Mapping[str, Any])

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session

LEAST_CHARS = 1_000
CONTINUED_CHARS = 350
"""Characters of the fields that say how a text goes on."""
_KEPT = ("next", "nextCursor")
"""Fields that are of no use when they are cut."""
OUTLINE_SHARE = 6
"""An outline takes at most this part of an answer whose text goes on."""


_NAME_CHARS = 30
"""More than the name of a list takes that a structure has once more."""

WARNING_MARGIN = 20
"""Characters that a warning takes in text or structure besides its own."""


def part_chars(session: Session, pager: Pager, cursor: str | None, text: str, used: int) -> int:
    """How many code points of `text` from `cursor` on fit beside fields that take `used` characters."""
    return fitting_text(text, pager.part(cursor, text, None).start, session.max_chars - used)


def fitting_text(text: str, start: int, chars: int) -> int:
    """How many code points from `start` take at most `chars` as JSON beside how the text goes on. Where
    little is left, a part has at least a quarter of the shortest answer: `within` then cuts the rest."""
    short = min(chars - CONTINUED_CHARS, LEAST_CHARS // 2)
    return _reach(text, start, max(chars - MARGIN, short, LEAST_CHARS // 4))


def beginning(text: str, chars: int) -> str:
    """As much of `text` as takes at most `chars` as JSON, up to a line end where one is near."""
    return text[: cut(text, 0, _reach(text, 0, max(chars - 2, 1)))]


def _say_cut(structured: Any, advice: str) -> None:
    """Says in an answer that something was left out, and with `advice` how to get it."""
    structured["truncated"] = True
    structured.setdefault("next", advice)


def whole_results(
    structured: Any,
    lists: Sequence[list[Any]],
    write: Callable[[], str],
    max_chars: int,
    advice: str,
    repeats: int = 1,
    *,
    as_json: bool = False,
) -> Answer[Any]:
    """An answer with the text that `write` gives, and with as many of the first items of each of `lists`,
    which `structured` holds, as text and structure have room for: no item is cut, but for an only one. Where
    not even the first of each fit, the last lists are empty.
    The structure has the same list `repeats` times; the text is the structure `as_json` with each list
    once, or something else."""

    def fits(text: str) -> bool:
        if as_json and len(text) + _NAME_CHARS <= max_chars:
            return True
        return len(text) <= max_chars and json_chars(structured) <= max_chars * repeats

    if fits(text := write()):
        return Answer(text, structured, fits=True)
    _say_cut(structured, advice)
    every = [list(each) for each in lists]
    low, high = 1, max(map(len, every), default=1)
    while low < high:
        count = (low + high + 1) // 2
        for each, whole in zip(lists, every, strict=True):
            each[:] = whole[:count]
        low, high = (count, high) if fits(write()) else (low, count - 1)
    for each, whole in zip(lists, every, strict=True):
        each[:] = whole[:low]
    filled = [each for each in lists if each]
    while not (has_room := fits(text := write())) and len(filled) > 1:
        filled.pop().clear()
    return Answer(text, structured, fits=has_room)


def content_part(
    session: Session, structured: Any, cursor: str | None, tool: str, part_of: Mapping[str, Any]
) -> Any:
    """`structured` with the part of its `content` that fits, from `cursor` on (None: the beginning)."""
    if cursor is None and json_chars(structured) <= session.max_chars:
        return structured
    pager = Pager(session.artifact.build_id, tool, part_of)
    used, text = json_chars({**structured, "content": ""}), structured["content"]
    page = pager.part(cursor, text, part_chars(session, pager, cursor, text, used))
    part = {**structured, "content": text[page.start : page.stop]}
    if page.next is not None:
        left = len(text) - page.stop
        advice = f"{left} characters follow: repeat the call with cursor = nextCursor."
        part |= {"truncated": True, "nextCursor": page.next, "next": advice}
    return part


def _reach(text: str, start: int, chars: int) -> int:
    """How many code points from `start` take at most `chars` in JSON, where quotes and line ends take
    two."""
    length = min(len(text) - start, chars)
    while length > 1:
        size = len(json.dumps(text[start : start + length], ensure_ascii=False))
        if size <= chars:
            break
        length = min(length - 1, length * chars // size)
    return max(length, 1)


def shown_levels(sections: Sequence[S], chars: int) -> list[S]:
    """The sections, given with `level`, down to the deepest level of which all fit into `chars`, and the
    first ones where not even the highest level does."""
    levels = sorted({section["level"] for section in sections}, reverse=True)
    shown = list(sections)
    for deepest in levels:
        shown = [section for section in sections if section["level"] <= deepest]
        if json_chars(shown) <= chars:
            return shown
    return shown[: fitting(shown, chars)]


def within(
    answer: Answer[Any], max_chars: int, advice: str, *, repeats: int = 1, kept: str = ""
) -> Answer[Any]:
    """`answer`, shortened where its text is longer than `max_chars`, or its structure, which has the same
    list `repeats` times, than as often that: the longest list or text in the structure loses its end, and
    both say so with `advice` on how to get the rest. The field `kept` stays whole: it is a part of a text,
    and no cursor leads to what it would lose."""
    if answer.fits:
        return answer
    structured, text = answer.structured, answer.text
    if structured is not None and json_chars(structured) > max_chars * repeats:
        structured = _shortened(structured, max_chars * repeats, advice, kept)
    if len(text) > max_chars:
        text = _shortened_text(text, max_chars, advice, kept)
    if text is answer.text and structured is answer.structured:
        return answer
    return Answer(text, structured)


def _shortened_text(text: str, max_chars: int, advice: str, kept: str) -> str:
    if (written := parsed(text)) is not None:
        chars = max_chars
        while True:
            shorter = written.write(_shortened(written.value, chars, advice, kept))
            if len(shorter) <= max_chars or chars < LEAST_CHARS:
                return shorter
            chars = chars * max_chars // len(shorter) - 1
    end = cut(text, 0, max(max_chars - MARGIN, 1))
    return f"{text[:end]}\n\n[{len(text) - end} characters were left out. {advice}]"


def _shortened(
    structured: Mapping[str, Any], max_chars: int, advice: str, kept: str
) -> dict[str, Any]:
    """A copy of `structured` of at most `max_chars` as JSON, as far as lists and texts can give way."""
    shorter: dict[str, Any] = json.loads(json_text(structured))
    _say_cut(shorter, advice)
    while (excess := json_chars(shorter) - max_chars) > 0:
        values = _values(shorter, (kept, *_KEPT))
        size, holder, key = max(values, key=lambda one: one[0], default=(0, None, None))
        if holder is None or size < 64:
            break
        value = holder[key]
        keep = max(size - excess - 2, size // 4)
        if isinstance(value, str):
            holder[key] = value[: cut(value, 0, _reach(value, 0, keep))]
        else:
            holder[key] = value[: min(fitting(value, keep), len(value) - 1)]
    return shorter


def _values(value: Any, kept: Sequence[str] = ()) -> Iterator[tuple[int, Any, Any]]:
    """Size, container and key of every list and text in `value`, but for its own fields `kept`; of a list
    with one item its parts."""
    items = enumerate(value) if isinstance(value, list) else value.items()
    for key, one in items:
        if key in kept:
            continue
        if isinstance(one, str) or (isinstance(one, list) and len(one) > 1):
            yield json_chars(one), value, key
        elif isinstance(one, list | dict):
            yield from _values(one)
