"""The command `search`, which runs the queries of the MCP tools in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.reading import hits, lookup, nothing_found
from kb_runtime.knowledge.reading.hits import Hit, SearchAnswer
from kb_runtime.search.request import Mode, SearchRequest
from kb_runtime.search.results import Explanation
from kb_runtime.text.globs import PathGlobs
from kb_runtime.text.names import quoted


@dataclass(frozen=True, slots=True)
class SearchOutput:
    """What `search` prints. `hints` say what to try where nothing was found; with `explain` each hit
    tells why it is there."""

    query: str
    answer: SearchAnswer
    hints: tuple[str, ...]
    explain: bool

    def as_dict(self) -> dict[str, Any]:
        found = [
            {**hit.as_dict(), **({"explanation": hit.explain()} if self.explain else {})}
            for hit in self.answer.hits
        ]
        return {
            "query": self.query,
            "mode": self.answer.mode,
            "warnings": list(self.answer.warnings),
            "hits": found,
            **({} if found else {"hints": list(self.hints)}),
        }

    def __str__(self) -> str:
        """A numbered list: title, address with lines, and the passage."""
        lines = list(self.answer.warnings)
        for rank, hit in enumerate(self.answer.hits, start=1):
            lines += _numbered(rank, hit)
            if self.explain:
                lines += [f"   = {line}" for line in _explained(hit.explain())]
        if not self.answer.hits:
            lines += ["no results", *self.hints]
        return "\n".join(lines)


def search(
    artifact: Artifact,
    query: str,
    scopes: Sequence[str],
    limit: int,
    mode: Mode,
    *,
    paths: Sequence[str] = (),
    explain: bool = False,
    rerank: bool | None = None,
) -> SearchOutput:
    """The answer of an artifact, without `scopes` of all that it holds, as the search tool that servers
    offer. Raises `ArtifactError` and `ToolError`."""
    collections = hits.collections_of(artifact, scopes) if scopes else None
    globs = PathGlobs(paths, argument="--path")
    rows = tuple(lookup.rows_of_paths(artifact, artifact.collections, globs)) if globs else None
    request = SearchRequest(query, collections, limit, mode, rows=rows, rerank=rerank)
    answer = hits.search(artifact, request)
    hints: list[str] = []
    if rows is not None and not any(map(len, rows)):
        hints = [f"No record's id matches {' or '.join(map(quoted, globs.include))}."]
    elif not answer.hits:
        hints = nothing_found.hints(artifact, query, scopes, mode)
    return SearchOutput(query, answer, tuple(hints), explain)


def _numbered(rank: int, hit: Hit) -> list[str]:
    title, *rest = str(hit).splitlines()
    return [f"{rank}. {title}", *(f"   {line}" for line in rest)]


def _explained(facts: Explanation) -> list[str]:
    """Lines that say why a hit is where it is."""
    lines = []
    sides = []
    if "lexicalRank" in facts:
        sides.append(f"lexical: rank {facts['lexicalRank']}{_measured('bm25', facts.get('bm25'))}")
    if "semanticRank" in facts:
        cosine = _measured("cosine", facts.get("cosine"))
        sides.append(f"semantic: rank {facts['semanticRank']}{cosine}")
    if sides:
        lines.append("; ".join(sides))
    if facts.get("exactName"):
        lines.append("exact name in the query")
    if "matched" in facts:
        lines.append(f"matched: {', '.join(facts['matched'])}")
    if "fused" in facts:
        scale = f", scaled {facts['scaled']:.3f}" if "scaled" in facts else ""
        lines.append(f"fusion: rank {facts['fusedRank']} (fused {facts['fused']:.4f}{scale})")
    changes = facts.get("adjustments", {})
    if changes:
        after = facts["scaled"] + sum(changes.values())
        steps = ", ".join(f"{step} {change:+.3f}" for step, change in changes.items())
        lines.append(f"ranking: {steps} = {after:.3f}")
    if "reranker" in facts:
        lines.append(f"re-ranker: {facts['reranker']:.4f}")
    return lines


def _measured(measure: str, value: float | None) -> str:
    return "" if value is None else f" ({measure} {value:.4f})"
