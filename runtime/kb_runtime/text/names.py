"""Resolves names that a caller typed, and suggests what was probably meant.

A look-up tries, in this order: the exact name, an alias, the same without regard to case, and a
unique ending of a path that begins at a segment (`builtin.md` for `docs/builtin.md`). The address of a
page on the web means the only record whose path ends most like it. Nothing else matches: a name that is
not in the index does not resolve, and no path is ever opened.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from kb_runtime.errors import ToolError
from kb_runtime.text.tables import some_of
from kb_runtime.text.urls import is_web_address, page_key, page_segments, shared_ending

SUGGESTIONS = 5
PATH_SUGGESTIONS = 10
_SHORTEST_PART = 2
"""A single letter is part of almost every name: it suggests nothing."""


class NameIndex(Protocol):
    """A catalog, as far as look-ups need it. Keys are ids and further names, such as aliases."""

    def find(self, key: str) -> int | None: ...

    def find_folded(self, key: str) -> int | None: ...

    def find_all(self, key: str) -> list[int]: ...

    def id(self, index: int) -> str: ...

    def ids(self) -> Sequence[str]: ...


def resolve(name: str, catalogs: Sequence[NameIndex]) -> tuple[int, int] | None:
    """What `name` names: the catalog's position in `catalogs` and the record's in it, or None."""
    for found in (
        [catalog.find(name) for catalog in catalogs],
        [catalog.find_folded(name) for catalog in catalogs],
    ):
        matches = [
            (catalogs[position].id(record).casefold() != name.casefold(), position, record)
            for position, record in enumerate(found)
            if record is not None
        ]
        if matches:
            _, position, record = min(matches)
            return position, record
    return None


def resolve_path(path: str, catalogs: Sequence[NameIndex]) -> tuple[int, int] | None:
    """Like `resolve` for ids that are paths, or paths without the folder that a collection strips: a file
    name counts only when no other file has it."""
    folded = path.casefold()
    matches = [
        (catalog.id(record) != path, position, record)
        for position, catalog in enumerate(catalogs)
        for record in catalog.find_all(path)
        if f"/{folded}".endswith(f"/{catalog.id(record).casefold()}")
    ]
    if matches:
        _, position, record = min(matches)
        return position, record
    return resolve_ending(path, catalogs)


def resolve_ending(name: str, catalogs: Sequence[NameIndex]) -> tuple[int, int] | None:
    """The one record whose id ends with `name`, or None when there are none or several. One that ends
    with it in the same case counts before those that do in another. The address of a page means the one
    whose path has most of its last segments."""
    if is_web_address(name):
        nearest = pages_at_address(name, catalogs)
        return nearest[0] if len(nearest) == 1 else None
    matches = [
        (position, record, record_id)
        for position, catalog in enumerate(catalogs)
        for record, record_id in enumerate(catalog.ids())
        if ends_with(record_id, name)
    ]
    if len(matches) > 1:
        matches = [match for match in matches if _ends_with(match[2], name)]
    return matches[0][:2] if len(matches) == 1 else None


def pages_at_address(address: str, catalogs: Sequence[NameIndex]) -> list[tuple[int, int]]:
    """The records whose ids have most of the last segments of the address of a page, as `resolve` gives
    one; of several those of its file name, with its ending, if there are."""
    wanted = page_segments(address)
    alike = [
        (length, position, record)
        for position, catalog in enumerate(catalogs)
        for record, record_id in enumerate(catalog.ids())
        if (length := shared_ending(record_id, wanted))
    ]
    most = max(alike, default=(0,))[0]
    nearest = [(position, record) for length, position, record in alike if length == most]
    file = "/" + page_key(address).partition("?")[0].rpartition("/")[2]
    named = [(at, record) for at, record in nearest if f"/{catalogs[at].id(record)}".endswith(file)]
    return named or nearest


def ends_with(path: str, ending: str) -> bool:
    """Whether `path` ends with `ending` at the start of a segment; case does not count.

    The ending of the file name may be left out: `docs/lang.md` ends with `lang`.
    """
    return _ends_with(path.casefold(), ending.casefold())


def _ends_with(path: str, ending: str) -> bool:
    """Like `ends_with` for the same case."""
    whole, wanted = "/" + path, "/" + ending
    if len(wanted) <= _SHORTEST_PART:
        return False
    folder, slash, last = whole.rpartition("/")
    stem = folder + slash + (last.rpartition(".")[0] or last)
    return whole.endswith(wanted) or stem.endswith(wanted)


def separated(names: Iterable[str]) -> list[str]:
    """Names without commas, of which a text may hold several: `docs, examples`."""
    return [name for text in names for part in text.split(",") if (name := part.strip())]


def suggest(name: str, names: Iterable[str], limit: int = SUGGESTIONS) -> list[str]:
    """Names like `name`: those that contain it or are contained in it, then those a few edits away.

    Within a group the closest in length or in edits comes first, then the alphabet. Paths are also
    compared by their last segment without its ending.
    """
    wanted = name.casefold()
    if len(wanted) < _SHORTEST_PART:
        return []
    wanted_stem = _stem(wanted)
    found: list[tuple[int, int, str]] = []
    for candidate in names:
        folded = candidate.casefold()
        stem = _stem(folded)
        if wanted in folded or (len(stem) > _SHORTEST_PART and stem in wanted):
            found.append((0, abs(len(folded) - len(wanted)), candidate))
            continue
        bound = max(1, min(len(wanted_stem), len(stem)) // 3)
        distance = edit_distance(wanted_stem, stem, bound)
        if distance is not None:
            found.append((1, distance, candidate))
    return [candidate for _, _, candidate in sorted(found)[:limit]]


def suggest_all(wanted: Sequence[str], names: Sequence[str]) -> list[str]:
    """Names like any of those `wanted`, the first few of them."""
    found = (name for each in wanted[:SUGGESTIONS] for name in suggest(each, names))
    return list(dict.fromkeys(found))[:SUGGESTIONS]


def _stem(path: str) -> str:
    """The last segment without its ending; the whole where nothing would be left."""
    last = path.rstrip("/").rsplit("/", 1)[-1]
    return last.rsplit(".", 1)[0] or last


def edit_distance(first: str, second: str, bound: int) -> int | None:
    """Insertions, deletions, replacements and swaps of neighbours between two strings.

    The optimal string alignment distance; None when it exceeds `bound`.
    """
    if abs(len(first) - len(second)) > bound:
        return None
    shared = shared_prefix(first, second)
    first, second = first[shared:], second[shared:]
    while first and second and first[-1] == second[-1]:
        first, second = first[:-1], second[:-1]
    if len(first) > bound + 1 and bound == 1:
        return None  # one edit leaves at most two characters, a swap
    above: list[int] = []
    current = list(range(len(second) + 1))
    for row, char in enumerate(first, 1):
        before, above, current = above, current, [row]
        for column, other in enumerate(second, 1):
            cost = min(
                above[column] + 1,
                current[column - 1] + 1,
                above[column - 1] + (char != other),
            )
            if row > 1 < column and char == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > bound:
            return None
    return current[-1] if current[-1] <= bound else None


def shared_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    """How many characters of two words, or lines of two texts, are the same at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))


