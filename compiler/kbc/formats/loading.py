"""Loads JSON, YAML and Python that may be damaged."""

from __future__ import annotations

import ast
import json
from functools import cache
from typing import Any

import yaml

from kbc.formats.document import FormatError
from kbc.project.well_formed import YamlLoader, parse_json

MAX_NESTING = 200


def parse(text: str, path: str, *, words_are_text: bool = False) -> Any:
    """The value of a JSON or YAML text; raises `FormatError` with the line of a mistake. With
    `words_are_text`, `no`, `on` and the like are no truth values, as in YAML 1.2."""
    try:
        if path.lower().endswith(".json"):
            return parse_json(text)
        loader = _loader(words_are_text)
        _check_depth(text, loader)
        return yaml.load(text, Loader=loader)
    except json.JSONDecodeError as error:
        raise FormatError(f"the file is not JSON: {error.msg}", error.lineno) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "it cannot be read"
        line = mark.line + 1 if mark is not None else 0
        raise FormatError(f"the file is not YAML: {what}", line) from None
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        # dates out of range, keys that are lists, integers of too many digits, lists in lists in lists
        raise FormatError("the file is not JSON or YAML that can be read") from None


@cache
def _loader(words_are_text: bool) -> Any:
    loader: Any = getattr(yaml, "CSafeLoader", YamlLoader)
    if not words_are_text:
        return loader
    resolvers = {
        first: [
            (tag, words) for tag, words in found if first in "tTfF" or not tag.endswith(":bool")
        ]
        for first, found in loader.yaml_implicit_resolvers.items()
    }
    return type("Yaml12Loader", (loader,), {"yaml_implicit_resolvers": resolvers})


def parse_python(source: str) -> list[ast.stmt]:
    """The statements of a source in Python; raises `FormatError` with the line of a mistake."""
    try:
        return ast.parse(source).body
    except SyntaxError as error:
        raise FormatError(f"the file is not Python: {error.msg}", error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError):  # the last: its stack is full
        raise FormatError("the file is not Python that can be read") from None


def _check_depth(text: str, loader: Any) -> None:
    """Raises `FormatError` for what nests deeper than the library's C code can bear."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_NESTING:
                mark = event.start_mark
                line = mark.line + 1 if mark is not None else 0
                raise FormatError(f"the file nests more than {MAX_NESTING} deep", line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
