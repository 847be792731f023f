"""The commands `search` and `get`, which run the queries of the MCP tools in a terminal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from kb_runtime.errors import ToolError
from kb_runtime.knowledge import nothing_found
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import Mode, SearchRequest
from kb_runtime.search.results import explain as explanation_of
from kb_runtime.text.names import suggest
from kb_runtime.tools.search.compact import find_record, shown_hit
from kb_runtime.tools.session import Session


def search(
    path: str | os.PathLike[str],
    query: str,
    scopes: Sequence[str],
    limit: int,
    mode: Mode,
    *,
    explain: bool = False,
) -> dict[str, Any]:
    """The answer of the artifact at `path` as JSON values; with `explain` each hit tells why it is
    there, and where there is none `hints` say what to try. Raises `ArtifactError` and `ToolError`."""
    with Artifact.open(path) as artifact:
        request = SearchRequest(query, _collections(artifact, scopes), limit, mode)
        result = artifact.searcher.search(request)
        hints = {} if result.hits else {"hints": nothing_found.hints(artifact, query, scopes, mode)}
        return {
            "query": query,
            "mode": result.mode,
            "warnings": list(result.warnings),
            "hits": [
                {
                    **shown_hit(artifact, hit),
                    **({"explanation": explanation_of(hit)} if explain else {}),
                }
                for hit in result.hits
            ],
            **hints,
        }


def get(path: str | os.PathLike[str], name: str) -> dict[str, Any]:
    """The record called `name`, with its address. Raises `ArtifactError` and `ToolError`."""
    with Artifact.open(path) as artifact:
        arguments = {"name": name, "collection": None}
        info, record = find_record(Session(artifact, {}), arguments)
        address = artifact.address(info.name, record["id"])
        return {"address": address, **record}


def render_search(answer: dict[str, Any]) -> str:
    """A numbered list: title, address with lines, and the passage."""
    lines = list(answer["warnings"])
    for rank, hit in enumerate(answer["hits"], start=1):
        first, last = hit["lines"]
        lines += [
            f"{rank}. {hit['title']}",
            f"   {hit['address']} lines {first}-{last} ({hit['strategy']}, {hit['score']:.4f})",
            *(f"   | {line}" for line in hit["snippet"].splitlines()),
            *_explained(hit.get("explanation", {})),
        ]
    if not answer["hits"]:
        lines += ["no results", *answer["hints"]]
    return "\n".join(lines)


def _explained(facts: dict[str, Any]) -> list[str]:
    """Lines that say why a hit is where it is."""
    sides = [
        f"{side} rank {facts[rank]} ({measure} {facts[measure]:.4f})"
        if measure in facts
        else f"{side} rank {facts[rank]}"
        for side, rank, measure in (
            ("words:", "lexicalRank", "bm25"),
            ("meaning:", "semanticRank", "cosine"),
        )
        if rank in facts
    ]
    lines = ["; ".join(sides)] if sides else []
    if facts.get("exactName"):
        lines.append("the query names it")
    if "matched" in facts:
        lines.append(f"matched: {', '.join(facts['matched'])}")
    if "fused" in facts:
        scale = f", scaled {facts['scaled']:.3f}" if "scaled" in facts else ""
        lines.append(f"both: rank {facts['fusedRank']} (fused {facts['fused']:.4f}{scale})")
    changes = facts.get("adjustments", {})
    if changes:
        after = facts["scaled"] + sum(changes.values())
        steps = ", ".join(f"{step} {change:+.3f}" for step, change in changes.items())
        lines.append(f"from there: {steps} = {after:.3f}")
    if "reranker" in facts:
        lines.append(f"re-ranker: {facts['reranker']:.4f}")
    return [f"   = {line}" for line in lines]


def render_record(record: dict[str, Any]) -> str:
    """The record's text as stored, under its title and address."""
    title = record.get("title") or record["id"]
    return f"# {title}\n# {record['address']}\n\n{record.get('text', '')}"


def _collections(artifact: Artifact, scopes: Sequence[str]) -> tuple[str, ...]:
    """The collections of all `scopes` together; of the scope `all` when there are none."""
    known: dict[str, list[str]] = artifact.manifest["scopes"]
    for scope in scopes:
        if scope not in known:
            raise ToolError(
                "BAD_INPUT",
                f"{scope!r} is not a scope of this knowledge base; there are: {', '.join(known)}",
                suggestions=suggest(scope, known),
            )
    return tuple(dict.fromkeys(name for scope in scopes or ("all",) for name in known[scope]))
