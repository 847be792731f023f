"""Five general tools over every collection, for clients where many tool schemas cost too much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import PATH_SUGGESTIONS, quoted, resolve, resolve_ending, suggest
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.declaration import Answer, Argument, Tool, cursor_argument
from kb_runtime.tools.lookup import look_up, record_id, stored_lines, tool_name
from kb_runtime.tools.paging import Pager

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.records.entries import CatalogEntry, SectionEntry
    from kb_runtime.search.request import Hit
    from kb_runtime.tools.search.answers import (
        CollectionSize,
        CompactHit,
        Hits,
        KnowledgeBaseInfo,
        Outline,
        OutlineLine,
        RecordList,
        RecordSummary,
    )
    from kb_runtime.tools.session import Session

FAMILY = "compact"
MAX_QUERY_CHARS = 1_000
DEFAULT_PAGE = 50
MAX_PAGE = 200
DEFAULT_CHARS = 20_000
MAX_CHARS = 80_000
MAX_HITS_PER_RECORD = 3


def search(session: Session, arguments: dict[str, Any]) -> Answer[Hits]:
    from kb_runtime.search.request import SearchRequest

    artifact = session.artifact
    scopes: dict[str, list[str]] = artifact.manifest["scopes"]
    scope = arguments["scope"]
    if scope not in scopes:
        raise ToolError(
            "BAD_INPUT",
            f"scope {quoted(scope)} is not one of: {', '.join(scopes)}",
            suggestions=suggest(scope, scopes) or list(scopes),
            details={"allowed": list(scopes)},
        )
    result = artifact.searcher.search(
        SearchRequest(
            query=arguments["query"],
            collections=None if scope == "all" else tuple(scopes[scope]),
            limit=arguments["limit"],
            mode=arguments["mode"],
            per_record=MAX_HITS_PER_RECORD,
        )
    )
    hits = [shown_hit(artifact, hit) for hit in result.hits]
    structured: Hits = {
        "query": arguments["query"],
        "scope": scope,
        "mode": result.mode,
        "hits": hits,
    }
    if not hits:
        structured["advice"] = "Nothing found: use other words, or the scope all."
    if result.warnings:
        structured["warnings"] = list(result.warnings)
    return json_answer(structured)


def shown_hit(artifact: Knowledge, hit: Hit) -> CompactHit:
    """A hit as lists of hits show it: its place and its snippet.

    A chunk with nothing to show, which is front matter alone, is shown by its record's summary.
    """
    catalog = artifact.catalog(hit.collection)
    found = catalog.id(hit.record)
    passage = hit.snippet
    place = (passage.start_line, passage.end_line)
    if not passage.text:
        place = (hit.chunk["start_line"], hit.chunk["end_line"])
    return {
        "address": artifact.address(hit.collection, found),
        "title": hit.chunk.get("title", found),
        "lines": list(place),
        "score": round(hit.score, 6),
        "strategy": hit.strategy,
        "snippet": passage.text or catalog[hit.record].get("summary", ""),
    }


def get(session: Session, arguments: dict[str, Any]) -> Answer[None]:
    """A record's text as stored, so that line numbers of hits and outlines apply."""
    info, record = find_record(session, arguments)
    text: str = record.get("text", "")
    first = record.get("line", 1)
    lines = stored_lines(text)
    start = max(arguments["start_line"] or first, first)
    end = min(arguments["end_line"] or first + len(lines) - 1, first + len(lines) - 1)
    if start > end and lines:
        raise ToolError(
            "BAD_INPUT",
            f"lines {start} to {end} are not in {quoted(record['id'])},"
            f" which has lines {first} to {first + len(lines) - 1}",
        )
    part = "".join(lines[start - first : end - first + 1])
    own_name = tool_name(session, "get")
    address = session.artifact.address(info.name, record["id"])
    pager = Pager(session.artifact.build_id, own_name, {"address": address, "lines": [start, end]})
    page = pager.part(arguments["cursor"], part, arguments["max_chars"])
    header = f"# {record.get('title') or record['id']}\n{address}, lines {start} to {end}"
    if record.get("url"):
        header += f", {record['url']}"
    body = part[page.start : page.stop]
    if page.next is not None:
        left = len(part) - page.stop
        body += f"\n\n[{left} characters follow: call {own_name} with cursor {page.next}]"
    return Answer(f"{header}\n\n{body}", None)


def list_records(session: Session, arguments: dict[str, Any]) -> Answer[RecordList]:
    artifact = session.artifact
    name = arguments["collection"]
    if name is None:
        return json_answer({"collections": [_summary(info) for info in artifact.collections]})
    info = _collection(session, name)
    catalog = artifact.catalog(info.name)
    pager = Pager(artifact.build_id, tool_name(session, "list"), {"collection": info.name})
    page = pager.items(arguments["cursor"], len(catalog), arguments["limit"])
    structured: RecordList = {
        "collection": info.name,
        "total": len(catalog),
        "records": [_brief(catalog[position]) for position in range(page.start, page.stop)],
    }
    if page.next is not None:
        structured["nextCursor"] = page.next
    return json_answer(structured)


def outline(session: Session, arguments: dict[str, Any]) -> Answer[Outline]:
    info, record = find_record(session, arguments)
    fields: Any = record  # of a kind that has sections, or definitions, or neither
    entries: list[OutlineLine] = [
        {"title": section["title"], "level": section["level"], "lines": _lines(section)}
        for section in fields.get("sections", ())
    ] or [
        {"title": definition["name"], "kind": definition["kind"], "lines": _lines(definition)}
        for definition in fields.get("definitions", ())
    ]
    return json_answer(
        {
            "address": session.artifact.address(info.name, record["id"]),
            "title": record.get("title") or record["id"],
            "entries": entries,
        }
    )


