"""Checks across records: repeated ids, and references to records that do not exist."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from functools import cache
from urllib.parse import unquote

from kbc.diagnostics import Diagnostics
from kbc.frontends.orphans import (
    Linking,
    check_orphans,
    from_root,
    is_markdown,
    is_mdx,
    link_roots,
    markdown_links,
    related,
)
from kbc.frontends.stored_lines import StoredLines
from kbc.languages import markdown
from kbc.languages.anchors import AnchorRules, rules_of, slug
from kbc.languages.includes import is_complete
from kbc.project.include_tree import only_ones
from kbc.project.kinds import MARKDOWN
from kbc.project.model import Collection
from kbc.project.source_file import resolved_path
from kbc.records import (
    BuiltinRecord,
    CompiledRecord,
    DocRecord,
    ExampleRecord,
    PageRecord,
    PatternRecord,
    RoutingRecord,
    TemplateRecord,
)

# Links to other files (images, downloads, routes of a web site) are none of the compiler's business.
_PAGE_ENDINGS = (*MARKDOWN, ".topic", ".txt")
# Nor are addresses, and paths from the root of a site: `/path`, `@/path` in Zola, `#/path` in Docsify.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[@#]?/")
_PLACEHOLDER = re.compile(r"@\w+@")
"""What autoconf, CMake and Meson put a path or a version in place of."""

_EXECUTED = frozenset({"action", "def", "pure def", "pure val", "run", "temporal", "val"})
_TAB = re.compile(r"^[ \t]*===[!+]{0,2}[ \t]+\"([^\"\n]+)\"", re.MULTILINE)
_ANY = rules_of("", {})
_OF_DOCUMENT = "sec-"
_MOST_SUGGESTED = 100
_UNTESTED = "untested"  # the tag of an example that is there to be read only


def check(
    records_by_collection: Mapping[str, Sequence[CompiledRecord]],
    diagnostics: Diagnostics,
    collections: Iterable[Collection] = (),
    exists: Callable[[str], bool] | None = None,
) -> None:
    """Reports, over the records of all collections (by collection name):

    errors: `duplicate-id`, `routing-unknown-target`; warnings: `unknown-related`, `dead-link`,
    `dead-anchor`, `missing-summary`, `duplicate-title`, `example-without-test`, `orphan-page`.
    `collections` say by which generator's rules headings have their anchors. Links to files that are there,
    as `exists` says, are not dead where it is given: kbc, and nobody who could mend them, has left these out.
    """
    for records in records_by_collection.values():
        _check_ids(records, diagnostics)
        _check_titles(records, diagnostics)
    everything = [record for records in records_by_collection.values() for record in records]
    _check_summaries(everything, diagnostics)
    _check_related(everything, diagnostics)
    collections = tuple(collections)
    of_sites = {each.name for each in collections if each.generator}
    _check_related_pages(everything, of_sites, diagnostics)
    linking = markdown_links(everything)
    rules = {each.name: rules_of(each.generator, each.generator_options) for each in collections}
    _check_links(
        everything, linking, rules, collections, diagnostics, exists or (lambda path: False)
    )
    _check_tests(everything, diagnostics)
    listed = {
        posixpath.join(str(each.generator_options.get("folder", "")), path)
        for each in collections
        for path in each.generator_options.get("order", ())
    }
    navigated = {
        each.name
        for each in collections
        if each.generator and not each.generator_options.get("order")
    }
    check_orphans(everything, linking, diagnostics, listed, navigated, link_roots(collections))


def _check_ids(records: Sequence[CompiledRecord], diagnostics: Diagnostics) -> None:
    first: dict[str, CompiledRecord] = {}
    for record in records:
        earlier = first.setdefault(record.id, record)
        if earlier is not record:
            diagnostics.error(
                "duplicate-id",
                f"the id {record.id!r} is taken by {earlier.path}:{earlier.line}"
                f" in the same collection ({record.collection})",
                record.path,
                record.line,
                hint="Rename one of them, or remove it.",
            )


def _check_titles(records: Sequence[CompiledRecord], diagnostics: Diagnostics) -> None:
    first: dict[tuple[str, str], CompiledRecord] = {}
    for record in records:
        if not isinstance(record, (DocRecord, PatternRecord, TemplateRecord)):
            continue
        earlier = first.setdefault((record.collection, record.title.casefold()), record)
        if earlier is not record and earlier.id != record.id:
            diagnostics.warning(
                "duplicate-title",
                f"the title {record.title!r} is also that of {earlier.path}",
                record.path,
                record.line,
                hint="Give each a title that distinguishes them in a list of hits.",
            )


def _check_summaries(records: Iterable[CompiledRecord], diagnostics: Diagnostics) -> None:
    for record in records:
        described = (DocRecord, PatternRecord, BuiltinRecord, TemplateRecord)
        if isinstance(record, described) and not record.summary:
            diagnostics.warning(
                "missing-summary",
                f"{record.id!r} has no description",
                record.path,
                record.line,
                hint="Begin with a paragraph that says what it is.",
            )


def _check_related(records: Sequence[CompiledRecord], diagnostics: Diagnostics) -> None:
    """References by name. Those of a kind that the knowledge base does not hold are not checked,
    except a routing table's, which a tool gives to its user as they are."""
    builtin_names = {
        name
        for record in records
        if isinstance(record, BuiltinRecord)
        for name in (record.name, *record.aliases)
    }
    pattern_ids = {record.id for record in records if isinstance(record, PatternRecord)}
    example_ids = _with_folders(r.id for r in records if isinstance(r, ExampleRecord))
    has_routes = any(isinstance(record, RoutingRecord) for record in records)
    doc_ids = _with_folders(r.id for r in records if has_routes and isinstance(r, DocRecord))

    def report(record: CompiledRecord, what: str, names: Iterable[str], known: set[str]) -> None:
        for name in names:
            if not known or name in known:
                continue
            diagnostics.warning(
                "unknown-related",
                f"{record.id!r} refers to the {what} {name!r}, which does not exist",
                record.path,
                record.line,
                hint=_suggest(name, known),
            )

    for record in records:
        if isinstance(record, BuiltinRecord):
            report(record, "builtin", record.related, builtin_names)
        elif isinstance(record, PatternRecord):
            report(record, "pattern", record.related_patterns, pattern_ids)
            report(record, "builtin", record.required_builtins, builtin_names)
            report(record, "example", record.examples, example_ids)
        elif isinstance(record, RoutingRecord):
            for what, names, known in (
                ("document", record.docs, doc_ids),
                ("example", record.examples, example_ids),
            ):
                for name in names:
                    if name.strip("/") not in known:
                        diagnostics.error(
                            "routing-unknown-target",
                            f"the label {record.label!r} recommends the {what} {name!r},"
                            " which does not exist",
                            record.path,
                            record.line,
                            hint=_suggest(name, known),
                        )


