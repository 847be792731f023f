"""Opens the models of an artifact: the encoder of queries, and the cross-encoder where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb_runtime.search.encoder import QUERY_TOKENS, QueryEncoder

if TYPE_CHECKING:
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder
    from kb_runtime.store.manifest import Manifest


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