def info(session: Session, _: dict[str, Any]) -> Answer[KnowledgeBaseInfo]:
    manifest = session.artifact.manifest
    structured: KnowledgeBaseInfo = {
        "name": manifest["name"],
        "title": manifest["title"],
        "version": manifest["version"],
        "buildId": manifest["build_id"],
        "builtAt": manifest["built_at"],
        "semanticSearch": manifest.get("encoder") is not None,
        "collections": [_summary(each) for each in session.artifact.collections],
        "scopes": list(manifest["scopes"]),
    }
    structured |= present(description=manifest.get("description"), license=manifest.get("license"))
    return json_answer(structured)


def find_record(session: Session, arguments: dict[str, Any]) -> tuple[CollectionInfo, CatalogEntry]:
    """The record that an address, a hit's id, a path, the end of only one path, or a name means."""
    artifact = session.artifact
    name: str = arguments["name"]
    address = parse_address(name)
    wanted = arguments["collection"] or (address[1] if address else None)
    names = artifact.addressed(*address[:2]) if address and not arguments["collection"] else ()
    infos = [artifact.collection(each) for each in names]
    if not infos:
        infos = [_collection(session, wanted)] if wanted else list(artifact.collections)
    bare = record_id(name)
    candidates = [one for one in dict.fromkeys((name, bare, bare.partition("#")[0])) if one]
    for resolver in (resolve, resolve_ending):
        for candidate in candidates:
            place = look_up(session, infos, resolver, candidate)
            if place is not None:
                record: Any = artifact.catalog(place[0].name)[place[1]]
                return place[0], record
    known = (id for each in infos for id in artifact.catalog(each.name).ids())
    raise ToolError(
        "NOT_FOUND",
        f"there is no record {quoted(name)}" + (f" in {wanted}" if wanted else ""),
        suggestions=suggest(bare, known, PATH_SUGGESTIONS),
        next_steps=[f"Call {tool_name(session, 'search')} with words of what you look for."],
    )


def _collection(session: Session, name: str) -> CollectionInfo:
    names = [each.name for each in session.artifact.collections]
    for each in session.artifact.collections:
        if each.name.casefold() == name.casefold():
            return each
    raise ToolError(
        "NOT_FOUND",
        f"there is no collection {quoted(name)}; there are: {', '.join(names)}",
        suggestions=suggest(name, names) or names,
    )


def _summary(each: CollectionInfo) -> CollectionSize:
    return {"name": each.name, "kind": each.kind, "records": each.records}


def _brief(record: Any) -> RecordSummary:
    brief: RecordSummary = {"id": record["id"]}
    title = None if record.get("title") == record["id"] else record.get("title")
    brief |= present(title=title, summary=record.get("summary"))
    return brief


def _lines(entry: SectionEntry) -> list[int]:
    return [entry["line"], entry["end_line"]]


_NAME = Argument(
    "name", "string", "kb:// address, hit id, path or name", required=True, max_length=1_000
)
_ONE_COLLECTION = Argument(
    "collection", "string", "look in this collection only", choices_from="collections"
)
_CURSOR = cursor_argument("from the previous answer, to go on")

COMPACT_TOOLS = (
    Tool(
        name="{prefix}_search",
        family=FAMILY,
        description=(
            "Search everything, by words and by meaning. Each hit has a kb:// address and a line"
            " range that {prefix}_get accepts."
        ),
        run=search,
        arguments=(
            Argument(
                "query",
                "string",
                "a question, some words, or a name",
                required=True,
                max_length=MAX_QUERY_CHARS,
            ),
            Argument("scope", "string", "what to search in", default="all", choices_from="scopes"),
            Argument("limit", "integer", "number of hits", default=10, minimum=1, maximum=50),
            Argument(
                "mode",
                "string",
                "how to search",
                default="hybrid",
                choices=("hybrid", "lexical", "semantic"),
            ),
        ),
    ),
    Tool(
        name="{prefix}_get",
        family=FAMILY,
        description="Read a record in full or some of its lines, as text.",
        run=get,
        arguments=(
            _NAME,
            _ONE_COLLECTION,
            Argument("start_line", "integer", "first line", minimum=1),
            Argument("end_line", "integer", "last line", minimum=1),
            Argument(
                "max_chars",
                "integer",
                "most characters of text in one answer",
                default=DEFAULT_CHARS,
                minimum=1_000,
                maximum=MAX_CHARS,
            ),
            _CURSOR,
        ),
    ),
    Tool(
        name="{prefix}_list",
        family=FAMILY,
        description="List the collections, or the records of one.",
        run=list_records,
        arguments=(
            Argument("collection", "string", "the collection to list", choices_from="collections"),
            Argument(
                "limit",
                "integer",
                "records in one answer",
                default=DEFAULT_PAGE,
                minimum=1,
                maximum=MAX_PAGE,
            ),
            _CURSOR,
        ),
    ),
    Tool(
        name="{prefix}_outline",
        family=FAMILY,
        description="The headings of a page or the definitions of a source file, with line ranges.",
        run=outline,
        arguments=(_NAME, _ONE_COLLECTION),
    ),
    Tool(
        name="{prefix}_info",
        family=FAMILY,
        description="What this knowledge base is: version, build, licence, collections, scopes.",
        run=info,
    ),
)
