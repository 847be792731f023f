"""The stdio loop and the SDK's server over the same dispatch core must give equal answers.

Differences that are meant, and allowed below:

1. The SDK drops lines that are no JSON-RPC message; the loop answers them with -32700 or -32600.
2. The SDK drops batches; the loop serves them in 2025-03-26, where they are part of the protocol, and
   refuses them elsewhere.
3. For params of a wrong shape the SDK's `error.data` is empty; the loop's names the field.
4. A method that is not served is -32601 from the loop whatever its params; the SDK looks at the params
   first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from tests.waiting import PATIENCE_S

from kb_runtime.http.app import DispatchServer
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.connection import Connection
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.stdio import StdioServer

STATELESS = revisions.STATELESS_REVISIONS[0]


@pytest.fixture(scope="module")
def dispatcher(quint_artifact: Path) -> Iterator[Dispatcher]:
    live = LiveArtifact(quint_artifact)
    yield Dispatcher(live)
    live.close()


def hello(revision: str) -> dict[str, Any]:
    params = {
        "protocolVersion": revision,
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "corpus", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}


def enveloped(params: Any, revision: Any = STATELESS) -> Any:
    meta = {revisions.REVISION_KEY: revision, revisions.CAPABILITIES_KEY: {}}
    return {**(params or {}), "_meta": meta} if isinstance(params, (dict, type(None))) else params


def complete(ref: Any, value: str = "", argument: str = "id") -> dict[str, Any]:
    return {"ref": ref, "argument": {"name": argument, "value": value}}


BUILTINS = {"type": "ref/resource", "uri": "kb://quint/builtins/{id}"}

REQUESTS: list[tuple[str, Any]] = [
    ("ping", None),
    ("server/discover", None),
    ("tools/list", None),
    ("tools/list", {}),
    ("tools/list", {"cursor": None}),
    ("tools/list", {"cursor": "x"}),
    ("tools/list", {"cursor": 3}),
    ("tools/call", None),
    ("tools/call", {}),
    ("tools/call", {"name": 1}),
    ("tools/call", {"name": "nope"}),
    ("tools/call", {"name": "quint_list_builtins"}),
    ("tools/call", {"name": "quint_list_builtins", "arguments": None}),
    ("tools/call", {"name": "quint_list_builtins", "arguments": []}),
    ("tools/call", {"name": "quint_get_builtin", "arguments": {}}),
    ("tools/call", {"name": "quint_get_builtin", "arguments": {"name": "mapBy"}}),
    ("tools/call", {"name": "quint_get_builtin", "arguments": {"name": "mapBye"}}),
    ("tools/call", {"name": "quint_get_builtin", "arguments": {"name": "mapBy", "x": 1}}),
    ("tools/call", {"name": "quint_get_doc", "arguments": {"path": "docs/lang.md"}}),
    ("tools/call", {"name": "quint_get_doc", "arguments": {"path": "../../etc/passwd"}}),
    ("tools/call", {"name": "quint_hybrid_search", "arguments": {"query": "temporl", "k": "3"}}),
    ("tools/call", {"name": "quint_hybrid_search", "arguments": {"query": "карта 😀"}}),
    ("tools/call", {"name": "quint_list_patterns", "_meta": {"progressToken": 7}}),
    ("resources/list", None),
    ("resources/list", {"cursor": "bad"}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "kb://quint/builtins/mapBy"}),
    ("resources/read", {"uri": "kb://quint/builtins/nope"}),
    ("resources/read", {"uri": 5}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "start", "arguments": {"task": "Model a bank"}}),
    ("prompts/get", {"name": "start"}),
    ("prompts/get", {"name": "start", "arguments": {"task": 1}}),
    ("prompts/get", {"name": "nope"}),
    ("completion/complete", complete(BUILTINS, "map")),
    ("completion/complete", complete({"type": "ref/prompt", "name": "start"}, "a", "task")),
    ("completion/complete", complete({"type": "ref/prompt", "name": "nope"})),
    ("completion/complete", complete({"type": "ref/other"})),
    ("completion/complete", {"ref": BUILTINS}),
    ("logging/setLevel", {"level": "info"}),
    ("resources/subscribe", {"uri": "kb://quint/builtins/mapBy"}),
    ("subscriptions/listen", {}),
    ("no/such", None),
    ("no/such", {"x": 1}),
    ("initialize", {}),
]

MALFORMED = [
    "{",
    "nonsense",
    "[]",
    "7",
    "null",
    "{}",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    '{"jsonrpc":"2.0","method":"no/such"}',
    '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
]


def lines(messages: list[Any]) -> list[str]:
    return [each if isinstance(each, str) else json.dumps(each) for each in messages]


def numbered(requests: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    messages = []
    for number, (method, params) in enumerate(requests):
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        messages.append(message)
    return messages


def conversations() -> Iterator[tuple[str, list[Any]]]:
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for revision in (*revisions.HANDSHAKE_REVISIONS, "1999-01-01", STATELESS):
        yield f"handshake {revision}", [hello(revision), initialized, *numbered(REQUESTS)]
    stateless = [(method, enveloped(params)) for method, params in REQUESTS]
    yield "stateless", numbered(stateless)
    yield "stateless, malformed", [*numbered(stateless[:2]), *MALFORMED]
    yield "malformed", [hello(revisions.NEWEST_HANDSHAKE), *MALFORMED]
    yield "nothing but malformed", list(MALFORMED)
    yield "no handshake", numbered([("ping", None), ("tools/list", None), ("no/such", None)])
    yield "handshake after stateless", [*numbered(stateless[1:2]), hello("2025-06-18")]
    yield "stateless after handshake", [hello("2025-06-18"), *numbered(stateless[2:3])]
    yield "two handshakes", [hello("2024-11-05"), hello("2025-11-25"), *numbered(REQUESTS[:3])]
    envelopes = [
        {"_meta": {revisions.REVISION_KEY: STATELESS}},
        {"_meta": {revisions.CAPABILITIES_KEY: {}}},
        {"_meta": {revisions.REVISION_KEY: 5, revisions.CAPABILITIES_KEY: {}}},
        {"_meta": {revisions.REVISION_KEY: STATELESS, revisions.CAPABILITIES_KEY: 5}},
        {"_meta": {**enveloped({})["_meta"], revisions.CLIENT_INFO_KEY: {"name": "x"}}},
        {"_meta": {**enveloped({})["_meta"], revisions.CLIENT_INFO_KEY: None}},
        {"_meta": {**enveloped({})["_meta"], revisions.LOG_LEVEL_KEY: "loud"}},
        {"_meta": {**enveloped({})["_meta"], revisions.LOG_LEVEL_KEY: "info"}},
        {"_meta": 5},
        {},
        None,
        enveloped({}, "2099-01-01"),
        enveloped({}, "2025-11-25"),
    ]
    for number, params in enumerate(envelopes):
        yield f"envelope {number} first", numbered([("tools/list", params), *stateless[2:3]])
    yield "envelopes", numbered([stateless[2], *(("tools/list", each) for each in envelopes)])


def loop_answers(dispatcher: Dispatcher, conversation: list[str]) -> list[Any]:
    """What the loop says to each line."""
    server = StdioServer(Connection(dispatcher.handle), lambda: None)
    answers = []
    for line in conversation:
        answer = server.answer_line(line.encode())
        answers.append(None if answer is None else json.loads(json.dumps(answer)))
    return answers


def sdk_answers(dispatcher: Dispatcher, conversation: list[str]) -> list[Any]:
    """What the SDK's server says to each line, read as its stdio transport reads it."""

    async def talk() -> list[Any]:
        server = DispatchServer(dispatcher)
        answers: list[Any] = []
        async with create_client_server_memory_streams() as (client, (server_read, server_write)):
            client_read, client_write = client
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(
                    server.run, server_read, server_write, server.create_initialization_options()
                )
                for line in conversation:
                    try:
                        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                    except ValueError as error:
                        await client_write.send(error)
                        answers.append(None)
                        continue
                    await client_write.send(SessionMessage(message))
                    if not isinstance(message, types.JSONRPCRequest):
                        answers.append(None)
                        continue
                    with anyio.fail_after(PATIENCE_S):
                        received = await client_read.receive()
                    assert isinstance(received, SessionMessage)
                    sent = received.message.model_dump_json(by_alias=True, exclude_unset=True)
                    answers.append(json.loads(sent))
                await client_write.aclose()
        return answers

    return anyio.run(talk)


