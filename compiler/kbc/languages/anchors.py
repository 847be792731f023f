"""Anchors of headings, by the rules of the program that shows the page.

`github` is GitHub's and github-slugger's rule, which Docusaurus, Antora's Markdown and Hugo (its default,
`autoHeadingIDType = "github"`) share; the others differ in what they keep and how they count repetitions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

SlugStyle = Literal["github", "python-markdown", "mdbook", "vitepress", "kramdown", "docutils"]

STYLES: Mapping[str, SlugStyle] = {
    "docusaurus": "github",
    "hugo": "github",
    "jekyll": "kramdown",
    "mdbook": "mdbook",
    "mkdocs": "python-markdown",
    "sphinx": "docutils",
    "vitepress": "vitepress",
}
"""The style of each generator that kbc recognises; `github` for the others."""

_ATTRIBUTE = r"(?:#[^\s{}#]+|\.[^\W\d][\w-]*|[\w-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s\"'{}]+))"
_ATTRIBUTES = re.compile(
    rf"[ \t]*(?:\{{(?P<list>[ \t]*:?[ \t]*(?=[#.]){_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*)[ \t]*\}}"
    r"|\{/\*[ \t]*(?P<comment>[\w:.-]+)[ \t]*\*/\})[ \t]*\Z"
)
_STATED_ID = re.compile(r"(?:^|[\s:])#([^\s{}#]+)")
_CONTROL = re.compile(r"[\x00-\x1f]")
_VITEPRESS_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")


def split_attributes(title: str) -> tuple[str, str]:
    """A heading's source without the attributes at its end, and the id that they state, or "".

    Read are `{#id}`, `{ #id .class }`, `{: #id }` and `{/*id*/}`. `{name}` alone is text.
    """
    match = _ATTRIBUTES.search(title)
    if match is None:
        return title, ""
    stated = match["comment"] or ""
    if not stated and (found := _STATED_ID.search(match["list"])):
        stated = found[1]
    return title[: match.start()], stated


def slug(title: str, style: SlugStyle = "github") -> str:
    """The anchor of a heading with this plain text, before numbering."""
    if style == "python-markdown":
        ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
        kept = re.sub(r"[^\w\s-]", "", ascii_only).strip().lower()
        return re.sub(r"[-\s]+", "-", kept)
    if style == "mdbook":
        chars = (char for char in title if char.isalnum() or char in "_-" or char.isspace())
        return "".join("-" if char.isspace() else char.lower() for char in chars)
    if style == "vitepress":
        plain = _CONTROL.sub("", _without_accents(title))
        kept = re.sub(r"-{2,}", "-", _VITEPRESS_SPECIAL.sub("-", plain)).strip("-")
        return re.sub(r"^(\d)", r"_\1", kept).lower()
    if style == "kramdown":
        kept = re.sub(r"^[^A-Za-z]+", "", title)
        return re.sub(r"[^A-Za-z0-9 -]", "", kept).replace(" ", "-").lower() or "section"
    if style == "docutils":
        kept = re.sub(r"[^a-z0-9]+", "-", _without_accents(title).lower())
        return re.sub(r"^[-0-9]+|-+$", "", kept)
    return _github(title)


def _github(title: str) -> str:
    """Lower case, letters, marks, digits, `_` and `-` kept, each space a hyphen."""
    kept = (
        char
        for char in title.strip().lower()
        if char in "- " or unicodedata.category(char)[0] in "LM" or _is_word_sign(char)
    )
    return "".join(kept).replace(" ", "-")


def _without_accents(title: str) -> str:
    decomposed = unicodedata.normalize("NFKD", title)
    return "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")


class Anchors:
    """Numbers repeated anchors: `a`, `a-1`, `a-2` (Python-Markdown: `a_1`); a taken number is skipped."""

    def __init__(self, style: SlugStyle = "github") -> None:
        self._style: SlugStyle = style
        self._seen: dict[str, int] = {}

    def next(self, title: str, stated: str = "") -> str:
        """The anchor of the next heading; `stated` is the id that it names itself."""
        if stated:
            self._seen.setdefault(stated, 0)
            return stated
        original = anchor = slug(title, self._style)
        separator = "_" if self._style == "python-markdown" else "-"
        while anchor in self._seen:
            self._seen[original] += 1
            anchor = f"{original}{separator}{self._seen[original]}"
        self._seen[anchor] = 0
        return anchor


def _is_word_sign(char: str) -> bool:
    return unicodedata.category(char) in ("Nd", "Nl", "Pc")
