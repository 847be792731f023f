"""Workspaces above knowledge bases: their records shadow those of one id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.serving.federation.library import INITIALIZE, REVISION, Library, call, text_of

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher


def cases_of(**titles: str) -> str:
    """A file of tests by their uids, each with a tag of its own."""
    return json.dumps(
        {
            "tests": [
                {
                    "uid": uid,
                    "jiraKey": f"SEA-{uid[1:]}",
                    "title": title,
                    "priority": "High" if "new" in title else "Low",
                    "tags": [title.split()[0]],
                    "steps": [{"action": title, "expected": ["done"]}],
                }
                for uid, title in titles.items()
            ]
        }
    )


BELOW = {
    "tests/cases.json": cases_of(t1="Weigh old anchor", t2="Set the jib", t3="Furl the jib"),
    "code/pump.py": "def start_pump():\n    return 'old pump'\n",
    "code/sail.py": "def hoist_sail():\n    return 'sail'\n",
    "docs/pump.md": "# The pump\n\nThe old pump leaks.\n",
}
ABOVE = {
    "tests/cases.json": cases_of(t1="Drop new anchor"),
    "code/pump.py": "def start_pump():\n    return 'new pump'\n",
    "docs/pump.md": "# The pump\n\nThe new pump is quiet.\n",
}


@pytest.fixture(scope="module")
def layers(library: Library) -> tuple[Path, Path]:
    """A knowledge base, and a workspace that holds one of its tests and one of its files anew."""
    return library.build("base", BELOW), library.build("work", ABOVE)


@pytest.fixture(scope="module")
def served(layers: tuple[Path, Path]) -> Iterator[Dispatcher]:
    live = LiveArtifact(layers[0], workspaces=[layers[1]])
    yield Dispatcher(live)
    live.close()


def test_a_shadowed_record_has_no_place_in_a_federation(layers: tuple[Path, Path]) -> None:
    with (
        Artifact.open(layers[0]) as below,
        Artifact.open(layers[1]) as above,
        Federation([below, above], ("tests", "code"), served=1) as both,
    ):
        assert both.catalog("base.tests").ids() == ["t2", "t3"]
        assert both.catalog("work.tests").ids() == ["t1"]
        assert both.catalog("base.tests").find("t1") is None
        assert both.catalog("base.tests").find_all("SEA-1") == []
        assert [record["id"] for record in both.catalog("base.code")] == ["sail.py"]
        assert both.catalog("base.docs").ids() == both.catalog("work.docs").ids()
        assert both.collection("base.tests").records == 2
        facets = both.facets("base.tests")
        assert dict(facets.values("tag")) == {"set": 1, "furl": 1}
        assert facets.matching("tag", "*") == ["furl", "set"]
        assert both.facets("work.tests").count("priority", "high") == 1
        rows = range(len(both.chunks))
        assert rows == range(sum(info.chunks for info in both.collections))
        texts = [both.chunks[row]["text"] for row in rows]
        assert not any("old anchor" in text or "'old pump'" in text for text in texts)
        for info in both.collections:
            records = [both.chunks.column("record")[row] for row in info.rows]
            assert sorted({*records}) == list(range(info.records))
            for row in info.rows:
                assert both.collection_of(row) is info
                assert row in both.chunks.rows_of(both.chunks.column("record")[row], info.rows)


def test_no_tool_finds_a_shadowed_record(served: Dispatcher) -> None:
    found = call(served, "search_tests", query="weigh old anchor")
    assert "old anchor" not in text_of(found)
    assert "Drop new anchor" in text_of(found)
    assert "Drop new anchor" in text_of(call(served, "get_test_by_jira", jira_key="SEA-1"))
    filtered = call(served, "search_tests", query="jib", filters={"priority": "Low"})
    found_uids = {one["test"]["uid"] for one in filtered["structuredContent"]["results"]}
    assert found_uids == {"t2", "t3"}
    near = call(served, "find_similar_tests", jira_key="SEA-2")
    assert "old anchor" not in text_of(near)
    assert "new pump" in text_of(call(served, "get_file", path="pump.py"))
    code = call(served, "codebase_retrieval", query="start_pump")
    assert "new pump" in text_of(code)
    assert "old pump" not in text_of(code)
    health = call(served, "check_health")["structuredContent"]
    assert (health["tests"], health["status"]) == (3, "HEALTHY")


def test_a_workspace_is_no_knowledge_base_to_choose(served: Dispatcher) -> None:
    for tool in served.handle("tools/list", {}, REVISION)["tools"]:
        assert "kb" not in tool["inputSchema"]["properties"]
    assert served.handle("initialize", INITIALIZE, REVISION)["serverInfo"]["name"] == "base"


def test_a_workspace_may_come_later_and_have_the_name_of_what_it_belongs_to(
    library: Library, tmp_path: Path
) -> None:
    base = library.build("late", BELOW)
    work = library.build("late", ABOVE, place="late work")
    folder = tmp_path / "workspace"
    live = LiveArtifact(base, workspaces=[folder])
    dispatcher = Dispatcher(live)
    assert "old pump" in text_of(call(dispatcher, "get_file", path="pump.py"))
    folder.symlink_to(work)
    assert "new pump" in text_of(call(dispatcher, "get_file", path="pump.py"))
    address = {"uri": "kb://late/tests/t1"}
    read = dispatcher.handle("resources/read", address, REVISION)["contents"][0]["text"]
    assert "new anchor" in read
    live.close()
