"""`hybrid_search`: keyword and vector search together, over one scope or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kb_runtime.search.results import explain
from kb_runtime.text.names import known_as, quoted, quoted_all, separated, suggest_all
from kb_runtime.text.rendering import excerpt, shorten
from kb_runtime.text.written_json import WrittenObject, json_text
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.budget import whole_results
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.refusal import bad_input

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.records.entries import CatalogEntry
    from kb_runtime.search.request import SearchHit
    from kb_runtime.tools.search.answers import HybridRequest, HybridResult, HybridResults
    from kb_runtime.tools.session import Session

ALL = "all"
SCOPES = (ALL, "builtins", "docs", "examples", "guidelines", "extra", "patterns", "templates")
"""Scopes that every knowledge base has, empty or not; a collection's name is a scope as well."""

DEFAULT_K = 10
DEFAULT_PER_SCOPE = 5
MAX_RESULTS = 50

SNIPPET_CHARS = 1280
"""Shared by the snippets of an answer, in which ten hits should take about 6 kB."""
SHORTEST_SNIPPET = 64
LONGEST_SNIPPET = 240
FULL_SNIPPETS = 3
"""The first hits of a scope are read most, and show the most that the contract admits."""
_IF_CUT = "Ask for fewer scopes or results, or with narrower words."
MAX_COPIES = 3
"""Copies of a passage that a hit names."""
WIDE_RESULTS = 10
"""With more results than these, each shows less."""


TOOLS = Tools("{prefix}_", family="search")


@TOOLS.tool(
    "Search by words and meaning: a question, a phrase or an exact name, typos allowed."
    " Use it first when the place is unknown. A hit's source goes into the matching get tool.",
    parameter.required("query", "What to look for.", 2000),
    parameter.texts(
        "scopes", "Where to search; omitted: all (no source trees, tests).", choices_from="scopes"
    ),
    parameter.text("scope", "One scope (old form)."),
    parameter.integer(
        "limitPerScope", "Results per scope, for several scopes; default 5", 1, MAX_RESULTS
    ),
    parameter.integer("k", "Results for a single scope; default 10", 1, MAX_RESULTS),
    parameter.flag("explain", "Explain the rank of each hit.", False),
    repeats=2,
    needs=("builtins", "docs", "examples", "patterns", "templates"),
)
def hybrid_search(session: Session, arguments: dict[str, Any]) -> Answer[HybridResults]:
    query: str = arguments["query"]
    warnings: list[str] = []
    scopes = _scopes(session, arguments["scopes"], arguments["scope"], warnings)
    k, per_scope = arguments["k"], arguments["limitPerScope"]
    is_only = len(scopes) == 1
    limit = k or per_scope or DEFAULT_K if is_only else per_scope or k or DEFAULT_PER_SCOPE
    modes: set[str] = set()
    found = {scope: _search(session, query, scope, limit, modes, warnings) for scope in scopes}
    # The results of an only scope are in the structure twice.
    budget = _budget(sum(map(len, found.values())) * (2 if is_only else 1))
    by_scope = {
        scope: [
            _result(session, scope, hit, budget, is_full=at < FULL_SNIPPETS)
            for at, hit in enumerate(hits)
        ]
        for scope, hits in found.items()
    }
    if arguments["explain"]:
        for scope, hits in found.items():
            for result, one in zip(by_scope[scope], hits, strict=True):
                result["explanation"] = {**explain(one.hit)}
    if not any(by_scope.values()):
        warnings.append(_nothing_found(session, scopes))
    mode: Any = modes.pop() if len(modes) == 1 else "hybrid"
    request: HybridRequest = {
        "query": query,
        "scopes": scopes,
        "limitPerScope": limit,
        "mode": mode,
    }
    if is_only:
        request |= {"scope": scopes[0], "k": limit}
    if warnings:
        request["warnings"] = list(dict.fromkeys(warnings))
    structured: HybridResults = {
        **request,  # type: ignore[typeddict-item]  # `results` comes later
        "resultsByScope": by_scope,
    }
    if is_only:
        structured["results"] = by_scope[scopes[0]]

    def text() -> str:  # does not need an only list twice
        return json_text({name: value for name, value in structured.items() if name != "results"})

    lists = list(by_scope.values())
    answer = whole_results(structured, lists, text, session.max_chars, _IF_CUT, 2, as_json=True)
    written = answer.text
    if is_only:
        if "truncated" in structured:
            return answer
        # The structure is the text with the list once more. Quotes within its texts are escaped.
        _, _, results = written.partition(f'"resultsByScope":{{{json_text(scopes[0])}:')
        written = f'{written[:-1]},"results":{results[:-2]}}}'
    return answer._replace(structured=cast("HybridResults", WrittenObject(structured, written)))


