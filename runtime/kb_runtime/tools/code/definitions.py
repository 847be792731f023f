"""`symbol_search` and `symbol_definition`: definitions in source trees by their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from kb_runtime.text.names import edit_distance
from kb_runtime.text.rendering import fence
from kb_runtime.text.tables import count_of
from kb_runtime.tools import parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.code.index import code_tools, path_globs
from kb_runtime.tools.code.symbols import (
    LANGUAGE,
    PATHS,
    SYMBOL,
    Found,
    SymbolIndex,
    notes,
    segments,
    top_k_argument,
    without_signs,
)
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager

if TYPE_CHECKING:
    from kb_runtime.tools.code.answers import FoundSymbol, SymbolDefinition, SymbolSearch
    from kb_runtime.tools.session import Session

MAX_RESULTS = 50
MAX_CONTENT_LINES = 120
MAX_CONTENT_CHARS = 8_000
MAX_OTHERS = 20
MAX_MATCHES = 2_000
"""Definitions that are ranked; a part of a name that more of them have tells nothing."""

MATCHES = ("exact", "case", "words", "prefix", "part", "similar")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


TOOLS = code_tools()


@TOOLS.tool(
    "Definitions (functions, classes, types ...) of the source trees whose name is, or"
    " contains, what you give, in any style: `httpClient` also finds `http_client`. For a question"
    " in words use codebase_retrieval.",
    SYMBOL,
    top_k_argument("results", MAX_RESULTS),
    parameter.texts("kinds", "Only these kinds: function, method, class, struct ..."),
    *PATHS,
    LANGUAGE,
    parameter.cursor(),
)
def symbol_search(session: Session, arguments: dict[str, Any]) -> Answer[SymbolSearch]:
    symbol: str = arguments["symbol"]
    globs = path_globs(arguments)
    index = SymbolIndex.of(session, arguments)
    kinds = {kind.casefold() for kind in arguments["kinds"] or ()}
    others: Counter[str] = Counter()
    found = sorted(
        _matches(index, symbol, kinds, others),
        key=lambda one: (one[0], -one[1], index.order(one[2])),
    )
    scope = {
        "symbol": symbol,
        "paths": [list(globs.include), list(globs.exclude)],
        "kinds": sorted(kinds),
        "language": arguments["language_hint"],
    }
    pager = Pager(session.artifact.build_id, "symbol_search", scope)

    def shown(match: tuple[int, int, Found]) -> FoundSymbol:
        how, uses, one = match
        name: Any = MATCHES[how]
        return {**index.place(one), "match": name, "uses": uses}

    results, page = pager.shown(
        arguments["cursor"], found, arguments["top_k"], session.max_chars, shown
    )
    structured: SymbolSearch = {"symbol": symbol, "results": results, "total": len(found)}
    warnings = index.warnings()
    if others and not found:
        by_kind = ", ".join(f"{count} of kind {kind}" for kind, count in others.most_common())
        warnings.append(f"none is of these kinds; others that match: {by_kind}")
    elif not found:
        without = f"leave out {index.limits}, or " if index.limits else ""
        warnings.append(
            f"nothing in {index.seen} is called so: {without}use another part of the name, or"
            " codebase_retrieval"
        )
    structured |= present(nextCursor=page.next, warnings=warnings)
    count = "1 definition matches" if len(found) == 1 else f"{len(found)} definitions match"
    lines = [f"{count} {symbol}"]
    lines += (
        f"- {each['kind']} {_full(each)}: {_place(each)} ({each['match']}, used"
        f" {count_of(each['uses'], 'time')})"
        for each in results
    )
    return Answer("\n".join([*lines, *notes(structured)]), structured)


def _is_of(index: SymbolIndex, found: Found, kinds: set[str]) -> bool:
    """Whether a definition is of one of the kinds; a type is also what its first line says, as
    `Pump struct` in Go."""
    if found.definition.kind in kinds:
        return True
    entry = index.entry(found.tree, found.record)
    signature: str = entry["definitions"][found.definition.ordinal].get("signature", "")
    return found.definition.kind == "type" and not kinds.isdisjoint(signature.casefold().split())


def _matches(
    index: SymbolIndex, symbol: str, kinds: set[str], others: Counter[str]
) -> Iterator[tuple[int, int, Found]]:
    """How each definition of one of the kinds matches, how often its name is used, and the definition.
    Counts those of `others`."""
    known: set[tuple[str, int]] = set()
    count = 0
    for match, found in _tiers(index, symbol):
        if known and match == MATCHES.index("similar"):
            return
        for one in found:
            place = one.tree.info.name, one.row
            if place in known:  # what the name means with its qualifier
                continue
            known.add(place)
            if kinds and not _is_of(index, one, kinds):
                others[one.definition.kind] += 1
                continue
            count += 1
            symbols = one.tree.symbols
            uses = symbols.columns["name_uses"]
            name = symbols.columns["name"][one.row]
            yield match, uses[name + 1] - uses[name], one
            if count >= MAX_MATCHES:
                return


def _tiers(index: SymbolIndex, symbol: str) -> Iterator[tuple[int, Iterable[Found]]]:
    """The definitions that match, the best matches first, and how. What a name means with its qualifier
    is there again among those of the name."""
    exact = index.named(symbol)
    if not exact:
        symbol = without_signs(symbol)
        exact = index.named(symbol)
    yield 0, exact
    name = segments(symbol)[-1]
    folded, words = name.casefold(), _words(name)
    tiers: list[list[tuple[Any, int]]] = [[] for _ in MATCHES]
    for tree in index.trees:
        for number, found in tree.symbols.matching(_ANY):
            match = _match(folded, words, found.string)
            if match >= 0:
                tiers[match].append((tree, number))
    for match in range(1, len(MATCHES) - 1):
        yield match, _definitions(index, tiers[match])
    if not any(tiers[:-1]):
        yield len(MATCHES) - 1, _definitions(index, _similar(index, folded))


def _definitions(index: SymbolIndex, names: Iterable[tuple[Any, int]]) -> Iterator[Found]:
    for tree, number in names:
        for row in tree.symbols.definitions_of(number):
            if (one := index.found(tree, row)) is not None:
                yield one


_ANY = re.compile("")


def _match(folded: str, words: list[str], other: str) -> int:
    """The place in `MATCHES`, -1 for none."""
    theirs = other.casefold()
    if theirs == folded:
        return 1
    if len(words) > 1 and _words(other) == words:
        return 2
    if theirs.startswith(folded):
        return 3
    if folded in theirs:
        return 4
    if len(words) > 1 and set(words) <= set(_words(other)):
        return 4
    return -1


def _similar(index: SymbolIndex, folded: str) -> list[tuple[Any, int]]:
    bound = max(1, len(folded) // 4)
    return [
        (tree, number)
        for tree in index.trees
        for number, found in tree.symbols.matching(_ANY)
        if abs(len(found.string) - len(folded)) <= bound
        and edit_distance(folded, found.string.casefold(), bound) is not None
    ]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _full(each: Any) -> str:
    return f"{each['parent']}.{each['name']}" if each.get("parent") else str(each["name"])


def _place(each: Any) -> str:
    return f"{each.get('address') or each['file']}:{each['lines']}"


@TOOLS.tool(
    "Where a function, class, type or constant is defined, with its text; further"
    " definitions of the name are listed.",
    SYMBOL,
    *PATHS,
    LANGUAGE,
)
def symbol_definition(session: Session, arguments: dict[str, Any]) -> Answer[SymbolDefinition]:
    symbol: str = arguments["symbol"]
    index = SymbolIndex.of(session, arguments)
    best, *others = index.required(symbol)
    content, last = _content(index, best)
    place = index.place(best)
    structured: SymbolDefinition = {
        "symbol": symbol,
        "definition": place,
        "content": content,
        "contentLines": f"{best.definition.line}-{last}",
        "totalDefinitions": len(others) + 1,
    }
    also = [index.place(one) for one in others[:MAX_OTHERS]]
    warnings = index.warnings()
    if last < best.definition.end_line:
        warnings.append(
            f"the definition continues to line {best.definition.end_line}: call get_file"
        )
    structured |= present(others=also, warnings=warnings)
    language = index.entry(best.tree, best.record).get("language", "")
    lines = [f"{place['kind']} {_full(place)}: {_place(place)}", "", fence(content, language)]
    lines += [f"- also {each['kind']} {_full(each)}: {_place(each)}" for each in also]
    return Answer("\n".join([*lines, *notes(structured)]), structured)


def _content(index: SymbolIndex, found: Found) -> tuple[str, int]:
    """The text of a definition as far as it fits, and its last line."""
    first, end = found.definition.line, found.definition.end_line
    lines: list[str] = []
    chars = 0
    for number in range(first, min(end, first + MAX_CONTENT_LINES - 1) + 1):
        line = index.line(found.tree, found.record, number)
        chars += len(line) + 1
        if chars > MAX_CONTENT_CHARS and lines:
            break
        lines.append(line[:MAX_CONTENT_CHARS])
    return "\n".join(lines), first + len(lines) - 1
