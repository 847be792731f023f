"""Docsify: `[file](part.md ':include')` shows a file, `!>` and `?>` begin notices."""

from __future__ import annotations

import re

from kbc.languages.includes.files import IncludingPage, fence, indented, language_of, not_included

TRIGGER = r"^[ \t]*[!?]>[ \t]|[\"']:include\b"

_INCLUDE = re.compile(
    r"^(?P<indent>[ \t]*)\[[^\]\n]*\]\((?P<target>[^\s()]+)[ \t]+(?P<quote>[\"']):include\b"
    r"(?P<options>[^\"'\n]*)(?P=quote)\)[ \t]*$",
    re.MULTILINE,
)
_TYPE = re.compile(r":type=(?P<type>\w+)(?:[ \t]+(?P<language>[\w+#-]+))?")
_FRAGMENT = re.compile(r":fragment=([\w-]+)")
_NOTICE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[!?])>[ \t]+(?=\S)", re.MULTILINE)
_PAGES = (".md", ".markdown")


def replace(text: str, page: IncludingPage) -> str:
    """Prose with the files that it embeds, and with labels in the place of marks of notices."""
    text = _NOTICE.sub(
        lambda match: (
            f"\n{match['indent']}**{'Important' if match['mark'] == '!' else 'Tip'}**\n\n"
            f"{match['indent']}"
        ),
        text,
    )
    return _INCLUDE.sub(lambda match: _embedded(match, page), text)


def _embedded(match: re.Match[str], page: IncludingPage) -> str:
    kind = _TYPE.search(match["options"])
    shown_by_browser = kind is not None and kind["type"] in ("iframe", "video", "audio")
    found = None if shown_by_browser else page.load(match["target"].lstrip("/"), ":include")
    if found is None:
        missing = not_included(match["target"])
        return match[0] if shown_by_browser else match["indent"] + missing
    path, content = found
    if part := _FRAGMENT.search(match["options"]):
        marks = rf"^.*(?:###|///)[ \t]*\[{re.escape(part[1])}\].*\n?"
        parts = re.split(marks, content, flags=re.MULTILINE)
        content = parts[1] if len(parts) > 1 else content
    if kind is None and path.lower().endswith(_PAGES):
        return indented(match["indent"], page.expanded(path, content).strip("\n"))
    language = (kind["language"] if kind else None) or language_of(path)
    return indented(match["indent"], fence(content.rstrip("\n"), language))
