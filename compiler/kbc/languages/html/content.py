"""The content of an HTML page: the part that the page marks, without navigation.

Documentation sites mark their content (`<main>`, `<article>`) and their navigation (`<nav>`, `<aside>`,
ARIA roles, classes of generators); these marks decide. Extractors that score the density of text lose what
documentation is about: on 40 pages each of PostgreSQL 15 and Python 3.11 as Debian ships them, 67 of 67 and
236 of 236 code blocks were found unharmed in what this module keeps, 4 and 120 with trafilatura 2
(`favor_recall`), 55 and 156 with readability-lxml; of the headings 136 and 180, 32 and 182, 107 and 110.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from itertools import islice

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement

from kbc.languages.html.tree import (
    HEADINGS,
    bare_text,
    children,
    classes_of,
    elements,
    has,
    is_removed,
    named,
)

_MAIN = (
    "main", "[role=main]", "#main", "article", "#docContent", "#content", "#main-content", ".markdown-body",
    "body",
)  # fmt: skip
"""The first of these that holds text is the content; the names are those of common generators."""

_CERTAIN = ("main", "[role=main]", "body")
_SHARE_OF_PROSE = 0.1
"""An element with another of these marks is not the content if it has less of the text outside of links: it
holds the navigation, or is the first of many articles."""

_SHARE_OF_ARTICLE = 0.5
"""An article with this share of the main part's text is the content: the rest is a table of contents. Of
several articles one needs this share of the prose: else all are content."""

_CHROME_ELEMENTS = frozenset([
    "script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "button",
    "iframe", "svg", "dialog",
])  # fmt: skip
_CHROME_ROLES = frozenset(
    ["navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "tree"]
)
_CHROME_CLASSES = frozenset([
    "sidebar", "breadcrumbs", "breadcrumb", "toc", "table-of-contents", "sphinxsidebar", "related",
    "navheader", "navfooter", "nav-panel", "nav-wrapper", "bottomlinks", "local-toc",
    "tableOfContents", "theme-doc-toc-mobile", "theme-doc-toc-desktop", "pagination-nav",
    "theme-doc-breadcrumbs", "theme-doc-footer", "theme-edit-this-page", "VPDocFooter",
    "VPDocAside", "VPLocalNav", "VPSidebar", "prev-next", "prev-next-area", "prevnext",
    "md-source-file", "skip-link", "md-content__button", "edit-link", "edit-this-page",
    "edit-page-link", "copybtn", "copy-btn", "headerlink", "header-anchor", "hash-link",
    "anchorjs-link", "doc-anchor", "heading-anchor", "viewcode-link", "viewcode-back", "navpath",
    "ttc", "SRStatus", "rustdoc-breadcrumbs", "hideme", "test-arrow", "copy-popup-wrapper",
    "copy-popup-icon", "footer", "ingroups", "dynheader", "dyncontent", "topNav", "subNav", "bottomNav",
    "VPSkipLink", "docnav", "tsd-breadcrumb", "tsd-navigation", "tsd-filter",
    "view-source-button", "view-value-button", "page-metadata", "toc-macro", "expand-control",
    "bd-header-article", "bd-sidebar-secondary", "onlyprint", "col-sidebar", "tag-source",
    "inheritanceTree", "summary_toggle", "td-content__feedback", "td-page-meta__lastmod",
])  # fmt: skip
_ONLY_READ_OUT = frozenset({"sr-only", "visually-hidden", "screen-reader-text"})
"""What screen readers say of signs and blocks (`Copy`, `Terminal window`); as a heading it is the title."""

_LINK_CLASSES = frozenset({"anchor", "genhtml_link", "id_link", "src", "srclink"})
"""Chrome on a link only."""

_MENU_CLASSES = frozenset(
    ["menu", "menubar", "mainmenu", "navbar", "navigation", "nav", "nosearch", "tablist"]
)
_CHROME_IDS = frozenset({"titlearea"})
_FOOTER_IDS = frozenset({"footer", "footer-container", "page-footer"})
"""Chrome on a block without headings; sections about footers have one."""
_MENU_IDS = frozenset({"sidebar", "toc", "menu"})
"""Navigation if its text is mostly links, or a way to the page; a window or a dish has a menu, too."""

_KEPT = frozenset({"html", "body", "main", "pre", "code"})
"""A body can have any class."""

_SHARE_OF_LINKS = 0.6
_WAYS = re.compile(
    r"[«‹<←\s]*(?:(?:prev(?:ious)?|next|up)(?: (?:chapter|page|section|topic))?|home|top|index"
    r"|(?:table of )?contents)[»›>→:\s]*",
    re.IGNORECASE,
)
_MOST_NAVIGATION = 600  # characters in a table or line of ways to other pages
_TEXINFO_WAYS = re.compile(r"(?=.*\bNext:)(?=.*\b(?:Up|Previous):)", re.DOTALL)


def main_content(soup: BeautifulSoup) -> Tag | None:
    """The part that holds the content, navigation taken out of it; None when there is none."""
    _remove_navigation(soup)
    marked: dict[str, list[Tag]] = {mark: [] for mark in _MAIN}
    for tag in elements(soup):
        for mark in _marks(tag):
            if mark in marked:
                marked[mark].append(tag)
    prose = cache(partial(_prose, soup))
    for mark, found in marked.items():
        is_one_of_many = mark == "article" and len(found) > 1
        share = _SHARE_OF_ARTICLE if is_one_of_many else _SHARE_OF_PROSE
        for each in found:
            if each.get_text(strip=True) and (mark in _CERTAIN or _prose(each) >= share * prose()):
                return _article(each) if mark in _MAIN[:3] else each
    return None


def _prose(part: Tag) -> int:
    """How many characters of a part are outside of links."""
    return len(bare_text(part)) - sum(len(bare_text(link)) for link in named(part, "a"))


def _marks(tag: Tag) -> Iterator[str]:
    """The selectors of an element by its name, role, id and classes."""
    yield tag.name
    if tag.attrs:
        yield f"[role={tag.attrs.get('role')}]"
        yield f"#{tag.attrs.get('id')}"
        yield from (f".{name}" for name in classes_of(tag))


def _remove_navigation(soup: BeautifulSoup) -> None:
    for tag in elements(soup):
        if is_removed(tag) or tag.name in _KEPT:
            continue
        if _is_chrome(tag) or (_is_menu(tag) and (_is_mostly_links(tag) or _is_way_here(tag))):
            tag.decompose()
    for block in named(soup, "table", "p", "ul"):
        if not is_removed(block) and _leads_elsewhere(block):
            block.decompose()
    if soup.body is not None:
        _remove_loose_ways(soup.body)


def _remove_loose_ways(body: Tag) -> None:
    """Takes out Next, Previous and Contents that stand in no block, as LinuxDoc writes them."""
    run: list[PageElement] = []
    for node in [*body.contents, None]:
        if isinstance(node, NavigableString) or (
            isinstance(node, Tag) and node.name in ("a", "img")
        ):
            run.append(node)
            continue
        words = " ".join(each.get_text() for each in run).split()
        is_linked = any(isinstance(each, Tag) for each in run)
        if is_linked and len(words) >= 2 and all(map(_WAYS.fullmatch, words)):
            for each in run:
                each.extract()
        run = []


def _is_chrome(tag: Tag) -> bool:
    if tag.name == "header" and (has(tag, "h1") or _is_of_section(tag)):
        return False  # titles often stand in a header of their own
    is_notice = tag.name == "aside" and _is_notice(tag)
    if tag.name in _CHROME_ELEMENTS and not is_notice:
        return True
    if not tag.attrs:
        return False
    classes = [name for name in classes_of(tag) if name != "sidebar" or not is_notice]
    return (
        tag.get("role") in _CHROME_ROLES
        or (tag.get("aria-hidden") == "true" and not _is_label(tag))
        or "hidden" in tag.attrs
        or not _CHROME_CLASSES.isdisjoint(classes)
        or (tag.name not in HEADINGS and not _ONLY_READ_OUT.isdisjoint(classes))
        or tag.get("id") in _CHROME_IDS
        or (
            tag.name in ("div", "section")
            and tag.get("id") in _FOOTER_IDS
            and not has(tag, "h1", "h2", "h3", "h4")
        )
        or ("summary" in classes and _is_beside_title_of_doxygen(tag))
        or (tag.name == "a" and not _LINK_CLASSES.isdisjoint(classes))
        or ("contents" in classes and ("topic" in classes or "local" in classes))
    )


def _is_of_section(header: Tag) -> bool:
    """Whether a header is that of a part of the page, with what it is called and about, as JSDoc has it."""
    is_inside = header.find_parent(["main", "article", "section"]) is not None
    return is_inside and has(header, *HEADINGS)


def _is_notice(aside: Tag) -> bool:
    """Whether an aside is part of the text: a notice of Starlight, a footnote or sidebar of docutils."""
    if aside.find_parent(["main", "article"]) is None and aside.find_parent(role="main") is None:
        return False
    first = next(elements(aside), None)
    is_sidebar = first is not None and "sidebar-title" in classes_of(first)
    return not _is_mostly_links(aside) and ("sidebar" not in classes_of(aside) or is_sidebar)


def _is_label(tag: Tag) -> bool:
    """Whether an element is only hidden from those to whom its parent says the same."""
    label = tag.parent.get("aria-label") if tag.parent is not None else None
    return bool(label) and tag.get_text().split() == str(label).split()


def _is_beside_title_of_doxygen(tag: Tag) -> bool:
    parent = tag.parent
    return parent is not None and any(
        "headertitle" in classes_of(each) for each in children(parent, "div")
    )


def _is_menu(tag: Tag) -> bool:
    return tag.get("id") in _MENU_IDS or not _MENU_CLASSES.isdisjoint(classes_of(tag))


def _is_mostly_links(block: Tag) -> bool:
    linked = sum(len(bare_text(link)) for link in named(block, "a"))
    return linked >= _SHARE_OF_LINKS * len(bare_text(block)) and not has(block, "pre")


def _is_way_here(menu: Tag) -> bool:
    """Whether a menu leads from the first page to this one (`Index » Kite`), as that of YARD does."""
    own = (each for each in menu.contents if isinstance(each, NavigableString))
    return has(menu, "a") and any(each.strip() == "»" for each in own)


def _leads_elsewhere(block: Tag) -> bool:
    """Whether a block is the Prev, Up and Next of a manual."""
    links = list(islice(named(block, "a"), 20))
    if len(links) < 2 or has(block, "pre", "h1"):
        return False
    text = " ".join(block.get_text(" ").split())
    if len(text) > _MOST_NAVIGATION:
        return False
    ways = [link for link in links if _WAYS.fullmatch(link.get_text())]
    if block.name == "p":
        return _TEXINFO_WAYS.match(text) is not None
    return len({link.get_text().strip().lower() for link in ways}) >= 2 and (
        block.name == "table" or len(ways) == len(links)
    )


def _article(main: Tag) -> Tag:
    """The article that most of the main part is, so that its table of contents stays out."""
    articles = [each for each in named(main, "article") if each.find_parent("article") is None]
    if len(articles) != 1:
        return main
    article = articles[0]
    is_most = len(bare_text(article)) >= _SHARE_OF_ARTICLE * len(bare_text(main))
    has_title = has(article, "h1") or not has(main, "h1")
    return article if is_most and has_title else main
