"""Classifies a code block by the language that its fence names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kbc.languages.suffixes import LANGUAGES

_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("yaml", "yml", "json", "toml"), "config"),
    **dict.fromkeys(("bash", "sh", "shell"), "cmd"),
    **dict.fromkeys(("http", "graphql", "openapi", "swagger"), "api"),
}


_CLASS = re.compile(r"[{\s]\.([^\s{}.,]+)")
_IN_BRACES = re.compile(r"\{+\s*([^\s{},]+)\s*[^{}]*\}*\s*([^\s{}]*)")
_CLASS_PREFIX = re.compile(r"lang(?:uage)?-(?=\w)")
_CODE_DIRECTIVES = frozenset({"code", "code-block", "code-cell", "sourcecode"})
_NAMES = frozenset(
    {*LANGUAGES, *LANGUAGES.values(), "console", "dot", "mermaid", "ojs", "shell", "text"}
)


def language_of_fence(info: str) -> str:
    """The language that the info string of a fence names, in lower case: its first word (`python title="x"`,
    also as the class that HTML gets: `language-python`, and behind `raw`, as spec-md has it), or in braces a
    class (`{.python #id}`, as Pandoc and Python-Markdown have it) or the name of a language
    (`{r, echo=FALSE}` of Quarto)."""
    info = info.strip().lower()
    if not info.startswith("{"):
        first, *others = re.split(r"[\s{,]", info, maxsplit=2)
        is_raw = first == "raw" and others and others[0] in _NAMES
        return others[0] if is_raw else _CLASS_PREFIX.sub("", first)
    found = _IN_BRACES.match(info)
    name, argument = found.groups() if found else ("", "")
    if name in _CODE_DIRECTIVES:  # of MyST
        return argument
    if name in _NAMES:  # before what looks like a class: `{r, fig.asp = .75}`
        return name
    stated = _CLASS.search(info)
    return stated[1] if stated else ""


def chunk_type(language: str) -> str:
    """`config`, `cmd`, `api` or `code`."""
    return _TYPES.get(language, "code")


def unparsed_type(language: str) -> str:
    """The type of what was cut from an unparsed file: `config`, `code`, or `prose` of no known language."""
    if chunk_type(language) == "config":
        return "config"
    return "code" if language else "prose"
