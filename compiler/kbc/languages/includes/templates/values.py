"""Values that a site's templates fill into prose: `{{ name }}` of Vue and of MyST's substitutions.

Code, also where `v-pre` says that braces are meant, stays as it is. Where only a program knows the value, its
expression stays as code, and the page counts it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kbc.languages.includes.fenced import CODE, outside_fences
from kbc.languages.includes.files import IncludingPage
from kbc.project.well_formed import is_scalar

Lookup = Callable[[str], str | None]
"""The text of an expression, which is the path of a variable, with filters behind `|`; None where the tree
does not say."""

DIRECTIVE = "{{ }}"
_VALUE = re.compile(r"\{\{(?![{#<%!])[ \t]*(?P<expression>[^{}\n]+?)[ \t]*\}\}(?!\})")
_KEPT = re.compile(
    rf"{CODE}|<!--(?:(?!<!--).)*?-->"
    r"|\{\{\{(?:(?!\{\{\{)[^\n])*?\}\}\}"
    r"|<(?P<tag>[\w-]++)(?=[^<>]*\bv-pre\b)[^<>]*+>(?:(?!\bv-pre\b).)*?</(?P=tag)>"
    r"|<(?P<code>code|pre)\b(?:(?!<(?P=code)\b).)*?</(?P=code)>"
    r"|^(?P<colons>:{3,})[ \t]*v-pre\b(?:(?!^:{3,}[ \t]*v-pre\b).)*?^(?P=colons)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_MARKS = re.compile(r"[ \t]*(?:`{3,}|~{3,}|:).*")
"""A fence, or an option of a directive."""

_MAX_MARGIN = 40
_LITERAL = re.compile(r"(?P<quote>[\"'`])(?P<text>[^\"'`]*)(?P=quote)")


def value_at(table: Mapping[str, Any], path: str) -> str | None:
    """The text or number at a path such as `version.latest`."""
    value: Any = table
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return str(value) if is_scalar(value) else None


def first_value(tables: Iterable[Mapping[str, Any]], path: str) -> str | None:
    """The text or number at a path in the first of the tables that has one."""
    return next((found for each in tables if (found := value_at(each, path)) is not None), None)


def replace_values(text: str, lookup: Lookup, page: IncludingPage) -> str:
    """The body of a page with the values of its expressions."""
    return outside_fences(text, lambda prose: _filled(prose, lookup, page))


def _filled(text: str, lookup: Lookup, page: IncludingPage) -> str:
    if "{{" not in text:
        return text

    def shown(match: re.Match[str]) -> str:
        expression = match["expression"]
        if literal := _LITERAL.fullmatch(expression):
            return literal["text"]
        found = lookup(expression)
        if found is not None:
            return _on_a_line(found) if "\n" in found.strip() and _is_inside(match) else found
        page.external[DIRECTIVE] += 1
        return f"`{expression}`"

    def known(match: re.Match[str]) -> str:  # in HTML of code, which Vue fills in as well
        found = lookup(match["expression"])
        return match[0] if found is None else found

    parts: list[str] = []
    position = 0
    for kept in _KEPT.finditer(text):
        inner = _VALUE.sub(known, kept[0]) if kept["code"] else kept[0]
        parts += [_VALUE.sub(shown, text[position : kept.start()]), inner]
        position = kept.end()
    return "".join([*parts, _VALUE.sub(shown, text[position:])])


def _is_inside(match: re.Match[str]) -> bool:
    """Whether a value stands in a line with other text, as in the cell of a table."""
    text = match.string
    before = text[max(match.start() - _MAX_MARGIN, 0) : match.start()].rpartition("\n")[2]
    after = text[match.end() : match.end() + _MAX_MARGIN].partition("\n")[0]
    return before.strip(" \t>") != "" or after.strip() != ""


def _on_a_line(value: str) -> str:
    """The words of a value of several lines, which may be a directive."""
    return " ".join(
        line.strip() for line in value.split("\n") if not _MARKS.fullmatch(line)
    ).strip()
