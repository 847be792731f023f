"""JSON and YAML as values whose texts UTF-8 can carry: both can escape half of a surrogate pair."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import yaml

from kb_runtime.records.well_formed import well_formed

MAX_NESTING = 100
MAX_VALUES = 500_000
"""Of a configuration, with what its aliases repeat."""

MAX_MERGED = 10_000
"""Entries that `<<` adds to a table in YAML: tables before it may have doubled theirs."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str) -> Any:
    """What `json.loads` gives and raises."""
    value = json.loads(text)
    return well_formed(value) if _SURROGATE.search(text) else value


def json_value(text: str) -> Any:
    """What a text in JSON holds; None where it cannot be read."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError):
        return None


def mapping(value: Any) -> Mapping[Any, Any]:
    """`value` where it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def is_scalar(value: Any) -> bool:
    """Whether `value` is a text or a number."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def sequence(value: Any) -> list[Any]:
    """`value` where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """The texts in a list, or a single one as a list."""
    items: Iterable[Any] = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if isinstance(item, str)]


def comma_separated(text: str) -> list[str]:
    """What a text lists between commas, without blanks around it and without what is empty."""
    return [each.strip() for each in text.split(",") if each.strip()]


def text_at(data: Any, name: str) -> str:
    """The text under a name, without blanks around it; "" where there is none."""
    value = mapping(data).get(name)
    return value.strip() if isinstance(value, str) else ""


def scalar_at(data: Any, name: str) -> str:
    """The text or number under a name as a text without blanks around it; "" where there is none."""
    value = mapping(data).get(name)
    return str(value).strip() if is_scalar(value) else ""


def line_at(data: Mapping[str, Any], name: str) -> str:
    """The text under a name on one line; "" where there is none."""
    return " ".join(text_at(data, name).split())


class YamlLoader(yaml.SafeLoader):
    """`yaml.SafeLoader`; the one in C refuses such escapes, with their lines."""

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        """By scalar, because aliases let a small text stand for an endless value."""
        return well_formed(super().construct_scalar(node))

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Of a value that is not of the type that its tag states (`!!bool maybe`), an error of YAML."""
        try:
            return super().construct_object(node, deep)
        except (AttributeError, IndexError, KeyError) as error:
            raise yaml.MarkedYAMLError(
                problem=f"a value is not of the type of its tag {node.tag}",
                problem_mark=node.start_mark,
            ) from error

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        stated = len(node.value)
        super().flatten_mapping(node)
        if len(node.value) > stated + MAX_MERGED:
            raise yaml.MarkedYAMLError(
                problem="merges too many entries", problem_mark=node.start_mark
            )


def is_bounded(value: Any) -> bool:
    """Whether a value neither nests without end nor is very large with what it holds several times."""
    waiting = [(value, 0)]
    count = 0
    while waiting:
        item, depth = waiting.pop()
        count += 1
        if depth > MAX_NESTING or count > MAX_VALUES:
            return False
        inner = item.values() if isinstance(item, Mapping) else item
        if isinstance(item, (Mapping, list, tuple, set)):
            waiting += [(each, depth + 1) for each in inner]
    return True


@lru_cache(16)
def yaml_table(source: bytes | str) -> Mapping[Any, Any]:
    """A text in YAML that is a table, of files that many pages share read once; empty where it is none."""
    try:
        value = yaml.load(source, Loader=YamlLoader)
        return mapping(value) if is_bounded(value) else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