def _scopes(
    session: Session, several: list[str] | None, single: str | None, warnings: list[str]
) -> list[str]:
    """The effective scopes, each once, in the order given. Raises BAD_INPUT for an unknown one."""
    if several and single and single not in several:
        warnings.append(f"scope {quoted(single)} was ignored because scopes was given")
    given = several or ([single] if single else [ALL])
    known = list(dict.fromkeys([*SCOPES, *session.artifact.manifest["scopes"]]))
    scopes = [known_as(name, known) or name for name in separated(given) or [ALL]]
    if unknown := [name for name in scopes if name not in known]:
        raise bad_input(
            f"there is no scope {quoted_all(unknown)}. Valid scopes: {', '.join(known)}",
            "Use valid scopes, or leave scopes out to search everything.",
            suggestions=suggest_all(unknown, known) or known[: len(SCOPES)],
            details={"validScopes": known},
        )
    return [ALL] if ALL in scopes else list(dict.fromkeys(scopes))


class _ResultBudget(NamedTuple):
    """How much a result shows: characters of texts, items of lists."""

    snippet_chars: int
    title_chars: int
    section_chars: int
    signature_chars: int
    names: int
    name_chars: int
    highlights: int
    tags: int
    shows_lines: bool


def _budget(results: int) -> _ResultBudget:
    """What each of so many results may take, so that an answer stays small."""
    snippet_chars = SNIPPET_CHARS // max(results, 1)
    snippet_chars = max(SHORTEST_SNIPPET, min(snippet_chars, LONGEST_SNIPPET))
    if results <= WIDE_RESULTS:
        return _ResultBudget(snippet_chars, 80, 50, 120, 4, 60, 4, tags=5, shows_lines=True)
    return _ResultBudget(snippet_chars, 60, 32, 80, 1, 40, 3, tags=0, shows_lines=False)


class _ShownHit(NamedTuple):
    """A hit and the record that it is shown as: `id` and `source` are what the tools that read records take,
    for the place of the hit and for the whole record."""

    info: CollectionInfo
    record: CatalogEntry
    hit: SearchHit
    id: str
    source: str


def _search(
    session: Session, query: str, scope: str, limit: int, modes: set[str], warnings: list[str]
) -> list[_ShownHit]:
    """The best `limit` hits of a scope; those that would have the same id are one."""
    from kb_runtime.search.request import SearchRequest

    names = tuple(session.artifact.manifest["scopes"].get(scope, ()))
    if not names:
        warnings.append(f"the scope {scope} is empty in this knowledge base")
        return []
    decoded: dict[tuple[str, int], Any] = {}
    shown: dict[str, _ShownHit] = {}
    builtins = lookup.collections(session, "builtins") if scope == ALL else []

    def shown_as(hit: SearchHit) -> str:
        found = _shown(session, hit, builtins, decoded)
        shown.setdefault(found.id, found)
        return found.id

    answer = session.artifact.searcher.search(
        SearchRequest(query=query, collections=names, limit=limit, distinct=shown_as)
    )
    modes.add(answer.mode)
    warnings.extend(answer.warnings)
    return list(shown.values())[:limit]


def _shown(
    session: Session,
    hit: SearchHit,
    builtins: Sequence[CollectionInfo],
    decoded: dict[tuple[str, int], Any],
) -> _ShownHit:
    """What a hit is shown as: its record, or the one of `builtins` whose entry those lines of a page are.

    `decoded` keeps the records of a search: a page often has many hits.
    """
    artifact = session.artifact

    def head(collection: str, position: int) -> Any:
        place = collection, position
        record = decoded.get(place)
        if record is None:
            record = decoded[place] = artifact.catalog(collection).head(position)
        return record

    info, record = artifact.collection(hit.collection), head(hit.collection, hit.record)
    if info.kind == "docs" and builtins:
        line = hit.chunk["start_line"]
        for name in hit.chunk.get("breadcrumb", ())[1:]:
            for owner in builtins:
                position = artifact.catalog(owner.name).find(name)
                if position is None:
                    continue
                entry = head(owner.name, position)
                if (
                    entry["path"] == record["path"]
                    and 0 <= line - entry["line"] < entry["lines"]
                    and artifact.origin(owner.name) == artifact.origin(info.name)
                ):
                    return _shown_as(session, owner, entry, hit)
    return _shown_as(session, info, record, hit)


def _shown_as(session: Session, info: CollectionInfo, record: Any, hit: SearchHit) -> _ShownHit:
    """A hit with its id. That is the address of a record whose id another knowledge base has too, and of
    one of a kind whose ids have no form of their own."""
    is_page = info.kind == "docs"
    name = lookup.shown_path(record) if is_page else str(record["id"])
    address = lookup.shared_address(session, info.name, record["id"], name)
    source = address or name
    if not is_page:
        prefix = _ID_PREFIXES.get(info.kind)
        own = f"{prefix}:{record['id']}" if prefix else ""
        id = address or own or session.artifact.address(info.name, record["id"])
        return _ShownHit(info, record, hit, id, source)
    place = f"{source}#{hit.chunk.get('anchor', '')}:{_line(hit)}"
    if address:
        return _ShownHit(info, record, hit, place, source)
    if info.group == "guidelines":
        page = "workflow" if "workflow" in record["path"].casefold() else "guideline"
        return _ShownHit(info, record, hit, f"guideline:{page}:{place}", source)
    page = "extra" if info.group == "posts" else "doc"
    return _ShownHit(info, record, hit, f"{page}:{place}", source)


