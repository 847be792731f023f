"""Components that name the file which they show: Mintlify's `<Snippet file="x.mdx" />`, Storybook's
`<CodeSnippets path="x.md" />`, Angular's `<docs-code path="x.ts" visibleRegion="y" />`, and a site's own.

Whatever a component is called: where an attribute of an empty one names a file of the tree, its text is what
the site shows in that place.
"""

from __future__ import annotations

import re

from kbc.languages.includes.components import attributes
from kbc.languages.includes.fenced import beside_spans
from kbc.languages.includes.files import (
    IncludingPage,
    fence,
    indented,
    language_of,
    not_included,
    region,
)

_TAG = re.compile(
    r"^(?P<indent>[ \t]*)<(?P<name>[A-Z]\w*|docs-code)(?P<stated>\s(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*?)"
    r"(?:/>|>\s*</(?P=name)>)",
    re.MULTILINE,
)
_NAMING = ("file", "path", "src", "source")
_FILE = re.compile(r"[\w@~./-]+\.(?P<ending>\w+)")
_TEXTS = frozenset(["md", "mdx", "markdown"])
_MEDIA = frozenset([
    "apng", "avif", "bmp", "gif", "gz", "htm", "html", "ico", "jpeg", "jpg", "mov", "mp3", "mp4", "ogg",
    "pdf", "png", "svg", "tgz", "wav", "webm", "webp", "zip",
])  # fmt: skip
_SNIPPETS = re.compile(r"Snippets?\Z|docs-code\Z")
"""Components that show nothing but files."""

_OF_TEXT = re.compile(r"Snippet|Includ|Partial|Fragment|Markdown|Content|Embed|Reus|Shared")
_OF_DATA = re.compile(r"Snippet|Code|Example|File|Source")
_DATA = frozenset(["cast", "css", "csv", "json", "yaml", "yml"])
"""What charts, films and descriptions of APIs are drawn from; pages are what links name. Only components
that are called so show their text."""

_ANGULAR_MARK = re.compile(r"^.*#(?:end)?docregion\b.*\n?", re.MULTILINE)
_FOLDERS = ("", "snippets/", "_snippets/")
_MAX_CHARS = 40_000
"""A longer file is data that a program shows, such as the description of an API."""


def replace_shown_files(text: str, page: IncludingPage) -> str:
    """Prose with the files that its components name."""
    if not _TAG.search(text):
        return text
    return beside_spans(text, lambda prose: _TAG.sub(lambda each: _shown(each, page), prose))


def _shows(component: str, ending: str) -> bool:
    """Whether a component of this name shows the text of such a file."""
    if ending in _TEXTS:
        return _OF_TEXT.search(component) is not None
    if ending in _DATA:
        return _OF_DATA.search(component) is not None
    return ending not in _MEDIA and component != "Script"


def _shown(match: re.Match[str], page: IncludingPage) -> str:
    stated = attributes(match["stated"])
    target = next((stated[name] for name in _NAMING if stated.get(name)), "")
    if not (named := _FILE.fullmatch(target)) or not _shows(match["name"], named["ending"].lower()):
        return match[0]
    found = page.find(target, _FOLDERS)
    if found is None:
        if not _SNIPPETS.search(match["name"]):
            return match[0]
        page.missed(target, f"<{match['name']}>")
        return match["indent"] + not_included(target)
    path, content = found
    if named["ending"].lower() in _TEXTS:
        return indented(match["indent"], f"\n{page.expanded(path, content).strip()}\n")
    if len(content) > _MAX_CHARS:
        return match[0]
    name = stated.get("visibleRegion") or stated.get("region")
    code = (region(content, name) if name else None) or _ANGULAR_MARK.sub("", content).rstrip("\n")
    title = stated.get("title") or stated.get("header") or ""
    shown = fence(code, stated.get("language") or language_of(path), title=title)
    return indented(match["indent"], f"\n{shown}\n")