def _check_related_pages(
    records: Sequence[CompiledRecord], of_sites: Set[str], diagnostics: Diagnostics
) -> None:
    """`related` in the front matter of a page names records by id or path, from the knowledge base's
    root or from the page; an address leads out of it. In the collections `of_sites` it may be a field of the
    site's own, with names of another kind."""
    asking = [
        record
        for record in records
        if isinstance(record, DocRecord) and record.collection not in of_sites and related(record)
    ]
    if not asking:
        return
    known = _with_folders(name for record in records for name in (record.id, record.path) if name)
    for record in asking:
        folder = posixpath.dirname(record.path)
        for name in related(record):
            plain = name.partition("#")[0].strip("/")
            nearby = posixpath.normpath(posixpath.join(folder, plain))
            if "://" not in name and plain not in known and nearby not in known:
                diagnostics.warning(
                    "unknown-related",
                    f"{record.id!r} refers to {name!r}, which does not exist",
                    record.path,
                    record.line,
                    hint=_suggest(plain, known),
                )


def _check_tests(records: Sequence[CompiledRecord], diagnostics: Diagnostics) -> None:
    """Quint examples have a `run` that `quint test` selects, or are imported by one that has, or
    define nothing that could be run, or are tagged as untested."""
    examples = {
        record.path: record
        for record in records
        if isinstance(record, ExampleRecord) and record.language == "quint"
    }
    tested = [
        path for path, each in examples.items() if any(t.endswith("Test") for t in each.tests)
    ]
    seen = set(tested)
    while tested:  # what a tested example imports is tested with it
        path = tested.pop()
        for each in examples[path].imports:
            source = resolved_path(each.source, path)
            source = source if source.endswith(".qnt") else f"{source}.qnt"
            if each.source and source in examples and source not in seen:
                seen.add(source)
                tested.append(source)
    for path, record in examples.items():
        has_content = any(each.kind in _EXECUTED for each in record.definitions)
        if has_content and path not in seen and _UNTESTED not in record.tags:
            diagnostics.warning(
                "example-without-test",
                f"{record.id!r} has no test",
                path,
                record.line,
                hint='Add a run whose name ends in Test, or the tag "untested" in'
                f" {posixpath.splitext(posixpath.basename(path))[0]}.meta.toml.",
            )


