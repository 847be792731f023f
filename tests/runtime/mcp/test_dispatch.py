"""The dispatch core: every method, both eras, static answers and failures."""

from __future__ import annotations

from typing import Any

import mcp_types.methods as sdk
import pytest

from kb_runtime.errors import ProtocolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp import revisions
from kb_runtime.mcp.answers import ProfileError
from kb_runtime.mcp.changes import Changes
from kb_runtime.mcp.dispatch import Dispatcher

NEWEST = revisions.NEWEST_HANDSHAKE
STATELESS = revisions.STATELESS_REVISIONS[0]
ENVELOPE = {"_meta": {revisions.REVISION_KEY: STATELESS, revisions.CAPABILITIES_KEY: {}}}
HELLO = {
    "protocolVersion": NEWEST,
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

PATTERN = {"id": "guard", "title": "Guard", "text": "Check first.", "path": "patterns/guard.md"}


def call(dispatcher: Any, name: str, arguments: Any = None, revision: str = NEWEST) -> Any:
    params = {"name": name, **(ENVELOPE if revision == STATELESS else {})}
    if arguments is not None:
        params["arguments"] = arguments
    return dispatcher.handle("tools/call", params, revision)


def refusal(dispatcher: Any, method: str, params: Any, revision: str = NEWEST) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        dispatcher.handle(method, params, revision)
    return caught.value


@pytest.mark.parametrize("revision", revisions.HANDSHAKE_REVISIONS)
def test_initialize_agrees_to_every_handshake_revision(dispatcher: Any, revision: str) -> None:
    result = dispatcher.handle("initialize", {**HELLO, "protocolVersion": revision}, NEWEST)
    assert result["protocolVersion"] == revision
    assert result["serverInfo"]["name"] == "small"
    assert "130 builtins" in result["instructions"]


def test_initialize_answers_an_unknown_revision_with_the_newest(dispatcher: Any) -> None:
    result = dispatcher.handle("initialize", {**HELLO, "protocolVersion": "1999-01-01"}, NEWEST)
    assert result["protocolVersion"] == NEWEST


def test_discover_says_what_initialize_says(dispatcher: Any) -> None:
    discovered = dispatcher.handle("server/discover", ENVELOPE, STATELESS)
    initialized = dispatcher.handle("initialize", HELLO, NEWEST)
    assert discovered["instructions"] == initialized["instructions"]
    assert discovered["capabilities"] == initialized["capabilities"]
    assert discovered["supportedVersions"] == [STATELESS]
    assert discovered["_meta"][revisions.SERVER_INFO_KEY] == initialized["serverInfo"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("server/discover", {}),
        ("tools/list", {}),
        ("prompts/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "kb://small/builtins/op1"}),
    ],
)
def test_stateless_answers_may_be_cached_as_long_as_they_hold(
    dispatcher: Any, corpus: Any, method: str, params: dict[str, Any]
) -> None:
    """A day for a build that is served for good, a minute where another may be published."""
    result = dispatcher.handle(method, {**params, **ENVELOPE}, STATELESS)
    assert result["resultType"] == "complete"
    assert (result["ttlMs"], result["cacheScope"]) == (60_000, "public")
    live = LiveArtifact(corpus.path / (corpus.path / "CURRENT").read_text().strip())
    result = Dispatcher(live).handle(method, {**params, **ENVELOPE}, STATELESS)
    assert (result["ttlMs"], result["cacheScope"]) == (86_400_000, "public")
    live.close()


def test_handshake_answers_carry_no_envelope(dispatcher: Any) -> None:
    result = dispatcher.handle("tools/list", {}, NEWEST)
    assert set(result) == {"tools"}


@pytest.mark.parametrize("revision", [*revisions.HANDSHAKE_REVISIONS, STATELESS])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("tools/call", {"name": "small_get_builtin", "arguments": {"name": "op3"}}),
        ("tools/call", {"name": "small_get_builtin", "arguments": {"name": "nothing"}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "kb://small/docs/docs/maps%20%26%20sets.md"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "start", "arguments": {"task": "a bank"}}),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "kb://small/builtins/{id}"},
                "argument": {"name": "id", "value": "op1"},
            },
        ),
    ],
)
def test_every_answer_fits_the_published_schema(
    dispatcher: Any, method: str, params: dict[str, Any], revision: str
) -> None:
    stateless = revision == STATELESS
    answer = dispatcher.handle(method, {**params, **(ENVELOPE if stateless else {})}, revision)
    assert sdk.serialize_server_result(method, revision, answer) == answer


