"""Files that changed after the build: what a search and a read say about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.codebase.shop import FILES, LOGIN, files
from tests.acceptance.conftest import REVISION, Client, Reply

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.live.working_tree import WorkingTree
from kb_runtime.mcp.dispatch import Dispatcher


class Compared:
    """A server that knows where the tree is edited."""

    def __init__(self, artifact: Path, tree: Path) -> None:
        live = LiveArtifact(artifact)
        self._dispatcher = Dispatcher(live, working_tree=WorkingTree(str(tree)))

    def call(self, tool: str, **arguments: Any) -> Reply:
        params = {"name": tool, "arguments": arguments}
        result = self._dispatcher.handle("tools/call", params, REVISION)
        return Reply(result["content"][0]["text"], result["structuredContent"], result["isError"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        if name.startswith("code/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    return tmp_path / "code"


@pytest.fixture
def compared(shop: Client, folder: Path, tree: Path) -> Compared:
    return Compared(folder / "out" / "shop", tree)


def test_an_unchanged_tree_is_not_stale(compared: Compared) -> None:
    answer = compared.call("codebase_retrieval", query="login").structured
    assert answer["metadata"]["indexStatus"]["isStale"] is False
    assert answer["metadata"]["indexStatus"]["comparedWithDisk"] is True
    assert "freshnessWarning" not in answer["metadata"]
    assert not any("stale" in result for result in answer["results"])


def test_text_that_moved_is_flagged_and_anchored_again(compared: Compared, tree: Path) -> None:
    query = "check a user's password against the stored hash"
    before = compared.call("codebase_retrieval", query=query, top_k=1).structured["results"][0]
    (tree / "shop/auth/login.py").write_text("# one\n# two\n" + LOGIN)
    answer = compared.call("codebase_retrieval", query=query, top_k=1).structured
    (result,) = answer["results"]
    assert result["stale"] is True
    assert result["content"] == before["content"]
    start, end = map(int, before["lines"].split("-"))
    assert result["lines"] == f"{start + 2}-{end + 2}"
    assert answer["metadata"]["indexStatus"]["isStale"] is True
    assert "shop/auth/login.py" in answer["metadata"]["freshnessWarning"]
    assert "kbc build" in answer["metadata"]["freshnessWarning"]


@pytest.mark.parametrize("text", ["def other(): pass\n", None])
def test_text_that_is_gone_is_left_out_with_a_warning(
    compared: Compared, tree: Path, text: str | None
) -> None:
    changed = tree / "shop/auth/login.py"
    if text is None:
        changed.unlink()
    else:
        changed.write_text(text)
    answer = compared.call("codebase_retrieval", query="authenticate_user password").structured
    assert answer["results"]
    assert "shop/auth/login.py" not in files(answer)
    assert any("shop/auth/login.py" in warning for warning in answer["warnings"])
    assert answer["metadata"]["indexStatus"]["isStale"] is True
    assert ("from disk" in answer["metadata"]["freshnessWarning"]) == (text is not None)
    told = compared.call("index_status").text
    what = "deleted" if text is None else "changed"
    assert f"1 {what} since it was indexed: shop/auth/login.py" in told
    assert answer["metadata"]["totalResults"] == len(answer["results"])


def test_a_changed_file_is_told_when_it_is_read(compared: Compared, tree: Path) -> None:
    assert "stale" not in compared.call("get_file", path="cart.ts").structured
    (tree / "web/src/cart.ts").write_text("changed")
    reply = compared.call("get_file", path="cart.ts")
    assert reply.structured["stale"] is True
    assert "Note: changed since it was indexed" in reply.text
