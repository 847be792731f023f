"""`codebase_retrieval` and `get_file`: search in source trees, and files by path."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.cursors import bad_cursor, read_cursor, write_cursor
from kb_runtime.text.globs import PathGlobs
from kb_runtime.text.names import PATH_SUGGESTIONS, clean_path, ends_with, quoted, suggest
from kb_runtime.text.rendering import cut, fence, indented_json_text, shorten
from kb_runtime.tools import library
from kb_runtime.tools.code import index as code_index
from kb_runtime.tools.code.index import KIND
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.schemas import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    OBJECT,
    STRING,
    STRINGS,
    array,
    row,
    structure,
)

if TYPE_CHECKING:
    from kb_runtime.search.query import Term
    from kb_runtime.search.request import Hit, SearchResult
    from kb_runtime.tools.session import Session

FAMILY = "codebase"

MAX_QUERY_CHARS = 1000
DEFAULT_TOP_K = 10
MAX_TOP_K = 50
MAX_PER_FILE = 3
"""Passages of one file in an answer: more crowd out the other files."""

PREVIEW_CHARS = 240
MAX_CONTENT_CHARS = 4_000
"""Of one result: a definition that was widened, or a line without end, is cut there."""
MAX_ANSWER_CHARS = 60_000
"""Of the contents of all results together."""
MAX_FILE_CHARS = 40_000
"""Of a file in one answer of `get_file`."""

# What a score is made of. With these shares 31 of 32 questions about three public repositories had the
# right file first (28 with reciprocal ranks alone); see `benchmarks.codebase`.
MEANING_SHARE = 0.7
WORDS_SHARE = 0.2
NAME_SHARE = 0.1
# A shorter name is as likely a word of the sentence (`get`, `run`).
_TELLING_NAME_CHARS = 4

# A test says what code does as well as the code; a reader who does not ask for tests wants the code.
TEST_FACTOR = 0.9
_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata)/|(?:^|/)(?:test_|conftest\.)[^/]*$"
    r"|[._-](?:tests?|spec)\.\w+$|(?:Tests?|Spec)\.\w+$"
)
_TEST_WORD = re.compile(r"(?:un)?tests?|testing|specs?|fixtures?|mocks?", re.IGNORECASE)

_CANDIDATES_PER_RESULT = 4
_JOINED_HITS = _CANDIDATES_PER_RESULT * DEFAULT_TOP_K


@dataclass(frozen=True, slots=True)
class _Effort:
    """What a profile spends: candidates as a multiple of `fast`, and whether a passage is widened to
    the whole definition that it is part of."""

    depth: int
    widen: bool


_PROFILES = {"fast": _Effort(1, False), "balanced": _Effort(2, False), "rich": _Effort(4, True)}


@dataclass(slots=True)
class _Passage:
    """Neighbouring chunks of a file, `rows`, found by `hits`, the best one first."""

    rows: range
    chars: int
    hits: list[Hit]

    @property
    def best(self) -> Hit:
        return self.hits[0]

    def joins(self, other: _Passage) -> bool:
        """Whether both are one piece of the file, and not too long a one."""
        apart = self.rows.stop < other.rows.start or other.rows.stop < self.rows.start
        overlap = self.rows.start < other.rows.stop and other.rows.start < self.rows.stop
        return not apart and (overlap or self.chars + other.chars <= MAX_CONTENT_CHARS)

    def join(self, other: _Passage) -> None:
        """Takes a passage that is no better into this one."""
        start, stop = self.rows.start, self.rows.stop
        self.rows = range(min(start, other.rows.start), max(stop, other.rows.stop))
        self.chars += other.chars
        self.hits += other.hits


def codebase_retrieval(session: Session, arguments: dict[str, Any]) -> Answer:
    started = time.perf_counter()
    query: str = arguments["query"]
    globs = PathGlobs(arguments["include_paths"] or (), arguments["exclude_paths"] or ())
    effort = _PROFILES[arguments["profile"]]
    is_v2 = arguments["response_version"] == "v2"
    warnings: list[str] = []
    if arguments["compact"] and not is_v2:
        warnings.append('compact needs response_version "v2" and was ignored')
    found = _search(session, query, globs, arguments["top_k"], effort)
    warnings.extend(found.warnings)
    passages = _passages(session, found, effort.widen)
    freshness = _Freshness(session)
    results: list[dict[str, Any]] = []
    chars = 0
    for passage, score in _scored(session, query, passages):
        indexed = _result(session, query, passage, score)
        result = freshness.checked(_record_of(session, passage), indexed)
        if result is None:
            continue
        chars += len(result["content"])
        if chars > MAX_ANSWER_CHARS:
            warnings.append(
                f"the answer was cut after {len(results)} results: ask more narrowly, or with a"
                " smaller top_k"
            )
            break
        if is_v2:
            result |= _explained(passage)
            if arguments["compact"]:
                del result["content"]
                result["preview"] = shorten(passage.best.snippet.text, PREVIEW_CHARS)
        results.append(result)
        if len(results) == arguments["top_k"]:
            break
    metadata = _metadata(session, globs, found, len(results)) | freshness.metadata()
    warnings.extend(code_index.warnings(metadata["indexStatus"]))
    metadata["indexStatus"] |= freshness.status()
    warnings.extend(freshness.warnings)
    if is_v2:
        metadata["totalCandidates"] = found.total_candidates
        metadata["buildId"] = session.artifact.build_id
    metadata["queryTimeMs"] = round((time.perf_counter() - started) * 1000, 1)
    structured: dict[str, Any] = {"results": results, "metadata": metadata}
    if not results:
        warnings.append(_nothing_found(globs))
    if warnings:
        structured["warnings"] = warnings
    return Answer(indented_json_text(structured), structured)


class _Freshness:
    """Compares results with the files on disk, where the server knows where these are."""

    def __init__(self, session: Session) -> None:
        tree = session.working_tree
        self._tree = tree if tree is not None and tree.is_reachable else None
        self._is_followed = session.workspace is not None
        self._stale: dict[str, str] = {}  # file -> what happened to it
        self.warnings: list[str] = []

    def checked(self, record: library.Record, result: dict[str, Any]) -> dict[str, Any] | None:
        """The result as it can be shown: flagged, with the lines where its text stands now, when the
        file has changed; None when the text is gone."""
        state = "current" if self._tree is None else self._tree.state(record)
        if self._tree is None or state == "current":
            return result
        self._stale[record["id"]] = state
        text = self._tree.text(record) if state == "changed" else None
        first = int(result["lines"].partition("-")[0])
        place = None if text is None else _nearest(text, result["content"], first)
        if place is None:
            gone = "no longer exists" if state == "missing" else "has changed"
            self.warnings.append(
                f"a result was left out: {record['id']} {gone}, and lines {result['lines']} with it"
            )
            return None
        last = place + result["content"].count("\n")
        return {**result, "lines": f"{place}-{last}", "stale": True}

    def status(self) -> dict[str, Any]:
        """What it adds to `indexStatus`."""
        if self._tree is None:
            return {"comparedWithDisk": False}
        return {"comparedWithDisk": True, "isStale": bool(self._stale)}

    def metadata(self) -> dict[str, Any]:
        if not self._stale:
            return {}
        files = ", ".join(sorted(self._stale))
        advice = "Read these files from disk, and run `kbc build` to bring the index up to date."
        if self._is_followed:
            advice = "Read these files from disk; the index is being brought up to date."
        return {
            "freshnessWarning": f"changed since the index was built: {shorten(files, 400)}. {advice}"
        }


def _nearest(text: str, content: str, line: int) -> int | None:
    """The line where `content` stands in `text`, of several places the one nearest to `line`."""
    places = []
    at = text.find(content)
    while at >= 0 and content:
        if at == 0 or text[at - 1] == "\n":
            places.append(text.count("\n", 0, at) + 1)
        at = text.find(content, at + 1)
    return min(places, key=lambda place: (abs(place - line), place), default=None)


def _search(
    session: Session, query: str, globs: PathGlobs, top_k: int, effort: _Effort
) -> SearchResult:
    from kb_runtime.search.request import SearchRequest, SearchResult

    collections = tuple(info.name for info in library.collections(session, KIND))
    if not collections:  # a workspace whose first index is not there yet
        return SearchResult([], "lexical", (), 0, {})
    return session.artifact.searcher.search(
        SearchRequest(
            query=query,
            collections=collections,
            limit=effort.depth * _CANDIDATES_PER_RESULT * max(top_k, DEFAULT_TOP_K),
            rows=tuple(_rows(session, globs)) if globs else None,
            snippet_chars=PREVIEW_CHARS,
            cosines=True,
        )
    )


def _rows(session: Session, globs: PathGlobs) -> Iterator[range]:
    """The rows of the files that `globs` leave, as few ranges as possible, in order."""
    import numpy as np

    artifact = session.artifact
    records = np.frombuffer(artifact.chunks.column("record"), dtype="<u4")
    for info in sorted(library.collections(session, KIND), key=lambda info: info.first_row):
        ids = artifact.catalog(info.name).ids()
        wanted = np.fromiter((id in globs for id in ids), dtype=np.bool_, count=len(ids))
        rows = wanted[records[info.rows.start : info.rows.stop]]
        edges = np.flatnonzero(np.diff(rows, prepend=False, append=False)) + info.first_row
        yield from (range(start, stop) for start, stop in edges.reshape(-1, 2).tolist())


def _passages(session: Session, found: SearchResult, widen: bool) -> Iterator[_Passage]:
    """The passages in the order of the search, at most so many of one file; hits side by side become
    one. Only the first hits join others: what only a larger answer looks at must not change the
    passages of a smaller one. So the later ones are looked at as they are asked for."""
    by_file: dict[tuple[str, int], list[_Passage]] = {}
    order: dict[int, int] = {}
    for at, hit in enumerate(found.hits[:_JOINED_HITS]):
        order[hit.row] = at
        others = by_file.setdefault((hit.collection, hit.record), [])
        _add(others, _passage(session, hit, widen))
    first = [one for others in by_file.values() for one in others[:MAX_PER_FILE]]
    yield from sorted(first, key=lambda one: order[one.best.row])
    for hit in found.hits[_JOINED_HITS:]:
        others = by_file.setdefault((hit.collection, hit.record), [])
        if len(others) >= MAX_PER_FILE:
            continue
        new = _passage(session, hit, widen)
        if not any(one.joins(new) for one in others):
            others.append(new)
            yield new


def _passage(session: Session, hit: Hit, widen: bool) -> _Passage:
    rows, chars = range(hit.row, hit.row + 1), len(hit.chunk.get("text", ""))
    if widen:
        rows, chars = _definition(session, hit)
    return _Passage(rows, chars, [hit])


def _scored(
    session: Session, query: str, passages: Iterable[_Passage]
) -> Iterator[tuple[_Passage, float]]:
    """Each passage with its score: its relevance, or that of a less relevant one above it. The order
    knows more than a single passage tells (how much of a file answers, what it defines)."""
    from kb_runtime.search.analysis import Analyzer
    from kb_runtime.search.query import analyse

    terms = analyse(query, Analyzer()).terms
    wants_tests = any(_TEST_WORD.fullmatch(term.typed) for term in terms)
    least = 1.0
    for passage in passages:
        hit = passage.best
        path = session.artifact.catalog(hit.collection).id(hit.record)
        is_aside = not (wants_tests or hit.exact_name) and _TEST_PATH.search(path)
        least = min(least, relevance(hit, terms) * (TEST_FACTOR if is_aside else 1))
        yield passage, least


def _add(passages: list[_Passage], new: _Passage) -> None:
    """Adds a passage to those of its file, which are in the order of their scores, or joins it with
    the first one that it continues; what it closes the gap to is joined as well."""
    target = next((one for one in passages if one.joins(new)), None)
    if target is None:
        passages.append(new)
        return
    target.join(new)
    for other in passages[passages.index(target) + 1 :]:
        if target.joins(other):
            target.join(other)
            passages.remove(other)


def relevance(hit: Hit, terms: Sequence[Term]) -> float:
    """How well a chunk answers, 0 to 1, the same whatever else was found: scores of different calls
    compare.

    The cosine, the share of the query's words that the chunk has, and whether the query names one of
    its definitions; 1 for a file whose path is the query.
    """
    if hit.exact_name:
        return 1.0
    words = min(len(hit.matched) / len(terms), 1.0) if terms else 0.0
    named = any(_named(hit, terms))
    meaning = min(max(hit.cosine or 0.0, 0.0), 1.0)
    return MEANING_SHARE * meaning + WORDS_SHARE * words + NAME_SHARE * named


def _named(hit: Hit, terms: Sequence[Term]) -> Iterator[str]:
    """The names of the chunk's definitions that are words of the query."""
    words = {term.typed.casefold() for term in terms}
    for name in dict.fromkeys((hit.chunk.get("symbol", ""), *hit.chunk.get("identifiers", ()))):
        if len(name) >= _TELLING_NAME_CHARS and name.casefold() in words:
            yield name


