"""Changes `[search]` of a kb.toml as text: what else an author wrote there stays as it is."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from kbc.evaluation.questions import EvaluationError

_HEADER = re.compile(r"^\[search\]\s*(?:#.*)?$", re.MULTILINE)
_NEXT = re.compile(r"^\[", re.MULTILINE)


def search_settings(text: str) -> dict[str, Any]:
    """`[search]` of a kb.toml. Raises `EvaluationError`."""
    try:
        found = tomllib.loads(text).get("search", {})
    except tomllib.TOMLDecodeError as error:
        raise EvaluationError(f"kb.toml cannot be read: {error}") from error
    return dict(found) if isinstance(found, dict) else {}


def with_search(text: str, settings: Mapping[str, Any]) -> str:
    """The text with other settings of search. Raises `EvaluationError`, which names the lines to write, where
    the table is written in a way that cannot be changed line by line."""
    before = search_settings(text)
    header = _HEADER.search(text)
    changed = [name for name in {**before, **settings} if before.get(name) != settings.get(name)]
    lines = [f"{name} = {_value(settings[name])}" for name in changed if name in settings]
    if header is None:
        new = "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), "[search]", *lines])
        return _checked(new + "\n", settings, lines)
    start = header.end() + 1
    following = _NEXT.search(text, start)
    end = following.start() if following else len(text)
    table = text[start:end]
    for name in changed:
        line = f"{name} = {_value(settings[name])}" if name in settings else ""
        pattern = re.compile(rf"^{name}\s*=.*\n?", re.MULTILINE)
        if found := pattern.search(table):
            table = table[: found.start()] + (line and f"{line}\n") + table[found.end() :]
        elif line:
            kept = table.rstrip()
            table = f"{kept}\n{line}\n{table[len(kept) + 1 :]}" if kept else f"{line}\n{table}"
    return _checked(f"{text[: header.end()].rstrip()}\n{table}{text[end:]}", settings, lines)


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