def _with_folders(paths: Iterable[str]) -> set[str]:
    """The paths, the same without their endings, and every folder above them."""
    known: set[str] = set()
    for path in paths:
        known.update((path, posixpath.splitext(path)[0]))
        # The folder above the root, where files outside of the knowledge base end, is the root itself.
        while (path := posixpath.dirname(path)) not in known and path:
            known.add(path)
    return known


def _suggest(name: str, known: Iterable[str]) -> str:
    """The path that is called most alike, in the folder that is: whole paths take long to compare."""
    named: dict[str, list[str]] = {}
    for each in sorted(known):
        named.setdefault(posixpath.basename(each), []).append(each)
    close = get_close_matches(posixpath.basename(name), named, n=1)
    if not close:
        return "Remove it, or add its target."
    (nearest,) = get_close_matches(name, named[close[0]], n=1, cutoff=0)
    return f"Did you mean {nearest!r}?"


class _Suggestions:
    """`_suggest` for the first hundred different names: each is compared with all that is known, and a site
    with a thousand dead links needs another remedy."""

    def __init__(self) -> None:
        self._made: dict[str, str] = {}

    def __call__(self, name: str, known: Iterable[str]) -> str:
        if name not in self._made:
            is_enough = len(self._made) >= _MOST_SUGGESTED
            self._made[name] = _suggest(name, () if is_enough else known)
        return self._made[name]


def _check_links(
    records: Sequence[CompiledRecord],
    linking: Sequence[Linking],
    rules: Mapping[str, AnchorRules],
    collections: Sequence[Collection],
    diagnostics: Diagnostics,
    exists: Callable[[str], bool],
) -> None:
    """Relative links from one page to another, and to headings. The pages in a source tree are as
    their authors left them, and a page of which a part is generated elsewhere may have any anchor."""
    paths = {record.path for record in records}
    # Of these, other repositories have a part of the pages, which links name without a folder.
    open_links = {each.name for each in collections if "other_modules" in each.generator_options}
    former = {alias for each in records if isinstance(each, DocRecord) for alias in each.aliases}
    pages: dict[str, DocRecord | PageRecord] = {
        record.path: record
        for record in records
        if isinstance(record, DocRecord) or (isinstance(record, PageRecord) and is_markdown(record))
    }
    by_name = _only_pages_of_their_names(
        pages.values(), {each.name for each in collections if not each.generator}
    )
    roots, tops = link_roots(collections), from_root(collections)
    # A link names `page.md`, whose file is `page.en.md`.
    languages = {
        each.name: each.generator_options["language"]
        for each in collections
        if each.generator == "mkdocs" and each.generator_options.get("language")
    }

    def below_roots(collection: str, target: str) -> str | None:
        found = (posixpath.join(root, target) for root in roots.get(collection, ()))
        return next((path for each in found if (path := posixpath.normpath(each)) in paths), None)

    @cache
    def of_documents(collection: str) -> frozenset[str]:
        """The anchors of all pages of a collection, which spec-md shows as one."""
        own = (page for page in pages.values() if page.collection == collection)
        return frozenset().union(*(_anchors(page, _ANY) for page in own))

    anchors: dict[str, frozenset[str]] = {}
    suggest = _Suggestions()
    targets = _project_targets(pages.values(), rules, collections)
    for record, found in linking:
        line_in_file = _lines_of_file(record)
        for line, link in found:
            if _SCHEME.match(link) or _PLACEHOLDER.search(link):
                continue
            target, _, written = link.partition("#")
            target, anchor = unquote(target.partition("?")[0]), unquote(written)
            folder = posixpath.dirname(record.path)
            if target.startswith("~/") and record.collection in tops:
                folder, target = tops[record.collection], target[2:]
            path = posixpath.normpath(posixpath.join(folder, target)) if target else record.path
            if path not in paths:
                path = by_name.get((record.collection, target), path)
            if path not in paths and target[:1] not in ("", "."):
                path = below_roots(record.collection, target) or path
            if path not in paths and record.collection in languages:
                stem, ending = posixpath.splitext(path)
                named = f"{stem}.{languages[record.collection]}{ending}"
                path = named if named in paths else path
            if path not in paths:
                is_elsewhere = record.collection in open_links and "/" not in target
                is_page = target.lower().endswith(_PAGE_ENDINGS)
                if path not in former and is_page and not is_elsewhere and not exists(path):
                    diagnostics.warning(
                        "dead-link",
                        f"the link {link!r} leads to {path}, which is not in the knowledge base",
                        record.path,
                        line_in_file(line),
                        hint=suggest(path, paths),
                    )
                continue
            if not anchor or path not in pages or not is_complete(pages[path].text):
                continue
            if path not in anchors:
                page = pages[path]
                anchors[path] = _anchors(page, rules.get(page.collection, _ANY))
            is_named_elsewhere = not target and rules.get(record.collection, _ANY).other_projects
            if rules.get(pages[path].collection, _ANY).is_open or is_named_elsewhere:
                continue
            own = rules.get(record.collection, _ANY)
            is_target = anchor in targets and (own.project_wide or own == _ANY)
            # Some sites keep the case of headings in their anchors.
            known = anchors[path]
            is_there = not known.isdisjoint((written, anchor)) or (
                own == _ANY and anchor.lower() in known
            )
            is_there = is_there or (own.slugs_links and slug(anchor, own.style) in known)
            if not is_there and own == _ANY and anchor.startswith(_OF_DOCUMENT):
                is_there = _last_part(anchor) in of_documents(record.collection)
            if not is_there and not is_target:
                diagnostics.warning(
                    "dead-anchor",
                    f"the link {link!r} leads to a heading that {path} does not have",
                    record.path,
                    line_in_file(line),
                    hint=suggest(anchor, known),
                )


