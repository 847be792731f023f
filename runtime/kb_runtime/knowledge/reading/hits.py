"""Searches of open knowledge, with hits that stand for themselves: an address, lines and a passage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.search.results import Explanation, explain
from kb_runtime.text.names import known_as, quoted_all, suggest_all
from kb_runtime.text.unshown import last_line, shown_text

if TYPE_CHECKING:
    from kb_runtime.knowledge.interface import Knowledge
    from kb_runtime.search.request import Mode, SearchHit, SearchRequest, Strategy
    from kb_runtime.search.snippets import Snippet

ALL = "all"
"""The scope of what one reads to learn; what else there is has scopes of its own."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers a search.

    `address` is the record's, which `get` accepts. `lines` are the first and the last line of `snippet`,
    1-based, in the file as stored. `breadcrumb` is the document's title and the headings down to the
    passage. `score` never increases down a list; `strategy` says which side found it: `lexical`,
    `semantic`, or `fused` for both. `also_in` are the addresses of other records that have nearly the same
    passage, which is no hit of its own.
    """

    address: str
    collection: str
    kind: str
    title: str
    breadcrumb: tuple[str, ...]
    lines: tuple[int, int]
    snippet: str
    score: float
    strategy: Strategy
    ranked: SearchHit = field(repr=False, compare=False)
    also_in: tuple[str, ...] = ()

    @property
    def passage(self) -> str:
        """The whole passage, of which `snippet` is the part that answers, without comments and definitions of
        links at its end."""
        return shown_text(self.ranked.chunk)

    @property
    def passage_lines(self) -> tuple[int, int]:
        """The first and the last line of `passage`, 1-based."""
        return self.ranked.chunk["start_line"], last_line(self.ranked.chunk)

    @property
    def row(self) -> int:
        """The row of its chunk, for `KnowledgeBase.chunk`."""
        return self.ranked.row

    def explain(self) -> Explanation:
        """Why it ranks where it does: ranks and scores of both sides, and what ranking changed."""
        return explain(self.ranked)

    def as_dict(self) -> dict[str, Any]:
        """The hit as lists of hits show it, in JSON's types."""
        return {
            "address": self.address,
            "title": self.title,
            "lines": list(self.lines),
            "score": round(self.score, 6),
            "strategy": self.strategy,
            "snippet": self.snippet,
            **({"alsoIn": list(self.also_in)} if self.also_in else {}),
        }

    def __str__(self) -> str:
        first, last = self.lines
        return "\n".join(
            [
                self.title,
                f"{self.address} lines {first}-{last} ({self.strategy}, {self.score:.4f})",
                *(f"| {line}" for line in self.snippet.splitlines()),
                *([f"also in {', '.join(self.also_in)}"] if self.also_in else []),
            ]
        )


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits, best first. `mode` is what was done, which is less than asked for when a side failed;
    `warnings` say so, in sentences."""

    hits: list[Hit]
    mode: Mode
    warnings: tuple[str, ...]


def search(knowledge: Knowledge, request: SearchRequest) -> SearchAnswer:
    """Raises `ToolError` UNAVAILABLE when no side can answer, and `ValueError` for a collection that
    does not exist."""
    result = knowledge.searcher.search(request)
    return SearchAnswer(
        [as_hit(knowledge, hit) for hit in result.hits], result.mode, result.warnings
    )


def require_known(
    argument: str,
    values: Iterable[str],
    known: Sequence[str],
    details: dict[str, Any] | None = None,
) -> None:
    """Raises `ToolError` BAD_INPUT with the values that are not among `known`, if there are any."""
    if unknown := [value for value in values if value not in known]:
        are = "is" if len(unknown) == 1 else "are"
        raise ToolError(
            "BAD_INPUT",
            f"{argument} {quoted_all(unknown)} {are} not one of: {', '.join(known)}",
            suggestions=suggest_all(unknown, known),
            details=details,
        )


def filled_scopes(scopes: Mapping[str, Collection[str]]) -> list[str]:
    """Of scopes with their collections those that have any."""
    return [name for name, collections in scopes.items() if collections]


def collections_of(knowledge: Knowledge, scopes: Iterable[str]) -> tuple[str, ...]:
    """The collections of all `scopes` together; of the scope `all` when there are none. Raises
    `ToolError` BAD_INPUT for a scope that does not exist."""
    known: dict[str, list[str]] = knowledge.manifest["scopes"]
    wanted = _scopes_called(knowledge, scopes) or [ALL]
    return tuple(dict.fromkeys(name for scope in wanted for name in known[scope]))


def scope_called(knowledge: Knowledge, name: str) -> str:
    """The scope of a name in any case. Raises `ToolError` BAD_INPUT where there is none."""
    return _scopes_called(knowledge, [name])[0]


def _scopes_called(knowledge: Knowledge, names: Iterable[str]) -> list[str]:
    known: dict[str, list[str]] = knowledge.manifest["scopes"]
    scopes = [known_as(name, known) or name for name in names]
    if unknown := [scope for scope in scopes if scope not in known]:
        filled = filled_scopes(known)
        require_known("scope", unknown, filled, details={"allowed": filled})
    return scopes


def as_hit(knowledge: Knowledge, ranked: SearchHit, passage: Snippet | None = None) -> Hit:
    """`passage` is what is shown of it, if not its snippet. A chunk with nothing to show, which is front
    matter alone, is shown by its record's summary."""
    catalog = knowledge.catalog(ranked.collection)
    record_id = catalog.id(ranked.record)
    passage = passage or ranked.snippet
    place = (passage.start_line, passage.end_line)
    if not passage.text:
        place = (ranked.chunk["start_line"], ranked.chunk["end_line"])
    return Hit(
        address=knowledge.address(ranked.collection, record_id),
        collection=ranked.collection,
        kind=knowledge.collection(ranked.collection).kind,
        title=ranked.chunk.get("title", record_id),
        breadcrumb=tuple(ranked.chunk.get("breadcrumb", ())),
        lines=place,
        snippet=passage.text or catalog.head(ranked.record).get("summary", ""),
        score=ranked.score,
        strategy=ranked.strategy,
        ranked=ranked,
        also_in=tuple(
            knowledge.address(collection, knowledge.catalog(collection).id(record))
            for collection, record in ranked.copies
        ),
    )
