"""Files that plugins of MkDocs include: `{% include-markdown "part.md" %}`, `{!part.md!}`."""

from __future__ import annotations

import re

from kbc.languages.includes.fenced import shifted_headings
from kbc.languages.includes.files import IncludingPage, indented, not_included

TRIGGER = r"\{%-?[ \t\n]*include(?:-markdown)?[ \t\n]+[\"']|^[ \t]*\{![ \t]*[^\s{}!]+[ \t]*!\}"

_PLUGIN = re.compile(
    r"^(?P<indent>[ \t]*)\{%-?[ \t\n]*(?P<name>include(?:-markdown)?)[ \t\n]+(?P<quote>[\"'])"
    r"(?P<target>[^\"'\n]+)(?P=quote)(?P<options>(?:\"[^\"]*\"|'[^']*'|[^\"'%]|%(?!\}))*?)-?%\}[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_OPTION = re.compile(r"([\w-]+)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))")
_BRACES = re.compile(
    r"^(?P<indent>[ \t]*)\{![ \t]*(?P<target>[^\s{}!]+)[ \t]*!\}[ \t]*$", re.MULTILINE
)


def replace(text: str, page: IncludingPage) -> str:
    """Prose with the files that it names. A plain `{% include %}` is other templates' as well: one whose
    file is not there stays."""
    text = _PLUGIN.sub(lambda match: _plugin(match, page), text)
    return _BRACES.sub(lambda match: _braces(match, page), text)


def _plugin(match: re.Match[str], page: IncludingPage) -> str:
    target, is_own = match["target"], match["name"] == "include-markdown"
    found = page.find(target)
    if found is None:
        if not is_own:
            return match[0]
        page.missed(target, "{% include-markdown %}")
        return match["indent"] + not_included(target)
    path, text = found
    options = {name: a or b or c for name, a, b, c in _OPTION.findall(match["options"])}
    for mark in ("start", "end"):
        if stated := options.get(mark, "").replace("\\n", "\n"):
            before, at, after = text.partition(stated)
            text = (after if mark == "start" else before) if at else text
    shown = page.expanded(path, text) if path.lower().endswith((".md", ".markdown")) else text
    offset = options.get("heading-offset", "0")
    if re.fullmatch(r"-?\d", offset):
        shown = shifted_headings(shown, int(offset))
    return indented(match["indent"], shown.strip("\n"))


def _braces(match: re.Match[str], page: IncludingPage) -> str:
    found = page.find(match["target"])
    if found is None:
        return match[0]
    path, text = found
    shown = page.expanded(path, text) if path.lower().endswith((".md", ".markdown")) else text
    return indented(match["indent"], shown.strip("\n"))
