"""Checks answers against what the tools declare: in short in `tools/list`, and field by field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from kb_runtime.tools.fields import Failure, answer_type, full_schema
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.search.compact import TOOLS as COMPACT_TOOLS

_PREFIX = "{prefix}"


def check_structure(tool: Mapping[str, Any], structured: Any) -> None:
    """Raises ValidationError unless `structured` fits the output schema of a `tools/list` entry, which
    must name every field of it, or say that its keys are data; and what the tool declares of it."""
    listed = tool["outputSchema"]
    shortened = {"truncated": {"type": "boolean"}, "next": {"type": "string"}}  # of any answer
    outer = {
        "additionalProperties": False,
        **listed,
        "properties": {**shortened, **listed["properties"]},
    }
    Draft202012Validator(outer).validate(structured)
    declared = Failure if "error" in structured else _declared(tool["name"])
    Draft202012Validator(full_schema(declared)).validate(structured)


def _declared(wire: str) -> type:
    """The type of the answers of a tool that a server lists under `wire`, whatever its prefix."""
    endings = {
        tool.name.removeprefix(_PREFIX): tool
        for tool in (*TOOLS, *COMPACT_TOOLS)
        if wire.endswith(tool.name.removeprefix(_PREFIX))
    }
    answer = answer_type(endings[max(endings, key=len)])
    assert answer is not None
    return answer
