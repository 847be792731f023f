"""Every tool over two knowledge bases that have everything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.end_to_end.knowledge import FILES, write_knowledge
from tests.end_to_end.serving.federation.library import INITIALIZE, REVISION, Library, call, text_of
from tests.end_to_end.serving.test_every_tool import CALLS, CONTRACT_TOOLS, OURS

from kb_runtime.errors import ProtocolError
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

OTHER = {
    "kb.toml": FILES["kb.toml"].replace('"demo"', '"other"').replace("Demo", "Other"),
    "docs/parrot.md": "# The parrot\n\nThe parrot asks demo_search for a biscuit.\n",
}


@pytest.fixture(scope="module")
def pair(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    folder = tmp_path_factory.mktemp("pair")
    built = []
    for day, (name, changes) in enumerate((("demo", {}), ("other", OTHER))):
        write_knowledge(folder / name / "kb", **changes)
        options = BuildOptions(
            out=folder / name / "out", cache=library.cache, source_date_epoch=day * 86_400
        )
        built.append(build(folder / name / "kb", options).path.parent)
    data = folder / "data"
    data.mkdir()
    (data / "functional_tests_normalized.json").write_text('[{"uid": "t-9", "title": "New"}]')
    live = LiveArtifact(*built)
    yield Dispatcher(live, data_folder=str(data))
    live.close()


@pytest.mark.parametrize(("tool", "arguments", "expected"), CALLS, ids=[call[0] for call in CALLS])
def test_a_tool_answers_over_two_knowledge_bases(
    pair: Dispatcher, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    for chosen in ({}, {"kb": "demo"}, {"kb": "OTHER"}):
        result = call(pair, tool, **arguments, **chosen)
        assert not result["isError"], text_of(result)
        # An id that both have is told as an address.
        here = expected if chosen else expected.replace("doc:docs/", "/docs/docs/")
        assert here in json.dumps(result, ensure_ascii=False)


def test_both_knowledge_bases_offer_each_tool_once(pair: Dispatcher) -> None:
    tools = pair.handle("tools/list", {}, REVISION)["tools"]
    names = [tool["name"] for tool in tools]
    assert len(names) == len(set(names)) == CONTRACT_TOOLS + len(OURS)
    assert not [name for name in names if name.startswith("other_")]
    for tool in tools:
        assert tool["inputSchema"]["properties"]["kb"]["enum"] == ["demo", "other"]
    prompts = pair.handle("prompts/list", {}, REVISION)["prompts"]
    assert len({prompt["name"] for prompt in prompts}) == len(prompts)


def test_the_server_says_what_it_serves(pair: Dispatcher) -> None:
    answer = pair.handle("initialize", INITIALIZE, REVISION)
    assert answer["serverInfo"]["name"] == "demo+other"
    assert answer["serverInfo"]["title"] == "Demo knowledge and Other knowledge"
    assert "- demo: Demo knowledge" in answer["instructions"]
    assert "- other: Other knowledge" in answer["instructions"]
    assert "other_" not in answer["instructions"]
    assert len(answer["instructions"]) <= 2_048


def test_a_name_in_both_is_answered_with_the_addresses_of_all(pair: Dispatcher) -> None:
    result = call(pair, "demo_get_builtin", name="toSet")
    (warning,) = result["structuredContent"]["warnings"]
    assert "kb://demo/builtins/toSet" in warning
    assert "kb://other/builtins/toSet" in warning
    chosen = call(pair, "demo_get_builtin", name="toSet", kb="other")
    assert "warnings" not in chosen["structuredContent"]
    addressed = call(pair, "demo_get_builtin", name="kb://other/builtins/toSet")
    assert "warnings" not in addressed["structuredContent"]
    assert addressed["structuredContent"]["sourceUrl"] == "kb://other/builtins/toSet"
    page = call(pair, "demo_get_doc", filename="lanterns.md")
    assert "kb://other/docs/docs/lanterns.md" in text_of(page)
    alone = call(pair, "demo_get_doc", filename="parrot")
    assert "Note:" not in text_of(alone)


def test_hits_of_one_id_are_told_apart_by_address(pair: Dispatcher) -> None:
    result = call(pair, "demo_hybrid_search", query="extinguish the flame", k=10)
    hits = result["structuredContent"]["results"]
    ids = [hit["id"] for hit in hits]
    # The page that both have is one hit, which names the other.
    ids += [other for hit in hits for other in hit["metadata"].get("alsoIn", ())]
    assert len(ids) == len(set(ids))
    own = [id for id in ids if id.startswith(("kb://demo/", "kb://other/"))]
    assert any("kb://demo/docs/docs/lanterns.md" in id for id in own)
    assert any("kb://other/docs/docs/lanterns.md" in id for id in own)
    for id in own:
        if "/docs/" in id:
            assert not call(pair, "demo_get_doc", filename=id)["isError"]


def test_an_unknown_knowledge_base_is_refused_with_the_names(pair: Dispatcher) -> None:
    result = call(pair, "demo_get_builtin", name="toSet", kb="nope")
    assert result["isError"]
    assert "demo, other" in text_of(result)


def test_resources_of_both_have_addresses_that_resolve(pair: Dispatcher) -> None:
    cursor: dict[str, Any] = {}
    seen = set()
    while True:
        page = pair.handle("resources/list", cursor, REVISION)
        for resource in page["resources"]:
            assert resource["uri"] not in seen
            seen.add(resource["uri"])
            contents = pair.handle("resources/read", {"uri": resource["uri"]}, REVISION)
            assert contents["contents"][0]["uri"] == resource["uri"]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert {uri.split("/")[2] for uri in seen} == {"demo", "other"}
    templates = pair.handle("resources/templates/list", {}, REVISION)["resourceTemplates"]
    addresses = [template["uriTemplate"] for template in templates]
    assert "kb://other/docs/{id}" in addresses
    reference = {"type": "ref/resource", "uri": "kb://other/docs/{id}"}
    params = {"ref": reference, "argument": {"name": "id", "value": "parrot"}}
    values = pair.handle("completion/complete", params, REVISION)["completion"]["values"]
    assert values == ["docs/parrot.md"]
    with pytest.raises(ProtocolError):
        pair.handle("resources/read", {"uri": "kb://demo/docs/docs/parrot.md"}, REVISION)


def test_each_knowledge_base_was_indexed_when_it_was_built(pair: Dispatcher) -> None:
    times = {"demo": "1970-01-01T00:00:00Z", "other": "1970-01-02T00:00:00Z"}
    listed = call(pair, "list_workshops")["structuredContent"]["workshops"]
    assert {one["address"].split("/")[2]: one["lastIndexedAt"] for one in listed} == times
    listed = call(pair, "qurio_list_sources")["structuredContent"]["sources"]
    assert {one["address"].split("/")[2]: one["builtAt"] for one in listed} == times
    for kb, time in times.items():
        page = call(pair, "qurio_read_page", url=f"kb://{kb}/sources/almanac/tides.md")
        assert page["structuredContent"]["builtAt"] == time
        test = call(pair, "get_test_by_jira", jira_key=f"kb://{kb}/tests/t-1")
        assert test["structuredContent"]["ingested_at"] == time