def _last_part(anchor: str) -> str:
    """The anchor by GitHub's rule of a section that spec-md calls after those around it, too
    (`sec-Types.Input-Values`)."""
    return slug(anchor.removeprefix(_OF_DOCUMENT).rpartition(".")[2].replace("-", " "))


def _lines_of_file(record: CompiledRecord) -> Callable[[int], int]:
    """Gives the line of the record's file for a line of its text."""
    if isinstance(record, DocRecord) and is_markdown(record) and record.stored:
        return StoredLines(record.stored, record.text).line
    return lambda line: record.line + line - 1


def _only_pages_of_their_names(
    pages: Iterable[DocRecord | PageRecord], collections: Iterable[str]
) -> dict[tuple[str, str], str]:
    """The paths of pages by their collections and file names, where no other page of the collection is called
    so: ExDoc, wikis and notebooks of notes find a page in any folder by the name of its file."""
    return {
        (collection, name): path
        for collection in collections
        for name, path in only_ones(
            page.path for page in pages if page.collection == collection
        ).items()
    }


def _project_targets(
    pages: Iterable[DocRecord | PageRecord],
    rules: Mapping[str, AnchorRules],
    collections: Iterable[Collection],
) -> frozenset[str]:
    """The ids that pages of any collection may link whose generator has such: several parts of one
    project can be collections of their own. Names in an inventory of the last build count."""
    found: set[str] = set()
    for collection in collections:
        found.update(collection.generator_options.get("link_targets", ()))
    for page in pages:
        if rules.get(page.collection, _ANY).project_wide:
            document = markdown.parse(page.text, mdx=is_mdx(page))
            found.update(document.ids)
    return frozenset(found)


def _anchors(record: DocRecord | PageRecord, rules: AnchorRules) -> frozenset[str]:
    """What a link may name, with the ids that are stated by tags of components, which the text does not
    have: they are in the file as it is stored."""
    found = markdown.anchors(markdown.parse(record.text, mdx=is_mdx(record)), rules)
    found |= {section.anchor for section in record.sections}
    found |= set(record.targets) if isinstance(record, DocRecord) else set()
    stored = record.stored if isinstance(record, DocRecord) else ""
    if rules.tabs:
        tabs = {slug(title, rules.tabs) for title in _TAB.findall(stored)}
        found |= tabs | {f"{heading}-{tab}" for heading in found for tab in tabs}
    return found | markdown.parse(stored, mdx=is_mdx(record)).ids if stored else found
