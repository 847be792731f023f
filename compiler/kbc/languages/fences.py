"""Classifies a code block by the language that its fence names."""

from __future__ import annotations

from collections.abc import Mapping

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("yaml", "yml", "json", "toml"), "config"),
    **dict.fromkeys(("bash", "sh", "shell"), "cmd"),
    **dict.fromkeys(("http", "graphql", "openapi", "swagger"), "api"),
}


def chunk_type(language: str) -> str:
    """`config`, `cmd`, `api` or `code`."""
    return _TYPES.get(language, "code")


def unparsed_type(language: str) -> str:
    """The type of what was cut from a file without parsing it: `config`, `code`, or `prose` where the file
    is in no known language."""
    if chunk_type(language) == "config":
        return "config"
    return "code" if language else "prose"
