"""Checks answers against what is told about them: by `tools/list`, and field by field in the docs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from scripts.answer_fields import declared_name, error_schema, schema


def check_structure(tool: Mapping[str, Any], structured: Any) -> None:
    """Raises ValidationError unless `structured` fits the output schema of a `tools/list` entry, which
    must name every field of it, or say that its keys are data; and what docs/tools.md tells of it."""
    outer = {"additionalProperties": False, **tool["outputSchema"]}
    Draft202012Validator(outer).validate(structured)
    full = error_schema() if "error" in structured else schema(declared_name(tool["name"]))
    Draft202012Validator(full).validate(structured)
