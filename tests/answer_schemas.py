"""Checks answers against what a tool declares: whatever a structure holds must have been told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator


def check_structure(tool: Mapping[str, Any], structured: Any) -> None:
    """Raises ValidationError unless `structured` fits the output schema of a `tools/list` entry. The
    schema must name every field of it, or say that its keys are data."""
    schema = {"additionalProperties": False, **tool["outputSchema"]}
    Draft202012Validator(schema).validate(structured)
