"""`search_topic_context`: matches, scopes, and what it says without an encoder or without a match."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.served import Server, compiled, explosion
from tests.acceptance.workshops.school import TREE, failed


def test_a_topic_is_found_by_meaning(school: Server) -> None:
    found = school.call("search_topic_context", query=" what does a component remember ")
    best = found["matches"][0]
    assert (best["workshop"], best["exerciseNumber"]) == ("react", 1)
    assert found["query"] == "what does a component remember"
    assert (found["mode"], found["vectorSearchAvailable"]) == ("vector", True)
    assert (found["keywordSource"], found["limit"]) == (None, 8)
    assert all(0 <= match["score"] <= 1 for match in found["matches"])
    assert len({match["vectorId"] for match in found["matches"]}) == len(found["matches"])
    text = school.text("search_topic_context", query="what does a component remember")
    assert "#### 1) `react` exercise 1" in text
    assert f"— score: {best['score']:.3f}\n" in text
    assert "`retrieve_learning_context`" in text


def test_scope_filters_are_strict(school: Server) -> None:
    query = "workshop state counter index"
    for scope in (
        {"workshop": "react"},
        {"exerciseNumber": 1},
        {"workshop": "react", "exerciseNumber": 1},
        {"exerciseNumber": 1, "stepNumber": 1},
    ):
        matches = school.call("search_topic_context", query=query, limit=20, **scope)["matches"]
        assert matches
        for match in matches:
            assert {key: match.get(key) for key in scope} == scope
    slugs = {
        match["workshop"]
        for match in school.call("search_topic_context", query=query, exerciseNumber=1)["matches"]
    }
    assert slugs == {"react", "databases"}


def test_limit_of_matches_is_clamped(school: Server) -> None:
    assert school.call("search_topic_context", query="state", limit=99)["limit"] == 20
    found = school.call("search_topic_context", query="state", limit=0)
    assert (found["limit"], len(found["matches"])) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({}, "BAD_INPUT", "query"),
        ({"query": "a b"}, "BAD_INPUT", "3"),
        ({"query": "a b", "stepNumber": 1}, "BAD_INPUT", "3"),
        ({"query": "abc", "stepNumber": 1}, "BAD_INPUT", "exerciseNumber is required"),
        (
            {"query": "abc", "stepNumber": 1, "workshop": "nope"},
            "BAD_INPUT",
            "exerciseNumber is required",
        ),
        ({"query": "abc", "workshop": "nope", "exerciseNumber": 9}, "NOT_FOUND", '"nope"'),
        ({"query": "abc", "exerciseNumber": 9}, "NOT_FOUND", "no exercise 9. "),
        ({"query": "abc", "exerciseNumber": 1, "stepNumber": 9}, "NOT_FOUND", "exercise 1. "),
        (
            {"query": "abc", "workshop": "react", "exerciseNumber": 2, "stepNumber": 1},
            "NOT_FOUND",
            'of the workshop "react"',
        ),
    ],
)
def test_scope_is_checked_before_anything_is_searched(
    school: Server,
    monkeypatch: pytest.MonkeyPatch,
    arguments: dict[str, Any],
    kind: str,
    told: str,
) -> None:
    monkeypatch.setattr(
        "kb_runtime.search.searcher.Searcher.search", explosion(RuntimeError("too early"))
    )
    assert told in failed(school, "search_topic_context", kind, **arguments)["message"]


@pytest.fixture(scope="module")
def wordy(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    """The same workshops in a knowledge base without vectors and encoder."""
    return compiled(tmp_path_factory.mktemp("wordy"), TREE, pytestconfig, embed=False)


def test_without_an_encoder_terms_are_ranked(wordy: Server) -> None:
    found = wordy.call("search_topic_context", query="socket effects components")
    assert (found["mode"], found["keywordSource"]) == ("keyword", "chunks")
    assert found["vectorSearchAvailable"] is False
    assert found["matches"][0]["exerciseNumber"] == 2
    why, how = found["warnings"]
    assert "not configured" in why
    assert "--lexical-only" in how
    phrase = wordy.call("search_topic_context", query="a component")["matches"]
    assert "a component" in phrase[0]["chunk"]


def test_an_encoder_that_fails_is_told_as_that(
    school: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = "kb_runtime.search.encoder.QueryEncoder.encode"
    monkeypatch.setattr(target, explosion(RuntimeError("no memory at /opt/secret")))
    found = school.call("search_topic_context", query="socket effects components")
    assert (found["mode"], found["keywordSource"]) == ("keyword", "chunks")
    assert found["vectorSearchAvailable"] is False
    (why,) = found["warnings"]
    assert why.startswith("Vector search is unavailable (it failed;")
    assert "secret" not in json.dumps(found)
    monkeypatch.undo()
    assert school.call("search_topic_context", query="socket")["vectorSearchAvailable"] is True


@pytest.mark.parametrize(
    ("query", "source", "exercise"), [("===", "chunks", 2), ("👩‍👩‍👧.", "sections", 1)]
)
def test_a_query_without_words_is_told_as_that(
    school: Server, query: str, source: str, exercise: int
) -> None:
    found = school.call("search_topic_context", query=query)
    assert (found["mode"], found["keywordSource"]) == ("keyword", source)
    assert found["vectorSearchAvailable"] is True
    (why,) = found["warnings"]
    assert "no words for vector search" in why
    assert found["matches"][0]["exerciseNumber"] == exercise


def test_a_scope_without_passages_is_told_as_that(school: Server) -> None:
    found = school.call("search_topic_context", query="indexes", workshop="bare")
    assert (found["mode"], found["matches"]) == ("keyword", [])
    assert found["vectorSearchAvailable"] is True
    assert "nothing in this scope" in found["warnings"][0]
    assert "Nothing was found" in found["warnings"][-1]


def test_what_no_word_can_find_is_looked_for_as_it_is(wordy: Server) -> None:
    found = wordy.call("search_topic_context", query="👩‍👩‍👧.")
    assert found["keywordSource"] == "sections"
    (match,) = found["matches"]
    assert match["vectorId"] == "section:react/01/01/solution-instructions"
    assert "👩‍👩‍👧." in match["chunk"]
    assert 0 < match["score"] < 1
    found = wordy.call("search_topic_context", query="zzyzx qqq")
    assert (found["matches"], found["keywordSource"]) == ([], "sections")
    assert "Nothing was found" in found["warnings"][-1]


def test_an_excerpt_has_the_phrase_and_whole_characters(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    tree = {
        "kb.toml": '[kb]\nname = "school"\n',
        "workshops/sizes/package.json": '{"epicshop": {"title": "Sizes"}}',
        "workshops/sizes/exercises/01.sizes/README.mdx": (
            f"# Sizes\n\n{'Maß, Größe, Straße. ' * 200}{family * 60} ; {family * 60}\n"
        ),
    }
    server = compiled(tmp_path, tree, pytestconfig, embed=False)
    (match,) = server.call("search_topic_context", query=f"; {family}")["matches"]
    before, _, after = match["chunk"].partition(";")
    assert before.startswith(f"…{family}{family}")
    assert after.endswith(f"{family}…")


def test_passages_that_have_no_word_of_the_query_are_told_apart(school: Server) -> None:
    found = school.call("search_topic_context", query="zzyzx qqq")
    assert found["mode"] == "vector"
    assert found["matches"]
    assert "No word of the query occurs" in found["warnings"][0]
    assert "warnings" not in school.call("search_topic_context", query="component state")


def test_a_shortened_answer_has_whole_matches(school: Server) -> None:
    arguments = {"query": "component state effect index", "limit": 20}
    whole = school.call("search_topic_context", **arguments)["matches"]
    result = school.result("search_topic_context", **arguments, max_chars=1500)
    text, found = result["content"][0]["text"], result["structuredContent"]
    assert found["truncated"]
    assert len(text) <= 1500
    assert 0 < len(found["matches"]) < len(whole)
    assert found["matches"] == whole[: len(found["matches"])]
    assert text.count("_vectorId_") == len(found["matches"])
    assert f"Only {len(found['matches'])} of the matches could be shown" in text
    assert "retrieve_diff_context" in text