def _result(session: Session, query: str, passage: _Passage, score: float) -> dict[str, Any]:
    artifact = session.artifact
    chunks = [artifact.chunks[at] for at in passage.rows]
    text = "".join(chunk["text"] for chunk in chunks)
    content, line = _trimmed(text, chunks[0]["start_line"])
    return {
        "file": artifact.catalog(passage.best.collection).id(passage.best.record),
        "content": content,
        "score": round(score, 4),
        "lines": f"{line}-{line + content.count(chr(10))}",
        "reason": _reason(query, passage),
    }


def _record_of(session: Session, passage: _Passage) -> library.Record:
    return session.artifact.catalog(passage.best.collection)[passage.best.record]


def _definition(session: Session, hit: Hit) -> tuple[range, int]:
    """The rows of the definition that a hit is part of, as far as they fit into a result, and their
    code points."""
    chunks = session.artifact.chunks
    trail = hit.chunk.get("breadcrumb", [])
    chars = len(hit.chunk.get("text", ""))
    first, last = hit.row, hit.row
    if not hit.chunk.get("symbol"):
        return range(first, last + 1), chars
    rows = chunks.rows_of(hit.record, session.artifact.collection(hit.collection).rows)
    for step in (-1, 1):
        at = hit.row + step
        while at in rows:
            chunk = chunks[at]
            longer = chars + len(chunk.get("text", ""))
            if chunk.get("breadcrumb", [])[: len(trail)] != trail or longer > MAX_CONTENT_CHARS:
                break
            chars = longer
            first, last = min(first, at), max(last, at)
            at += step
    return range(first, last + 1), chars


