"""The search page: hits as one types, why each is there, and what an agent receives."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from markupsafe import Markup
from starlette.responses import Response

import kb_runtime as kr
from kb_runtime.explorer import markup
from kb_runtime.explorer.bases import OpenBuild
from kb_runtime.explorer.tools import called
from kb_runtime.explorer.visit import Visit

Mode = Literal["hybrid", "lexical", "semantic"]
MODES: tuple[Mode, ...] = get_args(Mode)
LIMITS = (5, 10, 20, 50)
_USUAL_LIMIT = 10
ALPHAS = ("0.1", "0.3", "0.5", "0.7", "0.9")
MOST_QUERY_CHARS = 1_000
_MOST_SAMPLED = 2_000
"""Chunks, evenly over a build, that are read for the types and languages to choose from."""
_MOST_FILTER_CHARS = 40
_MOST_PATH_CHARS = 300
STEPS = {
    "neighbours": "similar candidates",
    "feedback": "like the best candidates",
    "definitions": "defines the name",
    "places": "file or title",
    "demotion": "test or generated",
    "weights": "weight of the collection",
    "evidence": "other hits in the record or about it",
    "duplicates": "near duplicate",
    "diversity": "one of many of its record",
    "reranker": "re-ranker",
    "words": "has the words themselves",
}
"""The steps of ranking by structure, as the page calls them."""


@dataclass(frozen=True)
class Settings:
    """What is asked of one column; `base` is the place of its knowledge base."""

    base: int
    scope: str
    mode: Mode
    alpha: str
    limit: int
    type: str
    language: str
    path: str
    structure: bool

    @property
    def is_narrowed(self) -> bool:
        """Whether only a part of the knowledge base is searched."""
        return bool(self.scope or self.type or self.language or self.path)


@dataclass(frozen=True)
class BarSegment:
    """A segment of a bar: where it begins and how wide it is, in percent; `value` is what it is of."""

    name: str
    label: str
    value: float
    x: float
    width: float


@dataclass(frozen=True)
class ShownResult:
    """A hit as the page shows it. `elsewhere` is its rank in the other column: 0 where it is not there,
    None where there is no other column."""

    rank: int
    hit: kr.Hit
    url: str
    snippet: Markup
    parts: Sequence[BarSegment]
    facts: Sequence[tuple[str, str]]
    elsewhere: int | None


@dataclass(frozen=True)
class Column:
    settings: Settings
    title: str
    hits: Sequence[ShownResult]
    milliseconds: float
    tokens: int
    error: str
    suggestions: Sequence[str]
    unmatched: bool
    has_vectors: bool


def page(visit: Visit) -> Response:
    query = visit.text("q")[:MOST_QUERY_CHARS].strip()
    first = _settings(visit, "")
    second = _settings(visit, "2") if visit.text("compare") else None
    types, languages = _kinds(visit)
    values: dict[str, Any] = {
        "query": query,
        "settings": first,
        "second": second,
        "modes": MODES,
        "left_out": [  # collections with passages that the scope `all` does not search
            info.name
            for info in visit.kb.collections
            if info.chunks and info.name not in visit.kb.scopes["all"]
        ],
        "types": _with(types, first.type),
        "languages": _with(languages, first.language),
        "limits": LIMITS,
        "alphas": ALPHAS,
        "examples": [] if query else _examples(visit),
        "agent": None,
        "columns": [],
    }
    if query and visit.text("view") == "agent":
        values["agent"] = _agent(visit, query, first)
    elif query:
        values["columns"] = _columns(visit, query, first, second)
    return visit.render("results.html" if visit.wants_part else "search.html", **values)


def _settings(visit: Visit, suffix: str) -> Settings:
    """The settings of one column; the second one has those of the first where it says nothing."""

    def value(name: str) -> str:
        return visit.text(name + suffix, visit.text(name))

    scopes = visit.kb.scopes
    mode, alpha = value("mode"), value("alpha")
    limit = visit.number("limit", _USUAL_LIMIT, 1, 50)
    scope = value("scope")
    return Settings(
        base=visit.explorer.bases.at(visit.text("kb2"))
        if suffix and visit.text("kb2")
        else visit.place,
        scope=scope if scope in scopes else "",
        mode=mode if mode in MODES else "hybrid",
        alpha=alpha if alpha in ALPHAS else "",
        limit=limit,
        type=value("type")[:_MOST_FILTER_CHARS],
        language=value("language")[:_MOST_FILTER_CHARS],
        path=value("path")[:_MOST_PATH_CHARS].strip(),
        structure=visit.text("structure" + suffix) != "off",
    )


def _kinds(visit: Visit) -> tuple[list[str], list[str]]:
    """The types and the languages that chunks of this build have, the most frequent first."""

    def read() -> tuple[list[str], list[str]]:
        count = sum(info.chunks for info in visit.kb.collections)
        types: Counter[str] = Counter()
        languages: Counter[str] = Counter()
        for row in range(0, count, max(1, count // _MOST_SAMPLED)):
            chunk = visit.kb.chunk(row)
            types[chunk.type] += 1
            languages[chunk.language] += 1
        return (
            [name for name, _ in types.most_common() if name],
            [name for name, _ in languages.most_common() if name],
        )

    return visit.opened.remembered("kinds", read)


def _with(names: Sequence[str], chosen: str) -> Sequence[str]:
    """The names, and the chosen one also where it was not among those read."""
    return names if not chosen or chosen in names else [*names, chosen]


def _columns(visit: Visit, query: str, first: Settings, second: Settings | None) -> list[Column]:
    column = _column(visit, visit.opened, query, first, "")
    if second is None:
        return [column]
    other_base = second.base != visit.place
    context = (
        visit.explorer.bases.all[second.base].use() if other_base else nullcontext(visit.opened)
    )
    with context as opened:
        other = _column(visit, opened, query, second, visit.explorer.bases.names()[second.base])
    return [_compared(column, other), _compared(other, column)]


def _column(visit: Visit, opened: OpenBuild, query: str, settings: Settings, title: str) -> Column:
    kb = opened.kb
    hits: list[kr.Hit] = []
    error = ""
    suggestions: tuple[str, ...] = ()
    start = time.perf_counter()
    try:
        hits = kb.search(request_of(kb, query, settings))
        found = [(hit, hit.snippet, hit.explain()) for hit in hits]
    except kr.ToolError as failure:
        error, suggestions, found = str(failure), tuple(failure.suggestions), []
    milliseconds = (time.perf_counter() - start) * 1e3
    bars = _bars([explanation for _, _, explanation in found])
    shown = [
        ShownResult(
            rank,
            hit,
            visit.record_url(hit.address, kb=settings.base + 1, row=hit.row, q=query),
            markup.marked(snippet, explanation.get("matched", ())),
            bar,
            _facts(explanation),
            None,
        )
        for rank, ((hit, snippet, explanation), bar) in enumerate(zip(found, bars, strict=True), 1)
    ]
    return Column(
        settings,
        title,
        shown,
        milliseconds,
        kb.count_tokens("\n".join(snippet for _, snippet, _ in found)),
        error,
        suggestions,
        unmatched=bool(found) and not any(each.get("matched") for _, _, each in found),
        has_vectors=bool(kb.manifest.get("encoder")),
    )


def request_of(kb: kr.KnowledgeBase, query: str, settings: Settings) -> kr.SearchRequest:
    scopes = kb.scopes
    names = scopes.get(settings.scope) or scopes["all"]
    return kr.SearchRequest(
        query,
        tuple(names),
        settings.limit,
        settings.mode,
        float(settings.alpha) if settings.alpha and settings.mode == "hybrid" else None,
        ranking=None if settings.structure else (),
        types=(settings.type,) if settings.type else (),
        languages=(settings.language,) if settings.language else (),
        rows=kb.rows_of([settings.path]) if settings.path else None,
        cosines=True,
    )


def _bars(explanations: Sequence[Mapping[str, Any]]) -> list[list[BarSegment]]:
    """A stacked bar for each hit, all on one scale: what words and meaning gave, and every step.

    Fusion gives one number for both sides. It is divided in proportion to BM25 as a share of the best
    one and to the cosine, which is what it is made of.
    """
    best = max((each.get("bm25", 0.0) for each in explanations), default=0.0) or 1.0
    values = [_contributions(each, best) for each in explanations]
    widest = (
        max((sum(value for _, value in each if value > 0) for each in values), default=0.0) or 1.0
    )
    return [_stacked(each, widest) for each in values]


def _contributions(found: Mapping[str, Any], best: float) -> list[tuple[str, float]]:
    words, meaning = found.get("bm25", 0.0) / best, max(0.0, found.get("cosine", 0.0))
    base = found.get("scaled", found.get("fused"))
    if base is not None and words + meaning > 0:
        share = words / (words + meaning)
        words, meaning = base * share, base * (1 - share)
    steps = found.get("adjustments", {})
    parts = [("words", words), ("meaning", meaning), *steps.items()]
    return [(name, value) for name, value in parts if abs(value) >= 0.005]


def _stacked(values: Sequence[tuple[str, float]], widest: float) -> list[BarSegment]:
    """What adds goes on to the right; what takes away is drawn over the end of it."""
    parts: list[BarSegment] = []
    end = 0.0
    for name, value in sorted(values, key=lambda each: each[1] < 0):
        width = abs(value) / widest * 100
        start = end if value > 0 else max(0.0, end - width)
        end = end + width if value > 0 else start
        parts.append(BarSegment(name, STEPS.get(name, name), value, start, width))
    return parts


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The raw figures of an explanation, one a line."""
    labels = {
        "lexicalRank": "rank by words",
        "bm25": "BM25",
        "semanticRank": "rank by meaning",
        "cosine": "cosine",
        "fusedRank": "rank before structure",
        "fused": "fused score",
        "scaled": "fused, scaled to 0..1",
        "reranker": "re-ranker",
    }
    facts = [(label, f"{found[key]:g}") for key, label in labels.items() if key in found]
    facts += [
        (f"step: {name}", f"{change:+.4f}") for name, change in found.get("adjustments", {}).items()
    ]
    if found.get("matched"):
        facts.append(("words found", ", ".join(found["matched"])))
    if found.get("exactName"):
        facts.append(("exact name", "put first"))
    return facts


