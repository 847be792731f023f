"""Merges the manifests of a federation's parts into the manifest of one knowledge base."""

from __future__ import annotations

from kb_runtime.store.manifest import ManifestFields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
    from kb_runtime.store.manifest import Manifest

BETWEEN_NAMES = "+"


def merge(
    parts: Sequence[Artifact],
    served: int,
    names: Sequence[Mapping[str, str]],
    collections: Iterable[CollectionInfo],
    build_id: str,
    encoder: Mapping[str, Any] | None,
    reranker: Mapping[str, Any] | None,
) -> ManifestFields:
    """The merged fields.

    The first `served` parts are named; the others are workspaces of theirs. `names` gives, part by
    part, the names of collections here by those in the artifact. What can only be one thing, such as
    the prefix of tools and the settings of the search, is the first part's; but for the weights of
    collections, which each part gives its own, and the languages of the pages, which are all of theirs.
    """
    manifests = [part.manifest for part in parts]
    named = manifests[:served]
    fields = manifests[0].as_dict()
    fields |= {
        "name": BETWEEN_NAMES.join(one["name"] for one in named),
        "title": _enumerated([str(one["title"]) for one in named]),
        "version": _joined(", ", (one["version"] for one in named)),
        "description": _sentences([one.get("description") or "" for one in named]),
        "license": _joined("; ", (one.get("license") for one in named)),
        "build_id": build_id,
        "built_at": max(one["built_at"] or "" for one in manifests),
        "collections": [_entry(info) for info in collections],
        "scopes": _scopes(manifests, names),
        "encoder": encoder,
        "reranker": reranker,
        "search": {
            **(manifests[0].get("search") or {}),
            **_weights(manifests, names),
            "languages": _languages(manifests),
        },
        "warnings": [warning for one in manifests for warning in one.get("warnings") or ()],
    }
    return ManifestFields(fields)


def _weights(manifests: Sequence[Manifest], names: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    weights = {
        here[name]: weight
        for one, here in zip(manifests, names, strict=True)
        for name, weight in ((one.get("search") or {}).get("weights") or {}).items()
        if name in here
    }
    return {"weights": weights} if weights else {}


def _languages(manifests: Sequence[Manifest]) -> list[str]:
    """Those of all parts, the first part's first."""
    from kb_runtime.search.request import languages_of

    return list(
        dict.fromkeys(code for one in manifests for code in languages_of(one.get("search")))
    )


def _entry(info: CollectionInfo) -> dict[str, Any]:
    fields = ("name", "kind", "group", "url", "records", "chunks", "first_row")
    return {field: getattr(info, field) for field in fields}


def _scopes(manifests: Iterable[Any], names: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """Scope by scope the collections of all parts that have it."""
    scopes: dict[str, list[str]] = {}
    for manifest, here in zip(manifests, names, strict=True):
        for scope, collections in manifest["scopes"].items():
            scopes.setdefault(scope, []).extend(here[name] for name in collections)
    return scopes


def _joined(between: str, values: Iterable[Any]) -> str:
    return between.join(dict.fromkeys(value for value in values if value))


def _sentences(texts: Sequence[str]) -> str:
    """One description as it is; several as sentences, each with its end."""
    several = dict.fromkeys(text for text in texts if text)
    if len(several) < 2:
        return "".join(several)
    return " ".join(text if text[-1] in ".!?…" else f"{text}." for text in several)


def _enumerated(values: Sequence[str]) -> str:
    *others, last = values
    return f"{', '.join(others)} and {last}" if others else last