def _trimmed(text: str, line: int) -> tuple[str, int]:
    """`text` without blank lines around it, cut where it is too long, and the line it begins on."""
    start = 0
    while (end := text.find("\n", start)) >= 0 and not text[start:end].strip():
        start = end + 1
    content = text[start : cut(text, start, MAX_CONTENT_CHARS)]
    return content.rstrip(), line + text.count("\n", 0, start)


def _reason(query: str, passage: _Passage) -> str:
    """The words that clients know, then what speaks for the passage."""
    best = passage.best
    chunk = best.chunk
    evidence = []
    if best.exact_name:
        evidence.append("the query is this file's path")
    if symbol := chunk.get("symbol"):
        around = chunk.get("breadcrumb", ())[1:-1]
        of = f" of {'.'.join(around)}" if around else ""
        evidence.append(f"{chunk.get('symbol_kind') or 'definition'} {symbol}{of}")
    matched = list(dict.fromkeys(word for hit in passage.hits for word in hit.matched))
    if matched:
        evidence.append("has " + ", ".join(shorten(word, 40) for word in matched))
    if best.cosine is not None and best.semantic_rank is not None:
        evidence.append(f"similar in meaning ({best.cosine:.2f})")
    return "; ".join([f'Semantic match for: "{query}"', *evidence])