DRIVE = re.compile(r"[A-Za-z]:")


def clean_path(path: str, argument: str) -> str:
    """`path` as index paths are written: forward slashes, no `.` segments, no slash at either end.

    One leading slash is dropped, so `/etc/hosts` is only a path that no index holds. Raises BAD_INPUT
    for what can only be meant to leave the knowledge base: `..` segments and drive letters.
    """
    forward = path.replace("\\", "/")
    segments = forward.split("/")
    if ".." in segments or DRIVE.match(forward):
        raise ToolError(
            "BAD_INPUT",
            f"{argument} {quoted(path)} is not a path inside the knowledge base",
            next_steps=["Give a path as the list tools show it, without `..` or a drive letter."],
        )
    kept = [segment for segment in segments[segments[0] == "" :] if segment != "."]
    return "/".join(kept).removesuffix("/")


def known_as(name: str, known: Collection[str]) -> str | None:
    """The one of `known` that is `name`, else the first that is it in another case."""
    if name in known:
        return name
    folded = name.casefold()
    return next((each for each in known if each.casefold() == folded), None)


def quoted(value: object, limit: int = 80) -> str:
    """A value as a message quotes it: JSON, on one line, cut after `limit` code points."""
    import json

    if isinstance(value, str) and len(value) > limit:
        value = value[: limit - 1] + "…"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__
    return text if len(text) <= 2 * limit else text[: 2 * limit - 1] + "…"


def quoted_all(values: Iterable[object]) -> str:
    """Values as `quoted`, the first few of them and how many more there are."""
    return some_of(list(map(quoted, values)), SUGGESTIONS)
