"""JSON schemas as tables of properties."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.formats import commonmark
from kbc.formats.openapi.references import References, string
from kbc.project.well_formed import mapping, sequence

MAX_ROWS = 200
MAX_DEPTH = 4
MAX_EXAMPLE_CHARS = 20_000
MAX_EXAMPLE_NODES = 2_000
MAX_VISITS = 2_000
MAX_OPTIONS = 8
MAX_VALUES = 50

_LIMITS = {
    "format": "format", "pattern": "pattern", "default": "default", "minimum": "minimum",
    "maximum": "maximum", "minLength": "minimum length", "maxLength": "maximum length",
    "minItems": "minimum items", "maxItems": "maximum items", "const": "always",
}  # fmt: skip
_COMBINED = {"allOf": " & ", "oneOf": " | ", "anyOf": " | "}


def type_name(schema: Any, references: References, depth: int = 0) -> str:
    """`string`, `array of Pet`, `Cat | Dog`, `object`."""
    if name := references.name(schema):
        return commonmark.code_span(name)
    fields = mapping(schema)
    if depth > MAX_DEPTH:
        return "object"
    for key, join in _COMBINED.items():
        if options := sequence(fields.get(key)):
            names = [type_name(each, references, depth + 1) for each in options[:MAX_OPTIONS]]
            return join.join(dict.fromkeys(names))
    kind = fields.get("type")
    names = [string(each) for each in kind] if isinstance(kind, list) else [string(kind)]
    if "array" in names:
        return f"array of {type_name(fields.get('items'), references, depth + 1)}"
    if fields.get("nullable") is True:
        names.append("null")
    shown = " | ".join(name for name in names if name)
    return shown or ("object" if "properties" in fields else "any")


class Schemas:
    """Writes schemas; what they refer to is followed, but not in circles."""

    def __init__(self, references: References) -> None:
        self._references = references

    def properties(self, schema: Any) -> list[str]:
        """The table of a schema's properties, those of nested objects as `parent.child`; what alternatives
        have in common once, and a row of dots where there are more than `MAX_ROWS`."""
        rows: list[list[str]] = []
        seen: set[tuple[str, ...]] = set()
        for row in self._rows(schema, "", 0, (), [MAX_VISITS]):
            if tuple(row) in seen:
                continue
            if len(rows) == MAX_ROWS:
                rows.append(["...", "", "", ""])
                break
            seen.add(tuple(row))
            rows.append(row)
        head = ["Property", "Type", "Required", "Description"]
        return commonmark.table(head, rows) if rows else []

    def details(self, schema: Mapping[Any, Any]) -> str:
        """What limits a value: its enumeration, default, range."""
        parts = []
        if values := sequence(schema.get("enum")):
            shown = ", ".join(commonmark.code_span(plain(value)) for value in values[:MAX_VALUES])
            parts.append(f"One of {shown}{', ...' if len(values) > MAX_VALUES else '.'}")
        for key, label in _LIMITS.items():
            if key in schema and not isinstance(schema[key], (dict, list)):
                parts.append(f"{label.capitalize()} {commonmark.code_span(plain(schema[key]))}.")
        if schema.get("deprecated") is True:
            parts.append("Deprecated.")
        return " ".join(parts)

    def _rows(
        self, schema: Any, prefix: str, depth: int, above: tuple[int, ...], room: list[int]
    ) -> Iterator[list[str]]:
        fields = self._references.resolve(schema)
        room[0] -= 1
        if depth > MAX_DEPTH or id(fields) in above or room[0] < 0:
            return
        inside = (*above, id(fields))
        for key in _COMBINED:
            for part in sequence(fields.get(key)):
                yield from self._rows(part, prefix, depth + 1, inside, room)
        if "items" in fields and "properties" not in fields:
            yield from self._rows(fields["items"], f"{prefix}[]", depth + 1, inside, room)
        required = {string(name) for name in sequence(fields.get("required"))}
        for name, value in mapping(fields.get("properties")).items():
            own = self._references.resolve(value)
            path = f"{prefix}.{name}" if prefix else str(name)
            note = " ".join(string(own.get("description")).split())
            text = f"{note} {self.details(own)}".strip()
            kind = type_name(value, self._references)
            yield [commonmark.code_span(path), kind, "yes" if str(name) in required else "no", text]
            yield from self._rows(value, path, depth + 1, inside, room)


def json_block(value: Any) -> list[str]:
    """An example as fenced JSON; text stays as it is."""
    if isinstance(value, str):
        return commonmark.fence(value, "json" if value.lstrip()[:1] in "{[" else "text")
    shown = _bounded(value, [MAX_EXAMPLE_NODES])
    text = json.dumps(shown, indent=2, ensure_ascii=False, default=str)
    if len(text) > MAX_EXAMPLE_CHARS:
        text = text[:MAX_EXAMPLE_CHARS].rsplit("\n", 1)[0] + "\n..."
    return commonmark.fence(text, "json")


def _bounded(value: Any, room: list[int]) -> Any:
    """`value` with at most `room` nodes: what YAML's aliases repeat can be without end."""
    room[0] -= 1
    if room[0] < 0:
        return "..."
    if isinstance(value, dict):
        return {str(key): _bounded(each, room) for key, each in value.items() if room[0] > 0}
    if isinstance(value, list):
        return [_bounded(each, room) for each in value if room[0] > 0]
    return value


def plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(_bounded(value, [100]), default=str)
