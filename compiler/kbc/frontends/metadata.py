"""Typed reading of metadata: front matter, TOML tables and JSON objects, with a diagnostic for each mistake."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from kb_runtime.text.rendering import shorten
from kbc.diagnostics import Diagnostics
from kbc.project.model import SourceFile


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping of one input file; `line_of` gives a key's line there."""

    data: Mapping[str, Any]
    path: str
    line_of: Callable[[str], int]
    diagnostics: Diagnostics

    def string(self, name: str, default: str = "") -> str:
        """The text (or number, as text) under `name`."""
        value = self.data.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            self._wrong_type(name, "text", value)
            return default
        return str(value).strip()

    def required(self, name: str, hint: str) -> str:
        """The text under `name`; "" with an error when there is none."""
        value = self.string(name)
        if not value and not self._has_wrong_type(name):
            self.diagnostics.error(
                "metadata-missing-field",
                f"`{name}` is missing",
                self.path,
                self.line_of(name),
                hint=hint,
            )
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        """The list of texts under `name`; a single text is a list of one."""
        value = self.data.get(name)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        for position, item in enumerate(items, start=1):
            if isinstance(item, bool) or not isinstance(item, (str, int, float)):
                if isinstance(value, list):
                    self._wrong_item(name, position, item)
                else:
                    self._wrong_type(name, "a list of texts", value)
                return ()
        return tuple(text for item in items if (text := str(item).strip()))

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """The number under `name`, from `low` to `high`."""
        value = self.data.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self._wrong_type(name, "a number", value)
            return default
        if not low <= value <= high:
            self.diagnostics.error(
                "metadata-out-of-range",
                f"`{name}` is {value}",
                self.path,
                self.line_of(name),
                hint=f"It must be from {low:g} to {high:g}.",
            )
            return default
        return float(value)

    def flag(self, name: str) -> bool:
        value = self.data.get(name, False)
        if not isinstance(value, bool):
            self._wrong_type(name, "true or false", value)
            return False
        return value

    def warn_unknown(self, known: Iterable[str]) -> None:
        """A warning for each key that is not in `known`."""
        names = sorted(known)
        for name in self.data:
            if name not in names:
                close = get_close_matches(name, names, n=1)
                meant = f"Did you mean `{close[0]}`? " if close else ""
                self.diagnostics.warning(
                    "metadata-unknown-field",
                    f"`{name}` is not a known field; it was left out",
                    self.path,
                    self.line_of(name),
                    hint=f"{meant}Known: {', '.join(names)}.",
                )

    def _has_wrong_type(self, name: str) -> bool:
        value = self.data.get(name)
        return isinstance(value, bool) or not isinstance(value, (str, int, float, type(None)))

    def _wrong_type(self, name: str, wanted: str, value: Any) -> None:
        self.diagnostics.error(
            "metadata-wrong-type",
            f"`{name}` must be {wanted}, not {_as_written(value)}",
            self.path,
            self.line_of(name),
            hint=f"Write {wanted} after `{name}`.",
        )

    def _wrong_item(self, name: str, position: int, item: Any) -> None:
        self.diagnostics.error(
            "metadata-wrong-type",
            f"`{name}` must be a list of texts, but its item {position} is {_as_written(item)}",
            self.path,
            self.line_of(name),
            hint="Write a text there, in quotes when it is a word such as null or true; or take the"
            " item out.",
        )


def _as_written(value: Any) -> str:
    """The value as JSON, which is near to how YAML and TOML write it, at most 80 characters of it."""
    return f"`{shorten(json.dumps(value, ensure_ascii=False, default=str), 80)}`"


def read_toml(file: SourceFile, diagnostics: Diagnostics) -> tuple[dict[str, Any], str] | None:
    """The parsed TOML file and its text; None with a diagnostic when it cannot be read."""
    text = file.text(diagnostics)
    if text is None:
        return None
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        column = int(place[2]) if place and place[2] else None
        message = message[: place.start()] if place else message
        diagnostics.error(
            "toml-syntax", message, file.path, line, column, hint="Mend the TOML on this line."
        )
        return None


def read_json(file: SourceFile, diagnostics: Diagnostics) -> tuple[Any, str] | None:
    """The parsed JSON file and its text; None with a diagnostic when it cannot be read."""
    text = file.text(diagnostics)
    if text is None:
        return None
    try:
        return json.loads(text), text
    except json.JSONDecodeError as error:
        diagnostics.error(
            "json-syntax",
            error.msg,
            file.path,
            error.lineno,
            error.colno,
            hint="Mend the JSON on this line.",
        )
    except RecursionError:
        diagnostics.error(
            "json-syntax", "the JSON nests too deeply", file.path, 1, hint="Flatten it."
        )
    return None
