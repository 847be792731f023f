"""Descriptions of an API in JSON: functions and types as objects with a name, a description and parameters.

They are lists or maps of such objects in one file, or files in one folder with one object each. What OpenAPI
and JSON Schema describe is read elsewhere or is data.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from kb_runtime.search.ranking.paths import TEST, place_kinds
from kb_runtime.tools.reference.routing import singular_words
from kbc.frontends.entries.found import NAME, FoundEntry, stem_of
from kbc.project.language_tags import language_of_tag
from kbc.project.well_formed import json_value
from kbc.records import CodeRecord, CompiledRecord

_FEWEST = 10
_MOST = 0.8
"""Such a share of the objects of a list, or of the files of a folder, are entries."""

_DESCRIPTIONS = ("description", "desc", "brief", "summary", "documentation", "doc")
_PARAMETERS = ("params", "parameters", "args", "arguments")
_STATED = ("syntax", "signature", "signatures")
_RESULTS = ("returns", "return", "returnType", "return_type")
_MEMBERS = ("fields", "values")
_OF_CALLS = (*_PARAMETERS, *_STATED, *_RESULTS)
_GROUPS = ("category", "module", "group", "namespace", "class")
_KINDS = frozenset({"class", "constant", "constructor", "enum", "event", "field", "function", "macro",
                    "method", "operator", "property", "struct", "structure", "type", "variable"})  # fmt: skip
_OTHERS = frozenset({"$schema", "openapi", "swagger", "asyncapi"})
"""Keys of formats that say themselves what they are."""

_LOOKS_ALIKE = re.compile(rf"\"(?:{'|'.join((*_OF_CALLS, *_MEMBERS))})\"\s*:")
_SHOWN_ELSEWHERE = re.compile(r"(?:^|/)(?:demos?|examples?|samples?|fixtures?)/", re.IGNORECASE)
_TAG = re.compile(r"(?<![^/.])([a-z]{2}(?:[-_][A-Za-z]{2,4})?)[/.]")
"""A folder or an ending of a file that may name a language: what differs between translations."""

_IN_OTHER_LETTERS = frozenset(
    {"ar", "bg", "el", "fa", "he", "hi", "ja", "ko", "ru", "sr", "th", "uk", "zh"}
)

_MAX_DEPTH = 8
_MOST_BRACES = 8
"""How many objects inside of an entry may stand before its name."""

_DECODER = json.JSONDecoder()
_MOST_LOST = 20
_MOST_BEFORE_NAME = 40
_IS_NAME = re.compile(r"\"name\"\s*:\s*\Z")
_IS_KEY = re.compile(r"\s*:\s*\{")
_MOST_LINE_CHARS = 500
_BEFORE = re.compile(r"\s*(?:\"[^\"]*\"\s*:\s*)?")
"""What may stand before an object on its line: its key."""


class _Described(NamedTuple):
    """An object that describes something, its name, and what the list that it is in is called."""

    name: str
    value: Mapping[str, Any]
    within: str


def entries_of_json(records: Iterable[CompiledRecord]) -> Iterator[FoundEntry]:
    """The entries of the descriptions among `records`."""
    single: dict[str, list[tuple[CodeRecord, _Described | None]]] = {}
    lists: dict[str, list[tuple[CodeRecord, list[_Described]]]] = {}
    for record in records:
        if not isinstance(record, CodeRecord) or not record.path.lower().endswith(".json"):
            continue
        folder = posixpath.dirname(record.path)
        value = _parsed(record)
        name = value.get("name") if isinstance(value, dict) else None
        own = _described(name, value, posixpath.basename(folder))
        single.setdefault(folder, []).append((record, own))
        if value is None or own is not None:
            continue
        if len(found := _lists(value)) >= _FEWEST:
            lists.setdefault(_untranslated(record.path), []).append((record, found))
    for translations in lists.values():
        yield from _of_file(*min(translations, key=lambda one: _preference(one[0].path)))
    yield from _of_folders(single)


def _parsed(record: CodeRecord) -> Any:
    """What a file holds, where it may describe an API; None else."""
    path = record.path
    if place_kinds(path) & {TEST, "generated", "vendored"} or _SHOWN_ELSEWHERE.search(path):
        return None
    if not _LOOKS_ALIKE.search(record.text):
        return None
    value = json_value(record.text.removeprefix("\ufeff"))
    return None if isinstance(value, dict) and not _OTHERS.isdisjoint(value) else value


def _described(name: object, value: object, within: str) -> _Described | None:
    """What an object describes; None where it is something else."""
    if not isinstance(name, str) or not isinstance(value, dict) or not _description(value):
        return None
    plain = name.strip()
    bare = plain.removesuffix("()")
    is_call = any(key in value for key in _OF_CALLS)
    # A setting has values, and a chart has fields.
    is_type = any(key in value for key in _MEMBERS) and _kind(value, within) in _KINDS
    if not NAME.fullmatch(bare) or not (is_call or is_type):
        return None
    return _Described(plain, value, within)


def _kind(value: Mapping[str, Any], within: str) -> str:
    """What an object says that it is, or else what the list is called that it is in, in the singular."""
    words = (_word(value.get(key)) for key in ("type", "kind"))
    return next((word for word in words if word in _KINDS), " ".join(singular_words(within)))


def _description(value: Mapping[str, Any]) -> str:
    told = (value.get(key) for key in _DESCRIPTIONS)
    return next((each.strip() for each in told if isinstance(each, str) and each.strip()), "")


def _lists(value: Any) -> list[_Described]:
    """The entries of the lists and maps of a file, in its order."""
    found: list[_Described] = []
    waiting: list[tuple[Any, str, int]] = [(value, "", 0)]
    while waiting:
        held, within, depth = waiting.pop()
        items = _items(held)
        own = [each for name, item in items if (each := _described(name, item, within))]
        objects = sum(isinstance(item, dict) for _, item in items)
        if own and len(own) >= _MOST * objects:
            found += own
        elif depth < _MAX_DEPTH:
            inner = ((item, name if isinstance(held, dict) else within) for name, item in items)
            below = [(item, str(name or ""), depth + 1) for item, name in inner]
            waiting += reversed([each for each in below if isinstance(each[0], dict | list)])
    return found


def _items(held: Any) -> list[tuple[object, Any]]:
    """The items of a list with the names that they state, or of a map with these or their keys."""
    if isinstance(held, list):
        return [(item.get("name") if isinstance(item, dict) else None, item) for item in held]
    return [
        (item.get("name", key) if isinstance(item, dict) else key, item)
        for key, item in held.items()
    ]


def _of_file(record: CodeRecord, described: Sequence[_Described]) -> Iterator[FoundEntry]:
    spans = _spans(record.text, described)
    line, position = record.line, 0
    for each, span in zip(described, spans, strict=True):
        if span is not None:
            line += record.text.count("\n", position, span[0])
            position = span[0]
            group = each.within or stem_of(record.path)
            text = f"{record.text[slice(*span)]}\n"
            yield _entry(record, each, group, text, line)


def _spans(text: str, described: Iterable[_Described]) -> Iterator[tuple[int, int] | None]:
    """Where each object stands, whole lines where it has them for itself; None where it is not found behind
    the one before."""
    cursor = lost = 0
    for each in described:
        span = _span(text, cursor, each) if lost < _MOST_LOST else None
        if span is None:
            lost += 1
            yield None
        else:
            cursor = span[1]
            yield _whole_lines(text, *span)


def _span(text: str, cursor: int, described: _Described) -> tuple[int, int] | None:
    """Where an object begins and ends behind `cursor`, by its name; braces may also be in its texts."""
    plain = described.name
    spellings = {json.dumps(plain), json.dumps(plain, ensure_ascii=False)}
    found = [start for each in spellings if (start := _first(text, cursor, each)) >= 0]
    start = min(found, default=-1)
    for _ in range(_MOST_BRACES):
        if start < 0:
            break
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(text, start)
            if value == described.value:
                return start, end
        start = text.rfind("{", cursor, start)
    return None


def _first(text: str, cursor: int, spelling: str) -> int:
    """Where behind `cursor` an object begins, or another one in it, that has a name in this spelling, as its
    key or in it; -1 for none."""
    at = text.find(spelling, cursor)
    while at >= 0:
        end = at + len(spelling)
        if _IS_NAME.search(text[max(at - _MOST_BEFORE_NAME, cursor) : at]):
            return text.rfind("{", cursor, at)
        if key := _IS_KEY.match(text, end):
            return key.end() - 1
        at = text.find(spelling, end)
    return -1


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with the rest of its lines, unless others share them."""
    least, most = max(start - _MOST_LINE_CHARS, 0), end + _MOST_LINE_CHARS
    first, last = text.rfind("\n", least, start) + 1, text.find("\n", end, most)
    last = len(text) if last < 0 else last
    if (
        (least and not first)
        or last > most
        or not _BEFORE.fullmatch(text, first, start)
        or text[end:last].strip() not in ("", ",")
    ):
        return start, end
    return first, last


