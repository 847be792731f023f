"""Checks across records: ids that repeat, and references to what is not in the knowledge base."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from urllib.parse import unquote

from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import links
from kbc.records import (
    BuiltinRecord,
    CodeRecord,
    DocRecord,
    ExampleRecord,
    PatternRecord,
    Record,
    RoutingRecord,
    TemplateRecord,
)

# Links to other files (images, downloads, routes of a web site) are none of the compiler's business.
_PAGE_ENDINGS = (".md", ".mdx", ".markdown", ".txt")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|/")
_HTML_ANCHOR = re.compile(r"\b(?:id|name)\s*=\s*[\"']([^\"']+)[\"']")


def check(records_by_collection: Mapping[str, Sequence[Record]], diagnostics: Diagnostics) -> None:
    """Reports, over the records of all collections (by collection name):

    errors: `duplicate-id`, `routing-unknown-target`; warnings: `unknown-related`, `dead-link`,
    `dead-anchor`, `missing-summary`, `duplicate-title`.
    """
    for records in records_by_collection.values():
        _check_ids(records, diagnostics)
        _check_titles(records, diagnostics)
    everything = [record for records in records_by_collection.values() for record in records]
    _check_summaries(everything, diagnostics)
    _check_related(everything, diagnostics)
    _check_links(everything, diagnostics)


def _check_ids(records: Sequence[Record], diagnostics: Diagnostics) -> None:
    first: dict[str, Record] = {}
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


def _check_titles(records: Sequence[Record], diagnostics: Diagnostics) -> None:
    first: dict[tuple[str, str], Record] = {}
    for record in records:
        if not isinstance(record, (DocRecord, PatternRecord, TemplateRecord)):
            continue
        earlier = first.setdefault((record.collection, record.title.casefold()), record)
        if earlier is not record and earlier.id != record.id:
            diagnostics.warning(
                "duplicate-title",
                f"the title {record.title!r} is that of {earlier.path} too",
                record.path,
                record.line,
                hint="Give each a title that tells them apart in a list of hits.",
            )


def _check_summaries(records: Iterable[Record], diagnostics: Diagnostics) -> None:
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


def _check_related(records: Sequence[Record], diagnostics: Diagnostics) -> None:
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
    doc_ids = _with_folders(r.id for r in records if isinstance(r, DocRecord))

    def report(record: Record, what: str, names: Iterable[str], known: set[str]) -> None:
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
    close = get_close_matches(name, sorted(known), n=1)
    return f"Did you mean {close[0]!r}?" if close else "Remove it, or add what it names."


def _check_links(records: Sequence[Record], diagnostics: Diagnostics) -> None:
    """Relative links from one page to another, and to headings. The pages in a source tree are as
    their authors left them."""
    paths = {record.path for record in records}
    anchors = {record.path: _anchors(record) for record in records if isinstance(record, DocRecord)}
    for record in records:
        if record.language not in ("markdown", "mdx") or isinstance(record, CodeRecord):
            continue
        for line, link in links(record.text, is_mdx=record.language == "mdx"):
            if _SCHEME.match(link):
                continue
            target, _, anchor = unquote(link).partition("#")
            target = target.partition("?")[0]
            folder = posixpath.dirname(record.path)
            path = posixpath.normpath(posixpath.join(folder, target)) if target else record.path
            file_line = record.line + line - 1
            if path not in paths:
                if target.lower().endswith(_PAGE_ENDINGS):
                    diagnostics.warning(
                        "dead-link",
                        f"the link {link!r} leads to {path}, which is not in the knowledge base",
                        record.path,
                        file_line,
                        hint=_suggest(path, paths),
                    )
            elif anchor and path in anchors and anchor not in anchors[path]:
                diagnostics.warning(
                    "dead-anchor",
                    f"the link {link!r} leads to a heading that {path} does not have",
                    record.path,
                    file_line,
                    hint=_suggest(anchor, anchors[path]),
                )


def _anchors(record: DocRecord) -> set[str]:
    return {section.anchor for section in record.sections} | set(_HTML_ANCHOR.findall(record.text))
