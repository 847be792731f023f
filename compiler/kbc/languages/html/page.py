"""Reads an HTML page: its main content as Markdown, with the anchors of its headings and its metadata."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from bs4 import BeautifulSoup, Tag, XMLParsedAsHTMLWarning
from bs4.element import NavigableString

from kbc.languages.addresses import without_pictures
from kbc.languages.html.code import prepare_code
from kbc.languages.html.content import main_content
from kbc.languages.html.generators import name_elements
from kbc.languages.html.markdown import prepare_tables, to_markdown, visible
from kbc.languages.html.tabs import keep_tabs
from kbc.languages.html.tree import HEADINGS, bare_text, children, elements, has, named
from kbc.limits import MAX_HTML_DEPTH, short_title

_TITLE_SEPARATOR = re.compile(r"\s+(?:[|—–·•»«-]|::)\s+")
_HEADINGS_FOR_TITLE = 3
_BODY = re.compile(r"<body(?=[\s>])", re.IGNORECASE)
_STRAY = re.compile(r"</(?:body|html)\s*>|</?head(?=[\s/>])[^<>]*>", re.IGNORECASE)
_TO_TOP = re.compile(
    r"\W*(?:(?:back|go|return) to (?:the )?)?top(?: of (?:the )?page)?\W*", re.IGNORECASE
)
_FIRST_SECTION = re.compile(r"1\.?\s+(.*)")
"""The only heading of a page that numbers its sections; its title is another, unless that says the same."""

_MORE = "More..."
"""What Doxygen puts behind the first sentence of each description, with a link to the rest."""
_CONTENTS = re.compile(r"(?:table of )?contents|index", re.IGNORECASE)
_TEMPLATE_TYPE = re.compile(r"text/(?:html|[\w-]*template|x-handlebars|x-mustache)\b[\w-]*\Z")


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """`anchors` are those of the headings in `text`, in order, "" where a heading has none. `is_too_deep`
    says that elements nested below `MAX_HTML_DEPTH` were reduced to their text."""

    text: str
    title: str = ""
    canonical: str = ""
    author: str = ""
    created_at: str = ""
    description: str = ""
    robots: str = ""
    language: str = ""
    anchors: tuple[str, ...] = ()
    is_too_deep: bool = False


def read_html(
    source: str, link: Callable[[str], str] | None = None, *, is_template: bool = False
) -> HtmlPage:
    """The page; its `text` is empty when there is no content. `link` gives the target to write for a
    link's `href`; `is_template` says that this is what stands in the templates of a page, which hold no
    others."""
    soup = _parsed(_without_stray_tags(without_pictures(source)))
    is_too_deep = _flatten(soup)
    tags = list(elements(soup))
    current = next((each for each in tags if each.attrs.get("aria-current") == "page"), None)
    metadata = [each for each in tags if each.name == "meta"]
    links = (each for each in tags if each.name == "link")
    canonical = next((e for e in links if e.get_attribute_list("rel") == ["canonical"]), None)
    page = HtmlPage(
        text="",
        title=_text_of(next((each for each in tags if each.name == "title"), None)),
        canonical=_attribute(canonical, "href"),
        author=_meta(metadata, "author", "article:author"),
        created_at=_meta(metadata, "article:published_time", "date", "dc.date"),
        description=_meta(metadata, "description", "og:description"),
        robots=_meta(metadata, "robots"),
        language=_attribute(soup.find("html"), "lang"),
        is_too_deep=is_too_deep,
    )
    shared, site = _meta(metadata, "og:title"), _meta(metadata, "og:site_name")
    named_beside = list(filter(None, [_text_of(current), shared if shared != site else ""]))
    templates = "" if is_template else _templates(soup)
    keep_tabs(soup)
    name_elements(soup)
    prepare_code(soup)
    main = main_content(soup)
    if main is None and templates:
        shown = read_html(f"<main>{templates}</main>", link, is_template=True)
        return replace(
            page, text=shown.text, title=page.title or shown.title, anchors=shown.anchors
        )
    if main is None:
        return page
    prepare_tables(main)
    _open_links(main)
    anchored = _prepare_headings(main)
    headings = [each for each, _ in anchored]
    anchors = tuple(anchor for _, anchor in anchored)
    below = frozenset(anchors[1:])
    for each in list(named(main, "a")):
        # Shown over a link that is pointed at: what kind of thing it leads to.
        each.attrs.pop("title", None)
        if _is_sign(each, below) or each.get_text() == _MORE:
            each.decompose()
        elif str(each.get("href") or "").lower().startswith("javascript:"):
            each.unwrap()
        elif link is not None and "href" in each.attrs:
            each["href"] = link(str(each["href"]))
    title = _best_title(page.title, headings, named_beside)
    return replace(page, text=to_markdown(main), title=short_title(title), anchors=anchors)


def read_fragment(source: str) -> tuple[Tag, Sequence[tuple[Tag, str]]]:
    """A part of a page, all of which is content, ready for `to_markdown`; and its headings with their
    anchors, "" where one has none. Signs that lead to a place of the page stay without their links, some of
    which are there for a label alone."""
    soup = _parsed(f"<body>{source}</body>")
    _flatten(soup)
    prepare_code(soup)
    content = soup.body or soup
    prepare_tables(content)
    _open_links(content)
    headings = _prepare_headings(content)
    for each in list(named(content, "a")):
        if _is_place(each) and _is_wordless(each):
            each.unwrap()
    return content, headings


def _parsed(source: str) -> BeautifulSoup:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML reads well as HTML
        return BeautifulSoup(source, "lxml", preserve_whitespace_tags={"html"})  # of code anywhere


def _prepare_headings(main: Tag) -> list[tuple[Tag, str]]:
    """The headings outside of tables with their anchors, without what is no part of their text: links to
    themselves, signs, and logos. Those of nothing but a picture become this."""
    found = [each for each in named(main, *HEADINGS) if each.find_parent(["td", "th"]) is None]
    _open_lists(main, found)
    anchored = [(each, _anchor(each)) for each in found]
    for heading in found:
        for inner in list(_own_links(heading)):
            if re.search(r"\w", inner.get_text()):
                inner.unwrap()  # a heading that links to itself
            else:
                inner.decompose()  # a sign beside it
        if not _text_of(heading):
            heading.unwrap()  # of a picture
        elif bare_text(heading):
            _remove_logo(heading)
    return [(each, anchor) for each, anchor in anchored if each.parent is not None]


def _templates(soup: BeautifulSoup) -> str:
    """The HTML in scripts that a program of the page shows (`<script type="text/x-handlebars-template">`)."""
    found = (each for each in named(soup, "script") if _TEMPLATE_TYPE.search(str(each.get("type"))))
    return "\n".join(each.get_text() for each in found)


def _is_sign(link: Tag, below: Set[str]) -> bool:
    """Whether a link to a place of the page is a sign, such as a pilcrow, or a way back to its top. A link to
    one of the headings `below` the first is not: a section may be about a command `top`."""
    if not _is_place(link):
        return False
    place, text = str(link["href"]), link.get_text()
    before = link.find_previous_sibling(True)
    if isinstance(before, Tag) and before.name in HEADINGS and before.get("id") == place[1:]:
        return True
    return _is_wordless(link) or (_TO_TOP.fullmatch(text) is not None and place[1:] not in below)


def _is_place(link: Tag) -> bool:
    return str(link.get("href") or "").startswith("#")


def _is_wordless(link: Tag) -> bool:
    return not re.search(r"\w", link.get_text()) and next(elements(link), None) is None


def _open_links(main: Tag) -> None:
    """Leaves of a link around blocks, such as a card, that of its heading or else its first block: Markdown
    has no other links."""
    for link in list(named(main, "a")):
        blocks = named(link, *HEADINGS, "p", "div") if "href" in link.attrs else ()
        leaves = (each for each in blocks if bare_text(each) and not has(each, "a", "p", "div"))
        leaf = min(leaves, key=lambda each: each.name not in HEADINGS, default=None)
        if leaf is not None:
            inner = Tag(name="a", attrs={"href": str(link["href"])})
            inner.extend(list(leaf.contents))
            leaf.append(inner)
            link.name = "div"


def _remove_logo(heading: Tag) -> None:
    """Takes out a picture before the words of a heading: what it shows (`Logo`) is no part of the title."""
    for each in heading.descendants:
        if isinstance(each, NavigableString) and each.strip():
            return
        if isinstance(each, Tag) and each.name == "img":
            each.decompose()
            return


def _own_links(heading: Tag) -> Iterator[Tag]:
    """The links in a heading that lead to a place of the page."""
    return (each for each in named(heading, "a") if str(each.get("href") or "").startswith("#"))


def _without_stray_tags(source: str) -> str:
    """The page without the tags that browsers ignore behind `<body>`: a `</body>` or `<head />` amid the
    text, as if it were code, ends neither the page nor the elements around it."""
    body = _BODY.search(source)
    begin = body.end() if body else 0
    return source[:begin] + _STRAY.sub("", source[begin:])


def _flatten(soup: BeautifulSoup) -> bool:
    """Replaces what nests below `MAX_HTML_DEPTH` by its text; whether there was any."""
    waiting: list[tuple[Tag, int]] = [(soup, 0)]
    is_too_deep = False
    while waiting:
        tag, depth = waiting.pop()
        if depth == MAX_HTML_DEPTH and tag.find(True) is not None:
            text = tag.get_text()
            tag.clear()
            tag.append(NavigableString(text))
            is_too_deep = True
        else:
            waiting.extend((each, depth + 1) for each in tag.contents if isinstance(each, Tag))
    return is_too_deep


def _open_lists(main: Tag, headings: Sequence[Tag]) -> None:
    """Makes blocks of lists whose items have headings, as javadoc lays pages out: a section is no item."""
    for heading in headings:
        for parent in heading.parents:
            if parent is main:
                break
            if parent.name in ("ul", "ol"):
                for item in children(parent, "li"):
                    item.name = "div"
                parent.name = "div"


def _best_title(stated: str, headings: list[Tag], named_beside: list[str]) -> str:
    """The page's title from `<title>`, its headings, and its names in the navigation and for other sites.

    One of the first headings that says the same as `<title>` is the title (the name of the site may stand
    above it), else a single level-1 heading. A page with none or with several of them is called what
    `<title>` says, without the name of the site where another part of it is a heading of the page; without
    one, or where the two overlap, by the first heading if no other has its level or one above.
    """
    headings = [each for each in headings if not _CONTENTS.fullmatch(_text_of(each))]
    if stated in map(_text_of, headings[:_HEADINGS_FOR_TITLE]):
        return stated
    first_level = [_text_of(each) for each in headings if each.name == "h1"]
    section = _FIRST_SECTION.fullmatch(first_level[0]) if len(first_level) == 1 else None
    is_section = section is not None and section[1] not in stated
    if (len(first_level) == 1 and not is_section) or (first_level and not stated):
        return first_level[0]
    parts = _TITLE_SEPARATOR.split(stated)
    for heading in headings[:_HEADINGS_FOR_TITLE]:
        text = _text_of(heading)
        if text in parts or (text and stated.endswith(f": {text}")):
            return text
    for name in named_beside:
        if name in parts:
            return name
    fallback = stated or next(iter(named_beside), "")
    if not headings:
        return fallback
    top = min(each.name for each in headings)
    outermost = [_text_of(each) for each in headings if each.name == top]
    if len(outermost) == 1 and (not stated or _is_about(stated, headings[0], top)):
        return outermost[0]
    return fallback


def _is_about(stated: str, heading: Tag, top: str) -> bool:
    """Whether the first heading of a page is of the level `top` and begins with what the stated title ends
    with (`Book: Section 2.1`, `2.1 Kites`), or ends with what that begins with (`Kite (API)`, `Class Kite`).
    """
    words, shown = stated.split(), _text_of(heading).split()
    return heading.name == top and (words[-1] == shown[0] or words[0] == shown[-1])


def _anchor(heading: Tag) -> str:
    """The id of a heading, of the section that it opens, or of a link in it."""
    parent = heading.parent
    opens = (
        parent is not None
        and parent.name in ("section", "div")
        and next(elements(parent)) is heading
    )
    inside = next((each for each in elements(heading) if "id" in each.attrs), None) or next(
        (each for each in named(heading, "a") if "name" in each.attrs), None
    )
    for tag in (heading, inside, parent if opens else None):
        if tag is not None and (tag.get("id") or (tag.name == "a" and tag.get("name"))):
            return str(tag.get("id") or tag["name"])
    own_link = next(_own_links(heading), None)
    return unquote(str(own_link["href"])[1:]) if own_link is not None else ""


def _text_of(tag: Any) -> str:
    return " ".join(visible(tag.get_text()).split()) if tag is not None else ""


def _attribute(tag: Tag | None, name: str) -> str:
    return str(tag.get(name) or "").strip() if tag is not None else ""


def _meta(tags: list[Tag], *names: str) -> str:
    for name in names:
        for key in ("name", "property"):
            tag = next((each for each in tags if each.get(key) == name), None)
            if content := _attribute(tag, "content"):
                return content
    return ""
