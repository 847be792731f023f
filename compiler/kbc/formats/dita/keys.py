"""The keys that DITA maps define: what a topic may name without a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from kbc.formats.document import FormatError, Read
from kbc.formats.xml import local_name, parsed, plain_text
from kbc.project.source_file import resolved_path

MAX_MAPS = 200
"""Maps that those around a topic take in."""

MAX_KEY_CHARS = 2_000
"""Of the text that stands for a key, which a topic may name many times."""

_TEXTS = ("keyword", "term", "linktext", "navtitle")
"""Elements of a definition whose text stands where the key is named, the first that there is."""

_ELSEWHERE = ("external", "peer")


@dataclass(frozen=True, slots=True)
class Key:
    """`target` is the path of the file below the root, with its fragment, or an address; "" for none. `text`
    is what stands for the key, "" where its definition states none."""

    target: str
    text: str


@dataclass(frozen=True, slots=True)
class _Map:
    """`keys` have targets as the map writes them, with whether these are addresses; `maps` are those it takes
    in."""

    keys: tuple[tuple[str, str, bool, str], ...]
    maps: tuple[str, ...]


def keys_of(maps: Sequence[str], read: Read) -> dict[str, Key]:
    """The keys that `maps`, the outermost first, and those that they take in define: of several definitions
    the first one, level by level."""
    found: dict[str, Key] = {}
    waiting, seen = list(maps), set(maps)
    for path in waiting:
        data = read(path)
        if data is None:
            continue
        own = _map(data)
        for name, target, is_address, text in own.keys:
            place = target if is_address or not target else resolved_path(target, path)
            found.setdefault(name, Key(place, text))
        for taken_in in own.maps:
            place = resolved_path(taken_in, path)
            if place not in seen and len(waiting) < MAX_MAPS:
                seen.add(place)
                waiting.append(place)
    return found


@lru_cache(maxsize=MAX_MAPS)  # all topics of a project have the same
def _map(data: bytes) -> _Map:
    try:
        root = parsed(data, "the map")
    except FormatError:  # the topics are read without its keys
        return _Map((), ())
    keys: list[tuple[str, str, bool, str]] = []
    maps: list[str] = []
    for element in root.iter(etree.Element):
        href = element.get("href", "")
        if element.get("format") == "ditamap" or href.lower().endswith(".ditamap"):
            maps += [href] if href else []
            continue
        is_address = element.get("scope") in _ELSEWHERE or "://" in href
        for name in element.get("keys", "").split():
            keys.append((name, href, is_address, _text(element)))
    return _Map(tuple(keys), tuple(maps))


def _text(definition: etree._Element) -> str:
    """What a definition says of its key, not of those below it."""
    texts: dict[str, str] = {}
    for meta in definition:
        for element in meta.iter(etree.Element) if local_name(meta) == "topicmeta" else ():
            texts.setdefault(local_name(element), plain_text(element))
    return next((texts[name] for name in _TEXTS if texts.get(name)), "")[:MAX_KEY_CHARS]


def targets_by_name(keys: Mapping[str, Key], name: str) -> str:
    """Where a key leads; "" for one that leads nowhere."""
    return keys[name].target if name in keys else ""
