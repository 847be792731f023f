"""Follows `$ref`, within a file and into other files of the tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from kbc.formats.document import FormatError, Read, decode
from kbc.formats.loading import parse
from kbc.formats.selection import read_target
from kbc.project.well_formed import mapping

MAX_STEPS = 20
MAX_FILES = 10_000


def string(value: Any) -> str:
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


class References:
    """Resolves references of one API description; `unresolved` are those that lead nowhere."""

    def __init__(self, root: Any, path: str, read: Read) -> None:
        self._path = path
        self._read = read
        self._files: dict[str, Any] = {path: root}
        self._base: dict[int, str] = {}
        self.unresolved: set[str] = set()

    def resolve(self, value: Any) -> Mapping[Any, Any]:
        """The map that `value` is or refers to; empty where there is none."""
        path = self._path
        for _ in range(MAX_STEPS):
            found = mapping(value)
            target = found.get("$ref")
            if not isinstance(target, str):
                return found
            path = self._base.get(id(value), path)
            file, _, pointer = target.partition("#")
            if file:
                path = self._load(path, file) or ""
            value = _at(self._files.get(path), pointer)
            if value is None:
                self.unresolved.add(target)
                return {}
            if path != self._path:
                self._note(value, path)
        return {}

    def text(self, value: Any) -> str:
        """The text that `value` is or refers to, as descriptions that are kept in files do."""
        target = mapping(value).get("$ref")
        if not isinstance(target, str):
            return string(value)
        file, _, pointer = target.partition("#")
        path = self._base.get(id(value), self._path)
        found = _at(self._files.get(self._load(path, file) or "" if file else path), pointer)
        return string(found)

    def name(self, value: Any) -> str:
        """The last part of a reference: the name of a schema; "" where there is no reference."""
        target = mapping(value).get("$ref")
        if not isinstance(target, str):
            return ""
        last = unquote(target.rsplit("/", 1)[-1].rsplit("#", 1)[-1]).replace("~1", "/")
        return last if "#" in target else re.sub(r"\.(?:ya?ml|json)\Z", "", last)

    def _note(self, value: Any, path: str) -> None:
        """Remembers the file of references inside `value`, which are relative to it."""
        waiting = [value]
        while waiting:
            each = waiting.pop()
            if isinstance(each, (dict, list)) and id(each) not in self._base:
                self._base[id(each)] = path
                waiting.extend(each.values() if isinstance(each, dict) else each)

    def _load(self, base: str, file: str) -> str | None:
        found = read_target(base, unquote(file), self._read) if "://" not in file else None
        if found is None:
            return None
        path, data = found
        if path not in self._files and len(self._files) < MAX_FILES:
            try:
                self._files[path] = parse(decode(data), path, words_are_text=True)
            except FormatError:
                return None
        return path


def _at(value: Any, pointer: str) -> Any:
    """The value at a JSON pointer; None where there is none."""
    for part in pointer.split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        number = int(key) if key.isdecimal() and len(key) < 10 else None
        if isinstance(value, dict):
            value = value.get(key, value.get(number) if number is not None else None)
        elif isinstance(value, list) and number is not None and number < len(value):
            value = value[number]
        else:
            return None
    return value
