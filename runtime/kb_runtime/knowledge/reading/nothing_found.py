"""Suggests what to try when a search finds nothing: known words, similar names, other scopes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kb_runtime.search.lexical_plan import nearest_words
from kb_runtime.search.lexical_schema import OPERATORS
from kb_runtime.search.query import analyse
from kb_runtime.search.spelling import MIN_CHARS
from kb_runtime.text.names import quoted, suggest

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.search.query import Query, QueryTerm
    from kb_runtime.search.request import Mode

# Unknown words of a query that are looked up, and words that are named for each.
_WORDS = 4
_NEAR = 3


def hints(artifact: Artifact, text: str, scopes: Sequence[str], mode: Mode) -> list[str]:
    """One sentence each; at least one. `scopes` are those that were searched (empty:
    every collection was)."""
    query = analyse(text, artifact.lexical.analyzer)
    if not query.terms and not query.operators:
        found = [
            "The query contains nothing to search for: write a name, a question or an operator."
        ]
    else:
        found = list(_unknown(artifact, query))
        names = suggest(text.strip(), _ids(artifact))
        if names:
            found.append(f"Similar names: {', '.join(names)}.")
        if mode == "lexical" and artifact.encoder is not None:
            found.append(
                "Only keywords were compared: `--mode hybrid` also finds text that is similar in meaning."
            )
    known: dict[str, list[str]] = artifact.manifest["scopes"]
    if scopes:
        found.append(f"Searched scopes: {', '.join(scopes)}. All scopes: {', '.join(known)}.")
    else:
        searched = (one for one in artifact.collections if one.chunks)
        kinds = ", ".join(f"{one.name} ({one.records})" for one in searched)
        found.append(f"Searched collections: {kinds}.")
    return found


def _unknown(artifact: Artifact, query: Query) -> Iterator[str]:
    """What is known of the words that no chunk has."""
    unknown = [term for term in query.terms if not _occurs(artifact, term)]
    for term in unknown[:_WORDS]:
        near = [one.word for one in nearest_words(artifact.lexical, term.names[0], _NEAR)]
        alike = f"; similar words: {', '.join(near)}" if near else ""
        yield f"{quoted(term.typed)} does not occur{alike}."
    for operator in query.operators[:_WORDS]:
        if not artifact.lexical.frequency(OPERATORS, operator):
            yield f"{quoted(operator)} does not occur by itself."
    if len(unknown) > _WORDS:
        yield f"Nor do {len(unknown) - _WORDS} more words of the query."


def _occurs(artifact: Artifact, term: QueryTerm) -> bool:
    """Whether a chunk has a word; of short function words this is not known."""
    lexical = artifact.lexical
    if any(lexical.document_frequency(name) for name in term.names):
        return True
    if not term.prose:
        return len(term.names[0]) < MIN_CHARS
    return any(lexical.frequency("body", stem) for stem in term.prose)


def _ids(artifact: Artifact) -> list[str]:
    return [id for info in artifact.collections for id in artifact.catalog(info.name).ids()]
