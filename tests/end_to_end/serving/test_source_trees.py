"""`kbc serve --code DIR` without an artifact: found by words at once, with symbols and meaning soon after."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from tests.end_to_end.processes import descendants, wait_until_gone
from tests.end_to_end.serving.test_stdio import ask
from tests.end_to_end.talk import Talk, first_file
from tests.small_artifact import publish_small
from tests.waiting import PATIENCE_S

from kb_runtime.errors import exit_codes
from kb_runtime.live.workspace import Workspace
from kb_runtime.start import main as server
from kb_runtime.store.locks import open_locked
from kb_runtime.store.manifest import LISTING
from kb_runtime.tools.code import family

TREES = Path(__file__).parents[2] / "data" / "code"
QUERY = "add an item to the cart"

Serve = Callable[..., Talk]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for path in (TREES / "python").rglob("*.py"):
        target = root / path.relative_to(TREES / "python")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    (root / ".git").mkdir()
    return root


@pytest.fixture
def serve(tmp_path: Path, environment: dict[str, str]) -> Iterator[Serve]:
    """`serve(*options, folder=...)`: a conversation with a server that is started in a folder."""
    started: list[Popen[bytes]] = []

    def go(*options: str, folder: Path = tmp_path) -> Talk:
        process = Popen(
            [sys.executable, "-m", "kb_runtime", *options],
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env={**environment, "KBC_CACHE": str(tmp_path / "cache")},
        )
        started.append(process)
        return Talk(process)

    yield go
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(PATIENCE_S)
        for pipe in (process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


@pytest.mark.slow
def test_the_project_around_is_indexed_into_the_cache(
    serve: Serve, tree: Path, tmp_path: Path
) -> None:
    talk = serve("--code", ".", folder=tree / "shop")
    assert talk.hello["serverInfo"]["title"] == "Source files of project"
    first = talk.until(
        lambda facts: first_file(facts) == "shop/cart.py", "codebase_retrieval", query=QUERY
    )
    assert first["metadata"]["workspace"] == str(tree)
    tools = ask(talk.process, {"jsonrpc": "2.0", "id": 9, "method": "tools/list"})["result"]
    assert {tool["name"] for tool in tools["tools"]} >= {tool.name for tool in family.TOOLS}

    status = talk.until(lambda facts: facts["symbols"] == "complete", "index_status")
    assert (status["fileCount"], status["languages"]) == (4, {"python": 4})
    references = talk.facts("symbol_references", symbol="Cart.check")
    assert [(each["file"], each["line"]) for each in references["references"]] == [
        ("shop/cart.py", 11)
    ]
    ready = talk.until(lambda facts: facts["meaning"] == "complete", "index_status")
    assert ready["isStale"] is False
    found = talk.facts("codebase_retrieval", query=QUERY)
    assert found["metadata"]["query_mode"] == "hybrid"
    assert (tmp_path / "cache" / "trees" / "workspace.json").exists()
    assert sorted(path.name for path in tree.iterdir()) == [".git", "main.py", "shop"]


@pytest.mark.slow
def test_files_are_searched_before_there_is_an_index(
    serve: Serve, tree: Path, tmp_path: Path
) -> None:
    code = Workspace.open(tmp_path / "cache" / "trees").code(str(tree))
    Path(code.folder).mkdir(parents=True)
    held = open_locked(code.lock_path)  # no draft is made meanwhile
    assert held is not None
    talk = serve("--code", str(tree))
    # A call waits for the list of files, but not for long.
    first = talk.until(lambda facts: bool(facts["results"]), "codebase_retrieval", query=QUERY)
    assert first_file(first) == "shop/cart.py"
    status = first["metadata"]["indexStatus"]
    assert (status["status"], status["fileCount"], status["embedding"]) == (
        "drafting",
        4,
        "pending",
    )
    assert any("the files themselves were searched by words" in told for told in first["warnings"])
    assert talk.facts("get_file", path="cart.py", end_line=1)["file"] == "shop/cart.py"
    (parsed_later,) = talk.facts("code_outline", path="cart.py")["warnings"]
    assert "still being parsed" in parsed_later
    refused = talk("symbol_search", symbol="Cart")
    assert refused["isError"]
    assert "they are being parsed" in refused["content"][0]["text"]
    facts = talk.facts("index_status")
    assert (facts["symbols"], facts["meaning"], facts["fileCount"]) == ("pending", "pending", 4)
    assert [each["state"] for each in facts["trees"]] == ["drafting"]
    assert talk.facts("codebase_retrieval", query="zzqqxx")["results"] == []

    os.close(held)
    talk.until(lambda facts: facts["symbols"] == "complete", "index_status")
    found = talk.facts("codebase_retrieval", query=QUERY)
    assert first_file(found) == "shop/cart.py"
    assert "themselves" not in json.dumps(found.get("warnings", []))
    assert not Path(code.kb_folders[0], LISTING).exists()


@pytest.mark.slow
def test_edits_have_symbols_at_once_and_deleted_files_are_named(serve: Serve, tree: Path) -> None:
    talk = serve("--code", str(tree))
    talk.until(lambda facts: facts["meaning"] == "complete", "index_status")
    cart = tree / "shop" / "cart.py"
    cart.write_text(cart.read_text() + "\n\ndef empty_all(carts):\n    Cart(None).check(carts)\n")
    found = talk.until(
        lambda facts: facts["total"] > 0, "symbol_search", symbol="empty_all", kinds=["function"]
    )
    assert found["results"][0]["lines"] == "31-32"
    callers = talk.facts("call_relationships", symbol="Cart.check", direction="callers")
    assert {site["symbol"] for site in callers["callers"]} == {"Cart.add", "empty_all"}

    (tree / "shop" / "prices.py").unlink()
    gone = talk.facts("codebase_retrieval", query="total_of rounded")
    told = json.dumps([gone.get("warnings", []), gone["metadata"]])
    files = [each["file"] for each in gone["results"]]
    # Until it is noticed it is named, and from then on it is no part of the index.
    assert "shop/prices.py" not in files
    assert "deleted since it was indexed: shop/prices.py" in told or "prices" not in told
    assert talk.facts("reindex_workspace")["accepted"] is True
    talk.until(lambda facts: facts["fileCount"] == 3, "index_status")


@pytest.mark.slow
def test_several_trees_are_told_apart(serve: Serve, tree: Path) -> None:
    talk = serve("--code", str(tree), "--code", str(TREES / "go"))
    talk.until(
        lambda facts: facts["symbols"] == "complete" and facts["fileCount"] == 8, "index_status"
    )
    status = talk.facts("index_status")
    assert [each["workspace"] for each in status["trees"]] == [str(tree), str(TREES / "go")]
    assert talk.facts("symbol_definition", symbol="Store")["definition"]["file"] == (
        "go/store/store.go"
    )
    assert talk.facts("get_file", path="project/main.py")["totalLines"] > 3
    assert "stale" not in talk.facts("code_outline", path="go/api/api.go")


@pytest.mark.slow
def test_a_second_server_answers_from_the_index_of_the_first(serve: Serve, tree: Path) -> None:
    first = serve("--code", str(tree))
    first.until(lambda facts: facts["meaning"] == "complete", "index_status")
    second = serve("--code", str(tree))
    assert second.facts("codebase_retrieval", query=QUERY)["metadata"]["query_mode"] == "hybrid"


def test_the_compiler_ends_with_the_server(serve: Serve, tree: Path) -> None:
    talk = serve("--code", str(tree))
    talk.facts("codebase_retrieval", query=QUERY)
    started = descendants(talk.process.pid)
    assert started
    assert talk.process.stdin is not None
    talk.process.stdin.close()
    talk.process.wait(PATIENCE_S)
    wait_until_gone(started)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "."], "--data has no effect without ARTIFACT: there are no tests."),
        (["--read-only"], "--read-only has no effect without ARTIFACT"),
        (["--key", "k.pem"], "--key has no effect without ARTIFACT"),
        (["--code", "."], "is given twice: give one of them."),
        (["--http", "--workers", "2"], "needs a single process: leave out --workers."),
        (
            ["--tools", "tests"],
            "--tools: 'tests' is not all, nor one or several of compact, codebase.",
        ),
    ],
)
def test_options_without_effect_are_refused(
    options: list[str],
    message: str,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tree)
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    assert server.main(["--code", ".", *options]) == exit_codes.USAGE
    told: Any = capsys.readouterr()
    assert message in told.err
    assert told.err.count("\n") == 1


def test_a_folder_that_an_artifact_without_code_is_compared_with_is_refused(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published = publish_small(tmp_path / "out")
    arguments = [str(published.path), "--code", str(tree)]
    assert server.main(arguments) == exit_codes.USAGE
    told = capsys.readouterr().err
    assert "has no effect" in told
    assert "Add --workspace DIR to index the folder." in told
    assert server.main([*arguments, "--code", str(TREES / "go")]) == exit_codes.USAGE
    assert "several --code need --workspace" in capsys.readouterr().err