def _compared(column: Column, other: Column) -> Column:
    places = {shown.hit.address: shown.rank for shown in reversed(other.hits)}
    hits = [replace(each, elsewhere=places.get(each.hit.address, 0)) for each in column.hits]
    return replace(column, hits=hits)


def _agent(visit: Visit, query: str, settings: Settings) -> dict[str, Any]:
    """What a search tool answers: text, structure, and what they cost. `tools` are those that need no
    more than the query, with the address of this page for each; `without` are the settings that the
    tool does not have."""
    tools = {
        each["name"]: each
        for each in visit.kb.tool_definitions
        if each["inputSchema"].get("required", ()) == ["query"]
    }
    if not tools:
        return {"error": "This knowledge base has no search tool.", "suggestions": (), "tools": []}
    chosen = visit.text("tool")
    if chosen not in tools:
        chosen = _usual(list(tools), visit.kb.offered_tools)
    listed = [(name, visit.here(view="agent", tool=name), name == chosen) for name in tools]
    arguments, without = _arguments(tools[chosen], query, settings)
    return {
        **called(visit, chosen, arguments),
        "tool": chosen,
        "tools": listed,
        "without": without,
        "arguments": arguments,
        "url": visit.url("/tools/" + chosen, run=1, **_as_fields(arguments)),
    }


