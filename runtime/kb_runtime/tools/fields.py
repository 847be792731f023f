"""The fields of a tool's structured answer, from the type that its function returns.

A function that returns `Answer[Builtin]` answers with a `Builtin`, a `TypedDict` in the `answers` module
beside it. Each field is annotated with its type, its meaning and how `tools/list` shows it. From that come
the output schema of `tools/list`, the tables of docs/tools.md and the schema that tests hold answers
against. Only the compiler, the documentation and tests read it: nothing of this is imported to answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    TypedDict,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

if TYPE_CHECKING:
    from kb_runtime.tools.declaration import Tool

Schema = dict[str, Any]

EXTRA_ITEMS = "__extra_items__"
"""The field of a TypedDict that stands for all fields whose names are data (after PEP 728)."""


@dataclass(frozen=True, slots=True)
class Listed:
    """How `tools/list` shows a field. Its schemas cost a client's model tokens with every conversation, so
    they say no more than a caller needs.

    `levels`: how many containers are described below the field's own (None: all). `required`: whether an
    object says which of its fields are always there. `meaning`: whether the meaning is shown. `values`:
    whether the values that a string can have are. `is_shown`: whether the field is.
    """

    levels: int | None = None
    required: bool = False
    meaning: bool = False
    values: bool = False
    is_shown: bool = True


TYPE_ONLY = Listed(levels=0)
ONE_LEVEL = Listed(levels=1)
WITH_REQUIRED = Listed(required=True)
WITH_MEANING = Listed(meaning=True)
WITH_VALUES = Listed(values=True)
UNLISTED = Listed(is_shown=False)

SharedAddress = Annotated[
    str, "`kb://` address, if several knowledge bases have this name", UNLISTED
]
"""The field `address`, which tells a record apart from one that another knowledge base calls the same."""


class AnswerFields(TypedDict):
    """What any answer may have besides its own fields."""

    warnings: NotRequired[Annotated[list[str], "what to know about the answer"]]


class ErrorFields(TypedDict):
    kind: Annotated[
        Literal["BAD_INPUT", "NOT_FOUND", "NO_MATCH", "READ_ONLY", "UNAVAILABLE", "INTERNAL"], ""
    ]
    message: Annotated[str, "one sentence"]
    suggestions: NotRequired[Annotated[list[str], "names or values that may have been meant"]]
    next: NotRequired[Annotated[list[str], "what to do"]]
    details: NotRequired[Annotated[dict[str, Any], "facts about the error"]]
    status: NotRequired[Annotated[int, "in the family tests: the status"]]


class Failure(TypedDict):
    """The structure of a call that failed."""

    error: Annotated[ErrorFields, ""]


class FieldRow(NamedTuple):
    """A field as documentation shows it. In `path`, `[]` stands for the items of a list and `{}` for the
    values of an object whose keys are data."""

    path: str
    is_optional: bool
    type: str
    meaning: str


class _Field(NamedTuple):
    name: str
    type: Any
    is_required: bool
    meaning: str
    listed: Listed


def answer_type(tool: Tool) -> type | None:
    """The TypedDict that a tool answers with; None for an answer that is text only."""
    returned = re.fullmatch(r"Answer\[(\w+)\]", tool.run.__annotations__.get("return", ""))
    if returned is None or returned[1] == "None":
        return None
    package = tool.run.__module__.rpartition(".")[0]
    found: type = getattr(import_module(f"{package}.answers"), returned[1])
    return found


def listed_schema(answer: type) -> Schema:
    """The JSON Schema of an answer for `tools/list`: open, and as short as the fields' `Listed` say.

    It admits an error in the place of the answer: clients on the TypeScript SDK check the structure of
    failed calls too, and lose the error's text when it does not match.
    """
    own = _object(answer, Listed(required=True), full=False)
    properties = {"warnings": {"type": "array"}, **own.pop("properties")}
    schema = {"type": "object", "properties": {**properties, "error": {"type": "object"}}}
    if required := own.pop("required", None):
        own["anyOf"] = [{"required": required}, {"required": ["error"]}]
    return schema | own


def full_schema(answer: type) -> Schema:
    """The JSON Schema of an answer with all its fields, and those of any answer that was shortened; it
    allows no others."""
    schema = _object(answer, Listed(required=True), full=True)
    shortened = {"truncated": {"type": "boolean"}, "next": {"type": "string"}}
    return {**schema, "properties": {**shortened, **schema["properties"]}}


def field_rows(answer: type, above: str = "") -> Iterator[FieldRow]:
    """The fields of an answer and of everything inside, in order, without `warnings`."""
    for field in _fields(answer):
        if (
            field.name == "warnings"
            and field.name in AnswerFields.__annotations__
            and not field.is_required
        ):
            continue
        name = "{}" if field.name == EXTRA_ITEMS else field.name
        path = above + ("." if above and name != "{}" else "") + name
        yield FieldRow(path, not field.is_required, _type_name(field.type), _meaning(field))
        yield from _inner_rows(field.type, path)


def _inner_rows(type: Any, path: str) -> Iterator[FieldRow]:
    if is_typeddict(type):
        yield from field_rows(type, path)
    elif get_origin(type) is list:
        yield from _inner_rows(get_args(type)[0], path + "[]")
    elif get_origin(type) is dict:
        yield from _inner_rows(get_args(type)[1], path + "{}")


def _fields(type: type) -> Iterator[_Field]:
    for name, hint in get_type_hints(type, include_extras=True).items():
        is_required = get_origin(hint) is not NotRequired
        annotated = hint if is_required else get_args(hint)[0]
        inner, meaning, *listed = get_args(annotated)
        yield _Field(name, inner, is_required, meaning, listed[0] if listed else Listed())


_SIMPLE: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _type_name(type: Any) -> str:
    if type in _SIMPLE or get_origin(type) is Literal:
        return _SIMPLE.get(type, "string")
    if type == str | None:
        return "string or null"
    if get_origin(type) is list:
        item = get_args(type)[0]
        return f"{_SIMPLE[item]}[]" if item in _SIMPLE else "list"
    return "object"


def _meaning(field: _Field) -> str:
    if get_origin(field.type) is not Literal:
        return field.meaning
    *others, last = (f"`{value}`" for value in get_args(field.type))
    values = f"{', '.join(others)} or {last}" if others else last
    return f"{values}: {field.meaning}" if field.meaning else values


def _object(type: type, listed: Listed, *, full: bool) -> Schema:
    properties: Schema = {}
    required = []
    extra: Schema | bool = False
    for field in _fields(type):
        if not (full or field.listed.is_shown):
            continue
        schema = _schema(field.type, field.listed, full=full)
        if field.listed.meaning and not full:
            schema = {**schema, "description": field.meaning}
        if field.name == EXTRA_ITEMS:
            extra = schema
        elif full or field.name != "warnings" or field.is_required:
            properties[field.name] = schema
        if field.is_required and field.name != EXTRA_ITEMS:
            required.append(field.name)
    schema = {"type": "object", "properties": properties}
    if required and (full or listed.required):
        schema["required"] = required
    if full or extra:
        schema["additionalProperties"] = extra
    return schema


def _schema(type: Any, listed: Listed, *, full: bool) -> Schema:
    origin, arguments = get_origin(type), get_args(type)
    if origin is Literal:
        with_values = full or listed.values
        return {"type": "string", **({"enum": list(arguments)} if with_values else {})}
    if type == str | None:
        return {"type": ["string", "null"]}
    if type in _SIMPLE:
        return {"type": _SIMPLE[type]}
    is_listed = full or listed.levels is None or listed.levels > 0
    inner = listed if listed.levels is None else Listed(listed.levels - 1, listed.required)
    if origin is list:
        items = _schema(arguments[0], inner, full=full)
        return {"type": "array", "items": items} if is_listed else {"type": "array"}
    if is_typeddict(type):
        return _object(type, listed, full=full) if is_listed else {"type": "object"}
    schema: Schema = {"type": "object"}
    if arguments and arguments[1] is not Any and is_listed:
        schema["additionalProperties"] = _schema(arguments[1], inner, full=full)
    return schema
