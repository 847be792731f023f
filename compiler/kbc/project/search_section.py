"""What `[search]` of kb.toml says in a manifest: every setting, with the default where it says nothing."""

from __future__ import annotations

from typing import Any

from kb_runtime.search.fusion import RRF_K
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS
from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.search.request import CANDIDATES
from kbc.project.settings import SearchSettings


def search_section(search: SearchSettings) -> dict[str, Any]:
    """The fields of the manifest's `search` that an author decides."""
    return {
        "candidates": search.candidates or CANDIDATES,
        # An author who sets the constant of a fusion wants that fusion.
        "fusion": search.fusion or ("rrf" if search.rrf_k else "balanced"),
        "rrf_k": search.rrf_k or RRF_K,
        "alpha": search.alpha,
        "boosts": {**DEFAULT_BOOSTS, **search.boosts},
        "weights": dict(search.weights),
        "ranking": {step: step not in search.without for step in STEPS},
        "reranker": search.reranker,
        **({"rerank": True} if search.rerank else {}),
    }
