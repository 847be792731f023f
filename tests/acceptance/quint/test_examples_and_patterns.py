"""The tools over examples, templates, frameworks and patterns."""

from __future__ import annotations

from typing import Any

import pytest
from tests.acceptance.quint.failures import error


def test_folder_of_examples_has_files_at_every_depth(small: Any) -> None:
    found = small.call("quint_get_example", path="classic").structured
    assert found["type"] == "directory"
    assert found["files"] == ["classic/distributed/election.qnt", "classic/sums.qnt"]
    assert found["files"][0] in found["suggestion"]
    for path in found["files"]:
        assert small.call("quint_get_example", path=path).structured["type"] == "file"


def test_phrase_is_not_found_and_suggests_what_a_search_finds(small: Any) -> None:
    reply = small.call("quint_get_example", path="union type definition")
    assert error(reply, "NOT_FOUND")["suggestions"][0] == "classic/sums.qnt"
    assert "classic, puzzles" in reply.text


def test_categories_of_examples_add_up(small: Any) -> None:
    found = small.call("quint_list_examples").structured
    assert {name: entry["count"] for name, entry in found["categories"].items()} == {
        "classic": 2,
        "puzzles": 1,
    }
    assert found["total"] == 3
    listed = small.call("quint_list_examples", category="Classic").structured
    assert listed["examples"] == ["classic/distributed/election.qnt", "classic/sums.qnt"]
    reply = small.call("quint_list_examples", category="zzz")
    assert error(reply, "NOT_FOUND")["details"]["availableCategories"] == ["classic", "puzzles"]


def test_word_in_a_comment_or_string_is_no_test(small: Any) -> None:
    found = small.call("quint_example_info", path="puzzles/river.qnt").structured
    assert found["hasTests"] is False
    assert found["tests"] == []
    assert found["types"] == ["Bank"]


def test_tests_of_an_example(small: Any) -> None:
    found = small.call("quint_example_info", path="election.qnt").structured
    assert found["hasTests"] is True
    assert found["tests"] == ["initTest", "check"]
    assert (found["category"], found["subcategory"]) == ("classic", "distributed")
    assert found["modules"] == ["election"]
    assert found["description"] == "Electing a leader."


@pytest.mark.parametrize("tool", ["quint_get_example", "quint_example_info"])
def test_example_path_out_of_the_tree_is_bad_input(small: Any, tool: str) -> None:
    error(small.call(tool, path="../docs/intro.md"), "BAD_INPUT")
    error(small.call(tool, path="/etc/hosts"), "NOT_FOUND")


def test_templates(small: Any) -> None:
    listed = small.call("quint_list_templates").structured
    assert [entry["id"] for entry in listed["templates"]] == ["machine", "protocol"]
    choreo = small.call("quint_list_templates", framework="CHOREO").structured
    assert (choreo["framework"], choreo["count"]) == ("choreo", 1)
    full = small.call("quint_get_template", templateId="machine").structured
    assert full["content"] == "module machine {\n  var state: int\n}\n"
    assert full["instructions"] == ["Rename it."]


def test_unknown_framework_and_template_name_the_known_ones(small: Any) -> None:
    reply = small.call("quint_list_templates", framework="xyz")
    error(reply, "NOT_FOUND")
    assert "choreo, standard" in reply.text
    reply = small.call("quint_get_template", templateId="xyz")
    error(reply, "NOT_FOUND")
    assert "machine, protocol" in reply.text


def test_framework_of_a_consensus_protocol(small: Any) -> None:
    found = small.call("quint_suggest_framework", description="PBFT consensus").structured
    assert (found["framework"], found["confidence"]) == ("choreo", 0.9)
    for path in found["docs"]:
        assert not small.call("quint_get_doc", filename=path).is_error
    for path in found["examples"]:
        assert not small.call("quint_get_example", path=path).is_error


@pytest.mark.parametrize("text", ["a blockchain", "an aircraft"])
def test_keyword_inside_a_word_is_none(small: Any, text: str) -> None:
    found = small.call("quint_suggest_framework", description=text).structured
    assert (found["framework"], found["confidence"]) == ("standard", 0.5)


def test_patterns_by_category(quint: Any) -> None:
    found = quint.call("quint_list_patterns").structured
    assert found["total"] == 12
    assert len(found["categories"]) == 6
    upper = quint.call("quint_list_patterns", category="CORE")
    assert upper == quint.call("quint_list_patterns", category="core")
    assert upper.structured["count"] == len(found["categories"]["core"])
    for entries in found["categories"].values():
        for entry in entries:
            full = quint.call("quint_get_pattern", patternId=entry["id"]).structured
            assert full["description"]


def test_similar_pattern_is_suggested(quint: Any) -> None:
    reply = quint.call("quint_get_pattern", patternId="thinactions")
    assert error(reply, "NOT_FOUND")["suggestions"][0] == "thin-actions"


@pytest.mark.parametrize("query", ["", "   ", None])
def test_blank_pattern_search_is_bad_input(quint: Any, query: str | None) -> None:
    error(quint.call("quint_search_patterns", query=query), "BAD_INPUT")


def test_pattern_search_is_best_first(quint: Any) -> None:
    found = quint.call("quint_search_patterns", query="thin actions").structured
    assert found["matches"][0]["id"] == "thin-actions"
    scores = [match["relevance"] for match in found["matches"]]
    assert scores == sorted(scores, reverse=True)
