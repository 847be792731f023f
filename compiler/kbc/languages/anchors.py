"""Anchors of headings and other labels, by the rules of the program that shows the page.

`github` is GitHub's and github-slugger's rule, which Docusaurus, Antora's Markdown and Hugo (its default,
`autoIDType = "github"`) share, and so does Jekyll's kramdown with GFM but for dashes written with hyphens;
the others differ in what they keep and how they count repetitions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args
from urllib.parse import quote, unquote

from kbc.project.sites.settings import LinkSettings

SlugStyle = Literal[
    "github", "github-ascii", "blackfriday", "python-markdown", "mdbook", "vitepress", "kramdown", "docutils",
    "doc-builder", "docs-builder", "documenter", "ex-doc", "gitbook", "hexo", "kramdown-gfm", "mintlify",
    "pandoc",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnchorRules:
    """How a generator makes anchors. With `terms`, those of definition lists have one and are numbered
    with the headings. `others` are styles whose anchors links may use as well. With `project_wide`, ids
    that a page states can be linked from every page without its name; with `other_projects`, so can those
    of other projects. With `is_open`, a program of the site's own gives pages ids that no rule tells. With
    `slugs_links`, the rule makes the anchors of links too, so that they may be written as the heading is.
    Tabs have anchors by the style `tabs`, alone or behind that of a heading; None: they have none."""

    style: SlugStyle = "github"
    terms: bool = False
    others: tuple[SlugStyle, ...] = ()
    project_wide: bool = False
    other_projects: bool = False
    is_open: bool = False
    slugs_links: bool = False
    tabs: SlugStyle | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """What a page can be linked at: a heading at the top level (`is_section`), one inside of a quote or
    a list, or (`is_term`) a term of a definition list. `stated` is the id that it names itself.
    `unpictured` is the title of a heading with pictures without what these show, with a space where one was
    at an end, or of one with several blanks beside each other with these; "" for others."""

    title: str
    stated: str = ""
    is_section: bool = False
    is_term: bool = False
    unpictured: str = ""


_RULES: Mapping[str, AnchorRules] = {
    "docs-builder": AnchorRules("docs-builder"),
    "documenter": AnchorRules("documenter"),
    "ex-doc": AnchorRules("ex-doc"),
    "hexo": AnchorRules("hexo"),
    "jekyll": AnchorRules("kramdown-gfm"),
    "mdbook": AnchorRules("mdbook"),
    "mintlify": AnchorRules("mintlify", others=("github",)),
    "mkdocs": AnchorRules("python-markdown"),
    "bookdown": AnchorRules("pandoc"),
    "pkgdown": AnchorRules("pandoc"),
    "quarto": AnchorRules("pandoc"),
    # MyST resolves links by GitHub's rule (`myst_heading_anchors`), the page has docutils' ids.
    "sphinx": AnchorRules("docutils", others=("github",), project_wide=True),
    "vitepress": AnchorRules("vitepress", slugs_links=True),
    "vuepress": AnchorRules("vitepress"),
    "writerside": AnchorRules("blackfriday"),
    "zola": AnchorRules("blackfriday"),
}
_STYLES: tuple[SlugStyle, ...] = get_args(SlugStyle)
_IN_UPPER_CASE = ("documenter", "hexo")
"""Styles whose anchors elsewhere are mistakes; their sites are recognised."""

_ANY = AnchorRules(_STYLES[0], others=tuple(each for each in _STYLES if each not in _IN_UPPER_CASE))
_CHANGED: Mapping[str, AnchorRules] = {
    "doc-builder": replace(_ANY, style="doc-builder"),
    "docsify": _ANY,
    "gitbook": replace(_ANY, style="gitbook"),
}
"""Generators whose rules have changed over the years: links may have the anchors of any."""


_NOTHING_STATED = LinkSettings()


def rules_of(generator: str, stated: LinkSettings = _NOTHING_STATED) -> AnchorRules:
    """The rules of a generator with what the configuration of a site says of them. Without a generator,
    which program shows the pages is not known, and links may use the anchors of any."""
    if not generator:
        return _ANY
    rules = replace(
        _CHANGED.get(generator) or _RULES.get(generator, AnchorRules()),
        other_projects=stated.has_other_projects,
        is_open=stated.has_own_anchors,
    )
    named = (style for style in _STYLES if style == stated.slug_style)
    tabs = next((style for style in _STYLES if style == stated.tab_style), None)
    return replace(rules, style=next(named, rules.style), terms=stated.has_term_anchors, tabs=tabs)


_ATTRIBUTE = (
    r"(?:\\?#[^\s{}#]+|\.[^\W\d][\w-]*|[\w-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s\"'{}]+)"
    r"|(?:data|docsify)-[\w-]+)"
)
_ATTRIBUTES = re.compile(
    r"(?<![ \t])[ \t]*(?:\\?\{(?P<list>[ \t]*:?[ \t]*(?=\\?#|[.]|[\w-]+=[\"']|data-|docsify-)"
    rf"{_ATTRIBUTE}(?:[ \t]+{_ATTRIBUTE})*)[ \t]*\}}"
    r"|\{/\*[ \t]*(?P<comment>[\w:.-]+)[ \t]*\*/\}"
    r"|(?<=\S)[ \t]+:id=(?P<option>[\w-]+)"
    r"|(?<=\S)[ \t]*\[\[(?P<double>[a-z0-9_-]+|[\w-]+(?:\.[\w-]+)+)\]\]"
    r"|(?<=\S)[ \t]+(?:\[!?toc\][ \t]*)?\[#(?P<single>[A-Za-z][\w-]*)\](?:[ \t]*\[!?toc\])?"
    r"|(?<=\S)[ \t]+\[!?toc\])[ \t]*\Z"
)
_CLOSING = re.compile(r"(?<![ \t])[ \t]+#+[ \t]*\Z")
"""Marks that close a heading, where attributes follow them."""

_STATED_ID = re.compile(r"(?:^|[\s:])(?:\\?#([^\s{}#]+)|id=[\"']([^\"']+))")
_COUNT = re.compile(r"_([0-9]{1,9})\Z")
_CONTROL = re.compile(r"[\x00-\x1f]")
_DASH = re.compile(r"(?<= )-{2,3}(?= )")
_HEXO_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'<>,.?/]+")
_CONTRACTED = re.compile(r"(?<=[A-Za-z0-9])-([ts])(-|\Z)")
_MINTLIFY_DROPPED = re.compile(r"[?,;:!'\"()\[\]{}\u200d\ufe0e\ufe0f]")
_VITEPRESS_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")


def split_attributes(title: str) -> tuple[str, str]:
    """A heading's source without the attributes at its end, and the id that they state, or "".

    Read are `{#id}` (in MDX also escaped), `{ #id .class }`, `{: #id }`, `{id="id"}`, `{/*id*/}` and, behind
    a title, `[[id]]` (Hugging Face), `[#id]`, `[toc]` and `[!toc]` (Fumadocs), `:id=id` (Docsify), and
    without an id `{ data-name }` and `{docsify-ignore}`. Any other `{name}` alone is text, and so is `[#12]`.
    """
    match = _ATTRIBUTES.search(title)
    if match is None:
        return title, ""
    stated = match["comment"] or match["double"] or match["single"] or match["option"] or ""
    if match["list"] and (found := _STATED_ID.search(match["list"])):
        stated = found[1] or found[2]
    return _CLOSING.sub("", title[: match.start()]), stated


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
    if style == "hexo":
        return _HEXO_SPECIAL.sub("-", _CONTROL.sub("", _without_accents(title))).strip("-")
    if style == "blackfriday":
        return re.sub(r"[\W_]+", "-", title.lower()).strip("-")
    if style == "github-ascii":
        return _github(_without_accents(title).encode("ascii", "ignore").decode())
    if style == "kramdown":
        kept = re.sub(r"^[^A-Za-z]+", "", title)
        return re.sub(r"[^A-Za-z0-9 -]", "", kept).replace(" ", "-").lower() or "section"
    if style == "kramdown-gfm":
        return _github(_DASH.sub("", title))
    if style == "pandoc":
        kept = re.sub(r"[^\w\s.-]", "", title.lower())
        return re.sub(r"^[\W\d_]+", "", "-".join(kept.split())) or "section"
    if style == "gitbook":
        plain = re.sub(r"[\'’]", "", _without_accents(title).lower())
        kept = re.sub(r"[^\w.]+", "-", plain).strip("-")
        return f"id-{kept}" if kept[:1].isdigit() else kept
    if style == "ex-doc":
        return re.sub(r"\W+", "-", title.lower()).strip("-")
    if style == "doc-builder":
        return re.sub(r"[^a-z0-9-]", "", title.strip().lower().replace(" ", "-"))
    if style == "mintlify":
        return _mintlify(title)
    if style == "docs-builder":
        plain = re.sub(r"\s+", "-", _without_accents(title).strip().lower())
        return re.sub(r"-{2,}", "-", re.sub(r"[^a-z0-9._-]", "", plain))
    if style == "documenter":
        spaced = re.sub(r"\s+", "-", title.strip()).replace("&", "-and-")
        return re.sub(r"-{2,}", "-", "".join(filter(_is_kept_by_documenter, spaced))).strip("-")
    if style == "docutils":
        kept = re.sub(r"[^a-z0-9]+", "-", _without_accents(title).lower())
        return re.sub(r"^[-0-9]+|-+$", "", kept)
    return _github(title)


def _mintlify(title: str) -> str:
    """What an address need not quote is a hyphen, except letters, digits and `_`; the rest is kept but for
    some punctuation and symbols. A contraction is one word (`whats-new`)."""
    words = re.sub(r"\s+", "-", title.strip().lower())
    quoted = quote(words, safe="~*'()!", errors="replace")
    hyphened = re.sub(r"[^A-Za-z0-9%_]+", "-", quoted)
    joined = re.sub(r"-{2,}", "-", _CONTRACTED.sub(r"\1\2", hyphened)).strip("-")
    kept = _MINTLIFY_DROPPED.sub("", unquote(joined))
    return "".join(char for char in kept if unicodedata.category(char) != "So")


def _is_kept_by_documenter(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] in "LP" or category == "Nd"


def _github(title: str) -> str:
    """Lower case, letters, marks, digits, `_` and `-` kept, each space a hyphen."""
    kept = (
        char
        for char in title.strip().lower()
        if char in "- "
        or (category := unicodedata.category(char))[0] in "LM"
        or category in ("Nd", "Nl", "Pc")
    )
    return "".join(kept).replace(" ", "-")


def unpictured(label: Label) -> set[str]:
    """The anchors of a heading with pictures by GitHub's rule, which takes no text of these and keeps a
    space beside one as a hyphen; libraries leave that out. Of one with blanks beside each other, that with a
    hyphen for each. Empty for other labels."""
    own, title = _github(label.unpictured), label.unpictured
    if not own:
        return set()
    return {own, "-" * title.startswith(" ") + own + "-" * title.endswith(" ")}


def _without_accents(title: str) -> str:
    decomposed = unicodedata.normalize("NFKD", title)
    return "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")


def assigned(labels: Iterable[Label], rules: AnchorRules = AnchorRules()) -> list[str]:
    """The anchor of each label, "" for a term that has none."""
    anchors = Anchors(rules.style)
    return [
        "" if label.is_term and not rules.terms else anchors.next(label.title, label.stated)
        for label in labels
    ]


class Anchors:
    """Numbers repeated anchors: `a`, `a-1`, `a-2` (Python-Markdown: `a_1`, Sphinx: `id1`); a taken number is
    skipped."""

    def __init__(self, style: SlugStyle = "github") -> None:
        self._style: SlugStyle = style
        self._seen: dict[str, int] = {}
        self._repeated = 0

    def next(self, title: str, stated: str = "") -> str:
        """The anchor of the next heading; `stated` is the id that it names itself."""
        if stated:
            self._seen.setdefault(stated, 0)
            return stated
        original = anchor = slug(title, self._style)
        if self._style in ("documenter", "mintlify") and anchor in self._seen:
            self._seen[original] = max(self._seen[original], 1)  # `a`, `a-2`
        while self._style == "docutils" and (not anchor or anchor in self._seen):
            self._repeated += 1
            anchor = f"id{self._repeated}"
        if self._style == "python-markdown":
            anchor = self._counted(anchor)
        while anchor in self._seen:
            self._seen[original] += 1
            anchor = f"{original}-{self._seen[original]}"
        self._seen[anchor] = 0
        return anchor

    def _counted(self, original: str) -> str:
        """As Python-Markdown counts: an anchor that is taken, or of which nothing is left, gets the next
        number that is free, `_1` for the first title in Chinese."""
        number = _COUNT.search(original)
        stem = original[: number.start()] if number else original
        count = max(int(number[1]) if number else 0, self._seen.get(original, 0))
        anchor = original
        while not anchor or anchor in self._seen:
            count += 1
            anchor = f"{stem}_{count}"
        if anchor != original:
            self._seen[original] = count
        return anchor
