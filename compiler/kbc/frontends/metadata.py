"""Declares the metadata of records (front matter, TOML tables, JSON objects) with pydantic.

A front end names the fields it knows in a subclass of `Metadata`, each once, with its default and what it
is for. `Located.read` gives an instance and reports each mistake where it stands; a field with a mistake
has its default, so that the rest of the file is checked as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from kb_runtime.text.rendering import shorten
from kbc.diagnostics import Diagnostics
from kbc.project.source_file import SourceFile
from kbc.project.validation import KEY, Mistake, mistake, own_mistake
from kbc.project.well_formed import is_scalar, parse_json


class Metadata(BaseModel):
    """The fields of a record's metadata; others are left out with a warning. With `extra="ignore"` any
    other field may be there."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class Required:
    """Marks a field that must not be empty; `hint` says what to write there."""

    hint: str


def _text(value: Any) -> str:
    if is_scalar(value):
        return str(value).strip()
    raise _wrong_type("text", value)


def _texts(value: Any) -> tuple[str, ...]:
    items = [_labelled(item) for item in value] if isinstance(value, list) else [value]
    for position, item in enumerate(items, start=1):
        if not is_scalar(item) and item is value:
            raise _wrong_type("a list of strings", value)
        if not is_scalar(item):
            raise mistake(
                "metadata-wrong-type",
                f"{KEY} must be a list of strings, but its item {position} is {_as_written(item)}",
                "Write a string there (quote words such as null or true), or remove the item.",
            )
    return tuple(text for item in items if (text := str(item).strip()))


def _labelled(item: Any) -> Any:
    """The text of a tag that is a map, as Docusaurus (`label`) and GitBook (`tag`) write it."""
    found = (item.get(key) for key in ("label", "tag")) if isinstance(item, dict) else ()
    return next((each for each in found if isinstance(each, str)), item)


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise _wrong_type("true or false", value)


Text = Annotated[str, BeforeValidator(_text)]
"""A text, or a number as text."""
Line = Annotated[str, BeforeValidator(lambda value: " ".join(_text(value).split()))]
"""A text on one line, as a title is, however many lines of YAML it takes."""
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
"""A list of texts; a single text is a list of one."""
Flag = Annotated[bool, BeforeValidator(_flag)]


def number(low: float, high: float) -> BeforeValidator:
    """Admits numbers from `low` to `high`."""

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _wrong_type("a number", value)
        if not low <= value <= high:
            hint = f"It must be from {low:g} to {high:g}."
            raise mistake("metadata-out-of-range", f"{KEY} is {value}", hint)
        return float(value)

    return BeforeValidator(check)


def _wrong_type(wanted: str, value: Any) -> Exception:
    message = f"{KEY} must be {wanted}, not {_as_written(value)}"
    return mistake("metadata-wrong-type", message, f"Write {wanted} after {KEY}.")


Declared = TypeVar("Declared", bound=Metadata)


@dataclass(frozen=True, slots=True)
class Located:
    """A mapping of one input file; `line_of` gives a key's line there."""

    data: Mapping[str, Any]
    path: str
    line_of: Callable[[str], int]

    def read(self, model: type[Declared], diagnostics: Diagnostics) -> Declared:
        """The fields that `model` declares; null stands for a field that is not there."""
        known = model.model_fields
        given = {k: v for k, v in self.data.items() if v is not None or k not in known}
        wrong = set()
        try:
            fields = model.model_validate(given)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                name = str(details["loc"][0])
                wrong.add(name)
                if details["type"] == "extra_forbidden":
                    self._warn_unknown(name, sorted(known), diagnostics)
                else:
                    self._report(own_mistake(details, name), diagnostics)
            fields = model.model_validate({k: v for k, v in given.items() if k not in wrong})
        for name, field in known.items():
            for mark in field.metadata:
                if isinstance(mark, Required) and name not in wrong and not getattr(fields, name):
                    code, message = "metadata-missing-field", f"`{name}` is missing"
                    self._report(Mistake(code, message, (name,), mark.hint), diagnostics)
        return fields

    def _report(self, found: Mistake, diagnostics: Diagnostics) -> None:
        line = self.line_of(str(found.key[0]))
        diagnostics.error(found.code, found.message, self.path, line, hint=found.hint)

    def _warn_unknown(self, name: str, known: list[str], diagnostics: Diagnostics) -> None:
        close = get_close_matches(name, known, n=1)
        meant = f"Did you mean `{close[0]}`? " if close else ""
        message = f"`{name}` is not a known field; it was left out"
        hint = f"{meant}Known: {', '.join(known)}."
        diagnostics.warning(
            "metadata-unknown-field", message, self.path, self.line_of(name), hint=hint
        )


def _as_written(value: Any) -> str:
    """The value as JSON, which is near to how YAML and TOML write it, at most 80 characters of it."""
    return f"`{shorten(json.dumps(value, ensure_ascii=False, default=str), 80)}`"


def read_json(file: SourceFile, diagnostics: Diagnostics) -> tuple[Any, str] | None:
    """The parsed JSON file and its text; None with a diagnostic when it cannot be read."""
    text = file.text(diagnostics)
    if text is None:
        return None
    try:
        return parse_json(text), text
    except json.JSONDecodeError as error:
        hint = "Fix the JSON on this line."
        diagnostics.error("json-syntax", error.msg, file.path, error.lineno, error.colno, hint=hint)
    except RecursionError:
        diagnostics.error(
            "json-syntax", "the JSON nests too deeply", file.path, 1, hint="Flatten it."
        )
    return None