def _as_fields(arguments: Mapping[str, Any]) -> dict[str, object]:
    """Arguments as the fields of a tool's form hold them."""
    return {
        f"a.{name}": "\n".join(value) if isinstance(value, list) else value
        for name, value in arguments.items()
    }


def _usual(names: Sequence[str], offered: Sequence[str]) -> str:
    """The tool that an agent would search with: of those offered the broadest."""
    names = [name for name in names if name in offered] or names
    for ending in ("hybrid_search", "_search"):
        if found := next((name for name in names if name.endswith(ending)), ""):
            return found
    return names[0]


def _arguments(
    tool: Mapping[str, Any], query: str, settings: Settings
) -> tuple[dict[str, Any], list[str]]:
    """The arguments of a call that has these settings, and the settings for which there is none."""
    properties = tool["inputSchema"]["properties"]
    names: dict[str, tuple[object, tuple[str, ...]]] = {
        "scope": (settings.scope, ("scope",)),
        "mode": (settings.mode if settings.mode != "hybrid" else "", ("mode",)),
        "number of hits": (
            settings.limit if settings.limit != _USUAL_LIMIT else "",
            ("limit", "top_k", "k")
            if settings.scope
            else ("limit", "top_k"),  # `k` is for one scope
        ),
        "weight of meaning": (float(settings.alpha) if settings.alpha else "", ("alpha",)),
        "type": (settings.type, ()),
        "language": (settings.language, ("language_hint",)),
        "path": ([settings.path] if settings.path else "", ("include_paths",)),
        "without structure": (not settings.structure, ()),
    }
    arguments: dict[str, Any] = {"query": query}
    without = []
    for label, (value, known) in names.items():
        if not value:
            continue
        name = next((each for each in known if each in properties), "")
        choices = properties[name].get("enum") if name else None
        if name and (not choices or value in choices):
            arguments[name] = value
        else:
            without.append(label)
    return arguments, without


def _examples(visit: Visit) -> list[str]:
    """A few titles, for whoever does not know what to type."""

    def pick() -> list[str]:
        found: list[str] = []
        for info in visit.kb.collections:
            if info.records and info.name in visit.kb.scopes["all"] and len(found) < 4:
                record = next(visit.kb.records(info.name))
                found.append(record.title[:60])
        return found

    return visit.opened.remembered("examples", pick)
