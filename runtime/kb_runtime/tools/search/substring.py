"""`search_docs`: every line that contains a text literally."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.text.names import quoted
from kb_runtime.text.rendering import ELLIPSIS, cut, find_folded
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.paging import Pager, json_chars

if TYPE_CHECKING:
    from kb_runtime.tools.search.answers import LineMatch, LineMatches
    from kb_runtime.tools.session import Session

SCOPES = (
    "all",
    *("builtins", "lessons", "examples", "docs"),
    *("guidelines", "extra", "patterns", "templates"),
)
KINDS = ("docs", "builtins", "examples", "patterns", "templates")
DEFAULT_CONTEXT_LINES = 2
MAX_CONTEXT_LINES = 10
DEFAULT_LIMIT = 50
MAX_LIMIT = 200
LONGEST_LINE = 400
"""Code points of a line that an answer shows; a longer line is cut around the match."""


class TextPart(NamedTuple):
    """Text of a file that begins at line `first` (1-based), and the record that has it."""

    first: int
    text: str
    collection: str
    id: str


Files = dict[tuple[str, str], list[TextPart]]
"""The parts of each file, by its path and the knowledge base that it is of."""


class Match(NamedTuple):
    """Line `at` (0-based) of `lines`, those of a part of the file `path`."""

    path: str
    part: TextPart
    lines: list[str]
    at: int


TOOLS = Tools("{prefix}_", family="search")


@TOOLS.tool(
    "Every line that holds a piece of text literally, in any case, with the lines"
    " around it. For exact strings; for questions use {prefix}_hybrid_search.",
    parameter.required("query", "The text to find.", 1000),
    parameter.text("scope", "Where to search.", default="all", choices=SCOPES),
    parameter.integer(
        "contextLines",
        "Lines shown before and after.",
        0,
        MAX_CONTEXT_LINES,
        default=DEFAULT_CONTEXT_LINES,
    ),
    parameter.integer("limit", "Matches in one answer.", 1, MAX_LIMIT, default=DEFAULT_LIMIT),
    parameter.cursor(),
    needs=("docs", "builtins", "examples", "patterns", "templates"),
)
def search_docs(session: Session, arguments: dict[str, Any]) -> Answer[LineMatches]:
    query: str = arguments["query"]
    scope: str = arguments["scope"]
    limit: int = arguments["limit"]
    around: int = arguments["contextLines"]
    matches = list(_matches(_files(session, scope), query.casefold()))
    pager = Pager(
        session.artifact.build_id, "{prefix}_search_docs", {"query": query, "scope": scope}
    )
    shown, page = pager.shown(
        arguments["cursor"],
        matches,
        limit,
        session.max_chars - json_chars(query),
        lambda match: _entry(session, match, query.casefold(), around),
    )
    structured: LineMatches = {
        "query": query,
        "scope": scope,
        "total": len(matches),
        "limit": limit,
        "contextLines": around,
        "matches": shown,
    }
    structured |= present(nextCursor=page.next)
    if not matches:
        search = lookup.tool_name(session, "hybrid_search")
        wider = "" if scope == "all" else " Search the scope all, or"
        structured["warnings"] = [
            f"No line holds {quoted(query)}.{wider or ' Try'} {search}, which also finds related words."
        ]
    return json_answer(structured)


def _files(session: Session, scope: str) -> Files:
    """The files of a scope. Where a page holds the whole file, its records add nothing."""
    files: Files = {}
    whole: dict[tuple[str, str], TextPart] = {}
    for kind in KINDS:
        for info in lookup.collections(session, kind):
            if kind != "docs" and not _in_scope(kind, "", scope):
                continue
            catalog = session.artifact.catalog(info.name)
            origin = session.artifact.origin(info.name)
            for position in range(len(catalog)):
                record = catalog[position]
                path = lookup.shown_path(record) if kind == "docs" else record["path"]
                file = path, origin
                first = 1 if kind == "docs" else record.get("line", 1)
                part = TextPart(first, record.get("text", ""), info.name, record["id"])
                if kind == "docs":
                    whole[file] = part
                if not _in_scope(kind, record.get("group", ""), scope):
                    continue
                if file in whole:
                    files[file] = [whole[file]]
                else:
                    files.setdefault(file, []).append(part)
    return files


def _in_scope(kind: str, group: str, scope: str) -> bool:
    if scope == "all" or scope == kind != "docs":
        return True
    if kind == "patterns":
        return scope == "guidelines"
    if kind != "docs":
        return False
    if scope == "docs":
        return group not in ("posts", "guidelines")
    return group == ("posts" if scope == "extra" else scope)


def _matches(files: Files, folded_query: str) -> Iterator[Match]:
    for path, origin in sorted(files):
        for part in sorted(files[path, origin]):
            folded = part.text.casefold()
            if folded_query not in folded:
                continue
            lines = part.text.split("\n")
            for at, line in enumerate(folded.split("\n")):
                if folded_query in line:
                    yield Match(path, part, lines, at)


def _entry(session: Session, match: Match, folded_query: str, around: int) -> LineMatch:
    path, part, lines, at = match
    end = len(lines) - (lines[-1] == "")
    before = [_shown(line) for line in lines[max(0, at - around) : at]]
    after = [_shown(line) for line in lines[at + 1 : min(at + 1 + around, end)]]
    entry: LineMatch = {
        "file": path,
        "line": part.first + at,
        "content": _shown(lines[at], folded_query),
        "context": [*before, *after],
        "before": before,
        "after": after,
    }
    address = lookup.told_address(session, part.collection, part.id)
    if address is None and session.artifact.catalog(part.collection).find(path) is None:
        # Several records may be parts of one file, which then names none of them.
        address = session.artifact.address(part.collection, part.id)
    entry |= present(address=address)
    return entry


def _shown(line: str, folded_query: str = "") -> str:
    """The line without its carriage return; a long one is cut, around the match where there is one."""
    line = line.removesuffix("\r")
    if len(line) <= LONGEST_LINE:
        return line
    found = max(0, find_folded(line, folded_query)) if folded_query else 0
    start = cut(line, 0, found - LONGEST_LINE // 4) if found > LONGEST_LINE // 2 else 0
    end = cut(line, start, LONGEST_LINE)
    return (ELLIPSIS if start else "") + line[start:end] + (ELLIPSIS if end < len(line) else "")
