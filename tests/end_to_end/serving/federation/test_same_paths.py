"""Knowledge bases whose files have the same paths: no tool takes a file of one for that of another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.serving.federation.library import (
    REVISION,
    Library,
    call,
    settings_of,
    text_of,
)

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.live.working_tree import WorkingTree
from kb_runtime.mcp.dispatch import Dispatcher

REFERENCE = "docs/builtin.md"


def _files(name: str, operator: str) -> dict[str, str]:
    collections = (
        '[[collection]]\nname = "builtins"\nkind = "builtins"\npaths = ["docs/builtin.md"]\n'
        '[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["docs"]\n'
        '[[collection]]\nname = "code"\nkind = "code"\npaths = ["code"]\n'
    )
    return {
        "kb.toml": settings_of(name) + collections,
        REFERENCE: (
            f"# Builtins\n\n## `{operator}`\n\nSignature: `pure def {operator}: (str) => bool`\n\n"
            f"The {name} {operator} moors the ship. It holds a sprocket.\n\n"
            + f"{name.title()}ern moor ropes are slow, and long, and wet.\n\n"
            * 60
        ),
        "docs/quay.md": f"# The quay\n\nThe quay of {name} has a sprocket.\n",
        "code/main.py": (
            f"def helper():\n    return '{name} helper'\n\n\n"
            f"def caller_{name}():\n    return helper()\n"
        ),
    }


@pytest.fixture(scope="module")
def live(library: Library) -> Iterator[LiveArtifact]:
    """`north` and `south`; both define the operator `moor` on the same lines of one page."""
    built = [library.build(name, _files(name, "moor"), embed=False) for name in ("north", "south")]
    live = LiveArtifact(*built)
    yield live
    live.close()


@pytest.fixture(scope="module")
def pair(live: LiveArtifact) -> Dispatcher:
    return Dispatcher(live)


def structured(dispatcher: Dispatcher, tool: str, **arguments: Any) -> dict[str, Any]:
    result = call(dispatcher, tool, **arguments)
    assert not result["isError"], text_of(result)
    found: dict[str, Any] = result["structuredContent"]
    return found


def test_lines_are_found_in_the_pages_of_every_knowledge_base(pair: Dispatcher) -> None:
    found = structured(pair, "sea_search_docs", query="sprocket")
    assert found["total"] == 4
    assert [(one["address"], one["line"]) for one in found["matches"]] == [
        ("kb://north/docs/docs/builtin.md", 7),
        ("kb://south/docs/docs/builtin.md", 7),
        ("kb://north/docs/docs/quay.md", 3),
        ("kb://south/docs/docs/quay.md", 3),
    ]
    for one in found["matches"]:
        page = structured(pair, "sea_get_doc", filename=one["address"], startLine=one["line"])
        assert page["content"].startswith(one["content"])


def test_lines_of_one_knowledge_base_need_no_address(pair: Dispatcher) -> None:
    found = structured(pair, "sea_search_docs", query="sprocket", kb="south")
    assert found["total"] == 2
    assert not any("address" in one for one in found["matches"])


def test_no_hit_is_shown_as_the_entry_of_another_knowledge_base(pair: Dispatcher) -> None:
    ids = [hit["id"] for hit in structured(pair, "sea_hybrid_search", query="southern")["results"]]
    assert "kb://south/builtins/moor" in ids
    assert "kb://north/builtins/moor" not in ids


def _main(name: str) -> str:
    return f"kb://{name}/code/main.py"


def test_passages_of_one_path_are_of_several_files(pair: Dispatcher) -> None:
    context = structured(pair, "get_context_for_prompt", query="helper", min_relevance=0)
    assert {(each["address"], *each["symbols"]) for each in context["files"]} == {
        (_main(name), "helper", f"caller_{name}") for name in ("north", "south")
    }
    for name in ("north", "south"):
        _, _, of_file = context["context"].partition(f"## {_main(name)}\n")
        assert f"'{name} helper'" in of_file.partition("\n## ")[0]
    for tool in ("codebase_retrieval", "semantic_search"):
        results = structured(pair, tool, query="south helper")["results"]
        assert results[0]["address"] == _main("south")
    found = structured(pair, "symbol_definition", symbol="caller_south")
    assert found["definition"]["address"] == _main("south")


def test_a_call_means_the_definition_of_its_own_knowledge_base(pair: Dispatcher) -> None:
    found = structured(pair, "symbol_references", symbol="helper")
    assert [(one["inside"], one["address"], one["definition"]) for one in found["references"]] == [
        (f"caller_{name}", _main(name), f"{_main(name)}:1") for name in ("north", "south")
    ]
    sides = structured(pair, "call_relationships", symbol="helper")
    assert {(one["symbol"], one["address"], *one["calls"]) for one in sides["callers"]} == {
        (f"caller_{name}", _main(name), f"{_main(name)}:6") for name in ("north", "south")
    }


def test_code_of_one_knowledge_base_needs_no_address(pair: Dispatcher) -> None:
    found = structured(pair, "symbol_references", symbol="helper", kb="south")
    assert [one["definition"] for one in found["references"]] == ["main.py:1"]
    assert "address" not in found["definitions"][0]


def test_a_file_that_is_current_does_not_hide_that_another_has_changed(
    live: LiveArtifact, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(_files("south", "moor")["code/main.py"])
    dispatcher = Dispatcher(live, working_tree=WorkingTree(str(tmp_path)))
    assert structured(dispatcher, "index_status")["changed"] == [_main("north")]
    found = structured(dispatcher, "symbol_definition", symbol="helper")
    assert [one.get("stale") for one in (found["definition"], *found["others"])] == [True, None]
    assert found["warnings"] == [f"changed since it was indexed: {_main('north')}"]


@pytest.fixture(scope="module")
def compact(live: LiveArtifact) -> Dispatcher:
    return Dispatcher(live, "compact")


def asked(dispatcher: Dispatcher, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call; tools of the compact profile have no schema of their answers."""
    params = {"name": tool, "arguments": arguments}
    result: dict[str, Any] = dispatcher.handle("tools/call", params, REVISION)
    return result


