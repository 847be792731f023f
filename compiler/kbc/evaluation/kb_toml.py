"""Changes `[search]` of a kb.toml as text: what else an author wrote there stays as it is."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kb_runtime.text.toml_statements import scan
from kbc.evaluation.questions import EvaluationError

_TABLE = "search"
_BYTE_ORDER_MARK = "\ufeff"
_NO_END = "\n\\ No newline at end of file\n"


def search_settings(text: str) -> dict[str, Any]:
    """`[search]` of a kb.toml. Raises `EvaluationError`."""
    return _table(text, _TABLE)


def stated_name(text: str) -> str | None:
    """The name that a kb.toml gives to its artifact; None if it leaves it to the folder's name. Raises
    `EvaluationError`."""
    name = _table(text, "kb").get("name")
    return name if isinstance(name, str) else None


def _table(text: str, name: str) -> dict[str, Any]:
    try:
        found = tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK)).get(name, {})
    except tomllib.TOMLDecodeError as error:
        raise EvaluationError(f"kb.toml cannot be read: {error}") from error
    return dict(found) if isinstance(found, dict) else {}


def with_search(text: str, settings: Mapping[str, Any]) -> str:
    """The text with other settings of search. Raises `EvaluationError`, which names the lines to write, where
    the table is written in a way that cannot be changed line by line."""
    if text.startswith(_BYTE_ORDER_MARK):
        return _BYTE_ORDER_MARK + with_search(text.removeprefix(_BYTE_ORDER_MARK), settings)
    before = search_settings(text)
    changed = [name for name in {**before, **settings} if before.get(name) != settings.get(name)]
    after = text
    for name in changed:
        for path, value in _edits(after, name, before.get(name), settings.get(name)):
            after = _with_setting(after, path, value)
    return _checked(after, settings, changed)


def _edits(
    text: str, name: str, before: Any, value: Any
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """What to write at which path for one setting (None: remove it): each member by itself where members have
    lines of their own (`[search.boosts]`, `boosts.title = 2`)."""
    path = (_TABLE, name)
    has_lines = any(
        len(each.path) > 2 or each.is_header for each in scan(text) if each.path[:2] == path
    )
    if not (has_lines and isinstance(value, Mapping)):
        yield path, None if value is None else _value(value)
        return
    for member, each in value.items():
        if before.get(member) != each:
            yield (*path, member), _value(each)


def _with_setting(text: str, path: tuple[str, ...], value: str | None) -> str:
    """The text with another value of a setting, whose comment stays; without it for None."""
    for each in scan(text):
        if each.path == path and not each.is_header:
            if value is None:
                return text[: each.start] + text[each.end :]
            return text[: each.value_start] + value + text[each.value_end :]
    if value is None:
        return text
    place = _place(text, path)
    if place is None:
        kept = [text.rstrip("\n"), ""] if text.strip() else []
        return "\n".join([*kept, f"[{_TABLE}]", f"{path[-1]} = {value}", ""])
    last, key = place
    return f"{text[:last].removesuffix(chr(10))}\n{key} = {value}\n{text[last:]}"


def _place(text: str, path: tuple[str, ...]) -> tuple[int, str] | None:
    """Where a new setting goes, and its key there: behind the last one of its table, or behind the last that
    is written with dots in a table around that. None if there is neither."""
    ends: dict[tuple[str, ...], int] = {}  # by header; () for what stands before all
    header: tuple[str, ...] = ()
    for each in scan(text):
        if each.is_header:
            header = each.path
        if each.path[: len(path) - 1] == path[:-1] and (
            each.is_header or len(each.path) >= len(path)
        ):
            ends[header] = each.end
    for depth in range(len(path) - 1, -1, -1):
        if path[:depth] in ends:
            return ends[path[:depth]], ".".join(map(_key, path[depth:]))
    return None


def difference(before: str, after: str) -> str:
    """A unified diff of a kb.toml."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), "kb.toml", "kb.toml"
    )
    return "".join(each if each.endswith("\n") else f"{each}{_NO_END}" for each in lines)


def _checked(text: str, settings: Mapping[str, Any], changed: Sequence[str]) -> str:
    try:
        if search_settings(text) == dict(settings):
            return text
    except EvaluationError:
        pass
    lines = [f"{name} = {_value(settings[name])}" for name in changed if name in settings]
    removed = [f"no {name}" for name in changed if name not in settings]
    raise EvaluationError(
        "[search] of kb.toml cannot be edited line by line; set by hand:"
        f" {'; '.join(lines + removed)}"
    )


def _value(value: Any) -> str:
    """A value of `[search]` in TOML."""
    if isinstance(value, Mapping):
        items = ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items())
        return f"{{ {items} }}"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)
