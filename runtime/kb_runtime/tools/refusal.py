"""The two refusals of almost every tool, in short: of a value, and of a name that nothing has."""

from __future__ import annotations

from typing import Any

from kb_runtime.errors import ToolError


def bad_input(message: str, *next_steps: str, **more: Any) -> ToolError:
    return ToolError("BAD_INPUT", message, next_steps=next_steps, **more)


def not_found(message: str, *next_steps: str, **more: Any) -> ToolError:
    return ToolError("NOT_FOUND", message, next_steps=next_steps, **more)
