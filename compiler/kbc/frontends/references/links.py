"""Checks the links of pages: whether the pages and the headings are there that they lead to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from urllib.parse import unquote

from kbc.diagnostics import Diagnostics
from kbc.frontends.orphans import Linking, from_root, is_markdown, is_mdx, link_roots
from kbc.frontends.references.suggestions import Suggestions
from kbc.frontends.source_map import SourceMap
from kbc.languages import markdown
from kbc.languages.anchors import AnchorRules, rules_of, slug
from kbc.languages.includes.files import is_complete
from kbc.project.include_tree import only_ones
from kbc.project.kinds import MARKDOWN
from kbc.project.model import Collection
from kbc.records import CompiledRecord, DocRecord, PageRecord

# Links to other files (images, downloads, routes of a web site) are none of the compiler's business.
_PAGE_ENDINGS = (*MARKDOWN, ".topic", ".txt")
# Nor are addresses, and paths from the root of a site: `/path`, `@/path` in Zola, `#/path` in Docsify.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[@#]?/")
_PLACEHOLDER = re.compile(r"@\w+@")
"""What autoconf, CMake and Meson put a path or a version in place of."""

_OF_AN_OPERATION = re.compile(
    r"(?:authorization|body|cookie|header|parameter|path|query|response)-[\w-]+"
)
"""Pages of Mintlify that show an operation of an API have an anchor for each field (`#body-name`)."""

_WRITTEN = re.compile(r"__(?:tabbed|codelineno)[_-]\d[\d_-]*")
"""Anchors of tabs and lines of code that extensions of Python-Markdown number."""

_TAB = re.compile(r"^[ \t]*===[!+]{0,2}[ \t]+\"([^\"\n]+)\"", re.MULTILINE)
_ANY = rules_of("")
Page = DocRecord | PageRecord


def check_links(
    records: Sequence[CompiledRecord],
    linking: Sequence[Linking],
    rules: Mapping[str, AnchorRules],
    collections: Sequence[Collection],
    diagnostics: Diagnostics,
    exists: Callable[[str], bool],
) -> None:
    """Relative links from one page to another, and to headings. The pages in a source tree are as
    their authors left them, and a page of which a part is generated elsewhere may have any anchor."""
    # Of these, other repositories have a part of the pages, which links name without a folder.
    open_links = {each.name for each in collections if each.site.links.has_other_modules}
    former = {alias for each in records if isinstance(each, DocRecord) for alias in each.aliases}
    pages: dict[str, Page] = {
        record.path: record
        for record in records
        if isinstance(record, DocRecord) or (isinstance(record, PageRecord) and is_markdown(record))
    }
    places = _Places({record.path for record in records}, pages.values(), collections)
    headings = _Headings(pages, rules, collections)
    suggest = Suggestions()
    for record, found in linking:
        line_in_file = _lines_of_file(record)
        for line, link in found:
            if _SCHEME.match(link) or _PLACEHOLDER.search(link):
                continue
            target, _, written = link.partition("#")
            target, anchor = unquote(target.partition("?")[0]), unquote(written)
            path = places.path(record, target)
            if path not in places.paths:
                is_elsewhere = record.collection in open_links and "/" not in target
                is_page = target.lower().endswith(_PAGE_ENDINGS)
                if path not in former and is_page and not is_elsewhere and not exists(path):
                    diagnostics.warning(
                        "dead-link",
                        f"the link {link!r} leads to {path}, which is not in the knowledge base",
                        record.path,
                        line_in_file(line),
                        hint=suggest(path, places.paths),
                    )
            elif anchor and not headings.may_have(path, written, record, is_own=not target):
                message = f"the link {link!r} leads to a heading that {path} does not have"
                hint = suggest(anchor, headings.of_page(path))
                diagnostics.warning(
                    "dead-anchor", message, record.path, line_in_file(line), hint=hint
                )


class _Places:
    """The files that links lead to; `paths` are those of all records."""

    def __init__(
        self, paths: Set[str], pages: Iterable[Page], collections: Sequence[Collection]
    ) -> None:
        self.paths = paths
        self._by_name = _only_pages_of_their_names(
            pages, {each.name for each in collections if each.conventions.links_by_file_name}
        )
        self._in_any_case = {
            each.name for each in collections if each.conventions.links_ignore_case
        }
        self._by_case = {each.casefold(): each for each in paths} if self._in_any_case else {}
        self._in_any_folder = {
            each.name for each in collections if each.conventions.links_ignore_folders
        }
        self._roots, self._tops = link_roots(collections), from_root(collections)
        self._languages = {
            each.name: each.site.language
            for each in collections
            if each.conventions.links_without_language and each.site.language
        }

    def path(self, record: CompiledRecord, target: str) -> str:
        """The path that a link in `record` means: of a file that is there, where one of those that its
        generator tries is."""
        folder, paths, collection = posixpath.dirname(record.path), self.paths, record.collection
        is_windows = collection in self._in_any_case
        target = target.replace("\\", "/") if is_windows else target
        if target.startswith("~/") and collection in self._tops:
            folder, target = self._tops[collection], target[2:]
        path = posixpath.normpath(posixpath.join(folder, target)) if target else record.path
        if path not in paths:
            name = posixpath.basename(target) if collection in self._in_any_folder else target
            path = self._by_name.get((collection, name), path)
        if path not in paths and target[:1] not in ("", "."):
            roots = (posixpath.join(root, target) for root in self._roots.get(collection, ()))
            path = next((each for each in map(posixpath.normpath, roots) if each in paths), path)
        if path not in paths and collection in self._languages:
            stem, ending = posixpath.splitext(path)
            named = f"{stem}.{self._languages[collection]}{ending}"
            path = named if named in paths else path
        return self._by_case.get(path.casefold(), path) if is_windows else path


class _Headings:
    """The anchors of pages, by the rules of the generators of their collections."""

    def __init__(
        self,
        pages: Mapping[str, Page],
        rules: Mapping[str, AnchorRules],
        collections: Iterable[Collection],
    ) -> None:
        self._pages = pages
        self._rules = rules
        self._targets = _project_targets(pages.values(), rules, collections)
        self._shown = cache(lambda path: _anchors(pages[path], self._of(pages[path])))
        self._stored = cache(lambda path: _stored_ids(pages[path]))
        self._is_complete = cache(lambda path: is_complete(pages[path].text))

    def of_page(self, path: str) -> frozenset[str]:
        """All anchors of a page."""
        return self._shown(path) | self._stored(path)

    def _of(self, record: CompiledRecord) -> AnchorRules:
        return self._rules.get(record.collection, _ANY)

    def may_have(self, path: str, written: str, record: CompiledRecord, *, is_own: bool) -> bool:
        """Whether the page at `path` has the anchor that a link in `record` names, as it is `written`, or may
        have it: that of what is no page, or has parts or anchors from elsewhere, is not known. A link that
        `is_own` names no page."""
        page, own, anchor = self._pages.get(path), self._of(record), unquote(written)
        if page is None or not self._is_complete(path) or self._of(page).is_open:
            return True
        is_any = own == _ANY  # some of these sites keep the case of headings in their anchors
        if is_own and ((is_any and _has_parts_elsewhere(page)) or own.other_projects):
            return True
        tried = {written, anchor, anchor.lower() if is_any else anchor}
        tried |= {slug(anchor, own.style)} if own.slugs_links else set()
        # To read a file takes as long as its text, in which most anchors are.
        if not (self._shown(path).isdisjoint(tried) and self._stored(path).isdisjoint(tried)):
            return True
        if _OF_AN_OPERATION.fullmatch(anchor) and _stated(page, "openapi"):
            return True
        if _WRITTEN.fullmatch(anchor):
            return True
        return anchor in self._targets and (own.project_wide or is_any)


def _has_parts_elsewhere(page: Page) -> bool:
    """Whether a page has others at its end, as those of Slate that name `includes` in their front matter, or
    is such a part (`_errors.md`)."""
    is_part = re.match(r"_(?!index\.)", posixpath.basename(page.path))
    return is_part is not None or _stated(page, "includes")


def _stated(page: Page, key: str) -> bool:
    return isinstance(page, DocRecord) and bool(page.frontmatter.get(key))


def _lines_of_file(record: CompiledRecord) -> Callable[[int], int]:
    """Gives the line of the record's file for a line of its text."""
    if isinstance(record, DocRecord) and is_markdown(record) and record.stored:
        return SourceMap(record.stored, record.text).line
    return lambda line: record.line + line - 1


