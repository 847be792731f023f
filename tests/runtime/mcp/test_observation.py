"""What observers learn of requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.runtime.mcp.conftest import Corpus

from kb_runtime import log
from kb_runtime.errors import ProtocolError
from kb_runtime.http.metrics import Metrics
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.observation import Observation, ObservedDispatcher, observe, write_log

REVISION = revisions.NEWEST_HANDSHAKE
TOOL = "small_get_builtin"
LIST = "small_list_builtins"


@pytest.fixture
def dispatcher(corpus: Corpus) -> Iterator[ObservedDispatcher]:
    live = LiveArtifact(corpus.path)
    yield ObservedDispatcher(live)
    live.close()


@pytest.fixture
def seen(dispatcher: ObservedDispatcher) -> list[Observation]:
    found: list[Observation] = []
    observe(dispatcher, found.append)
    return found


def call(dispatcher: ObservedDispatcher, name: str, **more: Any) -> Any:
    params = {"name": TOOL, "arguments": {"name": name}, **more}
    return dispatcher.handle("tools/call", params, REVISION)


def list_all(dispatcher: ObservedDispatcher, **more: Any) -> Any:
    return dispatcher.handle("tools/call", {"name": LIST, **more}, REVISION)


def test_a_call_is_told_with_its_tool_outcome_and_build(
    dispatcher: ObservedDispatcher, seen: list[Observation]
) -> None:
    list_all(dispatcher, _meta={"correlationId": "mine"})
    (one,) = seen
    assert one[:3] == ("tools/call", LIST, "ok")
    assert (one.correlation_id, one.build_id) == ("mine", dispatcher.answers.build_id)
    assert one.seconds > 0
    assert not one.is_defect


def test_outcomes_are_the_kinds_of_errors(
    dispatcher: ObservedDispatcher, seen: list[Observation], monkeypatch: pytest.MonkeyPatch
) -> None:
    call(dispatcher, "nothing of that name")
    with pytest.raises(ProtocolError):
        dispatcher.handle("resources/read", {"uri": "kb://small/docs/none"}, REVISION)

    def explode(*_: Any) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(Artifact, "catalog", explode)
    call(dispatcher, "op1")
    assert [one.outcome for one in seen] == ["NOT_FOUND", "-32002", "INTERNAL"]
    assert [one.is_defect for one in seen] == [False, False, True]


def test_names_that_clients_make_up_are_not_taken_over(
    dispatcher: ObservedDispatcher, seen: list[Observation]
) -> None:
    for params in ({"name": "made_up"}, {"name": 5}, None):
        with pytest.raises(ProtocolError):
            dispatcher.handle("tools/call", params, REVISION)
    with pytest.raises(ProtocolError):
        dispatcher.handle("made/up", {}, REVISION)
    assert [(one.method, one.tool) for one in seen] == [
        *[("tools/call", "other")] * 3,
        ("other", ""),
    ]


def test_an_id_that_is_made_up_is_that_of_the_answer(
    dispatcher: ObservedDispatcher, seen: list[Observation]
) -> None:
    answer = list_all(dispatcher)
    assert answer["_meta"]["correlationId"] == seen[0].correlation_id


@pytest.mark.parametrize("meta", [None, "text", {}])
def test_params_are_refused_as_without_observers(
    dispatcher: ObservedDispatcher, seen: list[Observation], meta: Any
) -> None:
    params = {"name": TOOL} if meta is None else {"name": TOOL, "_meta": meta}
    told = []
    for handle in (dispatcher.handle, super(ObservedDispatcher, dispatcher).handle):
        with pytest.raises(ProtocolError) as refused:
            handle("tools/call", params, revisions.STATELESS_REVISIONS[0])
        told.append((refused.value.rpc_code, refused.value.message))
    assert told[0] == told[1]
    assert seen[0].outcome == str(told[0][0])


def test_a_line_of_the_log_has_no_arguments(
    dispatcher: ObservedDispatcher,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(log, "as_json", True)
    observe(dispatcher, write_log)
    call(dispatcher, "a private question", _meta={"x-correlation-id": "mine"})
    text = capsys.readouterr().err
    assert "private" not in text
    line = json.loads(text)
    assert line.pop("milliseconds") > 0
    assert line.pop("time")
    assert line.pop("pid")
    assert line == {
        "level": "info",
        "correlation_id": "mine",
        "method": "tools/call",
        "tool": TOOL,
        "outcome": "NOT_FOUND",
        "build": dispatcher.answers.build_id,
    }


def test_metrics_count_calls_swaps_and_responses(
    dispatcher: ObservedDispatcher, corpus: Corpus
) -> None:
    metrics = Metrics()
    observe(dispatcher, metrics.observe)
    metrics.serves("small", "1", "first")
    list_all(dispatcher)
    list_all(dispatcher)
    call(dispatcher, "none")
    dispatcher.handle("ping", None, REVISION)
    metrics.request_begins()
    metrics.request_begins()
    metrics.request_ends(401)
    metrics.serves("small", "2", "second")
    samples = set(metrics.text()[0].decode().splitlines())
    assert {
        f'kbc_calls_total{{outcome="ok",tool="{LIST}"}} 2.0',
        f'kbc_calls_total{{outcome="NOT_FOUND",tool="{TOOL}"}} 1.0',
        f'kbc_call_seconds_count{{tool="{LIST}"}} 2.0',
        'kbc_http_responses_total{status="401"} 1.0',
        "kbc_http_requests_open 1.0",
        "kbc_swaps_total 1.0",
        'kbc_build_info{build="first",name="small",version="1"} 0.0',
        'kbc_build_info{build="second",name="small",version="2"} 1.0',
    } <= samples