def _explained(passage: _Passage) -> dict[str, Any]:
    """What the second version of the answer adds to a result."""
    best = passage.best
    chunk = best.chunk
    trail = chunk.get("breadcrumb", ())
    known = {
        "language": chunk.get("language"),
        "symbolName": chunk.get("symbol"),
        "symbolKind": chunk.get("symbol_kind"),
        "parentSymbol": trail[-2] if chunk.get("symbol") and len(trail) > 2 else None,
        "signature": chunk.get("signature"),
        "matchedTerms": list(best.matched),
        "cosine": None if best.cosine is None else round(best.cosine, 4),
        "lexicalRank": best.lexical_rank,
        "semanticRank": best.semantic_rank,
    }
    match_type = "path" if best.exact_name else "text"
    if match_type == "text" and chunk.get("symbol") in best.matched:
        match_type = "definition"
    return {
        "trace": {"source_stage": best.strategy, "match_type": match_type},
        "explainability": {name: value for name, value in known.items() if value},
    }


def _metadata(
    session: Session, globs: PathGlobs, found: SearchResult, total: int
) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "workspace": workspace(session),
        "lastIndexed": code_index.last_indexed(session),
        "totalResults": total,
        "query_mode": code_index.mode(found),
        "indexStatus": code_index.status(session),
    }
    if globs:
        metadata["filtersApplied"] = [
            *(f"include {pattern}" for pattern in globs.include),
            *(f"exclude {pattern}" for pattern in globs.exclude),
        ]
    return metadata


