"""Links of Documenter that name a heading or a docstring of the site, as links to its page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from kbc.formats import commonmark
from kbc.formats.documenter.literate import ENDING
from kbc.languages.anchors import Anchors, SlugStyle, slug
from kbc.languages.includes.fenced import fenced_stretches
from kbc.languages.julia.names import wanted
from kbc.languages.markdown import heading_text, plain_text
from kbc.project.source_file import relative_path, resolved_path

STYLE: SlugStyle = "documenter"
HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]+)$", re.MULTILINE)

_IDENTIFIED = re.compile(r"\[(?P<title>.*)\]\(@id(?P<id>(?:[ \t][^()]*)?)\)")
_LINK = re.compile(
    r"(?P<code>(?<!`)(?P<marks>`+)(?!`)(?:[^`]|(?!(?P=marks)(?!`))`)*(?P=marks)(?!`))"
    r"|(?<![!\\])\[(?P<text>(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]"
    r"\(\s*@(?P<kind>[a-z]+)(?P<target>(?:\s(?:[^()]|\([^()]*\))*)?)\)"
)
_ONE_SPAN = re.compile(r"(`+)(?!`)(?P<code>.+?)(?<!`)\1", re.DOTALL)
_TO_PAGE = re.compile(r"\]\((?P<path>[^():#\s]+)\.md(?=[)#\s])")
_ISSUE = re.compile(r"#\d+")


@dataclass(slots=True)
class SiteIndex:
    """Where links may lead: (path, anchor) of headings by their slugs, and of docstrings by the last parts of
    their names, with the full ones; an anchor of "" is that of the page."""

    headings: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    objects: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)

    def add_headings(self, path: str, text: str) -> None:
        anchors = Anchors(STYLE)
        for stretch, is_code in fenced_stretches(text):
            for match in () if is_code else HEADING.finditer(stretch):
                title, stated = identified(match["title"])
                own = stated or heading_text(title)
                anchor = anchors.next(own)
                self.headings.setdefault(slug(own, STYLE), []).append((path, anchor))

    def add_object(self, name: str, path: str, *, is_shown: bool) -> None:
        """A docstring that a page shows, or that it names and whose source is not in the tree."""
        place = (name, path, name if is_shown else "")
        self.objects.setdefault(name.rpartition(".")[2], []).append(place)

    def heading(self, title: str, page: str) -> tuple[str, str] | None:
        """The place of a heading; of several alike one in the page itself counts, else the first."""
        found = self.headings.get(slug(title, STYLE), ())
        return next((each for each in found if each[0] == page), next(iter(found), None))

    def object(self, name: str, current: str) -> tuple[str, str] | None:
        """The place of the docstring of what a link in the module `current` names."""
        named = wanted(name.strip())
        if len(named) != 1:
            return None
        stated = ".".join(named[0].path)
        found = self.objects.get(named[0].path[-1], ())
        full = (stated, f"{current}.{stated}")
        exact = [each for each in found if each[0] in full]
        ending = [
            each for each in found if f".{each[0]}".endswith(f".{stated}") or "." not in stated
        ]
        # A module may have it from another one, which its name does not tell.
        only = found if len({each[0] for each in found}) == 1 else ()
        shown = sorted(exact or ending or only, key=lambda each: not each[2])
        return shown[0][1:] if shown else None


def identified(title: str) -> tuple[str, str]:
    """The title of a heading, and the id that it states; "" without one."""
    match = _IDENTIFIED.fullmatch(title.strip())
    return (match["title"], match["id"].strip()) if match else (title, "")


def with_ids(text: str) -> str:
    """Prose whose headings state their ids as attributes."""

    def shown(match: re.Match[str]) -> str:
        title, stated = identified(match["title"])
        if title == match["title"]:
            return match[0]
        return f"{match['marks']} {title}{f' {{#{slug(stated, STYLE)}}}' if slug(stated) else ''}"

    return HEADING.sub(shown, text) if "(@id" in text else text


def with_links(text: str, page: str, current: str, index: Callable[[], SiteIndex]) -> str:
    """Prose of the page at `page`, in the module `current`, with references as links to the pages that they
    name, and as their text where none is known; so are links of plugins (`@extref`, `@cite`)."""

    def shown(match: re.Match[str]) -> str:
        if match["code"] is not None or match["kind"] == "id":
            return match[0]
        label = match["text"]
        place = None
        if match["kind"] == "ref":
            place = _place(match["target"].strip(), label, page, current, index())
        if place is None:
            return label
        path, anchor = place
        target = "" if path == page and anchor else relative_path(path, page)
        return commonmark.link(label, f"{target}{'#' * bool(anchor)}{anchor}")

    return _LINK.sub(shown, text) if "(@" in text or "( @" in text else text


def with_scripts(text: str, page: str, scripts: frozenset[str]) -> str:
    """Prose with links to pages that are made of scripts (`guide.md` of `guide.jl`) as links to these."""

    def shown(match: re.Match[str]) -> str:
        path = resolved_path(match["path"], page)
        is_script = f"{path}{ENDING}" in scripts
        return f"]({match['path']}{ENDING}" if is_script else match[0]

    return _TO_PAGE.sub(shown, text) if scripts else text


def _place(
    target: str, label: str, page: str, current: str, index: SiteIndex
) -> tuple[str, str] | None:
    """What a reference leads to, by what it names or else by its text."""
    stated = target or label.strip()
    if _ISSUE.fullmatch(stated):
        return None
    if span := _ONE_SPAN.fullmatch(stated):
        return index.object(span["code"], current)
    if not target:
        return index.heading(plain_text(stated), page)
    if len(target) > 2 and target[0] == target[-1] == '"':
        return index.heading(target[1:-1], page)
    return index.heading(target, page) or index.object(target, current)
