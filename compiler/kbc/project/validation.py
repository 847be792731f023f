"""Declares the tables of kb.toml with pydantic and turns what is wrong with one into diagnostics.

A key is declared once: its type, its default and, as `Field(description=...)`, what it is for. From that
come validation and the names in hints; docs/kb-authoring.md has every key.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Strict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from kb_runtime.text.rendering import shorten
from kbc.project.language_tags import LANGUAGES, language_of_tag
from kbc.project.toml_file import Key

Strings = Annotated[tuple[str, ...], Strict(False)]  # not strict: TOML gives lists
Number = int | float
"""Not `float` alone: a whole number stays one in the manifest."""

KEY = "{key}"  # in a message of a validator: the key that it is about

Declared = TypeVar("Declared", bound=BaseModel)


class Table(BaseModel):
    """A table of kb.toml. Values have the types of TOML: `"1"` is no number and 1 no text."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that is wrong, at `key`."""

    code: str
    message: str
    key: Key
    hint: str = ""


def mistake(code: str, message: str, hint: str = "") -> PydanticCustomError:
    """What a validator raises: the diagnostic, but for its place."""
    return PydanticCustomError(code, "{message}", {"message": message, "hint": hint})


def choices(given: str, known: Sequence[str]) -> str:
    """A hint that names what may stand there, the nearest first."""
    folded = {name.casefold(): name for name in known}
    close = get_close_matches(given.casefold(), folded, n=1)
    start = f"Did you mean {folded[close[0]]!r}? " if close else ""
    return f"{start}Known: {', '.join(filter(None, known))}."


def matching(
    pattern: re.Pattern[str], what: str, correct: Callable[[str], str] | None = None
) -> AfterValidator:
    """Admits texts that match `pattern` as a whole; of others `correct` makes one that does, or ""."""

    def check(value: str) -> str:
        if not pattern.fullmatch(value):
            message = f"{KEY} is {value!r}; it must be {what} matching {pattern.pattern}"
            better = correct(value) if correct else ""
            raise mistake("toml-bad-value", message, f"Write {better!r}." if better else "")
        return value

    return AfterValidator(check)


def between(low: int, high: int) -> AfterValidator:
    """Admits numbers from `low` to `high`."""

    def check(value: float) -> float:
        if not low <= value <= high:
            message = f"{KEY} is {value}; it must be from {low} to {high}"
            raise mistake("toml-bad-value", message)
        return value

    return AfterValidator(check)


_PLACEHOLDER = re.compile(r"\{\w*\}")


def template(*names: str) -> AfterValidator:
    """Admits texts whose names in braces are all in `names`."""
    known = [f"{{{name}}}" for name in names]

    def check(value: str) -> str:
        for found in _PLACEHOLDER.findall(value):
            known_value(found, known, f"filled in by kbc in {KEY}", "toml-bad-value")
        return value

    return AfterValidator(check)


def one_of(known: Sequence[str], what: str, code: str = "toml-bad-value") -> AfterValidator:
    """Admits the texts in `known`; another one is not `what`."""
    return AfterValidator(lambda value: known_value(value, known, what, code))


def _language(value: str) -> str:
    if not value:
        return value
    return language_of_tag(value) or known_value(
        value, LANGUAGES, "a language that kbc knows", "toml-bad-value"
    )


LanguageCode = Annotated[str, AfterValidator(_language)]
"""A language that kbc knows, by its code or another tag of it (`de-AT`); "" for none."""


def known_value(value: str, known: Sequence[str], what: str, code: str) -> str:
    """`value`, which is one of `known`; raises the mistake otherwise."""
    if value not in known:
        raise mistake(code, f"{value!r} is not {what}", choices(value, known))
    return value


def validated(
    model: type[Declared],
    data: Mapping[str, Any],
    table: Key,
    report: Callable[[Mistake], None],
    context: Any = None,
    within: Mapping[str, str] = MappingProxyType({}),
) -> Declared | None:
    """The `table` with these `data` as `model` declares it; None after a report of each mistake.

    `context` is what validators of the model get besides the value. `within` are keys that are often
    written outside their tables, with these.
    """
    try:
        return model.model_validate(data, context=context)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            report(_mistake(details, model, data, table, within))
    return None


