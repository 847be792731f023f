from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.reference.routing import suggest_framework
from kb_runtime.tools.session import Session
from kbc.linking.linker import Published

Call = Callable[..., Answer]


def _suggest(call: Call, description: str) -> dict[str, Any]:
    found = call("suggest_framework", description=description).structured
    assert found is not None
    return found


def test_each_keyword_adds_a_step(call: Call) -> None:
    found = _suggest(call, "PBFT consensus")
    assert (found["framework"], found["confidence"]) == ("choreo", 0.9)
    assert found["docs"] == ["docs/manual.md"]
    assert found["examples"] == ["cosmos/tendermint/Tendermint.qnt"]
    assert "consensus, pbft" in found["reasoning"]
    assert "Processes send messages." in found["reasoning"]


def test_confidence_has_a_ceiling(call: Call) -> None:
    assert _suggest(call, "consensus bft pbft raft voting")["confidence"] == 0.99


def test_other_side_has_its_base_confidence(call: Call) -> None:
    found = _suggest(call, "An auction")
    assert (found["framework"], found["confidence"]) == ("standard", 0.8)


def test_default_without_any_keyword(call: Call) -> None:
    found = _suggest(call, "something else")
    assert (found["framework"], found["confidence"]) == ("standard", 0.5)
    assert "default" in found["reasoning"]


@pytest.mark.parametrize("text", ["blockchain", "aircraft", "tokenizer", "gamepad", "clock"])
def test_keyword_inside_a_word_does_not_count(call: Call, text: str) -> None:
    assert _suggest(call, text)["confidence"] == 0.5


@pytest.mark.parametrize(
    "text", ["tokens", "Token's", "locks", "auctions", "smart-contracts", "Smart Contract"]
)
def test_plurals_and_hyphens_count(call: Call, text: str) -> None:
    assert _suggest(call, text)["confidence"] == 0.8


@pytest.mark.parametrize("text", ["view change", "view-changes", "viewchange", "View Change!"])
def test_spellings_of_one_keyword_count_once(call: Call, text: str) -> None:
    assert _suggest(call, text)["confidence"] == 0.8
    assert _suggest(call, text)["framework"] == "choreo"


def test_both_sides_are_weighed_and_told(call: Call) -> None:
    found = _suggest(call, "a token auction game with voting")
    assert found["framework"] == "standard"
    assert found["confidence"] == 0.6
    assert "token, auction, game" in found["reasoning"]
    assert "Against it, keywords for choreo: voting." in found["reasoning"]


def test_tie_goes_to_the_rule_that_comes_first(call: Call) -> None:
    found = _suggest(call, "token voting")
    assert (found["framework"], found["confidence"]) == ("choreo", 0.5)


def test_blank_description_is_bad_input(call: Call) -> None:
    with pytest.raises(ToolError, match="description"):
        call("suggest_framework", description=" ")


def test_knowledge_base_without_rules_says_so(publish: Callable[..., Published]) -> None:
    artifact = Artifact.open(publish().path)
    with pytest.raises(ToolError) as caught:
        suggest_framework(Session(artifact, {}), {"description": "x"})
    assert caught.value.kind == "UNAVAILABLE"
    artifact.close()
