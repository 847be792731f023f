"""`get_pattern`, `list_patterns` and `search_patterns`: recommended patterns and anti-patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from kb_runtime.errors import ToolError
from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import json_answer, present
from kb_runtime.tools.declaration import Answer, Tools
from kb_runtime.tools.reference import builtins, examples
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.records.entries import PatternEntry
    from kb_runtime.tools.reference.answers import (
        Pattern,
        PatternList,
        PatternMatch,
        PatternMatches,
        PatternSummary,
    )
    from kb_runtime.tools.session import Session

KIND: lookup.RecordKind[PatternEntry] = lookup.RecordKind("patterns")

WEIGHTS: Mapping[str, float] = {
    "name": 3.0,
    "description": 2.0,
    "when_to_use": 2.0,
    "key_principles": 1.0,
    "rules": 1.0,
    "anti_patterns": 1.0,
    "template": 0.5,
}
"""What a term counts in each field. A name says most, then what the pattern is for; rules and
anti-patterns say as much as principles, and code repeats words without being about them."""

MAX_TERMS = 64
"""Words of a query that count: a question of three sentences, as for the encoder."""

_MOST_SUGGESTED = 5

_CONTRACTED = frozenset({"d", "m"})
"""What `I'd` and `I'm` leave beside a stop word."""

_DETAILS = (
    *("when_to_use", "key_principles", "required_builtins", "examples"),
    *("related_patterns", "template", "anti_patterns", "rules"),
)


_NAMES: Mapping[Literal["required_builtins", "examples", "related_patterns"], str] = {
    "required_builtins": builtins.KIND,
    "examples": examples.KIND,
    "related_patterns": KIND,
}
"""Fields that name other records, and the kinds of these."""


TOOLS = Tools("{prefix}_", family="patterns", needs=(KIND,))


@TOOLS.tool(
    "One pattern in full: when to use it, template, principles, rules,"
    " anti-patterns with the better way.",
    parameter.required("patternId", "Id from {prefix}_list_patterns.", 200),
)
def get_pattern(session: Session, arguments: dict[str, Any]) -> Answer[Pattern]:
    wanted: str = arguments["patternId"]
    record = lookup.find(session, KIND, wanted)
    if record is None:
        raise _no_pattern(session, wanted)
    structured: Pattern = {
        "id": record["id"],
        "name": record["name"],
        "category": record["category"],
        "description": record.get("description", ""),
    }
    structured |= present(**{field: record.get(field) for field in _DETAILS})
    for field, kind in _NAMES.items():
        if names := record.get(field):
            own = lookup.names_beside(session, record, kind, names)
            structured |= present(**{field: own})
    return json_answer(structured)


def _no_pattern(session: Session, wanted: str) -> ToolError:
    known = lookup.ids(session, KIND)
    plain = {re.sub(r"[-_ ]", "", id.casefold()): id for id in reversed(known)}
    similar = suggest(re.sub(r"[-_ ]", "", wanted.casefold()), plain)
    near = list(dict.fromkeys([plain[each] for each in similar] + suggest(wanted, known)))
    return not_found(
        f"no pattern is called {quoted(wanted)}"
        + ("" if near else f". Available patterns: {', '.join(known)}"),
        f"Call {lookup.tool_name(session, 'search_patterns')} with what you want to do,"
        f" or {lookup.tool_name(session, 'list_patterns')} to see all.",
        suggestions=near[:5] or known,
        details={"availablePatterns": known},
    )


@TOOLS.tool(
    "All patterns by category, or those of one category.",
    parameter.text("category", "Only this category.", 200, choices_from="pattern_categories"),
)
def list_patterns(session: Session, arguments: dict[str, Any]) -> Answer[PatternList]:
    by_category: dict[str, list[PatternSummary]] = {}
    total = 0
    for record in lookup.summaries(session, KIND):
        total += 1
        by_category.setdefault(record["category"], []).append(_summary(session, record))
    wanted: str | None = arguments["category"]
    if wanted is None:
        return json_answer({"total": total, "categories": dict(sorted(by_category.items()))})
    category = lookup.choice(session, "category", wanted, sorted(by_category), "list_patterns")
    patterns = by_category[category]
    return json_answer({"category": category, "count": len(patterns), "patterns": patterns})


@TOOLS.tool(
    "Patterns whose name, purpose, principles, rules or template mention the words, best first.",
    parameter.required("query", "What you want to do.", 2000),
)
def search_patterns(session: Session, arguments: dict[str, Any]) -> Answer[PatternMatches]:
    query: str = arguments["query"]
    terms, by_id_only = query_terms(query)
    vocabulary: set[str] = set()
    matches: list[PatternMatch] = []
    for record in lookup.summaries(session, KIND):
        words = {"name": _stems(record["id"])} if by_id_only else field_words(record)
        vocabulary.update(*words.values())
        if score := relevance(terms, words):
            summary = _summary(session, record)
            matches.append({**summary, "category": record["category"], "relevance": score})
    matches.sort(key=lambda match: (-match["relevance"], match["id"]))
    structured: PatternMatches = {"query": query, "total": len(matches), "matches": matches}
    if not matches:
        near: dict[str, None] = {}
        for term in terms:
            near |= dict.fromkeys(suggest(term, vocabulary, 3))
            if len(near) >= _MOST_SUGGESTED:
                break
        shown = ", ".join(list(near)[:_MOST_SUGGESTED])
        hint = f" Nearest words: {shown}." if shown and not by_id_only else ""
        reason = f"No pattern mentions {quoted(query)}.{hint}"
        if by_id_only and terms:
            reason = (
                f"{quoted(query)} has no word that tells patterns apart: name what you want to do."
            )
        listing = lookup.tool_name(session, "list_patterns")
        structured["warnings"] = [f"{reason} {listing} shows all patterns."]
    return json_answer(structured)


def _summary(session: Session, record: PatternEntry) -> PatternSummary:
    summary: PatternSummary = {
        "id": record["id"],
        "name": record["name"],
        "description": record.get("description", ""),
    }
    summary |= present(address=lookup.own_address(session, record))
    return summary


def query_terms(query: str) -> tuple[list[str], bool]:
    """The words of a query, stemmed, each once, without stop words. Where it has no others: these, and that
    only ids are to be searched for them: a pattern may be called `for-all`."""
    from kb_runtime.search.analysis import STOP_WORDS

    words = _words(query)
    kept = [word for word in words if word not in STOP_WORDS and word not in _CONTRACTED]
    return list(dict.fromkeys(map(_stem, kept or words)))[:MAX_TERMS], not kept


def field_words(record: PatternEntry) -> dict[str, frozenset[str]]:
    """The stemmed words of each weighted field of a pattern; its id counts as name."""
    return {
        field: _stems(" ".join(_strings(value)))
        for field in WEIGHTS
        for value in [[record["id"], record["name"]] if field == "name" else record.get(field, "")]
    }


def relevance(terms: Sequence[str], words: Mapping[str, frozenset[str]]) -> float:
    """The summed weights of the fields that hold a term, over all terms.

    A term of four or more letters also counts half where it begins a word.
    """
    score = 0.0
    for term in terms:
        for field, found in words.items():
            if term in found:
                score += WEIGHTS[field]
            elif len(term) >= 4 and any(word.startswith(term) for word in found):
                score += WEIGHTS[field] / 2
    return round(score, 2)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, _words(text)))


def _words(text: str) -> list[str]:
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return re.findall(r"[^\W_]+", split.casefold())


def _stem(word: str) -> str:
    """The word without a plural or participle ending, so that `actions` finds `action`."""
    for ending in ("ings", "ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("ey") if len(word) > 3 else word


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from map(str, value.values())
    else:
        for item in value:
            yield from _strings(item)
