"""Resources, their templates and completions."""

from __future__ import annotations

from typing import Any

import pytest

from kb_runtime.errors import ProtocolError
from kb_runtime.mcp import revisions
from kb_runtime.mcp.completions import matching

NEWEST = revisions.NEWEST_HANDSHAKE
STATELESS = revisions.STATELESS_REVISIONS[0]
META = {"_meta": {revisions.REVISION_KEY: STATELESS, revisions.CAPABILITIES_KEY: {}}}
PAGE_URI = "kb://small/docs/docs/maps%20%26%20sets.md"


def read(dispatcher: Any, uri: str) -> Any:
    return dispatcher.handle("resources/read", {"uri": uri}, NEWEST)["contents"][0]


def complete(dispatcher: Any, uri: str, name: str, value: str) -> Any:
    params = {
        "ref": {"type": "ref/resource", "uri": uri},
        "argument": {"name": name, "value": value},
    }
    return dispatcher.handle("completion/complete", params, NEWEST)["completion"]


def test_pages_hold_every_record_once_and_the_last_has_no_cursor(dispatcher: Any) -> None:
    uris: list[str] = []
    cursor = None
    sizes = []
    while True:
        params = {} if cursor is None else {"cursor": cursor}
        page = dispatcher.handle("resources/list", params, NEWEST)
        uris += [resource["uri"] for resource in page["resources"]]
        sizes.append(len(page["resources"]))
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert sizes == [100, 31]
    assert len(set(uris)) == 131
    assert PAGE_URI in uris


def test_every_listed_resource_can_be_read_and_has_its_size(dispatcher: Any) -> None:
    page = dispatcher.handle("resources/list", {}, NEWEST)
    for resource in page["resources"]:
        contents = read(dispatcher, resource["uri"])
        assert len(contents["text"].encode()) == resource["size"]
        assert contents["mimeType"] == resource["mimeType"] == "text/markdown"


def test_slashes_may_be_left_unencoded(dispatcher: Any) -> None:
    plain = read(dispatcher, "kb://small/docs/docs/maps%20%26%20sets.md")
    assert plain["text"] == read(dispatcher, PAGE_URI)["text"]


@pytest.mark.parametrize("cursor", ["", "x", "é", "AAAA", "=", "W10", "a" * 10_000])
def test_a_foreign_cursor_is_refused(dispatcher: Any, cursor: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        dispatcher.handle("resources/list", {"cursor": cursor}, NEWEST)
    assert caught.value.rpc_code == revisions.INVALID_PARAMS


@pytest.mark.parametrize(
    "uri",
    [
        "kb://small/builtins/nope",
        "kb://other/builtins/op1",
        "kb://small/nope/op1",
        "kb://small/builtins",
        "kb://small/builtins/",
        "kb://small/docs/..%2F..%2Fetc%2Fpasswd",
        "file:///etc/passwd",
        "",
        "kb://small/builtins/%ff",
    ],
)
@pytest.mark.parametrize(
    ("revision", "code"),
    [(NEWEST, revisions.RESOURCE_NOT_FOUND), (STATELESS, revisions.INVALID_PARAMS)],
)
def test_an_unknown_resource_is_a_protocol_error_that_names_it(
    dispatcher: Any, uri: str, revision: str, code: int
) -> None:
    with pytest.raises(ProtocolError) as caught:
        dispatcher.handle("resources/read", {"uri": uri, **META}, revision)
    assert caught.value.rpc_code == code
    assert caught.value.data == {"uri": uri}


def test_each_collection_has_a_template(dispatcher: Any) -> None:
    listed = dispatcher.handle("resources/templates/list", {}, NEWEST)["resourceTemplates"]
    assert [template["uriTemplate"] for template in listed] == [
        "kb://small/builtins/{id}",
        "kb://small/docs/{id}",
    ]


def test_completions_are_cut_at_a_hundred_and_say_so(dispatcher: Any) -> None:
    found = complete(dispatcher, "kb://small/builtins/{id}", "id", "OP")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 130, True)


def test_completions_give_ids_as_they_are(dispatcher: Any) -> None:
    found = complete(dispatcher, "kb://small/docs/{id}", "id", "maps")
    assert found == {"values": ["docs/maps & sets.md"], "total": 1, "hasMore": False}


def test_other_arguments_have_no_completions(dispatcher: Any) -> None:
    assert complete(dispatcher, "kb://small/docs/{id}", "line", "1")["values"] == []


def test_ids_that_begin_with_the_typed_text_come_first() -> None:
    assert matching(["unmap", "mapBy", "Map", "set"], "map") == ["Map", "mapBy", "unmap"]


@pytest.mark.parametrize(
    "ref",
    [
        {"type": "ref/resource", "uri": "kb://small/nope/{id}"},
        {"type": "ref/resource", "uri": "kb://small/docs/a.md"},
        {"type": "ref/prompt", "name": "nope"},
    ],
)
def test_completing_something_unknown_is_a_protocol_error(dispatcher: Any, ref: Any) -> None:
    params = {"ref": ref, "argument": {"name": "id", "value": ""}}
    with pytest.raises(ProtocolError) as caught:
        dispatcher.handle("completion/complete", params, NEWEST)
    assert caught.value.rpc_code == revisions.INVALID_PARAMS


def test_arguments_of_prompts_are_free_text(dispatcher: Any) -> None:
    params = {
        "ref": {"type": "ref/prompt", "name": "start"},
        "argument": {"name": "task", "value": "a"},
    }
    found = dispatcher.handle("completion/complete", params, NEWEST)["completion"]
    assert found == {"values": [], "total": 0, "hasMore": False}