def differ(line: str, ours: Any, sdk: Any) -> bool:
    """Whether two answers to a line differ in a way that is not meant (see the module's text)."""
    if sdk is None and ours is not None:
        answered = ours if isinstance(ours, list) else [ours]
        malformed = {revisions.PARSE_ERROR, revisions.INVALID_REQUEST}
        return not (
            line.startswith("[")
            or all(each.get("error", {}).get("code") in malformed for each in answered)
        )
    if ours is None or sdk is None or "error" not in ours or "error" not in sdk:
        return bool(ours != sdk)
    ours, sdk = dict(ours["error"]), dict(sdk["error"])
    if ours["code"] == revisions.METHOD_NOT_FOUND and sdk["code"] == revisions.INVALID_PARAMS:
        return json.loads(line)["method"] not in ("subscriptions/listen", "logging/setLevel")
    if sdk["code"] == revisions.INVALID_PARAMS and sdk.get("data") == "":
        ours.pop("data")
        sdk.pop("data")
    return bool(ours != {name: value for name, value in sdk.items() if value is not None})


@pytest.mark.slow
@pytest.mark.parametrize(
    "conversation", [pytest.param(each, id=name) for name, each in conversations()]
)
def test_both_front_ends_answer_alike(dispatcher: Dispatcher, conversation: list[Any]) -> None:
    sent = lines(conversation)
    ours, sdk = loop_answers(dispatcher, sent), sdk_answers(dispatcher, sent)
    assert len(ours) == len(sdk) == len(sent)
    different = [
        (line, one, other)
        for line, one, other in zip(sent, ours, sdk, strict=True)
        if differ(line, one, other)
    ]
    assert different == []


def test_the_comparison_sees_a_difference() -> None:
    line = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    good = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert not differ(line, good, dict(good))
    assert differ(line, good, {**good, "id": 2})
    assert differ(line, good, None)
    assert differ(line, None, good)
    failed = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}}
    assert differ(line, failed, good)
    assert differ(line, failed, {**failed, "error": {"code": -32602, "message": "other"}})
