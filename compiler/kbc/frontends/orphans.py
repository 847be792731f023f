"""Finds pages that nothing leads to, which a reader who follows links never sees."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import unquote, urljoin

from kb_runtime.text.urls import page_key
from kbc.diagnostics import Diagnostics
from kbc.formats.docc import catalogue_of
from kbc.frontends.markdown_file import Links, links
from kbc.project.kinds import MARKDOWN
from kbc.project.model import Collection
from kbc.project.routes import texts
from kbc.records import (
    CodeRecord,
    CompiledRecord,
    DocRecord,
    PageRecord,
    RoutingRecord,
    TemplateRecord,
    TestRecord,
    WorkshopSection,
)

MIN_PAGES = 20
"""Up to so many pages a knowledge base is read from a list, and needs no way from page to page."""

MIN_IN_FOLDER = 8
"""Pages in a folder that are alone if it is a list; of fewer, an author may have forgotten some."""

LISTED_GROUPS = frozenset({"guidelines", "lessons", "posts"})
"""Groups that a tool lists, in their order."""

ENTRY_NAMES = frozenset({"_index", "home", "index", "readme", "summary"})
"""Names, without their endings, of the pages that a reader begins with."""

NAVIGATION_FIELDS = ("date", "nav_order", "order", "sidebar_position", "weight")
"""Front matter that puts a page into a navigation or a list of posts that its site generator writes."""

_ATTRIBUTE = re.compile(r"\b(?:href|to)=\{?[\"']([^\"']+)[\"']")
_IN_REPOSITORY = re.compile(r"[^/]*://[^/]+/.+?/(?:blob|raw|src|tree)/[^/]+/(.+)")
"""An address of a file on the host of its repository, as a README has it that is shown elsewhere, too."""
_MENTION = re.compile(r"(?<![\w./%+-])[\w./%+-]*\w\.(?:mdx|markdown|md)\b")
"""A match begins where a run of such characters does: from each character of one, it took minutes to look
through a megabyte of hexadecimal digits."""


Linking = tuple[CompiledRecord, Links]
"""A record, and the links in its text."""


def is_markdown(record: CompiledRecord) -> bool:
    """Whether the record is a part of a Markdown or MDX file, with its links as they are in the file.
    A bundle of pages is none: their links start elsewhere."""
    if isinstance(record, WorkshopSection) and record.is_diff:
        return False
    if isinstance(record, (PageRecord, WorkshopSection)):
        name = posixpath.basename(record.path).lower()
        return name.endswith(MARKDOWN) and "llms-full" not in name
    return record.language in ("markdown", "mdx") and not isinstance(record, CodeRecord)


def markdown_links(records: Iterable[CompiledRecord]) -> list[Linking]:
    """The records that are Markdown or MDX and may have links, each with its own."""
    chosen = [record for record in records if is_markdown(record) and "]" in record.text]
    found = links((record.text, is_mdx(record)) for record in chosen)
    return list(zip(chosen, found, strict=True))


def is_mdx(record: CompiledRecord) -> bool:
    """Whether a record is a page of MDX, by its format or, without one, by the ending of its file."""
    if isinstance(record, DocRecord):
        return record.format == "mdx"
    return record.path.lower().endswith(".mdx")


def related(record: DocRecord) -> tuple[str, ...]:
    """What the front matter's `related` names: a string, or a list of them."""
    return tuple(texts(record.frontmatter.get("related")))


def link_roots(collections: Iterable[Collection]) -> dict[str, tuple[str, ...]]:
    """The folders that links of pages may also start at, by the names of the collections: that of the
    pages, that of the configuration; without a generator the root."""
    roots: dict[str, tuple[str, ...]] = {}
    for each in collections:
        places = {"pages": each.site.folder, "configuration": posixpath.dirname(each.config)}
        if each.conventions.link_roots and not each.site.links.are_relative:
            roots[each.name] = tuple(places[root] for root in each.conventions.link_roots)
    return roots


def from_root(collections: Iterable[Collection]) -> dict[str, str]:
    """The folders that `~/` stands for in links, by the names of the collections."""
    return {
        each.name: each.site.config_folder for each in collections if each.conventions.tilde_is_root
    }


