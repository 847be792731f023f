"""Ruby in Markdown (ERB), as Middleman and Sitepress have it: partials and values as their text.

What a program of the site computes has no text in the tree: its tags go, with a label where they state one,
and the page counts them. The text between statements (`<% if x %>`) is kept.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from kbc.languages.front_matter import front_matter_end
from kbc.languages.includes.containers import label
from kbc.languages.includes.files import (
    MAX_DEPTH,
    Expansion,
    IncludingPage,
    Surroundings,
    not_included,
)
from kbc.project.include_tree import Read, folders_above
from kbc.project.kinds import RUBY

_MARKDOWN = (*RUBY, *(f".html{each}" for each in RUBY), ".md", ".html.md")
_PARTIALS = (*_MARKDOWN, ".erb", ".html.erb", ".html")
_LEFT_OUT = 2
"""Folders at the beginning of a partial's path that a site may have around the tree: `docs/partials/note`."""

_TEXT = r"(?:\"(?:[^\"\\#]|\\.)*\"|'(?:[^'\\]|\\.)*')"
_LITERAL = re.compile(_TEXT)
_LITERALS = re.compile(rf"\\.|(?P<text>{_TEXT})")
"""The literals in a call; a quote behind a backslash begins none."""

_ASSIGNED = re.compile(rf"(?P<name>[a-z_]\w*)\s*=\s*(?P<text>{_TEXT})")
_STATED = re.compile(rf"\b(?P<name>[a-z_]\w*):\s*(?P<text>{_TEXT})")
_NAME = re.compile(r"[a-z_]\w*(?:\.\w+[?!]?)*")
_CALL = re.compile(r"(?P<name>[a-z_]\w*)[\s(]+")
_PARTIAL = re.compile(rf"(?:partial:\s*)?(?P<text>{_TEXT})")
_CONTROL = re.compile(
    r"(?:if|unless|else|elsif|end|case|when|begin|content_for|wrap_layout|current_page|page)\b|\}"
)


def expand_ruby(text: str, path: str, read: Read) -> Expansion:
    """The page at `path` (below the root) as its Ruby leaves it; `read` gives other files."""
    if "<%" not in text:
        return Expansion(text, {})
    page = IncludingPage(path, read, lambda part, _: part, Surroundings())
    source = text.replace("\r\n", "\n")
    start = front_matter_end(source)
    body = _RubyTemplate(page).expanded(source[start:], {}, path, 0)
    return Expansion(source[:start] + body, dict(page.unresolved), dict(page.external))


class _RubyTemplate:
    """A page with the partials that it includes."""

    def __init__(self, page: IncludingPage) -> None:
        self._page = page

    def expanded(self, text: str, values: Mapping[str, str], path: str, depth: int) -> str:
        known = dict(values)
        parts: list[str] = []
        position = 0
        while (start := text.find("<%", position)) >= 0 and (end := text.find("%>", start)) >= 0:
            before, source = text[position:start], text[start + 2 : end]
            position = end + 2
            if source.startswith("="):
                expression = source[1:].strip().rstrip("-").strip()
                parts += [before, self._shown(expression, known, path, depth)]
            elif source.startswith("%"):  # a tag that is shown
                parts += [before, f"<%{source[1:]}%>"]
            else:
                if not source.startswith("#"):
                    self._run(source.strip("-").strip(), known)
                indent = before.rpartition("\n")[2]
                line = start - len(indent)
                is_alone = not indent.strip() and text[line - 1 : line] in ("", "\n")
                if is_alone and text.startswith("\n", position):
                    before, position = before.removesuffix(indent), position + 1
                parts.append(before)
        return "".join([*parts, text[position:]])

    def _run(self, statement: str, values: dict[str, str]) -> None:
        if assigned := _ASSIGNED.fullmatch(statement):
            values[assigned["name"]] = _unquoted(assigned["text"])
        elif statement and not _CONTROL.match(statement):
            self._page.external["<% %>"] += 1

    def _shown(self, expression: str, values: Mapping[str, str], path: str, depth: int) -> str:
        if _LITERAL.fullmatch(expression):
            return _unquoted(expression)
        if _NAME.fullmatch(expression):
            if expression not in values:
                self._page.external["<%= %>"] += 1
            return values.get(expression, expression)
        call = _CALL.match(expression)
        name, rest = (call["name"], expression[call.end() :]) if call else ("", expression)
        stated = {each["name"]: _unquoted(each["text"]) for each in _STATED.finditer(rest)}
        if name in ("partial", "render") and (partial := _PARTIAL.match(rest)):
            return self._partial(_unquoted(partial["text"]), stated, path, depth)
        if name.startswith("link_to"):
            found = [each["text"] for each in _LITERALS.finditer(rest) if each["text"]]
            texts = [_unquoted(each) for each in found[:2]]
            return f"[{texts[0]}]({texts[1]})" if len(texts) == 2 else "".join(texts)
        if name.startswith("image"):
            return stated.get("alt", "")
        self._page.external["<%= %>"] += 1
        words = (stated.get(each, "") for each in ("badge", "title", "label"))
        return label("", " ".join(filter(None, words)))

    def _partial(self, target: str, values: Mapping[str, str], path: str, depth: int) -> str:
        for place in _places(target, path) if depth < MAX_DEPTH and "\0" not in target else ():
            text = self._page.text_at(place)
            if text is None:
                continue
            body = text[front_matter_end(text) :]
            return self.expanded(body, values, place, depth + 1).strip("\n")
        self._page.missed(target, "<%= partial %>")
        return not_included(target)


def _places(target: str, path: str) -> Iterator[str]:
    """Where a partial may lie: below the folders around the page, the nearest first."""
    folders = target.strip("/").split("/")
    name = folders.pop()
    for around in folders_above(path):
        for left_out in range(max(1, min(_LEFT_OUT + 1, len(folders)))):
            folder = posixpath.join(around, *folders[left_out:])
            for each in (f"_{name}", name):
                endings = ("", *_PARTIALS) if "." in name else _PARTIALS
                yield from (posixpath.join(folder, each + ending) for ending in endings)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