def test_a_method_of_the_other_era_is_not_found(dispatcher: Any) -> None:
    assert refusal(dispatcher, "server/discover", {}).rpc_code == revisions.METHOD_NOT_FOUND
    for method in ("initialize", "ping"):
        error = refusal(dispatcher, method, ENVELOPE, STATELESS)
        assert (error.rpc_code, error.data) == (revisions.METHOD_NOT_FOUND, method)


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("tools/call", None, "name"),
        ("tools/call", {"name": 7}, "name"),
        ("tools/call", {"name": "small_get_builtin", "arguments": [1]}, "arguments"),
        ("tools/call", {"name": "x", "_meta": 3}, "_meta"),
        ("tools/call", {"name": "x", "_meta": {"progressToken": []}}, "progressToken"),
        ("tools/list", {"cursor": 5}, "cursor"),
        ("resources/read", {}, "uri"),
        ("prompts/get", {"name": "start", "arguments": {"task": 1}}, "arguments"),
        ("completion/complete", {"ref": {"type": "ref/none"}, "argument": {}}, "ref"),
        ("initialize", {**HELLO, "clientInfo": {"name": "x"}}, "clientInfo"),
    ],
)
def test_params_of_a_wrong_shape_are_invalid_and_the_field_is_named(
    dispatcher: Any, method: str, params: Any, field: str
) -> None:
    error = refusal(dispatcher, method, params)
    assert (error.rpc_code, error.message) == (
        revisions.INVALID_PARAMS,
        "Invalid request parameters",
    )
    assert field in error.data


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({revisions.CAPABILITIES_KEY: 1}, revisions.INVALID_PARAMS),
        (
            {revisions.CAPABILITIES_KEY: {}, revisions.CLIENT_INFO_KEY: {"name": "x"}},
            revisions.INVALID_PARAMS,
        ),
        (
            {revisions.CAPABILITIES_KEY: {}, revisions.LOG_LEVEL_KEY: "loud"},
            revisions.INVALID_PARAMS,
        ),
    ],
)
def test_a_malformed_envelope_is_refused(dispatcher: Any, meta: Any, code: int) -> None:
    params = {"_meta": {revisions.REVISION_KEY: STATELESS, **meta}}
    assert refusal(dispatcher, "tools/list", params, STATELESS).rpc_code == code


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/templates/list"])
def test_lists_of_one_page_refuse_any_cursor(dispatcher: Any, method: str) -> None:
    assert refusal(dispatcher, method, {"cursor": "abc"}).rpc_code == revisions.INVALID_PARAMS


def test_an_unknown_tool_is_a_protocol_error(dispatcher: Any) -> None:
    error = refusal(dispatcher, "tools/call", {"name": "nope"})
    assert (error.rpc_code, error.message) == (revisions.INVALID_PARAMS, "Unknown tool: nope")


def test_missing_and_null_arguments_equal_none_given(dispatcher: Any) -> None:
    expected = call(dispatcher, "small_list_builtins", {})
    assert call(dispatcher, "small_list_builtins") == expected
    assert (
        dispatcher.handle("tools/call", {"name": "small_list_builtins", "arguments": None}, NEWEST)
        == expected
    )


def test_a_failing_tool_answers_with_the_fix(dispatcher: Any) -> None:
    result = call(dispatcher, "small_get_builtin", {"name": "op1299"})
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("Error: ")
    error = result["structuredContent"]["error"]
    assert error["kind"] == "NOT_FOUND"
    assert "op129" in error["suggestions"]


def test_arguments_of_a_wrong_type_are_a_tool_error(dispatcher: Any) -> None:
    result = call(dispatcher, "small_get_builtin", {"name": {"no": "text"}})
    assert result["structuredContent"]["error"]["kind"] == "BAD_INPUT"


def test_a_refusal_names_the_arguments_that_the_tool_does_not_have(dispatcher: Any) -> None:
    for arguments in ({"nam": "fold"}, {"nam": "fold", "name": "nothing"}):
        error = call(dispatcher, "small_get_builtin", arguments)["structuredContent"]["error"]
        assert error["next"][-1] == 'The unknown argument "nam" was ignored (did you mean name?).'
    error = call(dispatcher, "small_get_builtin", {"\ud800": 1})["structuredContent"]["error"]
    assert error["next"][-1] == 'The unknown argument "\N{REPLACEMENT CHARACTER}" was ignored.'


def test_lone_surrogates_in_arguments_are_replaced(dispatcher: Any) -> None:
    result = call(dispatcher, "small_get_builtin", {"name": "op\ud800", "x\udc00": ["\ud800"]})
    assert "\ufffd" in result["content"][0]["text"]
    result["content"][0]["text"].encode("utf-8")


@pytest.mark.parametrize("revision", [NEWEST, STATELESS])
def test_a_defect_in_a_tool_leaks_nothing(
    dispatcher: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    revision: str,
) -> None:
    def explode(*_: Any) -> None:
        raise RuntimeError("secret of /etc/shadow")

    monkeypatch.setattr(Artifact, "catalog", explode)
    result = call(dispatcher, "small_get_builtin", {"name": "op1"}, revision)
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["kind"] == "INTERNAL"
    for leak in ("secret", "/etc", "Traceback", "RuntimeError", __file__):
        assert leak not in str(result)
    assert "secret of /etc/shadow" in capsys.readouterr().err


