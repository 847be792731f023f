"""Files that plugins of MkDocs include: `{% include-markdown "part.md" %}`, `{!part.md!}`.

markdown-include and mdx_include fill in the latter before Markdown is read, in code as well. FORD, which
documents Fortran, has it from them.
"""

from __future__ import annotations

import re

from kbc.languages.includes.components import options
from kbc.languages.includes.fenced import shifted_headings
from kbc.languages.includes.files import IncludingPage, indented, lines_in, not_included

TRIGGER = r"\{%-?[ \t\n]*include(?:-markdown)?[ \t\n]+[\"']|^[ \t]*\{!>?[ \t]*[^\s{}!>]"

_PLUGIN = re.compile(
    r"^(?P<indent>[ \t]*)\{%-?[ \t\n]*(?P<name>include(?:-markdown)?)[ \t\n]+(?P<quote>[\"'])"
    r"(?P<target>[^\"'\n]+)(?P=quote)(?P<options>(?:\"[^\"]*\"|'[^']*'|[^\"'%]|%(?!\}))*?)-?%\}[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_BRACES = re.compile(
    r"^(?P<indent>[ \t]*)\{!>?[ \t]*(?P<target>[^\s{}!\[\]>]+)[ \t]*(?:\[ln:(?P<range>[\d,-]+)\][ \t]*)?"
    r"!(?:lines=(?P<lines>[\d \t-]+))?\}[ \t]*$",
    re.MULTILINE,
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
    stated = options(match["options"])
    for mark in ("start", "end"):
        if line := stated.get(mark, "").replace("\\n", "\n"):
            before, at, after = text.partition(line)
            text = (after if mark == "start" else before) if at else text
    shown = page.expanded(path, text) if path.lower().endswith((".md", ".markdown")) else text
    offset = stated.get("heading-offset", "0")
    if re.fullmatch(r"-?\d", offset):
        shown = shifted_headings(shown, int(offset))
    return indented(match["indent"], shown.strip("\n"))


def with_files(code: str, page: IncludingPage) -> str:
    """A fenced block with the files, or lines of them, that `{!name!}` names; what is not there stays."""
    return _BRACES.sub(lambda match: _braces(match, page, is_code=True), code)


def _braces(match: re.Match[str], page: IncludingPage, *, is_code: bool = False) -> str:
    found = page.find(match["target"])
    if found is None:
        return match[0]
    path, text = found
    stated = match["range"] or match["lines"] or ""
    if stated.strip():
        text = lines_in(text, stated)
    is_page = path.lower().endswith((".md", ".markdown")) and not is_code
    shown = page.expanded(path, text) if is_page else text
    return indented(match["indent"], shown.strip("\n"))
