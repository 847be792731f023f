"""The start prompt names the tools that this server offers, and no others."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kb_runtime.errors import ProtocolError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.dispatch import Dispatcher

NEWEST = revisions.NEWEST_HANDSHAKE


def start(dispatcher: Any, **arguments: str) -> str:
    params = {"name": "start", "arguments": arguments}
    (message,) = dispatcher.handle("prompts/get", params, NEWEST)["messages"]
    assert message["role"] == "user"
    text: str = message["content"]["text"]
    return text


@pytest.mark.parametrize("profile", ["all", "reference", "compact"])
def test_the_prompt_names_offered_tools_only(dispatch: Any, profile: str) -> None:
    dispatcher = dispatch(profile)
    listed = dispatcher.handle("tools/list", {}, NEWEST)["tools"]
    named = set(re.findall(r"`(\w+)`", start(dispatcher, task="Write a bank.")))
    assert named
    assert named <= {tool["name"] for tool in listed}


def test_the_prompt_holds_the_task(dispatcher: Any) -> None:
    assert start(dispatcher, task="  Write {a} bank. ").startswith("Task: Write {a} bank.\n")


def test_the_prompt_calls_the_knowledge_base_by_its_title(dispatcher: Any) -> None:
    (prompt,) = dispatcher.handle("prompts/list", {}, NEWEST)["prompts"]
    title = prompt["title"].removeprefix("Start a task with ")
    assert title != prompt["title"]
    assert not title.startswith("the ")
    assert f"\nWork from {title} (version " in start(dispatcher, task="Write a bank.")


def test_the_prompt_states_no_version_where_there_is_none(corpus: Any) -> None:
    corpus.publish("0")
    live = LiveArtifact(corpus.path)
    text = start(Dispatcher(live), task="Write a bank.")
    assert "\nWork from Small KB:\n" in text
    live.close()


def test_a_profile_without_the_family_has_no_prompt(dispatch: Any) -> None:
    assert dispatch("search").handle("prompts/list", {}, NEWEST) == {"prompts": []}


@pytest.mark.parametrize("arguments", [None, {}, {"task": "  "}])
def test_the_task_is_required(dispatcher: Any, arguments: Any) -> None:
    with pytest.raises(ProtocolError, match="task"):
        dispatcher.handle("prompts/get", {"name": "start", "arguments": arguments}, NEWEST)


def test_an_unknown_prompt_is_a_protocol_error(dispatcher: Any) -> None:
    with pytest.raises(ProtocolError) as caught:
        dispatcher.handle("prompts/get", {"name": "nope"}, NEWEST)
    assert (caught.value.rpc_code, caught.value.message) == (
        revisions.INVALID_PARAMS,
        "Unknown prompt: nope",
    )
