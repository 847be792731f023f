"""The JSON Schemas in `tools/list`, derived from the tools' declarations.

Schemas are sent to a model with every conversation, so they contain only what a caller needs. Output
schemas require only fields that are always there, name every field that an answer may have, and leave
every object open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kb_runtime.tools.declaration import Argument, Tool

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
BOOLEAN: Schema = {"type": "boolean"}
STRINGS: Schema = {"type": "array", "items": STRING}
OBJECT: Schema = {"type": "object"}
LIST: Schema = {"type": "array"}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """An object whose keys are data."""
    return {"type": "object", "additionalProperties": values}


def told(schema: Schema, description: str) -> Schema:
    """`schema` with what the field means, where its name does not say it."""
    return {**schema, "description": description}


def structure(
    required: Mapping[str, Schema] | None = None, optional: Mapping[str, Schema] | None = None
) -> Schema:
    """An object with fields that are always there and fields that are left out without a value."""
    fields: Schema = {"type": "object", "properties": {**(required or {}), **(optional or {})}}
    if required:
        fields["required"] = list(required)
    return fields


def row(fields: Mapping[str, Schema]) -> Schema:
    """An object in a list. Which of its fields are always there is not told: that costs too much."""
    return structure(None, fields)


def describe(
    tool: Tool,
    prefix: str,
    choices: Mapping[str, Sequence[str]],
    settings: Mapping[str, Any] | None = None,
) -> Schema:
    """The `tools/list` entry of `tool`.

    `choices` gives the values of arguments whose `choices_from` names a summary of the knowledge base
    (`builtin_categories` ...); an argument whose summary is missing or empty gets no enum. `settings`
    are the `tools` of its manifest.
    """
    tool = tool.worded(prefix, settings or {})
    properties = {argument.name: _argument_schema(argument, choices) for argument in tool.arguments}
    required = [argument.name for argument in tool.arguments if argument.required]
    input_schema: Schema = {"type": "object", "properties": properties}
    if required:
        input_schema["required"] = required
    entry: Schema = {
        "name": tool.name.format(prefix=prefix),
        "description": tool.description.format(prefix=prefix),
        "inputSchema": input_schema,
    }
    if tool.title:
        entry["title"] = tool.title
    if tool.output is not None:
        entry["outputSchema"] = _output_schema(tool.output)
    entry["annotations"] = {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }
    return entry


def _output_schema(output: Mapping[str, Any]) -> Schema:
    """The declared structure, with the `warnings` that any answer may have, or an error in its place.

    Clients on the TypeScript SDK check the structure of failed calls too, and lose the error's text
    when it does not match.
    """
    schema = dict(output)
    properties = schema.get("properties", {})
    schema["properties"] = {"warnings": LIST, **properties, "error": OBJECT}
    if required := schema.pop("required", None):
        schema["anyOf"] = [{"required": required}, {"required": ["error"]}]
    return schema


def _argument_schema(argument: Argument, choices: Mapping[str, Sequence[str]]) -> Schema:
    allowed = list(argument.choices or choices.get(argument.choices_from, ()))
    schema: Schema
    if argument.type == "string[]":
        schema = {"type": "array", "items": {"type": "string"}}
        if allowed:
            schema["items"]["enum"] = allowed
    else:
        schema = {"type": argument.type}
        if allowed:
            schema["enum"] = allowed
    schema["description"] = argument.description + _clamped(argument)
    if argument.default is not None:
        schema["default"] = argument.default
    if argument.out_of_range != "clamp" and argument.minimum is not None:
        schema["minimum"] = argument.minimum
    if argument.out_of_range == "reject" and argument.maximum is not None:
        schema["maximum"] = argument.maximum
    return schema


def _clamped(argument: Argument) -> str:
    """Bounds that are clamped are told, not enforced: a client that validates must let them pass."""
    if argument.out_of_range == "reject" or argument.minimum is None or argument.maximum is None:
        return ""
    return f" ({argument.minimum} to {argument.maximum})"
