"""What preprocessors of mdBook fill in: tabs, templates, references, footnotes, words of an index; and the
lines of code that it hides.

`{{#include}}` and its kind, which mdBook has itself, are read wherever they stand. What only a preprocessor
of a book's own knows is counted.
"""

from __future__ import annotations

import re

from kbc.languages.includes.components import attributes, options
from kbc.languages.includes.containers import label
from kbc.languages.includes.fenced import beside_spans
from kbc.languages.includes.files import IncludingPage, indented, not_included

TRIGGER = r"\{\{[ \t]*(?:#[a-z]|(?:footnote|h?i{1,2}):)|(?:```|~~~)[ \t]*rust\b"
_HIDDEN = re.compile(r"^[ \t>]*#(?:[ \t][^\n]*)?\n", re.MULTILINE)
_SHOWN = re.compile(r"^([ \t>]*)##", re.MULTILINE)
"""Lines of Rust that only the compiler sees, and those with a mark of their own."""

_HELPER = re.compile(
    r"(?P<before>^[ \t>]*)?(?<!\\)\{\{[ \t]*(?:#(?P<name>[a-z][\w-]*)|(?P<mark>footnote|hi|ii?):)"
    r"(?P<rest>[^{}\n]*)\}\}",
    re.MULTILINE,
)
_SILENT = frozenset(["endtab", "endtabs", "label", "tabs"])
_NAMING = frozenset(["chap", "chapter", "eqref", "listref", "ref", "section"])
"""What stands for a number or a title, within a sentence."""

_PLACEHOLDER = re.compile(r"\[\[[ \t]*#(?P<name>[\w-]+)(?:[ \t]+(?P<default>[^\[\]]*?))?[ \t]*\]\]")


def without_hidden(block: str) -> str:
    """A fenced block of Rust without the lines that readers do not see."""
    return _SHOWN.sub(r"\1#", _HIDDEN.sub("", block)) if "#" in block else block


def replace(text: str, page: IncludingPage) -> str:
    """Prose with what preprocessors show in its place."""
    if not _HELPER.search(text):
        return text
    return beside_spans(text, lambda prose: _HELPER.sub(lambda each: _shown(each, page), prose))


def _shown(match: re.Match[str], page: IncludingPage) -> str:
    before = match["before"] or ""
    rest = match["rest"].strip()
    if match["mark"]:
        shown = {"footnote": f" ({rest})", "hi": "", "ii": f"*{rest}*"}.get(match["mark"], rest)
        return before + shown
    name = match["name"]
    if name in _SILENT:
        return before
    if name == "tab":
        return f"{before}\n{before}{label('', attributes(rest).get('name', ''))}\n{before}"
    if name == "template":
        return indented(before, _template(rest, page))
    page.external[f"{{{{#{name}}}}}"] += 1
    return before + (rest if name in _NAMING else "")


def _template(rest: str, page: IncludingPage) -> str:
    target, _, stated = rest.partition(" ")
    found = page.load(target, "{{#template}}")
    if found is None:
        return not_included(target)
    given = options(stated)
    path, text = found
    filled = _PLACEHOLDER.sub(
        lambda each: str(given.get(each["name"], each["default"] or "")), text
    )
    return page.expanded(path, filled).strip("\n")
