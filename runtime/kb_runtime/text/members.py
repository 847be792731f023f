"""Names of members, as somebody types them to look them up.

A name is a path of segments, whatever joins them: `Cache.get`, `Cache::get`, `Cache#get` and `cache->get`
differ in the joint alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum

MemberPath = tuple[str, ...]
"""The segments of a name: `("Cache", "get")`."""

MAX_CHARS = 300
"""A longer text is not taken for a name, or for what is before the arguments of a signature."""
MAX_MENTIONS = 8
"""Names within a query that are looked for, the first ones."""

SEGMENT = r"[@$]?[^\W\d][\w$]*(?:-[^\W\d][\w$]*)*[?!]?"
_JOINT = r"(?:\.prototype\.|::|->|[.#:])"
PATH = rf"{SEGMENT}(?:{_JOINT}{SEGMENT})*"
_SPLIT = re.compile(_JOINT)
_TYPED = re.compile(rf"(?:::|->|[.#])?(?P<path>{PATH})(?:/\d+)?(?P<call>\(.*\))?;?", re.DOTALL)
_MENTIONED = re.compile(rf"(?<![\w$/@])(?P<path>{PATH})(?P<call>\(\))?")
GENERICS = re.compile(r"<[^<>()]*>")


class NameMatch(IntEnum):
    """How a typed name names a member, the closest first."""

    SAME = 0
    """It is the member's name, or the end of it."""
    OTHER_CASE = 1
    """It is that in another case; a word in lower case alone (`session`) is only a word."""
    PREFIXED = 2
    """It has a package before the member's name, which the reference leaves out."""
    AROUND = 3
    """It has a qualifier that the page, or a heading above the member, has."""


def typed(text: str) -> MemberPath:
    """The name that a text is, alone: `Cache.get`, `::get`, `Enum.map/2`, `cache->get(key)`; `()` where it
    is none."""
    if len(text) > MAX_CHARS:
        return ()
    match = _TYPED.fullmatch(GENERICS.sub("", text.strip().strip("`").strip()))
    return segments(match["path"]) if match else ()


def mentioned(text: str) -> tuple[MemberPath, ...]:
    """The names within a text that can be nothing else: qualified ones, and those with the brackets of a
    call."""
    found: dict[MemberPath, None] = {}
    for match in _MENTIONED.finditer(text):
        path = segments(match["path"])
        if len(path) > 1 or match["call"]:
            found[path] = None
            if len(found) == MAX_MENTIONS:
                break
    return tuple(found)


def segments(path: str) -> MemberPath:
    """`Cache::get` -> `("Cache", "get")`."""
    return tuple(each.lstrip("@") for each in _SPLIT.split(path))


def match(name: MemberPath, member: MemberPath, around: Collection[str] = ()) -> NameMatch | None:
    """How `name` names `member`; None where it does not. `around` are the words, folded, of the page and the
    headings above."""
    if member[-len(name) :] == name:
        return NameMatch.SAME
    folded, own = _folded(name), _folded(member)
    if folded[-1] != own[-1]:
        return None
    if own[-len(folded) :] == folded and not (len(name) == 1 and name[0].islower()):
        return NameMatch.OTHER_CASE
    if len(own) > 1 and folded[-len(own) :] == own:
        return NameMatch.PREFIXED
    if len(name) == 1:
        return None
    known = {*own[:-1], *around}
    return NameMatch.AROUND if all(each in known for each in folded[:-1]) else None


def spellings(member: MemberPath) -> Iterator[str]:
    """What an index has of a member: its name, and that with the last qualifier alone."""
    yield ".".join(member)
    if len(member) > 2:
        yield ".".join(member[-2:])


def _folded(path: Sequence[str]) -> MemberPath:
    return tuple(each.casefold() for each in path)
