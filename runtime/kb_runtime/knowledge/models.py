"""Opens the models of an artifact: the encoder of queries, and the cross-encoder where there is one; and all
other sections while the encoder is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_runtime.companion import COMPANION
from kb_runtime.search.encoder import QUERY_TOKENS, QueryEncoder

if TYPE_CHECKING:
    from typing import Protocol

    from kb_runtime.search.ports import SearchBackend
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder
    from kb_runtime.search.searcher import Searcher
    from kb_runtime.store.manifest import Manifest

    class Searched(SearchBackend, Protocol):
        """What a search reads, with the encoder as it is loaded, and the searcher over it."""

        @property
        def encoder(self) -> QueryEncoder | None: ...
        @property
        def searcher(self) -> Searcher: ...


def open_encoder(manifest: Manifest) -> QueryEncoder:
    """Raises `ArtifactError` and `EncoderError`."""
    identity = manifest["encoder"]
    folder, prompt = manifest.path("encoder"), identity.get("prompts", {})
    return manifest.open_checked(
        manifest.section("encoder/"),
        lambda: QueryEncoder(folder, identity["max_tokens"], prompt.get("query", ""), QUERY_TOKENS),
    )


def open_reranker(manifest: Manifest) -> CrossEncoder:
    """Raises `ArtifactError` and `RerankerError`."""
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder

    folder, max_tokens = manifest.path("reranker"), manifest["reranker"]["max_tokens"]
    return manifest.open_checked(
        manifest.section("reranker/"), lambda: CrossEncoder(folder, max_tokens)
    )


def open_sections(knowledge: Searched) -> None:
    """Opens every section that a call may need, so that no later call waits for one; the encoder in a thread
    beside this one, because most of that is not Python's work.

    Meant for a background thread. Raises the first `ArtifactError`.
    """
    opening = COMPANION.start(lambda: knowledge.encoder)
    for info in knowledge.collections:
        knowledge.catalog(info.name)
    _ = knowledge.chunks, knowledge.lexical, knowledge.searcher, knowledge.manifest
    if (encoder := opening.result()) is not None:
        _ = knowledge.vectors
        encoder.warm()