def _nothing_found(session: Session, scopes: Sequence[str]) -> str:
    if ALL not in scopes:
        return "Nothing was found. Search all scopes, or use fewer and more common words."
    substring = lookup.tool_name(session, "search_docs")
    advice = f"Nothing was found. Use other words, or {substring} for an exact piece of text."
    known = session.artifact.manifest["scopes"]
    held = {info.name for info in session.artifact.collections if info.records}
    others = sorted(held.difference(known.get(ALL, ())) & known.keys())
    return f"{advice} Scopes that {ALL} leaves out: {', '.join(others)}." if others else advice


def _result(
    session: Session, scope: str, found: _ShownHit, budget: _ResultBudget, *, is_full: bool
) -> HybridResult:
    info, record, hit, id, source = found
    metadata = _metadata(found, budget)
    if budget.shows_lines:
        metadata["lines"] = [hit.chunk["start_line"], hit.chunk["end_line"]]
    if hit.copies:
        metadata["alsoIn"] = [
            lookup.told_name(session, collection, session.artifact.catalog(collection).id(record))
            for collection, record in hit.copies[:MAX_COPIES]
        ]
    title = record["title"] if info.kind == "builtins" else hit.chunk.get("title")
    result: HybridResult = {
        "id": id,
        "scope": _own_scope(info) if scope == ALL else scope,
        "title": shorten(title or record["title"], budget.title_chars),
        "score": float(f"{hit.score:.4g}"),
        "strategy": hit.strategy,
        "source": source,
        "metadata": metadata,
    }
    chars = LONGEST_SNIPPET if is_full else budget.snippet_chars
    if snippet := excerpt(_passage(found, chars), hit.matched, chars):
        result["snippet"] = snippet
    # The tags of builtins are their categories.
    if info.kind != "builtins" and (tags := record.get("tags", [])[: budget.tags]):
        result["tags"] = tags
    if hit.matched:
        result["highlights"] = [shorten(term, 40) for term in hit.matched[: budget.highlights]]
    return result


def _passage(found: _ShownHit, chars: int) -> str:
    """What the snippet is taken from: text that title and metadata do not repeat."""
    record, hit = found.record, found.hit
    if found.info.kind == "builtins":
        builtin: Any = record
        return str(builtin.get("description", ""))
    shown = hit.snippet if chars < LONGEST_SNIPPET else hit.passage(chars, chars + chars // 3)
    lines = shown.text.split("\n")
    text = "\n".join(line for line in lines if not line.startswith("#")).strip()
    return text or lines[0] or str(record.get("summary", ""))


def _own_scope(info: CollectionInfo) -> str:
    """The narrowest scope of every knowledge base that holds the collection."""
    if info.kind != "docs":
        return info.kind if info.kind in SCOPES else info.name
    return {"posts": "extra", "guidelines": "guidelines"}.get(info.group, "docs")


_ID_PREFIXES = {
    "builtins": "builtin",
    "examples": "example",
    "patterns": "pattern",
    "templates": "template",
}


def _line(hit: SearchHit) -> int:
    line: int = hit.chunk.get("section_line") or hit.chunk["start_line"]
    return line


def _metadata(found: _ShownHit, budget: _ResultBudget) -> dict[str, Any]:
    info, hit = found.info, found.hit
    record: Any = found.record  # of the kind
    match info.kind:
        case "builtins":
            signature = shorten(record["signature"], budget.signature_chars)
            return {"signature": signature, "category": record["category"]}
        case "docs":
            heading = (hit.chunk.get("breadcrumb") or [record["title"]])[-1]
            return {
                "section": shorten(heading, budget.section_chars),
                "level": hit.chunk.get("section_level", 0),
                "path": lookup.shown_path(record),
                "line": _line(hit),
            }
        case kind:
            return _some(record, _METADATA.get(kind, ()), budget)


_METADATA = {
    "examples": ("category", "modules", "functions"),
    "patterns": ("category", "when_to_use"),
    "templates": ("framework", "use_for"),
}


def _some(record: Any, fields: Sequence[str], budget: _ResultBudget) -> dict[str, Any]:
    """Those of the fields that have a value, lists and long items cut."""
    kept: dict[str, Any] = {}
    for field in fields:
        value = record.get(field)
        if isinstance(value, list) and value:
            kept[field] = [shorten(item, budget.name_chars) for item in value[: budget.names]]
        elif value:
            kept[field] = value
    return kept