def check_orphans(
    records: Sequence[CompiledRecord],
    linking: Sequence[Linking],
    diagnostics: Diagnostics,
    listed: Container[str] = (),
    navigated: Container[str] = (),
    roots: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Warns (`orphan-page`) about Markdown pages of documentation that no other record leads to;
    `linking` are the `markdown_links` of the records, `listed` the paths of pages in the navigation of
    their site, `navigated` the collections whose site has one that is not known, and `roots` the `link_roots`
    of the collections.

    A way to a page is a link or an address in any text, a name in `related`, a recommendation of a
    routing table, and a mention of its path in a template, a pattern, a builtin or an example. Where
    most pages are without one, as in a collection of memos, readers use lists, and nothing is said; nor is it
    of a folder like that, such as that of a blog.
    """
    pages = [each for each in records if _is_judged(each) and each.collection not in navigated]
    if len(pages) <= MIN_PAGES:
        return
    known = _Names(pages, roots)
    ways = [(record, name) for record, found in linking for _, name in found]
    ways += [(record, name) for record in records for name in _names_in(record)]
    leading = ((record.path, path) for record, name in ways for path in known.found(record, name))
    reached = {path for start, path in leading if path != start}
    others = (page for page in pages if page.path not in reached and page.path not in listed)
    orphans = [page for page in others if not _is_entry(page)]
    if len(orphans) * 2 > len(pages):
        return
    lists = _folders_of_lists(pages, orphans)
    for page in orphans:
        if posixpath.dirname(page.path) in lists:
            continue
        message = f"no page refers to {page.path}"
        hint = (
            "Link to it from a page where readers come from, or name it in that page's `related`."
        )
        diagnostics.warning("orphan-page", message, page.path, page.line, hint=hint)


def _folders_of_lists(
    pages: Sequence[CompiledRecord], orphans: Sequence[CompiledRecord]
) -> set[str]:
    """The folders of several pages most of which nothing leads to: what makes the site lists them."""
    count = Counter(posixpath.dirname(page.path) for page in pages)
    alone = Counter(posixpath.dirname(page.path) for page in orphans)
    several = (each for each in alone if alone[each] >= MIN_IN_FOLDER)
    return {each for each in several if alone[each] * 2 > count[each]}


def _is_judged(record: CompiledRecord) -> bool:
    if isinstance(record, DocRecord):
        # DocC itself lists the pages of a catalogue that no other leads to.
        is_listed = record.group in LISTED_GROUPS or catalogue_of(record.path)
        return is_markdown(record) and not is_listed
    return isinstance(record, PageRecord) and is_markdown(record)


def _is_entry(page: CompiledRecord) -> bool:
    if posixpath.basename(_stem(page.path)).lower() in ENTRY_NAMES:
        return True
    stated = page.frontmatter if isinstance(page, DocRecord) else {}
    return any(name in stated for name in NAVIGATION_FIELDS)


def _stem(path: str) -> str:
    return posixpath.splitext(path)[0]


class _Names:
    """The names that pages go by: their paths, with and without the ending, and addresses."""

    def __init__(self, pages: Iterable[CompiledRecord], roots: Mapping[str, Sequence[str]]) -> None:
        self._roots = roots
        self._paths: dict[str, str] = {}
        self._addresses: dict[str, str] = {}
        for page in pages:
            self._paths[page.path] = page.path
            self._paths.setdefault(_stem(page.path), page.path)
            if page.url:
                self._addresses[page_key(page.url)] = page.path

    def found(self, record: CompiledRecord, name: str) -> Iterator[str]:
        """The paths of the pages that a name in a record means; a routing table may name a folder."""
        if "://" in name:
            path = self._addresses.get(page_key(name))
            if path is None and (file := _IN_REPOSITORY.match(name)):
                path = self._path(("",), file[1])
        else:
            roots = self._roots.get(record.collection, ())
            path = self._path((posixpath.dirname(record.path), *roots, ""), name)
        if path is None and record.url and not name.startswith("#"):
            path = self._by_address(record.url, name)
        if path:
            yield path
        elif isinstance(record, RoutingRecord):
            folder = f"{name.strip('/')}/"
            yield from (path for path in self._paths.values() if path.startswith(folder))

    def _by_address(self, url: str, name: str) -> str | None:
        """Of a link that is followed from the address of its page, as browsers do."""
        try:
            return self._addresses.get(page_key(urljoin(url, name)))
        except ValueError:  # `http://[`
            return None

    def _path(self, starts: Iterable[str], name: str) -> str | None:
        """From the first of the folders `starts` that has such a page."""
        plain = unquote(name.partition("#")[0].partition("?")[0]).strip("/")
        if not plain:
            return None
        places = (posixpath.normpath(posixpath.join(start, plain)) for start in starts)
        return next((self._paths[place] for place in places if place in self._paths), None)


def _names_in(record: CompiledRecord) -> Iterator[str]:
    """What a record names apart from its Markdown links."""
    if isinstance(record, (CodeRecord, TestRecord)):
        return
    if isinstance(record, RoutingRecord):
        yield from record.docs
        return
    # Looking for a plain text takes a fraction of the time of the expression, which most pages lack.
    if is_markdown(record) and ("href=" in record.text or "to=" in record.text):
        yield from _ATTRIBUTE.findall(record.text)
    if isinstance(record, DocRecord):
        yield from related(record)
        yield from _MENTION.findall(record.stored)  # what it includes
    elif not isinstance(record, (PageRecord, WorkshopSection)):
        yield from _MENTION.findall(record.text)
    if isinstance(record, TemplateRecord):
        for text in (record.description, *record.instructions, *record.workflow):
            yield from _MENTION.findall(text)
