"""`qurio_list_sources`, `qurio_list_pages`, `qurio_read_page`: documentation sets and their pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import quoted, shared_prefix, suggest
from kb_runtime.text.rendering import exact_fence
from kb_runtime.text.tables import some_of
from kb_runtime.text.urls import split_fragment
from kb_runtime.text.written_json import indented_json_text
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.budget import OUTLINE_SHARE, part_chars, shown_levels
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager, json_chars
from kb_runtime.tools.refusal import not_found
from kb_runtime.tools.sources.family import LIST_PAGES, READ_PAGE, SEARCH, page_facts, source_tools
from kb_runtime.tools.sources.lookup import find_pages, find_source, sources

if TYPE_CHECKING:
    from kb_runtime.records.entries import ListedPage, PageEntry, SectionEntry
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.sources.answers import (
        PageContent,
        PageHeading,
        PageList,
        PageSummary,
        SourceList,
        SourceSummary,
    )

MAX_LISTED = 1000
SHOWN_HEADINGS = 40
MAX_NEAREST = 5
_SCHEME = re.compile(r"[a-z][a-z\d+.-]*://")


_CURSOR = parameter.cursor("nextCursor of the previous answer")
TOOLS = source_tools()


@TOOLS.tool("List the documentation sets: id, name, type, url.", prefixed="{prefix}_list_sources")
def list_sources(session: Session, _: dict[str, Any]) -> Answer[SourceList]:
    entries: list[SourceSummary] = []
    for source in sources(session):
        type: Any = source.record["type"]
        entry: SourceSummary = {
            "id": source.id,
            "name": source.name,
            "type": type,
            "pageCount": len(source.pages),
            "chunkCount": len(source.rows(session, 0, len(source.pages))),
            "builtAt": session.artifact.built_at(source.info.name),
        }
        entry |= present(
            url=source.record.get("url"),
            description=source.record.get("description"),
            address=lookup.own_address(session, source.record),
        )
        entries.append(entry)
    listed = [
        {name: each.get(name) for name in ("id", "name", "type", "url", "address") if name in each}
        for each in entries
    ]
    text = indented_json_text(listed) if listed else "No sources found."
    return Answer(text, {"sources": entries, "total": len(entries)})


@TOOLS.tool(
    "List the pages of a documentation set: id, url, title.",
    parameter.required("source_id", "id from qurio_list_sources", 300),
    parameter.text("filter", "text that path or title contains", 500),
    parameter.integer("limit", "pages in one answer; default: all that fit", 1, MAX_LISTED),
    _CURSOR,
    prefixed="{prefix}_list_pages",
)
def list_pages(session: Session, arguments: dict[str, Any]) -> Answer[PageList]:
    source = find_source(session, arguments["source_id"])
    wanted = arguments["filter"]
    pages = source.pages
    if wanted is not None:
        pages = _about(pages, wanted.casefold())
    limit = arguments["limit"]
    scope = {"source_id": source.id, "filter": wanted}
    pager = Pager(session.artifact.build_id, LIST_PAGES, scope)
    entries: list[PageSummary] = []
    for each in pages:
        entry: PageSummary = {"id": each["id"], "url": each["url"], "title": each["title"]}
        entry |= present(
            address=lookup.shared_address(session, source.info.name, each["id"], each["url"])
        )
        entries.append(entry)
    # The text is indented, which takes about half as much again.
    page = pager.fitting(arguments["cursor"], entries, limit, session.max_chars * 2 // 3)
    listed = entries[page.start : page.stop]
    structured: PageList = {"sourceId": source.id, "pages": listed, "total": len(pages)}
    if limit is not None:
        structured["limit"] = limit
    text = indented_json_text(listed) if listed else "No pages found for source."
    if not listed and source.pages:
        structured["warnings"] = [
            f"None of the {len(source.pages)} pages has {quoted(wanted)} in its path or title."
        ]
        text += f"\n\nNote: {structured['warnings'][0]}"
    if page.next is not None:
        structured["nextCursor"] = page.next
        text += f'\n\nNext: {len(pages) - page.stop} more with cursor="{page.next}".'
    return Answer(text, structured)


def _about(pages: Sequence[ListedPage], folded: str) -> list[ListedPage]:
    """The pages with `folded` in the title, or in the address from the path on or reaching into it: most
    pages of a source share the rest. Where there are none, those with it in the host; a scheme counts
    only with its `://`."""
    in_path: list[ListedPage] = []
    in_host: list[ListedPage] = []
    for page in pages:
        url = page["url"].casefold()
        scheme = _SCHEME.match(url)
        host = scheme.end() if scheme else 0
        path = url.find("/", host) % (len(url) + 1) if scheme else 0
        end = url.rfind(folded) + len(folded) if folded in url else -1
        if end > path or folded in page.get("title", "").casefold():
            in_path.append(page)
        elif end >= host:
            in_host.append(page)
    return in_path or in_host


@TOOLS.tool(
    "Read a page in full, exactly as stored, or one section of it.",
    parameter.required("url", "URL of the page; a #fragment picks the section", 2_000),
    parameter.text("source_id", "where several sources have the page", 300),
    parameter.text("section", "heading or anchor to read alone", 500),
    parameter.integer(
        "maxChars",
        "characters of the page in one answer; default: all that fit",
        1,
        out_of_range="reject",
    ),
    _CURSOR,
    prefixed="{prefix}_read_page",
)
def read_page(session: Session, arguments: dict[str, Any]) -> Answer[PageContent]:
    """The page, or one section of it, exactly as it is stored; long ones in parts if so wished."""
    page, warnings = _page(session, arguments["url"], arguments["source_id"])
    section = _section(page, arguments, warnings)
    content = page.get("text", "")
    if section is not None:
        lines = content.split("\n")
        first = section["line"] - page.get("line", 1)
        end = section["end_line"] - page.get("line", 1) + 1
        content = "\n".join(lines[first:end]) + ("\n" if end < len(lines) else "")
    scope = {"page": page["id"], "section": None if section is None else section["line"]}
    pager = Pager(session.artifact.build_id, READ_PAGE, scope)
    structured: PageContent = {
        "url": page["url"],
        "title": page["title"],
        "sourceId": page["source"],
        "sourceName": page["source_name"],
        "content": "",
        "sections": _listed_sections(session, page, content),
        "builtAt": session.artifact.built_at(page["collection"]),
        "truncated": False,
    }
    structured |= page_facts(page)
    head = [f"Page: {page['title']}", f"URL: {page['url']}"]
    if section is not None:
        structured["section"] = section["title"]
        head.append(f"Section: {section['title']}")
    if warnings:
        structured["warnings"] = warnings
        head += [f"Note: {warning}" for warning in warnings]
    limit: int | None = arguments["maxChars"]
    if limit is None:
        limit = part_chars(session, pager, arguments["cursor"], content, json_chars(structured))
    part = pager.part(arguments["cursor"], content, limit)
    structured["content"] = content[part.start : part.stop]
    structured["truncated"] = part.next is not None
    text = "\n".join([*head, "", exact_fence(structured["content"])])
    if part.next is not None:
        structured["nextCursor"] = part.next
        left = len(content) - part.stop
        text += f'\n\nNext: {left} more characters with cursor="{part.next}".'
    return Answer(text, structured)


def _listed_sections(session: Session, page: PageEntry, content: str) -> list[PageHeading]:
    """The headings of a page; beside a text that is too long for an answer the highest levels of them."""
    sections: list[PageHeading] = [
        {
            "title": each["title"],
            "level": each["level"],
            "anchor": each["anchor"],
            "line": each["line"],
        }
        for each in page.get("sections", ())
    ]
    if len(content) + json_chars(sections) <= session.max_chars:
        return sections
    return shown_levels(sections, session.max_chars // OUTLINE_SHARE)


def _page(session: Session, url: str, source_id: str | None) -> tuple[PageEntry, list[str]]:
    """The page with this address, and what to know about the choice. Raises NOT_FOUND."""
    found = find_pages(session, url)
    source = None if source_id is None else find_source(session, source_id)
    if source is not None:
        by_address = source_id is not None and parse_address(source_id) is not None
        inside = [
            page["source"] == source.id
            and (not by_address or page["collection"] == source.info.name)
            for page in found
        ]
        elsewhere = [page["source"] for page, is_in in zip(found, inside, strict=True) if not is_in]
        found = [page for page, is_in in zip(found, inside, strict=True) if is_in]
        if elsewhere and not found:
            raise not_found(
                f"No content found for URL. {quoted(url)} is not in the source"
                f" {quoted(source.id)} but in {', '.join(elsewhere)}",
                suggestions=elsewhere,
            )
    if not found:
        among = sources(session) if source is None else [source]
        known = list(dict.fromkeys(page["url"] for each in among for page in each.pages))
        near = suggest(split_fragment(url)[0], known)
        if not near:  # those that agree for longest from the beginning
            near = sorted(known, key=lambda each: (-shared_prefix(url, each), each))[:MAX_NEAREST]
        raise not_found(
            f"No content found for URL. Nothing is stored under {quoted(url, 300)}",
            f"Call {LIST_PAGES} for the URLs of a source, or {SEARCH}.",
            suggestions=near,
            details={"nearest": near},
        )
    others = [page["source"] for page in found[1:]]
    if lookup.note_duplicates(session, url, [(page["collection"], page["id"]) for page in found]):
        others = []
    warnings = []
    if others:
        warnings.append(f"this URL is also in {', '.join(others)}: choose with source_id")
    return found[0], warnings


def _section(
    page: PageEntry, arguments: Mapping[str, Any], warnings: list[str]
) -> SectionEntry | None:
    """The section asked for by title or anchor, else by the fragment of the address. Raises
    NOT_FOUND for an unknown title; an unknown fragment is only warned of."""
    wanted = arguments["section"]
    fragment = split_fragment(arguments["url"])[1]
    sections = page.get("sections", [])
    name = (wanted or fragment).lstrip("# ")
    for exact in (True, False):
        for section in sections if name else ():
            names = (section["anchor"], section["title"])
            if name in names if exact else name.casefold() in map(str.casefold, names):
                return section
    if wanted:
        titles = [section["title"] for section in sections]
        shown = some_of(titles, SHOWN_HEADINGS) or "the page has no headings"
        raise not_found(
            f"the page has no section {quoted(wanted)}. Headings: {shown}",
            "Leave section out to read the whole page.",
            suggestions=suggest(wanted, titles),
            details={"headings": titles},
        )
    if fragment:
        warnings.append(f"the page has no heading {quoted(fragment)}: this is the whole page")
    return None