def workspace(session: Session) -> str:
    """The folders that paths are relative to, as kb.toml names them."""
    names = {
        catalog[position].get("workspace", "")
        for catalog in library.catalogs(session, KIND)
        for position in (0, len(catalog) - 1)
        if len(catalog)
    }
    return ", ".join(sorted(names))


def _nothing_found(globs: PathGlobs) -> str:
    if globs:
        return "Nothing was found: relax include_paths or exclude_paths, or use other words."
    return "Nothing was found: use other words, or grep for an exact string."


def get_file(session: Session, arguments: dict[str, Any]) -> Answer:
    record = _file(session, arguments["path"])
    text: str = record.get("text", "")
    starts = _line_starts(text)
    first, last = _line_range(record, arguments, len(starts))
    own_name = session.tool_names.get("get_file", "get_file")
    part_of = {"file": record["id"], "lines": [first, last]}
    begin = starts[first - 1]
    end = starts[last] if last < len(starts) else len(text)
    if arguments["cursor"] is not None:
        build_id = session.artifact.build_id
        (position,) = read_cursor(arguments["cursor"], build_id, own_name, part_of, 1)
        if not begin < position < end:
            raise bad_cursor("it is beyond the end")
        begin = position
    stop = cut(text[:end], begin, MAX_FILE_CHARS)
    content = text[begin:stop]
    first_shown = first + text.count("\n", starts[first - 1], begin)
    last_shown = first_shown + content.rstrip("\n").count("\n")
    structured: dict[str, Any] = {
        "file": record["id"],
        "content": content,
        "lines": f"{first_shown}-{last_shown}",
        "totalLines": len(starts),
        "language": record.get("language", ""),
        "workspace": record.get("workspace", ""),
        "lastIndexed": code_index.last_indexed(session),
    }
    told = f"{record['id']}, lines {first_shown}-{last_shown} of {len(starts)}"
    shown = f"{told}\n\n{fence(content, structured['language'])}"
    tree = session.working_tree
    if tree is not None and tree.is_reachable and tree.state(record) != "current":
        structured["stale"] = True
        structured["warnings"] = [
            "the file on disk is another one by now: this is how it was when it was indexed"
        ]
        shown += f"\n\nNote: {structured['warnings'][0]}"
    if stop < end:
        cursor = write_cursor(session.artifact.build_id, own_name, part_of, [stop])
        structured["nextCursor"] = cursor
        shown += (
            f"\n\n[{end - stop} characters follow: repeat the call with cursor {cursor},"
            " or ask for fewer lines]"
        )
    return Answer(shown, {name: value for name, value in structured.items() if value != ""})


