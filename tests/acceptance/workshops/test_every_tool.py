"""What all workshop tools share: safe internal errors, repeatable answers, titles; the quiz and prompts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.served import REVISION, Server, compiled, explosion
from tests.acceptance.workshops.school import TREE

from kb_runtime.errors import ArtifactError, ProtocolError
from kb_runtime.knowledge.artifact import Artifact


def test_the_quiz_protocol(school: Server) -> None:
    plain = school.send({"name": "retrieve_quiz_instructions"})["structuredContent"]
    assert (plain["topic"], plain["learnerGoal"], plain["targetQuestionCount"]) == (None, None, 8)
    found = school.call(
        "retrieve_quiz_instructions", topic=" Hooks ", learnerGoal="a job", questionCount=50
    )
    assert (found["tool"], found["version"]) == ("retrieve_quiz_instructions", "1")
    assert (found["topic"], found["targetQuestionCount"]) == ("Hooks", 20)
    braces = {"topic": "{goal} or {count} {}", "learnerGoal": "{topic}"}
    shown = school.call("retrieve_quiz_instructions", **braces)["instructionsMarkdown"]
    assert "\nTopic: {goal} or {count} {}\nLearner goal: {topic}\nTarget: 8 " in shown
    for token in (
        "Quiz facilitation protocol",
        "Topic: Hooks",
        "Target: 20 questions",
        "Ask exactly one question at a time",
        "immediately after the attempt",
        "spaced retrieval",
        "retrieve_learning_context",
        "retrieve_diff_context",
    ):
        assert token in found["instructionsMarkdown"]
    assert (len(found["checklist"]), len(found["closingSteps"])) == (6, 3)
    assert [each["id"] for each in found["questionTypes"]] == [
        "free-recall",
        "apply-to-scenario",
        "compare-contrast",
        "debug-explain",
        "teach-back",
    ]
    for each in found["questionTypes"]:
        assert "<" in each["promptTemplate"]
        assert each["whatToListenFor"]
        assert each["followUps"]
    assert school.text("retrieve_quiz_instructions").startswith("## ✅ Quiz protocol")


def test_answers_name_tools_as_the_server_offers_them(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    prefixed = {**TREE, "kb.toml": '[kb]\nname = "school"\n[tools]\nprefix = true\n'}
    server = compiled(tmp_path, prefixed, pytestconfig, embed=False)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_workshops", {"all": False, "limit": 1}),
        ("list_workshops", {"max_chars": 1000}),
        ("list_exercises", {"workshop": "react"}),
        ("retrieve_quiz_instructions", {}),
        ("retrieve_learning_context", {"workshop": "react", "exerciseNumber": 1, "maxChars": 9}),
        ("retrieve_diff_context", {"workshop": "react", "exerciseNumber": 1, "maxChars": 9}),
        ("search_topic_context", {"query": "state"}),
    ]
    for name, arguments in calls:
        named = re.findall(r"`(\w+_\w+)`", server.text(f"school_{name}", **arguments))
        assert named
        assert set(named) <= server.tools.keys()


def prompt(school: Server, name: str, **arguments: str) -> str:
    params = {"name": name, "arguments": arguments}
    answer = school.dispatcher.handle("prompts/get", params, REVISION)
    text: str = answer["messages"][0]["content"]["text"]
    return text


def test_prompts_name_calls_that_work(school: Server) -> None:
    listed = school.dispatcher.handle("prompts/list", {}, REVISION)["prompts"]
    assert {"quiz_me", "find_where_topic_is_taught"} <= {each["name"] for each in listed}
    scoped = prompt(school, "quiz_me", workshop="react", exerciseNumber="1", questionCount="99")
    assert 'retrieve_learning_context` with `{"workshop":"react","exerciseNumber":1}`' in scoped
    assert '`{"questionCount":20}`' in scoped
    assert '`{"query":"hooks"}`' in prompt(school, "quiz_me", topic="hooks")
    assert '`{"random":true}`' in prompt(school, "quiz_me")
    assert "list_exercises" in prompt(school, "quiz_me", workshop="react")
    found = prompt(school, "find_where_topic_is_taught", query="hooks", limit="3")
    assert '`{"query":"hooks","limit":3}`' in found
    for name, arguments in (
        ("find_where_topic_is_taught", {}),
        ("find_where_topic_is_taught", {"query": "a b"}),
        ("quiz_me", {"exerciseNumber": "zero"}),
        ("quiz_me", {"questionCount": "0"}),
    ):
        with pytest.raises(ProtocolError) as caught:
            prompt(school, name, **arguments)
        assert caught.value.rpc_code == -32602


SCOPE = {"workshop": "react", "exerciseNumber": 1}
CALLS = (
    {"name": "list_workshops"},
    {"name": "list_exercises", "arguments": {"workshop": "react"}},
    {"name": "retrieve_learning_context", "arguments": SCOPE},
    {"name": "retrieve_diff_context", "arguments": SCOPE},
    {"name": "search_topic_context", "arguments": {"query": "state"}},
    {"name": "retrieve_quiz_instructions"},
)


@pytest.mark.parametrize("params", CALLS[:-1], ids=lambda params: params["name"])
@pytest.mark.parametrize(
    "error",
    [RuntimeError("secret of /etc/shadow"), ArtifactError("altered", "secret in /srv/kb")],
    ids=lambda error: type(error).__name__,
)
def test_a_defect_tells_nothing(
    school: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    params: dict[str, Any],
    error: Exception,
) -> None:
    monkeypatch.setattr(Artifact, "catalog", explosion(error))
    result = school.send(params)
    assert result["isError"]
    kind = "INTERNAL" if isinstance(error, RuntimeError) else "UNAVAILABLE"
    assert result["structuredContent"]["error"]["kind"] == kind
    told = json.dumps(result)
    for leak in ("secret", "/etc", "/srv", "RuntimeError"):
        assert leak not in told
    assert "secret" in capsys.readouterr().err


def test_a_defect_of_the_quiz_protocol_tells_nothing(
    school: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It reads nothing, so the defect has to be in itself."""
    target = "kb_runtime.tools.workshops.quiz.instructions_markdown"
    monkeypatch.setattr(target, explosion(RuntimeError("secret of /etc/shadow")))
    result = school.send({"name": "retrieve_quiz_instructions"})
    assert result["structuredContent"]["error"]["kind"] == "INTERNAL"
    assert "secret" not in json.dumps(result)
    assert "secret" in capsys.readouterr().err


@pytest.mark.parametrize("params", CALLS, ids=lambda params: params["name"])
def test_the_same_call_gives_the_same_structure(school: Server, params: dict[str, Any]) -> None:
    first = school.send(params)["structuredContent"]
    assert school.send(params)["structuredContent"] == first


def test_only_the_drawing_tool_is_not_idempotent(school: Server) -> None:
    idempotent = {
        name: tool["annotations"]["idempotentHint"] for name, tool in school.tools.items()
    }
    assert idempotent["retrieve_learning_context"] is False
    assert all(idempotent[params["name"]] for params in CALLS if params is not CALLS[2])


def test_workshop_tools_have_titles(school: Server) -> None:
    titles = {name: tool.get("title") for name, tool in school.tools.items()}
    assert titles["list_workshops"] == "List Workshops"
    assert titles["retrieve_learning_context"] == "Retrieve Learning Context"
    assert titles["retrieve_diff_context"] == "Retrieve Diff Context"
    assert titles["search_topic_context"] == "Search Topic Context"
    assert titles["retrieve_quiz_instructions"] == "Retrieve Quiz Instructions"
