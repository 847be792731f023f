"""`symbol_references` and `call_relationships`: where a definition is used, by name resolution at build
time. What only a type checker would know is a guess by name, and each answer says which are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.store.symbols import CALL, FAMILIES
from kb_runtime.text.rendering import shorten
from kb_runtime.text.tables import count_of
from kb_runtime.text.written_json import json_text
from kb_runtime.tools import parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.code.index import code_tools, path_globs
from kb_runtime.tools.code.symbols import (
    LANGUAGE,
    MAX_ANSWER_CHARS,
    PATHS,
    SYMBOL,
    Found,
    FoundUse,
    SymbolIndex,
    notes,
    top_k_argument,
)
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager, json_chars

if TYPE_CHECKING:
    from kb_runtime.tools.code.answers import (
        CallRelationships,
        CallSite,
        SymbolReference,
        SymbolReferences,
        Use,
    )
    from kb_runtime.tools.session import Session

MAX_REFERENCES = 50
MAX_SIDES = 100
MAX_DEFINITIONS = 20
LINE_CHARS = 200
LISTED_CALLS = 10
USES: tuple[Use, ...] = ("use", "type", "call", "import")

_NO_USES = (
    "uses are compiled for Python, JavaScript, TypeScript, Go, Rust, Java, C, C++, C#, Ruby and PHP"
)


TOOLS = code_tools()


@TOOLS.tool(
    "Where a definition is used: calls, types, other uses, with line and text."
    " `resolution` says whether scope and imports prove it or only the name agrees.",
    SYMBOL,
    top_k_argument("references", MAX_REFERENCES),
    *PATHS,
    LANGUAGE,
    parameter.cursor(),
)
def symbol_references(session: Session, arguments: dict[str, Any]) -> Answer[SymbolReferences]:
    symbol: str = arguments["symbol"]
    globs = path_globs(arguments)
    index, found = _definitions(session, arguments)
    uses = sorted(index.uses(found), key=_order)
    scope = {
        "symbol": symbol,
        "paths": [list(globs.include), list(globs.exclude)],
        "language": arguments["language_hint"] or "",
    }
    pager = Pager(session.artifact.build_id, "symbol_references", scope)
    definitions = [index.place(one) for one in found[:MAX_DEFINITIONS]]
    shown, page = pager.shown(
        arguments["cursor"],
        uses,
        arguments["top_k"],
        session.max_chars - json_chars(definitions),
        lambda use: _reference(index, *use),
    )
    structured: SymbolReferences = {
        "symbol": symbol,
        "definitions": definitions,
        "references": shown,
        "total": len(uses),
        "resolved": sum(meant is not None for _, meant in uses),
    }
    warnings = [*index.warnings(), *_unseen(index, found)]
    if index.limits and not uses:
        warnings.append(f"nothing in {index.seen} uses it: leave out {index.limits}")
    structured |= present(nextCursor=page.next, warnings=warnings)
    return Answer(_references_text(structured), structured)


def _definitions(session: Session, arguments: dict[str, Any]) -> tuple[SymbolIndex, list[Found]]:
    """Where to look for uses, and the definitions of the name, which may be anywhere: paths restrict uses.
    Raises NOT_FOUND."""
    index = SymbolIndex.of(session, arguments)
    everywhere = SymbolIndex.of(session, arguments, everywhere=True)
    found = everywhere.required(arguments["symbol"])
    index.notes += everywhere.notes
    return index, found


def _order(entry: tuple[FoundUse, Found | None]) -> tuple[object, ...]:
    place, meant = entry
    return meant is None, place.file, place.use.line, place.use.column


def _reference(index: SymbolIndex, place: FoundUse, meant: Found | None) -> SymbolReference:
    tree, use = place.tree, place.use
    reference: SymbolReference = {
        "file": place.file,
        "line": use.line,
        "column": use.column,
        "text": shorten(index.line(tree, place.record, use.line), LINE_CHARS),
        "use": USES[use.way],
        "resolution": "by name" if meant is None else "resolved",
    }
    if (around := tree.symbols.around(use.file, use.line)) >= 0:
        reference["inside"] = _full_name(tree, around)
    if meant is not None:
        defined = index.file_name(meant.tree, meant.record)
        reference["definition"] = f"{defined}:{meant.definition.line}"
    reference |= present(address=index.address(tree, place.record))
    if index.is_stale(index.entry(tree, place.record)):
        reference["stale"] = True
    return reference


def _full_name(tree: Any, row: int) -> str:
    each = tree.symbols.definition(row)
    around = tree.symbols.definition(each.parent).name if each.parent >= 0 else ""
    return f"{around}.{each.name}" if around else str(each.name)


def _unseen(index: SymbolIndex, found: Iterable[Found]) -> list[str]:
    """A sentence on languages whose uses are not compiled."""
    languages = {index.entry(one.tree, one.record).get("language", "") for one in found}
    if unseen := sorted(language for language in languages if language not in FAMILIES):
        return [f"no uses of {', '.join(unseen)} are known: {_NO_USES}; use grep"]
    return []


def _references_text(structured: SymbolReferences) -> str:
    total, resolved = structured["total"], structured["resolved"]
    lines = [f"{count_of(total, 'reference')} to {structured['symbol']}: {resolved} resolved"]
    if total > resolved:
        lines[0] += f", {total - resolved} by name only (guesses)"
    for each in structured["references"]:
        guess = " [guess]" if each["resolution"] == "by name" else ""
        inside = f" in {each['inside']}" if "inside" in each else ""
        file = each.get("address") or each["file"]
        lines.append(f"{file}:{each['line']}:{inside}{guess} {each['text']}")
    return "\n".join([*lines, *notes(structured)])


class _Call(NamedTuple):
    """One call: where, and at the other end a definition and whether it is known to be meant; `file` is
    the other end of a call outside of any definition."""

    place: str
    key: tuple[str, ...]
    name: str
    other: Found | None
    is_resolved: bool
    file: FoundUse | None = None


@TOOLS.tool(
    "What calls a function or method, and what of the source trees it calls, with the"
    " lines of the calls. `resolution` says which are guesses by name.",
    SYMBOL,
    parameter.text(
        "direction", "Which side.", default="both", choices=("callers", "callees", "both")
    ),
    parameter.integer(
        "top_k",
        "Number of definitions on each side.",
        1,
        MAX_SIDES,
        default=20,
        out_of_range="reject",
    ),
    *PATHS,
    LANGUAGE,
)
def call_relationships(session: Session, arguments: dict[str, Any]) -> Answer[CallRelationships]:
    symbol: str = arguments["symbol"]
    index, found = _definitions(session, arguments)
    direction, top_k = arguments["direction"], arguments["top_k"]
    structured: CallRelationships = {
        "symbol": symbol,
        "definitions": [index.place(one) for one in found[:MAX_DEFINITIONS]],
    }
    if direction in ("callers", "both"):
        callers = _sites(index, _callers(index, found))
        structured["callers"] = _fitting(callers, top_k)
        structured["totalCallers"] = len(callers)
    if direction in ("callees", "both"):
        everywhere = SymbolIndex.of(session, arguments, everywhere=True)
        callees = _sites(index, _callees(everywhere, index, found))
        structured["callees"] = _fitting(callees, top_k)
        structured["totalCallees"] = len(callees)
    warnings = [*index.warnings(), *_unseen(index, found)]
    if direction != "callers" and len(found) > 1:
        warnings.append(f"callees of all {len(found)} definitions of the name; qualify it for one")
    structured |= present(warnings=warnings)
    return Answer(_calls_text(structured), structured)


def _callers(index: SymbolIndex, found: Sequence[Found]) -> list[_Call]:
    calls = []
    for place, meant in index.uses(found):
        if place.use.way != CALL:
            continue
        tree, use = place.tree, place.use
        row = tree.symbols.around(use.file, use.line)
        around = index.found(tree, row) if row >= 0 else None
        file = index.file_name(tree, place.record)
        key = index.key(around) if around is not None else (file,)
        name = "(file)" if around is None else _full_name(tree, row)
        outside = place if around is None else None
        calls.append(_Call(f"{file}:{use.line}", key, name, around, meant is not None, outside))
    return calls


def _callees(everywhere: SymbolIndex, index: SymbolIndex, found: Sequence[Found]) -> list[_Call]:
    """What the text of the definitions calls; `index` says where callees may be."""
    calls = []
    guesses: dict[str, list[Found]] = {}  # a name's definitions, where one of them may be meant
    for one in found[:MAX_DEFINITIONS]:
        symbols, each = one.tree.symbols, one.definition
        for row in symbols.uses_in(each.file, each.line, each.end_line):
            use = symbols.use(row)
            if use.way != CALL:
                continue
            name = symbols.name(symbols.name_of_use(row))
            place = f"{index.file_name(one.tree, one.record)}:{use.line}"
            if use.target >= 0:
                other = index.found(one.tree, use.target)
                if other is not None:
                    full = _full_name(one.tree, use.target)
                    calls.append(_Call(place, index.key(other), full, other, True))
                continue
            if name not in guesses:
                possible = everywhere.named(name)
                seen = any(index.found(other.tree, other.row) for other in possible)
                guesses[name] = possible if seen else []
            if possible := guesses[name]:
                only = possible[0] if len(possible) == 1 else None
                calls.append(_Call(place, ("", name), name, only, False))
    return calls


def _sites(index: SymbolIndex, calls: Iterable[_Call]) -> list[CallSite]:
    """The calls by the definition at their other end: known ones first, then by number, then in the
    order of the calls."""
    groups: dict[tuple[str, ...], list[_Call]] = {}
    for call in calls:
        groups.setdefault(call.key, []).append(call)
    sites = [_site(index, group) for group in groups.values()]
    return sorted(sites, key=lambda site: (site["resolution"] != "resolved", -site["count"]))


def _site(index: SymbolIndex, calls: Sequence[_Call]) -> CallSite:
    first = calls[0]
    site: CallSite = {
        "symbol": first.name,
        "calls": [call.place for call in calls[:LISTED_CALLS]],
        "count": len(calls),
        "resolution": "resolved" if all(call.is_resolved for call in calls) else "by name",
    }
    if first.other is not None:
        each = first.other.definition
        site["kind"], site["lines"] = each.kind, f"{each.line}-{each.end_line}"
    if (end := first.other or first.file) is not None:
        site["file"] = end.file
        site |= present(address=index.address(end.tree, end.record))
    return site


def _fitting(sites: Sequence[CallSite], top_k: int) -> list[CallSite]:
    out: list[CallSite] = []
    chars = 0
    for site in sites[:top_k]:
        chars += len(json_text(site))
        if chars > MAX_ANSWER_CHARS // 2 and out:
            break
        out.append(site)
    return out


def _calls_text(structured: CallRelationships) -> str:
    lines: list[str] = []
    sides = (
        ("callers", structured.get("callers"), structured.get("totalCallers", 0)),
        ("callees", structured.get("callees"), structured.get("totalCallees", 0)),
    )
    for side, sites, total in sides:
        if sites is None:
            continue
        more = f", the first {len(sites)} shown" if total > len(sites) else ""
        noun = side[:-1] if total == 1 else side
        lines.append(f"{total} {noun} of {structured['symbol']}{more}")
        for site in sites:
            guess = " [guess]" if site["resolution"] == "by name" else ""
            file = site.get("address") or site.get("file")
            where = f" ({file}:{site['lines']})" if "lines" in site else ""
            lines.append(f"- {site['symbol']}{where}{guess}: {', '.join(site['calls'])}")
    return "\n".join([*lines, *notes(structured)])
