"""Adds a table to a TOML configuration or removes it, and leaves every other byte alone.

`tomllib` decides what is valid and what it means, `text.toml_statements` where statements begin and end.
A library that edits TOML in place was evaluated and rejected: with a table it removed the comments
after it, and it wrote LF into a file with CRLF.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from kb_runtime.clients.errors import TextError
from kb_runtime.text.toml_statements import Statement, basic_string, scan

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


class TomlText:
    """The servers of a client are the tables below the table `container`."""

    title = "TOML"

    def __init__(self, container: str) -> None:
        self.container = container

    def entries(self, text: str) -> dict[str, Any]:
        """The servers by name. Raises TextError."""
        try:
            # TOML ends lines with LF or CRLF; a lone CR is refused, as clients refuse it
            servers = tomllib.loads(text).get(self.container, {})
        except tomllib.TOMLDecodeError as error:
            raise TextError(f"is not valid TOML: {error}") from None
        except RecursionError:
            raise TextError("is not valid TOML: nested too deeply") from None
        if not isinstance(servers, dict):
            raise TextError(f"has {self.container!r}, which is not a table")
        return servers

    def put(self, text: str, name: str, fields: Mapping[str, Any], *, replace: bool = False) -> str:
        """`text` with the server `name`; of a server that is there only differing fields change,
        unless it is to be replaced as a whole. Raises TextError."""
        entry = self.entries(text).get(name)
        if entry is None:
            return self._checked(self._append(text, name, fields), name, fields)
        table = next((each for each in scan(text) if self._is_table(each, name)), None)
        if table is None and not replace:  # written inline or dotted: what it has besides is kept
            fields = {**entry, **fields}
            if fields == entry:
                return text
        if replace or table is None:
            return self._checked(
                self._append(self._without(text, name), name, fields), name, fields
            )
        for key, value in fields.items():
            if entry.get(key) != value:
                text = self._put_field(text, name, key, value)
        return self._checked(text, name, fields)

    def remove(self, text: str, name: str) -> list[str]:
        """What `text` was before the server was added. Raises TextError."""
        if name not in self.entries(text):
            return [text]
        text = self._without(text, name)
        if name in self.entries(text):
            raise self._inline()
        return [text]

    def render(self, name: str, fields: Mapping[str, Any]) -> str:
        return self._append("", name, fields)

    def _is_table(self, statement: Statement, name: str) -> bool:
        return statement.is_header and statement.path == (self.container, name)

    def _append(self, text: str, name: str, fields: Mapping[str, Any]) -> str:
        """A file that does not end its last line gets a table that does not end its last line either:
        so taking the table out gives back what was there."""
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = [f"[{self.container}.{_key(name)}]"]
        lines += [f"{_key(key)} = {_value(value)}" for key, value in fields.items()]
        table = newline.join(lines)
        if text and not text.endswith("\n"):
            return text + newline * 2 + table
        return text + (newline if text else "") + table + newline

    def _put_field(self, text: str, name: str, key: str, value: Any) -> str:
        last = None
        inside = False
        for statement in scan(text):
            if statement.is_header:
                inside = self._is_table(statement, name)
            if not inside or not statement.path:
                continue
            last = statement
            if statement.path == (self.container, name, key):
                return text[: statement.value_start] + _value(value) + text[statement.value_end :]
        assert last is not None
        newline = "\r\n" if "\r\n" in text else "\n"
        line = f"{_key(key)} = {_value(value)}"
        if text[: last.end].endswith("\n"):
            return text[: last.end] + line + newline + text[last.end :]
        return text + newline + line

    def _without(self, text: str, name: str) -> str:
        """Leaves the comments that follow the table's last key: they speak of what comes next."""
        ours = (self.container, name)
        spans: list[tuple[int, int]] = []
        within = False
        for statement in scan(text):
            if not statement.path:
                continue
            mine = statement.path[:2] == ours
            if mine and within and not statement.is_header:
                spans[-1] = (spans[-1][0], statement.end)
            elif mine:
                spans.append((statement.start, statement.end))
            within = mine
        for start, end in reversed(spans):
            text = text[: _before(text, start, end)] + text[end:]
        return text

    def _checked(self, text: str, name: str, fields: Mapping[str, Any]) -> str:
        """`text` when it says what was meant. Raises TextError where a table cannot be added."""
        try:
            entry = self.entries(text).get(name, {})
        except TextError:
            raise self._inline() from None
        if any(entry.get(key) != value for key, value in fields.items()):
            raise self._inline()
        return text

    def _inline(self) -> TextError:
        return TextError(f"has {self.container!r} as an inline table, which is not edited")


def _before(text: str, start: int, end: int) -> int:
    """`start`, or where the line ends before it begin that `_append` put there: an empty line, and the
    end of the line before when the table itself does not end its last line."""
    if not text.endswith(("\n\n", "\n\r\n"), 0, start):
        return start
    wanted = 1 if text[start:end].endswith("\n") else 2
    for _ in range(wanted):
        start -= 2 if text.endswith("\r\n", 0, start) else 1
    return start


def _key(key: str) -> str:
    return key if _BARE_KEY.match(key) else basic_string(key)


def _value(value: Any) -> str:
    """The values that entries have: texts, numbers, truth values, lists and tables of them."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        pairs = (f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, str):
        return basic_string(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    raise TextError(f"has {value!r}, which is not copied")
