"""What a client pays: tokens of the list of tools, of hits, and characters of any answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.answers import MAX_HITS_TOKENS, MAX_LIST_TOKENS, cost, list_tokens

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.revisions import NEWEST_HANDSHAKE
from kb_runtime.search.request import SearchRequest
from kb_runtime.text.unshown import unshown
from kb_runtime.tools.search.passages import FULL_SNIPPETS, LEAST_SNIPPET, MOST_SNIPPET

QUESTIONS = (
    "How do I create a map from a set?",
    "temporal operators always and eventually",
    "what does oneOf do",
    "run a test with a fixed seed",
    "QNT510",
)


@pytest.fixture(scope="module")
def live(quint_artifact: Path) -> Iterator[LiveArtifact]:
    live = LiveArtifact(str(quint_artifact))
    yield live
    live.close()


@pytest.mark.slow
def test_the_five_tools_of_every_server_are_cheap_to_list(live: LiveArtifact) -> None:
    dispatcher = Dispatcher(live, "compact")
    assert len(dispatcher.answers.tools["tools"]) == 5
    assert list_tokens(dispatcher) <= MAX_LIST_TOKENS


@pytest.mark.parametrize("question", QUESTIONS)
def test_ten_hits_are_cheap_and_the_first_three_answer(live: LiveArtifact, question: str) -> None:
    dispatcher = Dispatcher(live, "compact")
    assert cost(dispatcher, "quint_search", {"query": question}).total <= MAX_HITS_TOKENS
    with live.lease() as artifact:
        found = artifact.searcher.search(SearchRequest(question, limit=10, per_record=3)).hits
        assert len(found) == 10
        for hit in found[:FULL_SNIPPETS]:
            shown = hit.passage(LEAST_SNIPPET, MOST_SNIPPET).text
            text = hit.chunk["text"].strip()
            below_heading = text[unshown(text) :].strip().partition("\n")[2].strip()
            assert len(shown) >= min(LEAST_SNIPPET, len(below_heading)) or "```" in text, shown


@pytest.mark.parametrize("question", QUESTIONS)
def test_hits_of_the_contract_stay_within_six_kilobytes(live: LiveArtifact, question: str) -> None:
    dispatcher = Dispatcher(live, "all")
    params = {"name": "quint_hybrid_search", "arguments": {"query": question}}
    text = dispatcher.handle("tools/call", params, NEWEST_HANDSHAKE)["content"][0]["text"]
    assert len(text) <= 6_000
    results = json.loads(text)["resultsByScope"]["all"]
    assert all(len(each.get("snippet", "")) <= 240 for each in results)