def _only_pages_of_their_names(
    pages: Iterable[Page], collections: Iterable[str]
) -> dict[tuple[str, str], str]:
    """The paths of pages by their collections and file names, where no other page of the collection is called
    so: ExDoc, wikis and notebooks of notes find a page in any folder by the name of its file."""
    paths: dict[str, list[str]] = {name: [] for name in collections}
    for page in pages:
        if page.collection in paths:
            paths[page.collection].append(page.path)
    return {(own, name): path for own in paths for name, path in only_ones(paths[own]).items()}


def _project_targets(
    pages: Iterable[Page], rules: Mapping[str, AnchorRules], collections: Iterable[Collection]
) -> frozenset[str]:
    """The ids that pages of any collection may link whose generator has such: several parts of one
    project can be collections of their own. Names in an inventory of the last build count."""
    found: set[str] = set()
    for collection in collections:
        found.update(collection.site.links.targets)
    for page in pages:
        if rules.get(page.collection, _ANY).project_wide:
            found |= markdown.parse(page.text, mdx=is_mdx(page)).ids
    return frozenset(found)


def _anchors(record: Page, rules: AnchorRules) -> frozenset[str]:
    """What a link may name in the text of a page."""
    parsed = markdown.parse(record.text, mdx=is_mdx(record))
    found = markdown.anchors(parsed, rules)
    if (
        rules.style == "docutils"
    ):  # a target is called as it is written, its anchor as docutils writes ids
        found |= {slug(id, "docutils") for id in parsed.ids}
    found |= {section.anchor for section in record.sections}
    found |= set(record.targets) if isinstance(record, DocRecord) else set()
    stored = record.stored if isinstance(record, DocRecord) else ""
    if rules.tabs:
        tabs = {slug(title, rules.tabs) for title in _TAB.findall(stored)}
        found |= tabs | {f"{heading}-{tab}" for heading in found for tab in tabs}
    return found


def _stored_ids(record: Page) -> frozenset[str]:
    """The ids that are stated by tags of components, which the text does not have: they are in the file as it
    is stored."""
    stored = record.stored if isinstance(record, DocRecord) else ""
    return markdown.parse(stored, mdx=is_mdx(record)).ids if stored else frozenset()