def _file(session: Session, given: str) -> library.Record:
    """The record of a path, of its unique ending, or of a `kb://` address. Raises NOT_FOUND."""
    path = clean_path(library.record_id(given), "path")
    record = library.find_path(session, KIND, path, given) if path else None
    if record is not None:
        return record
    known = library.ids(session, KIND)
    search = session.tool_names.get("codebase_retrieval", "codebase_retrieval")
    endings = [id for id in known if ends_with(id, path)]
    if len(endings) > 1:
        raise ToolError(
            "NOT_FOUND",
            f"{len(endings)} files end with {quoted(given)}: give one of their paths",
            suggestions=sorted(endings)[:PATH_SUGGESTIONS],
        )
    raise ToolError(
        "NOT_FOUND",
        f"there is no file {quoted(given)} in the index of {len(known)} files",
        suggestions=suggest(path, known, PATH_SUGGESTIONS),
        next_steps=[f"Call {search} with what the file does; its results name files."],
    )


def _line_starts(text: str) -> list[int]:
    """Where each line begins. Only a line feed ends a line, as everywhere in the index."""
    starts = [0]
    at = text.find("\n")
    while 0 <= at < len(text) - 1:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _line_range(record: library.Record, arguments: dict[str, Any], total: int) -> tuple[int, int]:
    """The first and the last line asked for; a range may end behind the file's last line."""
    first = arguments["start_line"] or 1
    last = min(arguments["end_line"] or total, total)
    if first > total:
        raise ToolError(
            "BAD_INPUT",
            f"start_line {first} is behind the end: {quoted(record['id'])} has {total} lines",
            next_steps=[f"Give start_line from 1 to {total}."],
        )
    if last < first:
        raise ToolError(
            "BAD_INPUT",
            f"end_line {arguments['end_line']} comes before start_line {first}",
            next_steps=["Give the first line of the range as start_line."],
        )
    return first, last


_DESCRIPTION = """\
The primary tool for code search: make it your first choice whenever you need to find or understand code. \
Ask in natural language; it searches all languages of the indexed source trees by meaning and by names, and \
returns the passages that answer best with file, lines, score and reason. It knows the indexed state of the \
files (metadata.lastIndexed says of when) and nothing of version control: no history, no branches.

Use it when you do not know which files hold what you need; when you want a high-level understanding of how \
something works; to gather information at the start of any task; and before an edit, to learn about every \
symbol involved, in ONE call.

Good queries:
- "Where is the function that handles user authentication?"
- "What tests are there for the login functionality?"
- "How is the database connected to the application?"

Bad queries, and what to use instead:
- "Find the definition of the constructor of class Foo": you know the name, use grep
- "Find all references to function bar": use grep
- "Show how class Checkout is used in services/payment.py": the file is known, view it or grep in it
- "Show the content of foo.py": use a file viewer, or get_file

For exact strings (error messages, configuration values, log lines) use grep.

Rules:
- Call this tool before you plan or begin a task on code that you have not seen.
- Before every edit, ask in one call for all classes, methods, properties and constants that it involves, in \
detail; do not ask for them one by one.
- Use grep only for exact strings and known names. When in doubt, use this tool first."""

