"""Checks across records: repeated ids, and references to records that do not exist."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from kbc.diagnostics import Diagnostics
from kbc.frontends.orphans import check_orphans, link_roots, markdown_links, related
from kbc.frontends.references.links import check_links
from kbc.frontends.references.suggestions import suggest
from kbc.languages.anchors import rules_of
from kbc.project.model import Collection
from kbc.project.source_file import resolved_path
from kbc.records import (
    BuiltinRecord,
    CompiledRecord,
    DocRecord,
    ExampleRecord,
    PatternRecord,
    RoutingRecord,
    TemplateRecord,
)

_EXECUTED = frozenset({"action", "def", "pure def", "pure val", "run", "temporal", "val"})
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
    rules = {each.name: rules_of(each.generator, each.site.links) for each in collections}
    is_there = exists or (lambda path: False)
    check_links(everything, linking, rules, collections, diagnostics, is_there)
    _check_tests(everything, diagnostics)
    listed: set[str] = set()
    navigated: set[str] = set()
    for each in collections:
        listed |= {posixpath.join(each.site.folder, path) for path in each.site.order}
        if each.generator and not each.site.order:
            navigated.add(each.name)
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
            message = f"the title {record.title!r} is also that of {earlier.path}"
            hint = "Give each a title that distinguishes them in a list of hits."
            diagnostics.warning("duplicate-title", message, record.path, record.line, hint=hint)


def _check_summaries(records: Iterable[CompiledRecord], diagnostics: Diagnostics) -> None:
    for record in records:
        described = (DocRecord, PatternRecord, BuiltinRecord, TemplateRecord)
        if isinstance(record, described) and not record.summary:
            message = f"{record.id!r} has no description"
            hint = "Begin with a paragraph that says what it is."
            diagnostics.warning("missing-summary", message, record.path, record.line, hint=hint)


def _check_related(records: Sequence[CompiledRecord], diagnostics: Diagnostics) -> None:
    """References by name. Those of a kind that the knowledge base does not hold are not checked,
    except a routing table's, which a tool gives to its user as they are."""
    builtins = (record for record in records if isinstance(record, BuiltinRecord))
    builtin_names = {name for each in builtins for name in (each.name, *each.aliases)}
    pattern_ids = {record.id for record in records if isinstance(record, PatternRecord)}
    example_ids = _with_folders(r.id for r in records if isinstance(r, ExampleRecord))
    has_routes = any(isinstance(record, RoutingRecord) for record in records)
    doc_ids = _with_folders(r.id for r in records if has_routes and isinstance(r, DocRecord))

    def report(record: CompiledRecord, what: str, names: Iterable[str], known: set[str]) -> None:
        for name in names:
            if not known or name in known:
                continue
            message = f"{record.id!r} refers to the {what} {name!r}, which does not exist"
            hint = suggest(name, known)
            diagnostics.warning("unknown-related", message, record.path, record.line, hint=hint)

    for record in records:
        if isinstance(record, BuiltinRecord):
            report(record, "builtin", record.related, builtin_names)
        elif isinstance(record, PatternRecord):
            report(record, "pattern", record.related_patterns, pattern_ids)
            report(record, "builtin", record.required_builtins, builtin_names)
            report(record, "example", record.examples, example_ids)
        elif isinstance(record, RoutingRecord):
            asked = [("document", name, doc_ids) for name in record.docs]
            asked += [("example", name, example_ids) for name in record.examples]
            for what, name, known in asked:
                if name.strip("/") not in known:
                    said = f"the label {record.label!r} recommends the {what} {name!r}"
                    message, hint = f"{said}, which does not exist", suggest(name, known)
                    diagnostics.error(
                        "routing-unknown-target", message, record.path, record.line, hint=hint
                    )


def _check_related_pages(
    records: Sequence[CompiledRecord], of_sites: Set[str], diagnostics: Diagnostics
) -> None:
    """`related` in the front matter of a page names records by id or path, from the knowledge base's
    root or from the page; an address leads out of it, and one without a host (`/guide/start`) is known by
    the end of a path. In the collections `of_sites` it may be a field of the
    site's own, with names of another kind."""
    pages = (each for each in records if isinstance(each, DocRecord))
    asking = [each for each in pages if each.collection not in of_sites and related(each)]
    if not asking:
        return
    known = _with_folders(name for record in records for name in (record.id, record.path) if name)
    for record in asking:
        folder = posixpath.dirname(record.path)
        for name in related(record):
            plain = name.partition("#")[0].strip("/")
            nearby = posixpath.normpath(posixpath.join(folder, plain))
            if "://" in name or plain in known or nearby in known:
                continue
            is_address = name.startswith("/") and any(each.endswith(f"/{plain}") for each in known)
            if not is_address:
                message = f"{record.id!r} refers to {name!r}, which does not exist"
                hint = suggest(plain, known)
                diagnostics.warning("unknown-related", message, record.path, record.line, hint=hint)


def _check_tests(records: Sequence[CompiledRecord], diagnostics: Diagnostics) -> None:
    """Quint examples have a `run` that `quint test` selects, or are imported by one that has, or
    define nothing that could be run, or are tagged as untested."""
    known = (each for each in records if isinstance(each, ExampleRecord))
    examples = {each.path: each for each in known if each.language == "quint"}
    with_tests = (each for each in examples.values() if any(t.endswith("Test") for t in each.tests))
    tested = [each.path for each in with_tests]
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
            message = f"{record.id!r} has no test"
            metadata = f"{posixpath.splitext(posixpath.basename(path))[0]}.meta.toml"
            hint = f'Add a run whose name ends in Test, or the tag "untested" in {metadata}.'
            diagnostics.warning("example-without-test", message, path, record.line, hint=hint)


def _with_folders(paths: Iterable[str]) -> set[str]:
    """The paths, the same without their endings, and every folder above them."""
    known: set[str] = set()
    for path in paths:
        known.update((path, posixpath.splitext(path)[0]))
        # The folder above the root, where files outside of the knowledge base end, is the root itself.
        while (path := posixpath.dirname(path)) not in known and path:
            known.add(path)
    return known
