"""Values that a site's templates fill into prose: `{{ name }}` of Vue and of MyST's substitutions.

Code, also where `v-pre` says that braces are meant, stays as it is. Where only a program knows the value, its
expression stays as code, and the page counts it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kbc.languages.includes.fenced import CODE, outside_fences
from kbc.languages.includes.files import IncludingPage

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
_LITERAL = re.compile(r"(?P<quote>[\"'`])(?P<text>[^\"'`]*)(?P=quote)")


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
            return found
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