_TOP_K_REFUSED = f"Invalid top_k: it must be a whole number from 1 to {MAX_TOP_K}, not {{value}}"

_RESULT = row(
    {
        "file": STRING,
        "content": STRING,
        "score": NUMBER,
        "lines": STRING,
        "reason": STRING,
        "preview": STRING,
        "stale": BOOLEAN,
        "trace": OBJECT,
        "explainability": OBJECT,
    }
)

TOOLS = (
    Tool(
        name="codebase_retrieval",
        family=FAMILY,
        description=_DESCRIPTION,
        run=codebase_retrieval,
        arguments=(
            Argument(
                "query",
                "string",
                "What you look for, in natural language.",
                required=True,
                max_length=MAX_QUERY_CHARS,
                refusals={
                    "missing": "Invalid query: it must be a non-empty string",
                    "type": "Invalid query: it must be a non-empty string, not {value}",
                    "length": "Query too long: it has {length} characters and may have at most"
                    f" {MAX_QUERY_CHARS}",
                },
            ),
            Argument(
                "top_k",
                "integer",
                "Number of results.",
                default=DEFAULT_TOP_K,
                minimum=1,
                maximum=MAX_TOP_K,
                out_of_range="reject",
                refusals={"type": _TOP_K_REFUSED, "range": _TOP_K_REFUSED},
            ),
            Argument(
                "include_paths",
                "string[]",
                "Only files that match one of these globs: `src/**`, `*.py`, `tests/`.",
            ),
            Argument("exclude_paths", "string[]", "No files that match one of these globs."),
            Argument(
                "profile",
                "string",
                "Effort: fast; balanced looks at twice as many candidates; rich at four times as"
                " many, and shows whole definitions.",
                default="fast",
                choices=tuple(_PROFILES),
            ),
            Argument(
                "response_version",
                "string",
                "v2 adds to each result how it was found and what it defines.",
                default="v1",
                max_length=100,
            ),
            Argument(
                "compact",
                "boolean",
                "With v2: a preview of 240 characters instead of the content.",
                default=False,
            ),
        ),
        output=structure(
            {
                "results": array(_RESULT),
                "metadata": structure(
                    {
                        "workspace": STRING,
                        "lastIndexed": {"type": ["string", "null"]},
                        "queryTimeMs": NUMBER,
                        "totalResults": INTEGER,
                    },
                    {
                        "query_mode": STRING,
                        "indexStatus": OBJECT,
                        "freshnessWarning": STRING,
                        "filtersApplied": STRINGS,
                    },
                ),
            }
        ),
        needs=(KIND,),
    ),
    Tool(
        name="get_file",
        family=FAMILY,
        description="A file of the indexed source trees, or some of its lines, as indexed. Use it to"
        " read on around a result of codebase_retrieval.",
        run=get_file,
        arguments=(
            Argument(
                "path",
                "string",
                "The file as results name it, or an ending of its path that no other file has.",
                required=True,
                max_length=1000,
            ),
            Argument("start_line", "integer", "First line.", minimum=1, out_of_range="reject"),
            Argument("end_line", "integer", "Last line.", minimum=1, out_of_range="reject"),
            Argument(
                "cursor", "string", "nextCursor of the answer before, to go on.", max_length=2000
            ),
        ),
        output=structure(
            {
                "file": STRING,
                "content": STRING,
                "lines": STRING,
                "totalLines": INTEGER,
                "lastIndexed": {"type": ["string", "null"]},
            },
            {"language": STRING, "workspace": STRING, "stale": BOOLEAN, "nextCursor": STRING},
        ),
        needs=(KIND,),
    ),
)