def _of_folders(
    single: Mapping[str, Sequence[tuple[CodeRecord, _Described | None]]],
) -> Iterator[FoundEntry]:
    """The entries of folders that hold a file for each; of its translations the one in English, if any."""
    seen: set[tuple[str, str]] = set()
    found = []
    for files in single.values():
        own = [(record, each) for record, each in files if each is not None]
        if len(own) >= max(_FEWEST, _MOST * len(files)):
            found += own
    for record, each in sorted(found, key=lambda one: _preference(one[0].path)):
        group = posixpath.basename(posixpath.dirname(record.path))
        entry = _entry(record, each, group, record.text, record.line)
        key = (_untranslated(record.path), entry.name)
        if key not in seen:
            seen.add(key)
            yield entry


def _preference(path: str) -> tuple[bool, int, str]:
    """English first, then what is nearer to the top."""
    tags = (found[1] for found in _TAG.finditer(path))
    return any(_names_language(tag) and tag[:2] != "en" for tag in tags), len(path), path


def _untranslated(path: str) -> str:
    """A path without the languages in it, as its translations have it, too."""
    return _TAG.sub(lambda found: "" if _names_language(found[1]) else found[0], path)


def _names_language(tag: str) -> bool:
    return bool(language_of_tag(tag)) or tag[:2] in _IN_OTHER_LETTERS


