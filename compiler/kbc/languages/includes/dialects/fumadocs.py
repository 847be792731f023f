"""Fumadocs: `<include>part.mdx#section</include>` shows a file, or the part of it with that name."""

from __future__ import annotations

import re

from kbc.languages.includes.files import (
    IncludingPage,
    fence,
    indented,
    language_of,
    not_included,
    region,
)

TRIGGER = r"^[ \t]*<include\b[^<>]*>"

_INCLUDE = re.compile(
    r"^(?P<indent>[ \t]*)<include\b(?P<attributes>[^<>]*)>[ \t]*(?P<target>[^<>#\n]+?)"
    r"(?:#(?P<part>[\w.-]+))?[ \t]*</include>[ \t]*$",
    re.MULTILINE,
)
_LANGUAGE = re.compile(r"\blang=[\"'](\w+)[\"']")
_TITLE = re.compile(r"\btitle=\\?\"([^\"\\]+)")
_PAGES = (".md", ".mdx")


def replace(text: str, page: IncludingPage) -> str:
    """Prose with the files that it names."""
    return _INCLUDE.sub(lambda match: _part(match, page), text)


def _part(match: re.Match[str], page: IncludingPage) -> str:
    indent, part = match["indent"], match["part"]
    found = page.load(match["target"], "<include>")
    if found is None:
        return indent + not_included(match["target"])
    path, content = found
    attributes = match["attributes"]
    language = _LANGUAGE.search(attributes)
    if language is None and path.lower().endswith(_PAGES):
        if part:
            content = _section(content, part)
        return indented(indent, page.expanded(path, content).strip("\n"))
    if part:
        content = region(content, part) or content
    title = _TITLE.search(attributes)
    code = fence(content.rstrip("\n"), language[1] if language else language_of(path))
    return indented(indent, f"**{title[1]}**\n\n{code}" if title else code)


def _section(content: str, name: str) -> str:
    """What `<section id="name">` of a page holds; all of the page where it has none."""
    mark = rf"<section\b[^<>]*\bid=[\"']{re.escape(name)}[\"'][^<>]*>\n?(.*?)</section>"
    found = re.search(mark, content, re.DOTALL)
    return found[1] if found else content
