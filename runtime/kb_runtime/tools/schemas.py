"""The entries of `tools/list`, with JSON Schemas, derived from the tools' declarations.

Schemas are sent to a model with every conversation, so they contain only what a caller needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kb_runtime.tools.declaration import Argument, Tool
from kb_runtime.tools.fields import Schema, answer_type, listed_schema

MOST_CHOICES = 40
"""Names of a knowledge base that a schema lists: above it they would cost more than all tools."""


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
    tool = tool.with_settings(prefix, settings or {})
    properties = {argument.name: _argument_schema(argument, choices) for argument in tool.arguments}
    required = [argument.name for argument in tool.arguments if argument.required]
    input_schema: Schema = {"type": "object", "properties": properties}
    if required:
        input_schema["required"] = required
    entry: Schema = {
        "name": tool.wire_name(prefix, settings or {}),
        "description": tool.description.format(prefix=prefix),
        "inputSchema": input_schema,
    }
    if tool.title:
        entry["title"] = tool.title
    if (answer := answer_type(tool)) is not None:
        entry["outputSchema"] = listed_schema(answer)
    entry["annotations"] = {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }
    return entry


def _argument_schema(argument: Argument, choices: Mapping[str, Sequence[str]]) -> Schema:
    allowed = list(argument.choices or choices.get(argument.choices_from, ()))
    if len(allowed) > MOST_CHOICES and not argument.choices:
        allowed = []  # the tool itself names them when it refuses a value
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
    """Bounds that are clamped are described, not enforced: a client that validates must let them pass."""
    if argument.out_of_range == "reject" or argument.minimum is None or argument.maximum is None:
        return ""
    return f" ({argument.minimum} to {argument.maximum})"
