"""Converts the main content of an HTML page to Markdown, with its headings' anchors and its metadata.

Documentation sites mark their content (`<main>`, `<article>`) and their navigation (`<nav>`, `<aside>`,
ARIA roles), so these marks decide. Extractors that score text density, which are made for news, were
measured to lose code blocks and tables of such pages. markdownify converts the markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

_MAIN = ("main", "[role=main]", "article", "#content", "#main-content", ".markdown-body", "body")
"""The first of these that holds text is the content; the names are those of common generators."""

_CHROME = (
    "script, style, noscript, template, nav, header, footer, aside, form, button, iframe, svg, dialog,"
    "[role=navigation], [role=banner], [role=contentinfo], [role=search], [role=complementary],"
    "[aria-hidden=true], [hidden], .sidebar, .breadcrumbs, .breadcrumb, .toc, .table-of-contents,"
    "a.headerlink, a.header-anchor, a.hash-link, a.anchor, a.anchorjs-link"
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_CODE_LANGUAGE = re.compile(r"(?:language|lang|highlight|highlight-source|sourceCode)-([\w+#-]+)")
_NOT_A_LANGUAGE = frozenset({"default", "none", "text", "plaintext", "notranslate"})


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """`anchors` are those of the headings in `text`, in order, "" where a heading has none."""

    text: str
    title: str = ""
    canonical: str = ""
    author: str = ""
    created_at: str = ""
    description: str = ""
    anchors: tuple[str, ...] = ()


def read_html(source: str) -> HtmlPage:
    """The page; its `text` is empty when there is no content."""
    soup = BeautifulSoup(source, "lxml")
    page = HtmlPage(
        text="",
        title=_text_of(soup.find("title")),
        canonical=_attribute(soup.select_one("link[rel=canonical]"), "href"),
        author=_meta(soup, "author", "article:author"),
        created_at=_meta(soup, "article:published_time", "date", "dc.date"),
        description=_meta(soup, "description", "og:description"),
    )
    main = _main(soup)
    if main is None:
        return page
    headings = [heading for heading in main.find_all(_HEADINGS) if _text_of(heading)]
    anchors = tuple(_anchor(heading) for heading in headings)
    for heading in headings:
        for link in heading.select('a[href^="#"]'):
            link.unwrap()  # a heading that links to itself
    markdown = _Converter().convert_soup(main)
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(_ends_trimmed(markdown))).strip("\n")
    first = next((heading for heading in headings if heading.name == "h1"), None)
    return replace(
        page,
        text=f"{text}\n" if text.strip() else "",
        title=_text_of(first) or page.title,
        anchors=anchors,
    )


class _Converter(MarkdownConverter):
    """Markdown as this project's parser reads it best: ATX headings, named fences, tables that hold."""

    def __init__(self) -> None:
        super().__init__(
            heading_style=ATX,
            bullets="-",
            escape_underscores=False,
            escape_asterisks=False,
            code_language_callback=_code_language,
        )

    def convert_img(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A picture says what its caption says; addresses of files are no text."""
        return str(element.get("alt") or "")

    def convert_td(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        return self._cell(element, text)

    def convert_th(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        return self._cell(element, text)

    def _cell(self, element: Tag, text: str) -> str:
        """A cell on one line; of a cell over several columns the others are empty."""
        span = str(element.get("colspan") or "1")
        columns = min(int(span), 100) if span.isdecimal() else 1
        content = " ".join(text.split()).replace("|", "\\|")
        return f" {content} " + "|" * max(columns, 1)

    def convert_pre(self, element: Tag, text: str, parent_tags: set[str]) -> str:
        """A fence longer than any in the code, with the code as it is."""
        code = element.get_text().strip("\n")
        if not code.strip():
            return ""
        longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
        marks = "`" * max(3, longest + 1)
        return f"\n\n{marks}{_code_language(element)}\n{code}\n{marks}\n\n"


def _main(soup: BeautifulSoup) -> Tag | None:
    """The part that holds the content, navigation taken out of it."""
    for chrome in soup.select(_CHROME):
        # Titles often stand in a header of their own.
        if chrome.name == "header" and chrome.find("h1"):
            continue
        chrome.decompose()
    for selector in _MAIN:
        found = soup.select_one(selector)
        if found is not None and found.get_text(strip=True):
            return found
    return None


def _code_language(element: Tag) -> str:
    """The language of a `<pre>`, from the classes of itself, its `<code>` or the blocks around."""
    around = [element, *element.find_all("code"), *list(element.parents)[:2]]
    for tag in around:
        for name in tag.get_attribute_list("class"):
            match = _CODE_LANGUAGE.fullmatch(str(name))
            if match and match[1].lower() not in _NOT_A_LANGUAGE:
                return match[1].lower()
    return ""


def _anchor(heading: Tag) -> str:
    """The id of a heading, of the section that it opens, or of a link in it."""
    parent = heading.parent
    opens = (
        parent is not None and parent.name in ("section", "div") and parent.find(True) is heading
    )
    inside: Any = heading.find(id=True)
    for tag in (heading, inside, parent if opens else None):
        if tag is not None and tag.get("id"):
            return str(tag["id"])
    return ""


def _ends_trimmed(markdown: str) -> list[str]:
    """The lines; white space at line ends outside code means nothing here."""
    lines: list[str] = []
    marks = ""
    for line in markdown.split("\n"):
        opening = re.match(r"`{3,}", line)
        if marks:
            lines.append(line)
            if line == marks:
                marks = ""
        else:
            marks = opening[0] if opening else ""
            lines.append(line.rstrip())
    return lines


def _text_of(tag: Any) -> str:
    return " ".join(tag.get_text().split()) if tag is not None else ""


def _attribute(tag: Tag | None, name: str) -> str:
    return str(tag.get(name) or "").strip() if tag is not None else ""


def _meta(soup: BeautifulSoup, *names: str) -> str:
    for name in names:
        tag = soup.find("meta", attrs={"name": name}) or soup.find("meta", attrs={"property": name})
        if isinstance(tag, Tag) and (content := _attribute(tag, "content")):
            return content
    return ""
