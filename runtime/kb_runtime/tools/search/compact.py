"""Five general tools over every collection, for clients where many tool schemas cost too much."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from kb_runtime.knowledge.reading import lookup
from kb_runtime.text.addresses import SCHEME
from kb_runtime.text.cursors import bad_cursor
from kb_runtime.text.names import known_as, quoted
from kb_runtime.text.typed_names import tidy
from kb_runtime.tools import parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.lookup import first_place, stored_lines, tool_name
from kb_runtime.tools.paging import MARGIN, Pager
from kb_runtime.tools.refusal import bad_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.knowledge.reading.hits import Hit
    from kb_runtime.knowledge.reading.lookup import Record
    from kb_runtime.records.entries import SectionEntry
    from kb_runtime.search.request import SearchHit
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
MAX_HITS_PER_RECORD = 3
MAX_COPIES = 3
"""Copies of a passage that a hit names."""


_NAME = parameter.required(
    "name", "kb:// address, hit id, path, or name, also of a function or class", 1_000
)
_ONE_COLLECTION = parameter.text("collection", "look in this collection only")
_CURSOR = parameter.cursor("from the previous answer, to go on")
TOOLS = Tools("{prefix}_", family=FAMILY)


@TOOLS.tool(
    "Search everything here by words and by meaning: a question, an exact name or an error"
    " message. Use it first. A hit with lines 5-6 of 2-9 shows part of a section or definition:"
    " read 2-9 with {prefix}_get by its kb:// address.",
    parameter.required("query", "a question, some words, or a name", MAX_QUERY_CHARS),
    parameter.text("scope", "what to search in", default="all", choices_from="filled_scopes"),
    parameter.integer("limit", "number of hits", 1, 50, default=10),
    parameter.text(
        "mode", "how to search", default="hybrid", choices=("hybrid", "lexical", "semantic")
    ),
)
def search(session: Session, arguments: dict[str, Any]) -> Answer[Hits]:
    from kb_runtime.knowledge.reading import hits
    from kb_runtime.search.request import SearchRequest
    from kb_runtime.tools.search.passages import passages, section_lines

    knowledge = session.artifact
    scope = hits.scope_called(knowledge, arguments["scope"])
    collections = hits.collections_of(knowledge, [scope])
    found = knowledge.searcher.search(
        SearchRequest(
            query=arguments["query"],
            collections=None if scope == hits.ALL else collections,
            limit=arguments["limit"],
            mode=arguments["mode"],
            per_record=MAX_HITS_PER_RECORD,
        )
    )
    shown = passages(found.hits, [_addresses(knowledge, each) for each in found.hits])
    structured: Hits = {
        "query": arguments["query"],
        "scope": scope,
        "mode": found.mode,
        "hits": [
            _compact_hit(
                hits.as_hit(knowledge, ranked, passage), section_lines(knowledge, ranked, passage)
            )
            for ranked, passage in zip(found.hits, shown, strict=True)
        ],
    }
    advice = ""
    if not collections:
        advice = f"Nothing is in the scope {scope}: use the scope all."
    elif not found.hits:
        advice = "Nothing found: use other words, or the scope all."
    structured |= present(advice=advice, warnings=list(found.warnings))
    return Answer(_hits_text(structured), structured)


def _addresses(knowledge: Knowledge, ranked: SearchHit) -> str:
    """The addresses that a hit shows: its own and those of copies."""
    places = [(ranked.collection, ranked.record), *ranked.copies[:MAX_COPIES]]
    return "\n".join(
        knowledge.address(collection, knowledge.catalog(collection).id(record))
        for collection, record in places
    )


def _compact_hit(hit: Hit, section: list[int] | None) -> CompactHit:
    shown = replace(hit, also_in=hit.also_in[:MAX_COPIES])
    fields = {**shown.as_dict(), "score": round(hit.score, 4), **present(section=section)}
    return cast("CompactHit", fields)


def _hits_text(structured: Hits) -> str:
    """The hits for reading: without scores, and with passages as they are in their files."""
    parts = []
    for rank, hit in enumerate(structured["hits"], 1):
        first, last = hit["lines"]
        lines = f"line {first}" if first == last else f"lines {first}-{last}"
        if "section" in hit:
            lines += " of {}-{}".format(*hit["section"])
        copies = "".join(f"\nalso in {address}" for address in hit.get("alsoIn", ()))
        parts.append(f"{rank}. {hit['title']}\n{hit['address']} {lines}{copies}\n{hit['snippet']}")
    if advice := structured.get("advice"):
        parts.append(advice)
    return "\n\n".join([*parts, *(f"Note: {each}" for each in structured.get("warnings", ()))])


@TOOLS.tool(
    "Read a page, entry or file in full, or some of its lines, as text.",
    _NAME,
    _ONE_COLLECTION,
    parameter.integer("start_line", "first line", 1),
    parameter.integer("end_line", "last line", 1),
    parameter.MAX_CHARS,
    _CURSOR,
)
def get(session: Session, arguments: dict[str, Any]) -> Answer[None]:
    """A record's text as stored, so that line numbers of hits and outlines apply; the lines of an object
    where the name is that of one."""
    record = _found(session, arguments)
    text, first = record.text, record.data.get("line", 1)
    lines = stored_lines(text)
    last = first + len(lines) - 1
    asked = arguments["start_line"] or arguments["end_line"]
    described = None if asked else record.lines
    section = arguments["name"].partition("#")[2] if record.data.get("sections") else ""
    if section[:1] not in ("", ":") and not (asked or described or "#" in record.id):
        session.notes.append(
            f"{quoted(record.id)} has no section {quoted(section)}: all of it is shown"
        )
    start = max(arguments["start_line"] or first, first)
    end = min(arguments["end_line"] or last, last)
    start, end = described or (start, end)
    if start > end and lines:
        wanted = arguments["start_line"] or first, arguments["end_line"]
        asked = f"lines {wanted[0]} to {wanted[1]} are" if wanted[1] else f"line {wanted[0]} is"
        raise bad_input(f"{asked} not in {quoted(record.id)}, which has lines {first} to {last}")
    part = "".join(lines[start - first : end - first + 1])
    own_name = tool_name(session, "get")
    part_of = {"address": record.address, "lines": [start, end]}
    page = Pager(session.artifact.build_id, own_name, part_of).part(
        arguments["cursor"], part, session.max_chars - MARGIN
    )
    if part:
        end = start + part.count("\n", 0, page.stop - 1)
        start += part.count("\n", 0, page.start)
    header = f"# {record.title}\n{record.address}, lines {start} to {end}"
    if end - start + 1 < len(lines):
        header += f" of {first} to {last}"
    if url := record.data.get("url"):
        header += f", {url}"
    if page.next is not None and any(record.data.get(each) for each in ("sections", "definitions")):
        header += f"; {tool_name(session, 'outline')} has the lines of its parts"
    body = part[page.start : page.stop]
    if page.next is not None:
        left = len(part) - page.stop
        body += f"\n\n[{left} characters follow: call {own_name} with cursor {page.next}]"
    return Answer(f"{header}\n\n{body}", None)


@TOOLS.tool(
    "List the collections, or the records of one.",
    parameter.text("collection", "the collection to list", choices_from="collections"),
    parameter.integer("limit", "records in one answer", 1, MAX_PAGE, default=DEFAULT_PAGE),
    _CURSOR,
    name="{prefix}_list",
)
def list_records(session: Session, arguments: dict[str, Any]) -> Answer[RecordList]:
    artifact = session.artifact
    name = arguments["collection"]
    if name is None:
        if arguments["cursor"] is not None:
            raise bad_cursor("it belongs to a request with a collection")
        return json_answer({"collections": [_summary(info) for info in artifact.collections]})
    info = lookup.named_collection(artifact, name)
    catalog = artifact.catalog(info.name)
    pager = Pager(artifact.build_id, tool_name(session, "list"), {"collection": info.name})
    records, page = pager.shown(
        arguments["cursor"],
        range(len(catalog)),
        arguments["limit"],
        session.max_chars,
        lambda position: _brief(artifact, info, catalog.head(position)),
    )
    structured: RecordList = {"collection": info.name, "total": len(catalog), "records": records}
    structured |= present(nextCursor=page.next)
    return json_answer(structured)


@TOOLS.tool(
    "The headings of a page or the definitions of a source file, with line ranges.",
    _NAME,
    _ONE_COLLECTION,
)
def outline(session: Session, arguments: dict[str, Any]) -> Answer[Outline]:
    record = _found(session, arguments)
    fields: Any = record.data  # of a kind that has sections, or definitions, or neither
    entries: list[OutlineLine] = (
        [
            {"title": section["title"], "level": section["level"], "lines": _lines(section)}
            for section in fields.get("sections", ())
            if "line" in section  # a workshop lists the records of its sections
        ]
        or [
            {"title": definition["name"], "kind": definition["kind"], "lines": _lines(definition)}
            for definition in fields.get("definitions", ())
        ]
        or list(_exercises(fields))
    )
    structured: Outline = {"address": record.address, "title": record.title, "entries": entries}
    if not entries:
        reads = tool_name(session, "get")
        session.notes.append(f"There is no outline of it: {reads} shows its text.")
    return Answer(_outline_text(structured), structured)


def _outline_text(structured: Outline) -> str:
    """An entry a line, which takes half of what JSON does."""
    entries = structured["entries"]
    least = min((entry.get("level", 1) for entry in entries), default=1)
    lines = [f"# {structured['title']}", structured["address"], ""]
    for entry in entries:
        indent = "  " * (entry.get("level", least) - least)
        kind = f"{entry['kind']} " if "kind" in entry else ""
        lines.append("{}{}-{} {}{}".format(indent, *entry["lines"], kind, entry["title"]))
    return "\n".join(lines).rstrip()


@TOOLS.tool("What this knowledge base is: version, build, licence, collections, scopes.")
def info(session: Session, _: dict[str, Any]) -> Answer[KnowledgeBaseInfo]:
    from kb_runtime.knowledge.reading.hits import filled_scopes

    manifest = session.artifact.manifest
    structured: KnowledgeBaseInfo = {
        "name": manifest["name"],
        "title": manifest["title"],
        "version": manifest["version"],
        "buildId": manifest["build_id"],
        "builtAt": manifest["built_at"],
        "semanticSearch": manifest.get("encoder") is not None,
        "collections": [_summary(each) for each in session.artifact.collections],
        "scopes": filled_scopes(manifest["scopes"]),
    }
    structured |= present(description=manifest.get("description"), license=manifest.get("license"))
    return json_answer(structured)


def _found(session: Session, arguments: dict[str, Any]) -> Record:
    """The record that `name` means, in `collection` where that is given."""
    steps = [f"Call {tool_name(session, 'search')} with words of what you look for."]
    name = arguments["name"]
    called = tidy(name).rstrip("/")
    collections = [info.name for info in session.artifact.collections]
    if called.startswith(SCHEME):  # `kb://handbook/docs`
        kb, _, own = called.removeprefix(SCHEME).partition("/")
        called = next(iter(session.artifact.addressed(kb, own)), own)
    if (named := known_as(called, collections)) is not None:
        steps.insert(0, f"Call {tool_name(session, 'list')} with collection {quoted(named)}.")
    places = lookup.find(session.artifact, name, arguments["collection"], steps)
    first_place(session, name, places)
    return lookup.record_at(session.artifact, places[0])


def _exercises(fields: Any) -> Iterator[OutlineLine]:
    """The exercises of a workshop with their steps, which are the last lines of its content."""
    exercises = fields.get("exercises", ())
    count = sum(1 + len(each["steps"]) for each in exercises)
    line = len(stored_lines(fields.get("content", ""))) - count + 1
    for exercise in exercises:
        entries = [(1, exercise), *((2, step) for step in exercise["steps"])]
        for level, each in entries:
            last = line if level == 2 else line + len(entries) - 1
            title = f"{each['number']}. {each.get('title', '')}".rstrip()
            yield {"title": title, "level": level, "lines": [line, last]}
            line += 1


def _summary(each: CollectionInfo) -> CollectionSize:
    return {"name": each.name, "kind": each.kind, "records": each.records}


def _brief(knowledge: Knowledge, info: CollectionInfo, record: Any) -> RecordSummary:
    id = record["id"]
    brief: RecordSummary = {"id": id}
    title = None if record.get("title") == id else record.get("title")
    summary = None if record.get("summary") in (id, title) else record.get("summary")
    is_elsewhere = any(
        knowledge.catalog(other.name).find(id) is not None
        for other in knowledge.collections
        if other.name != info.name
    )
    address = knowledge.address(info.name, id) if is_elsewhere else None
    brief |= present(title=title, summary=summary, address=address)
    return brief


def _lines(entry: SectionEntry) -> list[int]:
    return [entry["line"], entry["end_line"]]
