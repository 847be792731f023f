"""Changes `[search]` of a kb.toml as text: what else an author wrote there stays as it is."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from kb_runtime.text.toml_statements import scan
from kbc.evaluation.questions import EvaluationError

_TABLE = "search"


def search_settings(text: str) -> dict[str, Any]:
    """`[search]` of a kb.toml. Raises `EvaluationError`."""
    try:
        found = tomllib.loads(text).get(_TABLE, {})
    except tomllib.TOMLDecodeError as error:
        raise EvaluationError(f"kb.toml cannot be read: {error}") from error
    return dict(found) if isinstance(found, dict) else {}


def with_search(text: str, settings: Mapping[str, Any]) -> str:
    """The text with other settings of search. Raises `EvaluationError`, which names the lines to write, where
    the table is written in a way that cannot be changed line by line."""
    before = search_settings(text)
    changed = [name for name in {**before, **settings} if before.get(name) != settings.get(name)]
    lines = [f"{name} = {_value(settings[name])}" for name in changed if name in settings]
    if not any(each.is_header and each.path == (_TABLE,) for each in scan(text)):
        new = "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), f"[{_TABLE}]", *lines])
        return _checked(new + "\n", settings, lines)
    for name in changed:
        text = _with_setting(text, name, _value(settings[name]) if name in settings else None)
    return _checked(text, settings, lines)


def _with_setting(text: str, name: str, value: str | None) -> str:
    """The text, which has the table, with another value of a setting, whose comment stays; without it for
    None."""
    last = 0  # where the last setting of the table ends, or its header
    for each in scan(text):
        if each.path == (_TABLE, name) and not each.is_header:
            if value is None:
                return text[: each.start] + text[each.end :]
            return text[: each.value_start] + value + text[each.value_end :]
        if each.path[:1] == (_TABLE,) and (not each.is_header or each.path == (_TABLE,)):
            last = each.end
    if value is None:
        return text
    kept = text[:last].removesuffix("\n")
    return f"{kept}\n{name} = {value}\n{text[last:]}"


def difference(before: str, after: str) -> str:
    """A unified diff of a kb.toml."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), "kb.toml", "kb.toml"
    )
    return "".join(lines)


def _checked(text: str, settings: Mapping[str, Any], lines: list[str]) -> str:
    try:
        if search_settings(text) == dict(settings):
            return text
    except EvaluationError:
        pass
    raise EvaluationError(
        "kb.toml writes [search] in a way that cannot be changed line by line: write there by hand"
        f" {'; '.join(lines)}"
    )


def _value(value: Any) -> str:
    """A value of `[search]` in TOML."""
    if isinstance(value, Mapping):
        items = ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items())
        return f"{{ {items} }}"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else json.dumps(name, ensure_ascii=False)
