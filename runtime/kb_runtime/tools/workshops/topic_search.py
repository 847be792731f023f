"""`search_topic_context`: finds where a topic is taught."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.search.results import without_near_duplicates
from kb_runtime.text.graphemes import boundary_before
from kb_runtime.text.names import quoted
from kb_runtime.text.rendering import cut, exact_fence, find_folded
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.budget import whole_results
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.refusal import bad_input
from kb_runtime.tools.workshops.lookup import (
    KIND,
    PlacedWorkshop,
    check_scope,
    find_workshop,
    rows_within,
    workshop_tools,
    workshops,
)
from kb_runtime.tools.workshops.text import failure, next_steps, shown, title

if TYPE_CHECKING:
    from kb_runtime.records.entries import WorkshopSectionEntry
    from kb_runtime.search.request import SearchResult
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.workshops.answers import TopicMatch, TopicMatches

MIN_QUERY_CHARS = 3
MAX_QUERY_CHARS = 2_000
MAX_MATCHES = 20
DEFAULT_MATCHES = 8

POOL = 50
"""Hits from which the matches are taken, some of which say nearly the same; as many whatever the limit.
Without meaning, passages with the whole phrase come first among them."""

_IF_CUT = "For the others give workshop and exerciseNumber, or a larger max_chars."
EXCERPT_SIDE_CHARS = 260
MAX_EXCERPT_CHARS = 900
POSITION_SCALE = 80
"""A phrase at character p of a section scores 1 / (1 + (p - 1) / 80): half at the end of a line."""


TOOLS = workshop_tools()


@TOOLS.tool(
    "Find where a topic is taught in the workshops: passages with workshop, exercise and step.",
    parameter.required("query", "the topic, at least 3 characters", MAX_QUERY_CHARS),
    parameter.integer("limit", "matches", 1, MAX_MATCHES, default=DEFAULT_MATCHES),
    parameter.text("workshop", "only this workshop (slug)", 300),
    parameter.integer("exerciseNumber", "only this exercise", 1, out_of_range="reject"),
    parameter.integer(
        "stepNumber", "only this step; needs exerciseNumber", 1, out_of_range="reject"
    ),
    on_error=failure("Topic search"),
)
def search_topic_context(session: Session, arguments: dict[str, Any]) -> Answer[TopicMatches]:
    query: str = arguments["query"]
    if sum(not char.isspace() for char in query) < MIN_QUERY_CHARS:
        raise bad_input(
            f"query {quoted(query)} needs at least {MIN_QUERY_CHARS} characters besides spaces",
            "Describe the topic in a word or more.",
        )
    exercise, step = arguments["exerciseNumber"], arguments["stepNumber"]
    if step is not None and exercise is None:
        raise bad_input(
            "exerciseNumber is required when stepNumber is given",
            "Add exerciseNumber, or leave stepNumber out.",
        )
    slug = arguments["workshop"]
    among = workshops(session) if slug is None else [find_workshop(session, slug)]
    check_scope(among, exercise, step)
    unrestricted = slug is None and exercise is None
    rows = None if unrestricted else rows_within(session, among, exercise, step)

    limit: int = arguments["limit"]
    found = _search(session, query, rows)
    hits = without_near_duplicates(found.hits, limit, lambda _: None)
    by_meaning = any(hit.semantic_rank is not None for hit in found.hits)
    warnings = list(found.warnings)
    keyword_source = None
    if not by_meaning:
        warnings = _why_words(session, query, found)
        keyword_source = "chunks" if hits else "sections"
    matches = []
    for hit in hits:
        section: Any = session.artifact.catalog(hit.collection)[hit.record]
        identity = f"{section['id']}#{hit.chunk['index']}"
        matches.append(_entry(session, section, round(hit.score, 6), hit.chunk["text"], identity))
    if not hits:
        matches = _phrase_matches(session, query, among, (exercise, step), limit)
    structured: TopicMatches = {
        "query": query,
        "limit": limit,
        "mode": "vector" if by_meaning else "keyword",
        "vectorSearchAvailable": _has_encoder(session) and found.mode != "lexical",
        "keywordSource": keyword_source,
        "matches": matches,
    }
    if not matches:
        warnings.append("Nothing was found: use other words, or leave scope arguments out.")
    structured |= present(warnings=warnings)
    count = len(matches)

    def text() -> str:
        return _text(session, structured, len(matches) < count)

    return whole_results(structured, [matches], text, session.max_chars, _IF_CUT)


def _has_encoder(session: Session) -> bool:
    return session.artifact.manifest.get("encoder") is not None


def _why_words(session: Session, query: str, found: SearchResult) -> list[str]:
    """Why meaning had no part in the answer: not configured, failed, or nothing to go by."""
    from kb_runtime.search.analysis import Analyzer
    from kb_runtime.search.query import analyse

    if not _has_encoder(session):
        return [
            "Vector search is not configured: these are keyword results.",
            "To enable it, build the knowledge base with an encoder: `kbc build` without `--lexical-only`.",
        ]
    if found.mode == "lexical":
        return list(found.warnings)
    if not analyse(query, Analyzer()).has_words:
        reason = "The query has no words for vector search: these are keyword results."
    else:
        reason = "Vector search found nothing in this scope: these are keyword results."
    return [*found.warnings, reason]


def _search(session: Session, query: str, rows: tuple[range, ...] | None) -> SearchResult:
    """The best passages; without meaning, those with the whole phrase before the others."""
    from kb_runtime.search.request import SearchRequest

    result = session.artifact.searcher.search(
        SearchRequest(
            query=query,
            collections=tuple(info.name for info in lookup.collections(session, KIND)),
            limit=POOL,
            alpha=0.5,
            rows=rows,
            names=False,
        )
    )
    if result.mode == "lexical":
        folded = query.casefold()
        for hit in result.hits:
            has_phrase = folded in hit.chunk["text"].casefold()
            hit.score = 0.5 * hit.score + 0.5 * has_phrase
        result.hits.sort(key=lambda hit: (-hit.score, hit.row))
    return result


def _entry(
    session: Session, section: WorkshopSectionEntry, score: float, chunk: str, identity: str
) -> TopicMatch:
    entry: TopicMatch = {
        "score": score,
        "workshop": section["workshop"],
        "sectionKind": section["kind"],
        "sectionLabel": section["label"],
        "chunk": chunk,
        "vectorId": identity,
    }
    entry |= present(
        exerciseNumber=section["exercise"] or None,
        stepNumber=section["step"] or None,
        sourcePath=section.get("source_path"),
        address=lookup.shared_address(session, section["collection"], section["workshop"]),
    )
    return entry


def _phrase_matches(
    session: Session,
    query: str,
    among: Sequence[PlacedWorkshop],
    scope: tuple[int | None, int | None],
    limit: int,
) -> list[TopicMatch]:
    """Sections that hold the whole query, which no word of it could find: punctuation, stop words."""
    exercise, step = scope
    folded = query.casefold()
    found: list[tuple[float, str, TopicMatch]] = []
    for workshop in among:
        for index, listed in enumerate(workshop.sections):
            if exercise not in (None, listed["exercise"]) or step not in (None, listed["step"]):
                continue
            section = workshop.section(session, index)
            text = section.get("text", "")
            position = find_folded(text, folded)
            if position < 0:
                continue
            score = round(1 / (1 + position / POSITION_SCALE), 6)
            excerpt = _excerpt(text, position, len(query))
            entry = _entry(session, section, score, excerpt, f"section:{section['id']}")
            found.append((-score, section["id"], entry))
    found.sort(key=lambda each: each[:2])
    return [entry for _, _, entry in found[:limit]]


def _excerpt(text: str, position: int, length: int) -> str:
    start = max(0, position - EXCERPT_SIDE_CHARS)
    start = boundary_before(text, start, 0) or 0
    chars = min(position + length + EXCERPT_SIDE_CHARS - start, MAX_EXCERPT_CHARS - 2)
    end = cut(text, start, chars)
    before, after = ("…" if start else ""), ("…" if end < len(text) else "")
    return f"{before}{text[start:end]}{after}"


def _text(session: Session, structured: TopicMatches, is_cut: bool) -> str:
    matches = structured["matches"]
    parts = [
        title("Topic search"),
        "\n".join(
            [
                f"Query: {shown(structured['query'], '')}",
                f"Mode: `{structured['mode']}`",
                f"Vector search available: {shown(structured['vectorSearchAvailable'], '')}",
                f"Matches: **{len(matches)}** (limit **{structured['limit']}**)",
            ]
        ),
    ]
    if "warnings" in structured:
        parts.append("\n".join(["Warnings:", *(f"- {each}" for each in structured["warnings"])]))
    for number, match in enumerate(matches, start=1):
        place = f"`{match['workshop']}`"
        if "exerciseNumber" in match:
            place += f" exercise {match['exerciseNumber']}"
        if "stepNumber" in match:
            place += f" step {match['stepNumber']}"
        lines = [
            f"#### {number}) {place} — score: {match['score']:.3f}",
            f"_{match['sectionKind']}_: {match['sectionLabel']}",
            f"_vectorId_: `{match['vectorId']}`",
        ]
        if "address" in match:
            lines.append(f"_Workshop_: `{match['address']}`")
        if "sourcePath" in match:
            lines.append(f"_Source_: `{match['sourcePath']}`")
        parts.append("\n".join([*lines, "", exact_fence(match["chunk"])]))
    if is_cut:
        parts.append(f"Only {len(matches)} of the matches could be shown. {_IF_CUT}")
    if matches:
        parts.append(
            next_steps(
                [
                    f"Read an exercise or step with `{session.name_of('retrieve_learning_context')}`,"
                    f" its diffs with `{session.name_of('retrieve_diff_context')}`."
                ]
            )
        )
    return "\n\n".join(parts)
