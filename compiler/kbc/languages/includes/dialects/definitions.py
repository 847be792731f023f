"""Links of FORD, YARD and quartodoc to what a program defines: `[[heron(module):fly(function)]]`,
`{Heron::Nest#fly}`, `{file:docs/nest.md The nest}`, ``[](`heron.fly`)``; and titles of YARD's pages:
`# @title Nests`."""

from __future__ import annotations

import re

from kbc.languages.includes.fenced import Kept
from kbc.languages.includes.files import IncludingPage
from kbc.project.source_file import relative_path

TRIGGER = r"\[\[\w+\(\w+\)|\]\(`~?[A-Za-z_]|\{file:[^\s{}]|\{[A-Z]\w*(?:::|#)\w|^# @title\b"
"""A pattern that pages with such links match."""

_USED = re.compile(TRIGGER, re.MULTILINE)
_TITLE = re.compile(r"^# @title[ \t]+(?P<title>\S[^\n]*)(?:\n\s*(?=# (?P=title)$))?", re.MULTILINE)
_FORD = re.compile(
    r"\[\[(?:\w+(?:\(\w+\))?:)?(?P<name>\w+(?:\([^()\s]{1,9}\))?)"
    r"\((?:boundprocs?|block|common|constructor|file|final|function|interface|module|namelist|procedure|proc"
    r"|program|submodule|subroutine|type|variable|absinterface)\)\]\]"
)
_INTERLINK = re.compile(
    r"(?<![`!\\])\[(?P<text>(?:`[^`\n]{0,200}`|[^\[\]`\n]){0,200}+)\]"
    r"\(`(?P<short>~?)(?P<name>[A-Za-z_][\w.:]*)`\)"
)
_FILE = re.compile(
    r"\{file:(?P<path>[^\s{}#]+)(?P<anchor>#[^\s{}]+)?(?:[ \t]+(?P<text>[^{}\n]+))?\}"
)
_OBJECT = re.compile(
    r"(?<![\w$\\#{])\{(?P<name>[A-Z]\w*(?:::\w+)*(?:[#.]\w+[?!=]?)?)"
    r"(?:[ \t]+(?P<text>[^{}\n]+))?\}"
)


def replace(text: str, page: IncludingPage) -> str:
    """Prose with such links as names in code, or as their titles, and those to files as Markdown has them."""
    if not _USED.search(text):
        return text
    kept = Kept()
    text = _INTERLINK.sub(_interlink, text)
    text = _TITLE.sub(_title, kept.hide_spans(text))
    text = _FORD.sub(lambda match: f"`{match['name']}`", text)
    text = _FILE.sub(lambda match: _file(match, page), text)
    return kept.restored(_OBJECT.sub(_object, text))


def _title(match: re.Match[str]) -> str:
    """The heading that a title is, or nothing before the same one."""
    return "" if match[0].endswith("\n") else f"# {match['title']}"


def _interlink(match: re.Match[str]) -> str:
    name = match["name"].rpartition(".")[2] if match["short"] else match["name"]
    return match["text"] or f"`{name}`"


def _file(match: re.Match[str], page: IncludingPage) -> str:
    """A link to a file, which is named from the root of the project."""
    path = relative_path(match["path"].lstrip("/"), page.path)
    return f"[{match['text'] or match['path']}]({path}{match['anchor'] or ''})"


def _object(match: re.Match[str]) -> str:
    name = match["name"]
    if "::" not in name and "#" not in name:
        return match[0]
    return match["text"] or f"`{name}`"
