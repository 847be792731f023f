"""Five general tools over every collection, for clients where many tool schemas cost too much."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.cursors import bad_cursor, read_cursor, write_cursor
from kb_runtime.text.names import PATH_SUGGESTIONS, quoted, resolve, resolve_ending, suggest
from kb_runtime.text.rendering import cut
from kb_runtime.tools.answers import json_answer
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.library import look_up, record_id, stored_lines, tool_name
from kb_runtime.tools.schemas import INTEGER, NUMBER, STRING, array, structure

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.search.request import Hit
    from kb_runtime.tools.session import Session

FAMILY = "compact"
MAX_QUERY_CHARS = 1_000
DEFAULT_PAGE = 50
MAX_PAGE = 200
DEFAULT_CHARS = 20_000
MAX_CHARS = 80_000
MAX_HITS_PER_RECORD = 3


def search(session: Session, arguments: dict[str, Any]) -> Answer:
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
    structured: dict[str, Any] = {"query": arguments["query"], "scope": scope, "mode": result.mode}
    structured["hits"] = hits
    if not hits:
        structured["advice"] = "Nothing found: use other words, or the scope all."
    if result.warnings:
        structured["warnings"] = list(result.warnings)
    return json_answer(structured)


def shown_hit(artifact: Knowledge, hit: Hit) -> dict[str, Any]:
    """A hit as lists of hits show it: where it is and what it says.

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


def get(session: Session, arguments: dict[str, Any]) -> Answer:
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
    part_of = {"address": address, "lines": [start, end]}
    offset = _position(session, arguments["cursor"], own_name, part_of)
    if offset and offset >= len(part):
        raise bad_cursor("it is beyond the end")
    stop = cut(part, offset, arguments["max_chars"])
    header = f"# {record.get('title') or record['id']}\n{address}, lines {start} to {end}"
    if record.get("url"):
        header += f", {record['url']}"
    body = part[offset:stop]
    if stop < len(part):
        cursor = write_cursor(session.artifact.build_id, own_name, part_of, [stop])
        body += f"\n\n[{len(part) - stop} characters follow: call {own_name} with cursor {cursor}]"
    return Answer(f"{header}\n\n{body}")


def list_records(session: Session, arguments: dict[str, Any]) -> Answer:
    artifact = session.artifact
    name = arguments["collection"]
    if name is None:
        return json_answer({"collections": [_summary(info) for info in artifact.collections]})
    info = _collection(session, name)
    own_name = tool_name(session, "list")
    catalog = artifact.catalog(info.name)
    start = _position(session, arguments["cursor"], own_name, {"collection": info.name})
    if start and start >= len(catalog):
        raise bad_cursor("it is beyond the end")
    stop = min(start + arguments["limit"], len(catalog))
    structured: dict[str, Any] = {
        "collection": info.name,
        "total": len(catalog),
        "records": [_brief(catalog[position]) for position in range(start, stop)],
    }
    if stop < len(catalog):
        structured["nextCursor"] = write_cursor(
            artifact.build_id, own_name, {"collection": info.name}, [stop]
        )
    return json_answer(structured)


def outline(session: Session, arguments: dict[str, Any]) -> Answer:
    info, record = find_record(session, arguments)
    entries = [
        {"title": section["title"], "level": section["level"], "lines": _lines(section)}
        for section in record.get("sections", ())
    ] or [
        {"title": definition["name"], "kind": definition["kind"], "lines": _lines(definition)}
        for definition in record.get("definitions", ())
    ]
    return json_answer(
        {
            "address": session.artifact.address(info.name, record["id"]),
            "title": record.get("title") or record["id"],
            "entries": entries,
        }
    )


def info(session: Session, _: dict[str, Any]) -> Answer:
    manifest = session.artifact.manifest
    structured = {
        name: manifest.get(name) for name in ("name", "title", "version", "description", "license")
    }
    structured["buildId"] = manifest["build_id"]
    structured["builtAt"] = manifest["built_at"]
    structured["semanticSearch"] = manifest.get("encoder") is not None
    structured["collections"] = [_summary(each) for each in session.artifact.collections]
    structured["scopes"] = list(manifest["scopes"])
    return json_answer({name: value for name, value in structured.items() if value != ""})


def find_record(
    session: Session, arguments: dict[str, Any]
) -> tuple[CollectionInfo, dict[str, Any]]:
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
                return place[0], artifact.catalog(place[0].name)[place[1]]
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


def _position(session: Session, cursor: str | None, owner: str, filters: Mapping[str, Any]) -> int:
    if cursor is None:
        return 0
    return read_cursor(cursor, session.artifact.build_id, owner, filters, 1)[0]


def _summary(each: CollectionInfo) -> dict[str, Any]:
    return {"name": each.name, "kind": each.kind, "records": each.records}


def _brief(record: dict[str, Any]) -> dict[str, Any]:
    brief = {"id": record["id"], "title": record.get("title"), "summary": record.get("summary")}
    if brief["title"] == brief["id"]:
        del brief["title"]
    return {name: value for name, value in brief.items() if value}


def _lines(entry: dict[str, Any]) -> list[int]:
    return [entry["line"], entry["end_line"]]


_LINES = array(INTEGER)
_NAME = Argument(
    "name", "string", "kb:// address, hit id, path or name", required=True, max_length=1_000
)
_ONE_COLLECTION = Argument(
    "collection", "string", "look in this collection only", choices_from="collections"
)
_CURSOR = Argument("cursor", "string", "from the previous answer, to go on", max_length=2_000)

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
        output=structure(
            {
                "query": STRING,
                "scope": STRING,
                "mode": STRING,
                "hits": array(
                    structure(
                        {
                            "address": STRING,
                            "title": STRING,
                            "lines": _LINES,
                            "score": NUMBER,
                            "strategy": STRING,
                            "snippet": STRING,
                        }
                    )
                ),
            },
            {"advice": STRING},
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
        output=structure(
            None,
            {
                "collections": array(
                    structure({"name": STRING, "kind": STRING, "records": INTEGER})
                ),
                "collection": STRING,
                "total": INTEGER,
                "records": array(structure({"id": STRING}, {"title": STRING, "summary": STRING})),
                "nextCursor": STRING,
            },
        ),
    ),
    Tool(
        name="{prefix}_outline",
        family=FAMILY,
        description="The headings of a page or the definitions of a source file, with line ranges.",
        run=outline,
        arguments=(_NAME, _ONE_COLLECTION),
        output=structure(
            {
                "address": STRING,
                "title": STRING,
                "entries": array(
                    structure(
                        {"title": STRING, "lines": _LINES}, {"level": INTEGER, "kind": STRING}
                    )
                ),
            }
        ),
    ),
    Tool(
        name="{prefix}_info",
        family=FAMILY,
        description="What this knowledge base is: version, build, licence, collections, scopes.",
        run=info,
        output=structure(
            {
                "name": STRING,
                "title": STRING,
                "version": STRING,
                "buildId": STRING,
                "builtAt": STRING,
                "semanticSearch": {"type": "boolean"},
                "collections": array(structure({"name": STRING, "kind": STRING})),
                "scopes": array(STRING),
            },
            {"description": STRING, "license": STRING},
        ),
    ),
)