def _mistake(
    details: ErrorDetails,
    model: type[BaseModel],
    data: Mapping[str, Any],
    table: Key,
    within: Mapping[str, str],
) -> Mistake:
    path = tuple(part for part in details["loc"] if part != "[key]")  # of a key, not of its value
    while len(path) > 2 and isinstance(path[1], int) and (inner := _table_inside(model, path[0])):
        data, model = data[str(path[0])][path[1]], inner
        table, path = (*table, *path[:2]), path[2:]
    name, title = str(path[0]), _title(table)
    if "hint" in details.get("ctx", {}):
        return own_mistake(details, *table, *path)
    if details["type"] == "extra_forbidden":
        message = f"{name!r} is not a key of {title}"
        hint = choices(name, list(model.model_fields))
        if name in within:
            hint = f"Write it below a line [{within[name]}]."
        return Mistake("toml-unknown-key", message, (*table, name), hint)
    field = model.model_fields[name]
    if details["type"] == "missing":
        message = f"a {title} needs a `{name}`"
        return Mistake("toml-missing-key", message, table, f"It is {field.description}.")
    wanted, value = type_name(field.annotation), data[name]
    message = f"`{name}` must be {wanted}, not {shorten(repr(value), 80)}"
    return Mistake("toml-wrong-type", message, (*table, name), _correction(name, value, wanted))


def _correction(name: str, value: Any, wanted: str) -> str:
    """How to write a value of the wrong type, where that can be told."""
    if wanted == "a string" and isinstance(value, (int, float, date)):
        return "Put it in quotes."
    if not isinstance(value, str):
        is_table = wanted == "an array of tables" and isinstance(value, Mapping)
        return f"Write its header with two brackets: [[{name}]]." if is_table else ""
    if wanted == "a list of strings":
        return f"Put it in brackets: {name} = [{json.dumps(value, ensure_ascii=False)}]."
    is_boolean = wanted == _BOOLEAN and value.lower() in ("true", "false")
    is_meant = is_boolean or (wanted in _NUMBERS and _NUMBER.fullmatch(value))
    return f"Write it without quotes: {name} = {value.lower()}." if is_meant else ""


def own_mistake(details: ErrorDetails, *key: str | int) -> Mistake:
    """What a validator of ours raised about the value at `key`."""
    name = next(part for part in reversed(key) if isinstance(part, str))
    message, hint = (
        details["ctx"][part].replace(KEY, f"`{name}`", 1) for part in ("message", "hint")
    )
    return Mistake(details["type"], message, key, hint)


def _table_inside(model: type[BaseModel], name: str | int) -> type[BaseModel] | None:
    """What declares the tables of the array of tables `name`; None for another key."""
    rest = [model.model_fields[str(name)].annotation] if name in model.model_fields else []
    while rest:
        annotation = rest.pop()
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return annotation
        rest += get_args(annotation)
    return None


def _title(table: Key) -> str:
    name = ".".join(part for part in table if isinstance(part, str))
    if not name:
        return "the top level of kb.toml"
    return f"[[{name}]]" if isinstance(table[-1], int) else f"[{name}]"


_BOOLEAN = "true or false"
_NOUNS: Mapping[Any, tuple[str, str]] = {
    str: ("a string", "strings"),
    bool: (_BOOLEAN, _BOOLEAN),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
}
_NUMBERS = (_NOUNS[int][0], _NOUNS[float][0])
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def type_name(annotation: Any, *, plural: bool = False) -> str:
    """A declared type in words: "a list of strings"."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_name(arguments[0], plural=plural)
    if origin in (Union, types.UnionType):  # `X | None`, or Number
        return type_name(float if float in arguments else arguments[0], plural=plural)
    if annotation in _NOUNS:
        return _NOUNS[annotation][plural]
    if origin in (list, tuple):
        inner = type_name(arguments[0], plural=True)
        nouns = ("an array", "arrays") if inner == "tables" else ("a list", "lists")
        return f"{nouns[plural]} of {inner}"
    table = "tables" if plural else "a table"
    of_what = arguments[1] if origin is dict else Any
    return table if of_what is Any else f"{table} of {type_name(of_what, plural=True)}"