def _entry(
    record: CodeRecord, described: _Described, group: str, text: str, line: int
) -> FoundEntry:
    name, value = described.name, described.value
    kind = _kind(value, described.within)
    stated = next((word for key in _GROUPS if (word := _word(value.get(key)))), "")
    bare = name.removesuffix("()")
    return FoundEntry(
        name=bare,
        signature=" ".join(_signature(bare, value).split()),
        description=_description(value),
        text=text,
        path=record.path,
        line=line,
        language="json",
        groups=(stated or group,),
        kind=kind if kind in _KINDS else "function",
        aliases=(name,) if name != bare else (),
    )


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _signature(name: str, value: Mapping[str, Any]) -> str:
    """What an entry states as its signature, or one of its parameters and result."""
    for key in _STATED:
        stated = value.get(key)
        first = stated[0] if isinstance(stated, list) and stated else stated
        if _word(first):
            return str(first)
    result = next((word for key in _RESULTS if (word := _word(value.get(key)))), "")
    listed = next((value[key] for key in _PARAMETERS if key in value), None)
    if listed is None:
        return f"{name}: {result}" if result else name
    if isinstance(listed, dict) and isinstance(listed.get("properties"), dict):  # JSON Schema
        listed = listed["properties"]
    inner = ", ".join(
        filter(None, map(_parameter, _items(listed) if isinstance(listed, dict | list) else []))
    )
    return f"{name}({inner}): {result}" if result else f"{name}({inner})"


def _parameter(item: tuple[object, Any]) -> str:
    """A parameter, with its type where that is stated."""
    name, value = item
    if isinstance(value, str) and name is None:
        return value
    type_ = _word(value.get("type")) if isinstance(value, dict) else ""
    return f"{name}: {type_}" if type_ else str(name or "")
