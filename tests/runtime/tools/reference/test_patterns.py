from __future__ import annotations

import pytest
from tests.runtime.tools.asking import Call, structured

from kb_runtime.errors import ToolError
from kb_runtime.tools.reference.patterns import MAX_TERMS, query_terms, relevance


@pytest.mark.parametrize("name", ["thin-actions", "Thin-Actions", "thin actions"])
def test_pattern_is_found_by_id_and_name(call: Call, name: str) -> None:
    assert structured(call("get_pattern", patternId=name)) == {
        "id": "thin-actions",
        "name": "Thin actions",
        "category": "core",
        "description": "Actions call pure functions.",
        "when_to_use": ["Always"],
        "template": "action a = pureFunction",
        "anti_patterns": [
            {"dont": "logic in actions", "reason": "hard to test", "do": "call"},
        ],
    }


@pytest.mark.parametrize("name", ["thinactions", "thin_action", "thin--actions"])
def test_similar_id_is_suggested_whatever_its_hyphens(call: Call, name: str) -> None:
    with pytest.raises(ToolError) as caught:
        call("get_pattern", patternId=name)
    assert caught.value.kind == "NOT_FOUND"
    assert name in caught.value.message
    assert caught.value.suggestions == ("thin-actions",)


def test_pattern_like_none_lists_all(call: Call) -> None:
    with pytest.raises(ToolError, match="Available patterns: thin-actions, pure") as caught:
        call("get_pattern", patternId="zzzzzz")
    assert caught.value.suggestions == ("thin-actions", "pure-functions", "witness-testing")


def test_list_groups_by_category(call: Call) -> None:
    found = structured(call("list_patterns"))
    assert found["total"] == 3
    assert {name: len(entries) for name, entries in found["categories"].items()} == {
        "core": 2,
        "testing": 1,
    }
    assert set(found["categories"]["testing"][0]) == {"id", "name", "description"}


@pytest.mark.parametrize("category", ["core", "CORE"])
def test_list_of_a_category(call: Call, category: str) -> None:
    found = structured(call("list_patterns", category=category))
    assert (found["category"], found["count"]) == ("core", 2)
    assert [entry["id"] for entry in found["patterns"]] == ["thin-actions", "pure-functions"]


def test_unknown_category_lists_the_known_ones(call: Call) -> None:
    with pytest.raises(ToolError, match="Available categories: core, testing") as caught:
        call("list_patterns", category="zzz")
    assert caught.value.kind == "NOT_FOUND"


def _relevance(call: Call, query: str) -> dict[str, float]:
    found = structured(call("search_patterns", query=query))
    assert found["total"] == len(found["matches"])
    return {match["id"]: match["relevance"] for match in found["matches"]}


def test_search_weighs_the_name_most(call: Call) -> None:
    found = _relevance(call, "pure functions")
    assert list(found) == ["pure-functions", "thin-actions"]
    assert found["pure-functions"] > found["thin-actions"] > 0


def test_search_scores_terms_one_by_one(call: Call) -> None:
    assert _relevance(call, "witness") == {"witness-testing": 3.0}
    assert _relevance(call, "witness reachable") == {"witness-testing": 5.0}


def test_search_finds_words_of_anti_patterns_and_principles(call: Call) -> None:
    assert "thin-actions" in _relevance(call, "hard")
    assert "pure-functions" in _relevance(call, "state")


def test_search_finds_other_forms_of_a_word(call: Call) -> None:
    assert next(iter(_relevance(call, "test"))) == "witness-testing"
    assert next(iter(_relevance(call, "action"))) == "thin-actions"


def test_search_ignores_stop_words(call: Call) -> None:
    assert _relevance(call, "how do I use a witness") == _relevance(call, "witness")
    assert query_terms("I'm sure I'd want what's in it") == (["sur", "want"], False)


@pytest.mark.parametrize("query", ["in", "the", "what is it in", "of a"])
def test_search_for_stop_words_finds_no_text(call: Call, query: str) -> None:
    found = structured(call("search_patterns", query=query))
    assert found["matches"] == []  # "logic in actions" is an anti-pattern
    assert "no word that tells patterns apart" in found["warnings"][0]


def test_search_for_a_stop_word_finds_ids() -> None:
    assert relevance(["all"], {"name": frozenset({"for", "all"})}) == 3.0
    assert query_terms("for all") == (["for", "all"], True)


def test_search_without_match_helps(call: Call) -> None:
    found = structured(call("search_patterns", query="witnes"))
    assert found["matches"]
    nothing = structured(call("search_patterns", query="actiosn"))
    assert nothing["total"] == 0
    assert "action" in nothing["warnings"][0]


@pytest.mark.parametrize("query", ["", "  "])
def test_blank_search_is_bad_input(call: Call, query: str) -> None:
    with pytest.raises(ToolError, match="query") as caught:
        call("search_patterns", query=query)
    assert caught.value.kind == "BAD_INPUT"


def test_only_the_first_words_of_a_query_count() -> None:
    words = [f"word{at}x" for at in range(400)]
    assert query_terms(" ".join(words)) == query_terms(" ".join(words[:MAX_TERMS]))
    assert len(query_terms(" ".join(words))[0]) == MAX_TERMS
