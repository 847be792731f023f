"""Search scopes and the order of collections."""

from __future__ import annotations

from kbc.project.model import Collection
from kbc.project.scopes import in_row_order, search_scopes


def collection(name: str, kind: str, group: str = "") -> Collection:
    return Collection(name, kind, (name,), group=group)


COLLECTIONS = [
    collection("rules", "patterns"),
    collection("routing", "routing"),
    collection("posts", "docs", "posts"),
    collection("guidelines", "docs", "guidelines"),
    collection("choreo", "docs", "choreo"),
    collection("docs", "docs", "core"),
    collection("api", "builtins"),
]


def test_a_scope_is_a_run_of_neighbouring_collections() -> None:
    order = [each.name for each in in_row_order(COLLECTIONS)]
    assert order == ["api", "choreo", "docs", "posts", "guidelines", "rules", "routing"]
    for scope, names in search_scopes(COLLECTIONS).items():
        first = order.index(names[0]) if names else 0
        assert order[first : first + len(names)] == names, scope


def test_promised_scopes_gather_kinds_and_groups() -> None:
    scopes = search_scopes(COLLECTIONS)
    assert scopes["docs"] == ["choreo", "docs"]
    assert scopes["guidelines"] == ["guidelines", "rules"]
    assert scopes["patterns"] == ["rules"]
    assert scopes["extra"] == ["posts"]
    assert scopes["builtins"] == ["api"]
    assert scopes["examples"] == []
    named = search_scopes(
        [*COLLECTIONS, collection("examples", "docs")]
    )  # pages, and no other scope
    assert named["examples"] == ["examples"]


def test_each_collection_is_a_scope_and_routing_is_not() -> None:
    scopes = search_scopes(COLLECTIONS)
    assert scopes["choreo"] == ["choreo"]
    assert "routing" not in scopes
    assert "routing" not in scopes["all"]


def test_all_is_what_one_reads_to_learn() -> None:
    more = [collection("cases", "tests"), collection("src", "code"), collection("web", "pages")]
    scopes = search_scopes([*COLLECTIONS, *more])
    assert {"cases", "src", "web"}.isdisjoint(scopes["all"])
    assert scopes["cases"] == ["cases"]


def test_all_is_everything_where_nothing_is_reference() -> None:
    assert search_scopes([collection("cases", "tests")])["all"] == ["cases"]
