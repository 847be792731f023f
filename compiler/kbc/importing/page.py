"""One entry as a page: Markdown below front matter with its address, title and dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

import yaml
from bs4.dammit import UnicodeDammit

from kbc.formats import convert
from kbc.importing.entries import SiteEntry, https, is_web
from kbc.languages import markdown
from kbc.languages.addresses import joined_url
from kbc.languages.anchors import Anchors
from kbc.languages.front_matter import stated_language
from kbc.languages.html.page import read_html
from kbc.project.well_formed import comma_separated

MAX_PAGE_BYTES = 64 * 1024 * 1024
"""As for a file of any other format."""

_TEXT = (".md", ".markdown", ".mdx", ".txt")
_HTML = (".html", ".htm", ".xhtml")
_HEADING = re.compile(r"#{1,6} ")
_ID = re.compile(r"[^\s{}#]+")
_NOINDEX = frozenset({"noindex", "none"})
_MAGIC_NOINDEX = b"__NOINDEX__"
_NOT_ADDRESSES = ("#", "mailto:", "javascript:", "data:", "tel:")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPage:
    """`text` is the page without front matter; `reason` is why there is none, `is_defect` whether that is
    a fault of the file. `hint` is what would help."""

    text: str = ""
    title: str = ""
    canonical: str = ""
    author: str = ""
    date: str = ""
    language: str = ""
    description: str = ""
    reason: str = ""
    hint: str = ""
    is_defect: bool = False


def read_page(entry: SiteEntry, data: bytes, link: Callable[[str], str]) -> ImportedPage:
    """The page of an entry. `link` gives the address to write for the target of a link.

    Whatever reading it raises is the reason of a page that cannot be read.
    """
    try:
        return _read(entry, data, link)
    except Exception as error:
        return _unreadable(f"reading it failed ({type(error).__name__})")


def _read(entry: SiteEntry, data: bytes, link: Callable[[str], str]) -> ImportedPage:
    if len(data) > MAX_PAGE_BYTES:
        return _unreadable(f"larger than {MAX_PAGE_BYTES:,} bytes")
    if not data.strip():
        return ImportedPage(reason="empty")
    name = entry.name.lower()
    if entry.is_mediawiki and _MAGIC_NOINDEX in data:
        return ImportedPage(reason="noindex")
    if name.endswith(_HTML):
        return _html(entry, data, link)
    if name.endswith(_TEXT):
        return _text(data)
    return _converted(name, data)


def _html(entry: SiteEntry, data: bytes, link: Callable[[str], str]) -> ImportedPage:
    known = [entry.charset] if entry.charset else []
    source = UnicodeDammit(data, known_definite_encodings=known, is_html=True).unicode_markup
    if source is None:
        return _unreadable("unknown encoding")
    found = read_html(source, link)
    if not _NOINDEX.isdisjoint(comma_separated(found.robots.lower())):
        return ImportedPage(reason="noindex")
    if not found.text.strip():
        return ImportedPage(reason="no main content")
    canonical = joined_url(entry.url, found.canonical) if found.canonical else ""
    return ImportedPage(
        text=_with_anchors(found.text, found.anchors),
        title=found.title,
        canonical=https(canonical) if is_web(canonical) else "",
        author=found.author,
        date=found.created_at,
        language=found.language,
        description=found.description,
    )


def _with_anchors(text: str, anchors: tuple[str, ...]) -> str:
    """The text with `{#id}` at the headings whose anchors do not follow from their titles."""
    headings = markdown.parse(text).headings
    if len(headings) != len(anchors):
        return text
    lines = text.split("\n")
    derived = Anchors()
    for heading, anchor in zip(headings, anchors, strict=True):
        line = heading.start_line - 1
        plain = derived.next(heading.title)
        if anchor != plain and _ID.fullmatch(anchor) and _HEADING.match(lines[line]):
            lines[line] += f" {{#{anchor}}}"
    return "\n".join(lines)


def _text(data: bytes) -> ImportedPage:
    """Markdown as it is; its own front matter gives the title, date and address."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _unreadable("not UTF-8")
    if "\0" in text:
        return _unreadable("binary")
    text = text.replace("\r\n", "\n")
    document = markdown.parse(text)
    if document.front_matter is None or document.problems:
        return ImportedPage(text=text)
    stated = {key: value for key, value in document.data.items() if isinstance(value, str)}
    canonical = stated.get("url") or stated.get("canonical") or ""
    return ImportedPage(
        text="\n".join(text.split("\n")[document.front_matter.last_line :]).lstrip("\n"),
        title=stated.get("title", ""),
        canonical=https(canonical) if is_web(canonical) else "",
        author=stated.get("author", ""),
        date=stated.get("date", ""),
        language=stated_language(document.data),
        description=stated.get("description", "") or stated.get("summary", ""),
    )


def _converted(name: str, data: bytes) -> ImportedPage:
    documents = convert(name, data, lambda path: None)
    problem = next((each for found in documents for each in found.problems if each.is_error), None)
    if problem is not None:
        return ImportedPage(reason=problem.code, hint=problem.hint, is_defect=True)
    text = "\n\n".join(found.text.strip("\n") for found in documents if found.text.strip())
    if not text:
        return ImportedPage(reason="no main content")
    first = documents[0]
    return ImportedPage(
        text=f"{text}\n",
        title=first.title,
        author=first.author,
        date=first.created_at,
        description=first.summary,
    )


def _unreadable(reason: str) -> ImportedPage:
    return ImportedPage(reason=reason, is_defect=True)


def rendered(page: ImportedPage, entry: SiteEntry, url: str) -> str:
    """The file of a page."""
    fields = {
        "url": url,
        "title": entry.title or page.title,
        "description": page.description,
        "author": page.author,
        "date": page.date or entry.date,
        "lang": page.language,
        "retrieved": entry.retrieved,
    }
    known = {key: " ".join(value.split()) for key, value in fields.items() if value.strip()}
    front = yaml.safe_dump(known, allow_unicode=True, sort_keys=False, width=2**31)
    return f"---\n{front}---\n\n{page.text.strip(chr(10))}\n"


def linker(entry: SiteEntry, places: Mapping[str, str]) -> Callable[[str], str]:
    """Gives the original address that a link of a saved page means. Links between saved files lead to
    places of the folder, of which `places` knows the addresses."""

    def absolute(href: str) -> str:
        if not href or href.startswith(_NOT_ADDRESSES):
            return href
        if entry.place:
            local, mark, fragment = joined_url(entry.place, href).partition("#")
            if known := places.get(unquote(local)):
                return known + mark + fragment
        return joined_url(entry.url, href)

    return absolute
