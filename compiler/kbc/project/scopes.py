"""Search scopes: which collections each name covers, and the order of collections in the artifact."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kbc.project.model import Collection

POSTS = "posts"
GUIDELINES = "guidelines"

_Member = Callable[[Collection], bool]


def _docs(collection: Collection) -> bool:
    return collection.kind == "docs" and collection.group not in (POSTS, GUIDELINES)


def _group(name: str) -> _Member:
    return lambda collection: collection.kind == "docs" and collection.group == name


def _kind(name: str) -> _Member:
    return lambda collection: collection.kind == name


_ROW_ORDER: tuple[_Member, ...] = (
    _kind("builtins"),
    _docs,
    _group(POSTS),
    _kind("examples"),
    _group(GUIDELINES),
    _kind("patterns"),
    _kind("templates"),
)
"""Collections of one scope stand side by side, so that a scope is one slice of the vectors."""

_SCOPES: Mapping[str, _Member] = {
    "builtins": _kind("builtins"),
    "docs": _docs,
    "examples": _kind("examples"),
    "guidelines": lambda each: _group(GUIDELINES)(each) or each.kind == "patterns",
    "extra": _group(POSTS),
    "patterns": _kind("patterns"),
    "templates": _kind("templates"),
}
"""The scopes that tools promise, whatever a knowledge base calls its collections."""

EVERYTHING = "everything"
"""What `kbc eval` calls all collections together, as a scope; search tools search them unless told where."""

NOT_SEARCHED = frozenset({"routing"})
"""Kinds whose records are rules, not reading matter; they have no chunks."""


REFERENCE = frozenset({"builtins", "docs", "examples", "patterns", "templates"})
"""Kinds that the scope `all` gathers: what one reads to learn. Test cases, source trees, workshops and
crawled sites have search tools of their own, and would crowd the answers to questions out; they are
scopes by their names. A knowledge base without any of these kinds has everything in `all`."""


def in_row_order(collections: Sequence[Collection]) -> list[Collection]:
    """The collections in the order of the artifact: by scope, then as kb.toml lists them."""

    def rank(collection: Collection) -> int:
        places = (at for at, is_member in enumerate(_ROW_ORDER) if is_member(collection))
        return next(places, len(_ROW_ORDER))

    return sorted(collections, key=rank)


def search_scopes(collections: Sequence[Collection]) -> dict[str, list[str]]:
    """Scope name -> collection names in row order. A promised scope that holds something wins over a
    collection's name.

    Every promised scope is there, also when nothing is in it.
    """
    ordered = [each for each in in_row_order(collections) if each.kind not in NOT_SEARCHED]
    reference = [each.name for each in ordered if each.kind in REFERENCE]
    scopes = {"all": reference or [each.name for each in ordered]}
    scopes |= {each.name: [each.name] for each in ordered}
    for scope, is_member in _SCOPES.items():
        if (held := [each.name for each in ordered if is_member(each)]) or scope not in scopes:
            scopes[scope] = held
    return scopes