def test_a_defect_outside_tools_leaks_nothing(
    dispatcher: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(*_: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("kb_runtime.mcp.resources.list_resources", explode)
    error = refusal(dispatcher, "resources/list", {})
    assert (error.rpc_code, error.message) == (revisions.INTERNAL_ERROR, "Internal server error")
    assert "secret" in capsys.readouterr().err


def test_a_damaged_section_is_told_without_its_path(
    corpus: Any, dispatcher: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    records = next(corpus.path.glob("*/catalog/builtins.bin"))
    records.chmod(0o644)
    data = bytearray(records.read_bytes())
    data[0] ^= 1
    records.write_bytes(data)
    result = call(dispatcher, "small_get_builtin", {"name": "op1"})
    assert result["structuredContent"]["error"]["kind"] == "UNAVAILABLE"
    assert str(corpus.path) not in str(result)
    error = refusal(dispatcher, "resources/list", {})
    assert "altered" in error.message
    assert str(corpus.path) not in error.message
    assert "altered" in capsys.readouterr().err


def test_a_new_version_is_served_from_the_next_request_on(corpus: Any, dispatcher: Any) -> None:
    before = dispatcher.handle("initialize", HELLO, NEWEST)
    corpus.publish("2")
    after = dispatcher.handle("initialize", HELLO, NEWEST)
    assert before["serverInfo"]["version"] == "1"
    assert after["serverInfo"]["version"] == "2"


def test_a_cursor_of_another_build_is_refused(corpus: Any, dispatcher: Any) -> None:
    cursor = dispatcher.handle("resources/list", {}, NEWEST)["nextCursor"]
    corpus.publish("2")
    assert (
        refusal(dispatcher, "resources/list", {"cursor": cursor}).rpc_code
        == revisions.INVALID_PARAMS
    )


def test_profiles_offer_their_tools_only(dispatch: Any) -> None:
    def names(profile: str) -> list[str]:
        listed = dispatch(profile).handle("tools/list", {}, NEWEST)
        return [tool["name"] for tool in listed["tools"]]

    compact = names("compact")
    assert len(compact) <= 8
    assert not set(compact) & set(names("all"))
    assert set(names("reference")) < set(names("all"))
    assert sorted(names("reference,search")) == sorted(names("reference") + names("search"))
    error = refusal(dispatch("compact"), "tools/call", {"name": "small_get_builtin"})
    assert error.message == "Unknown tool: small_get_builtin"


def test_a_later_version_offers_what_is_left_of_the_profile(dispatch: Any, corpus: Any) -> None:
    dispatcher = dispatch("reference,search")
    both = dispatcher.handle("tools/list", {}, NEWEST)["tools"]
    corpus.publish("2", docs=[], builtins=[], patterns=[PATTERN])
    left = dispatcher.handle("tools/list", {}, NEWEST)["tools"]
    assert {tool["name"] for tool in left} == {"small_hybrid_search", "small_search_docs"}
    assert len(left) < len(both)
    corpus.publish("1")
    assert dispatcher.handle("tools/list", {}, NEWEST)["tools"] == both


def test_a_later_version_without_any_family_of_the_profile_is_not_served(
    corpus: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    live = LiveArtifact(corpus.path)
    dispatcher = Dispatcher(live, "reference,search")
    Changes(live, dispatcher)
    before = dispatcher.handle("tools/list", {}, NEWEST)["tools"]
    corpus.publish("2", docs=[], builtins=[])
    for _ in range(3):
        live.follow()
        assert dispatcher.handle("ping", {}, NEWEST) == {}
        assert dispatcher.handle("initialize", HELLO, NEWEST)["serverInfo"]["version"] == "1"
        assert dispatcher.handle("tools/list", {}, NEWEST)["tools"] == before
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "has no tools of the profile reference,search" in told
    corpus.publish("3", docs=[])
    assert dispatcher.handle("initialize", HELLO, NEWEST)["serverInfo"]["version"] == "3"
    live.close()


@pytest.mark.parametrize("profile", ["nope", "compact,serch", "reference,"])
def test_an_unknown_profile_is_refused_with_the_families(dispatch: Any, profile: str) -> None:
    with pytest.raises(ProfileError, match="reference"):
        dispatch(profile)


def test_all_families_and_the_general_tools_can_be_offered_together(dispatch: Any) -> None:
    def names(profile: str) -> set[str]:
        tools = dispatch(profile).handle("tools/list", {}, NEWEST)["tools"]
        return {tool["name"] for tool in tools}

    assert names("all, compact") == names("all") | names("compact") > names("all")