def test_every_collection_on_offer_can_be_asked_for_with_its_knowledge_base(
    compact: Dispatcher,
) -> None:
    listed = compact.handle("tools/list", {}, REVISION)["tools"]
    (tool,) = (tool for tool in listed if tool["name"] == "sea_list")
    offered = tool["inputSchema"]["properties"]["collection"]["enum"]
    assert {"north.docs", "south.docs"} <= set(offered)
    for name in ("north", "south"):
        for collection in (f"{name}.docs", f"{name.title()}.Docs", "docs"):
            found = asked(compact, "sea_list", collection=collection, kb=name)["structuredContent"]
            assert [one["id"] for one in found["records"]] == ["docs/builtin.md", "docs/quay.md"]
        page = asked(compact, "sea_get", name="docs/quay.md", collection=f"{name}.docs", kb=name)
        assert f"The quay of {name}" in text_of(page)
    other = asked(compact, "sea_list", collection="north.docs", kb="south")
    assert 'no collection "north.docs"' in text_of(other)


def test_an_address_of_a_collection_leads_to_its_list(compact: Dispatcher) -> None:
    error = asked(compact, "sea_get", name="kb://south/docs/")["structuredContent"]["error"]
    assert error["next"][0] == 'Call sea_list with collection "south.docs".'


def test_a_name_that_is_close_to_one_of_several_is_suggested_once(compact: Dispatcher) -> None:
    error = asked(compact, "sea_get", name="docs/quai.md")["structuredContent"]["error"]
    assert error["suggestions"] == ["docs/quay.md"]


@pytest.mark.parametrize("chosen", [{}, {"kb": "south"}])
def test_an_address_of_a_knowledge_base_that_is_not_asked_means_no_record(
    pair: Dispatcher, compact: Dispatcher, chosen: dict[str, str]
) -> None:
    address = "kb://east/docs/docs/quay.md"
    if chosen:
        assert not asked(compact, "sea_get", name="kb://north/docs/docs/quay.md")["isError"]
        address = "kb://north/docs/docs/quay.md"
    for dispatcher, tool, arguments in (
        (compact, "sea_get", {"name": address}),
        (compact, "sea_get", {"name": address, "collection": "south.docs"}),
        (compact, "sea_outline", {"name": address}),
        (pair, "sea_get_doc", {"filename": address}),
        (
            pair,
            "sea_get_builtin",
            {"name": address.replace("docs/docs/quay.md", "builtins/moor")},
        ),
        (pair, "get_file", {"path": address.replace("docs/docs/quay.md", "code/main.py")}),
    ):
        result = asked(dispatcher, tool, **arguments, **chosen)
        assert result["isError"], (tool, text_of(result))
        assert result["structuredContent"]["error"]["kind"] == "NOT_FOUND"
    told = asked(compact, "sea_get", name=address, **chosen)
    served = "south" if chosen else "north, south"
    kb = address.split("/")[2]
    assert f'"{kb}", which is not searched here; available: {served}' in text_of(told)


def _workshop(title: str, exercises: int) -> dict[str, str]:
    content = f"# {title}\n\n{title} moors at the quay. "
    exported = {
        "workshop": {"title": title},
        "exercises": [
            {"exerciseNumber": number, "title": title, "instructions": {"content": content * 20}}
            for number in range(1, exercises + 1)
        ],
    }
    return {"workshops/mooring.json": json.dumps(exported)}


@pytest.mark.parametrize("arguments", [{"random": True}, {"kb": "aft", "exerciseNumber": 2}])
def test_learning_goes_on_in_the_workshop_that_it_began_in(
    library: Library, arguments: dict[str, Any]
) -> None:
    """Both have a workshop of that slug, with other exercises."""
    titles = {"fore": 1, "aft": 3}
    live = LiveArtifact(
        *(
            library.build(name, _workshop(name, count), embed=False)
            for name, count in titles.items()
        )
    )
    dispatcher = Dispatcher(live)
    for seed in range(6):
        asked = {"workshop": "mooring", "maxChars": 50, "seed": seed, **arguments}
        result = call(dispatcher, "retrieve_learning_context", **asked)
        first = result["structuredContent"]
        title = re.findall(r"# (\w+)", first["sections"][0]["content"])[0]
        (following,) = re.findall(r"_context` with `(.*)`", text_of(result))
        again = {**asked, "cursor": first["nextCursor"]}
        for more in (json.loads(following), again):
            rest = structured(dispatcher, "retrieve_learning_context", **more)
            assert rest["exerciseNumber"] == first["exerciseNumber"]
            assert title in rest["sections"][0]["content"]
    live.close()
