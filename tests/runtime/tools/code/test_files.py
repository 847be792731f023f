"""`get_file` and the globs of searches, over a small tree as a server with `--code` sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.working_tree import WorkingTree
from kb_runtime.live.workspace import CodeFolder
from kb_runtime.tools.arguments import check
from kb_runtime.tools.code.family import TOOLS
from kb_runtime.tools.session import Session
from kbc.following.source_index import SourceIndex


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    root = tmp_path_factory.mktemp("files")
    (root / "tree/app/sea").mkdir(parents=True)
    (root / "tree/app/sea/hull.py").write_text(
        "def float():\n    return 1\n\n\ndef sink():\n    return 2\n"
    )
    (root / "tree/only.py").write_text("x = 1\n")
    SourceIndex(root / "tree", CodeFolder(str(root / "code")), root / "cache").build(draft=True)
    with Artifact.open(root / "code" / "index") as artifact:
        yield Session(artifact, {}, working_tree=WorkingTree(str(root / "tree")))


def call(session: Session, name: str, **arguments: Any) -> dict[str, Any]:
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    values, _ = check(tool, arguments)
    structured: dict[str, Any] = tool.run(session, values).structured
    return structured


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("hull.py:5", "5-6"),
        ("app/sea/hull.py:1-2", "1-2"),
        ("./app/sea/hull.py#L1-L2", "1-2"),
        ("`hull.py`", "1-6"),
        ("hull.py:2-99", "2-6"),
    ],
)
def test_a_path_may_be_followed_by_lines(session: Session, path: str, lines: str) -> None:
    found = call(session, "get_file", path=path)
    assert (found["file"], found["lines"]) == ("app/sea/hull.py", lines)
    assert call(session, "get_file", path=path, start_line=3, end_line=4)["lines"] == "3-4"


def test_lines_behind_the_end_are_refused(session: Session) -> None:
    with pytest.raises(ToolError, match="start_line 7 is past the end"):
        call(session, "get_file", path="hull.py:7")


def test_a_file_of_the_tree_may_be_named_by_where_it_is_on_disk(session: Session) -> None:
    tree: Any = session.working_tree
    root = tree._root
    assert call(session, "get_file", path=f"{root}/app/sea/hull.py:5")["lines"] == "5-6"
    assert call(session, "code_outline", path=f"{root}/only.py")["file"] == "only.py"
    with pytest.raises(ToolError) as refused:
        call(session, "get_file", path=f"{root}-other/only.py")
    assert refused.value.kind == "NOT_FOUND"


ROOT = "; paths begin at the root of the index: "


@pytest.mark.parametrize(
    ("pattern", "unmatched", "place"),
    [
        ("sea/*.py", "sea/*.py", f"{ROOT}app/sea"),
        ("project/app/sea/", "project/app/sea/**", f"{ROOT}app/sea"),
        ("land/", "land/**", f"{ROOT}app/"),
        ("*.zig", "*.zig", ""),
    ],
)
def test_globs_that_match_no_file_are_said_to(
    session: Session, pattern: str, unmatched: str, place: str
) -> None:
    found = call(session, "codebase_retrieval", query="float", include_paths=[pattern])
    told = f'Nothing was found: no indexed file matches include_paths "{unmatched}"{place}.'
    assert told in found["warnings"]


def test_globs_that_match_a_file_are_not(session: Session) -> None:
    found = call(session, "codebase_retrieval", query="float", include_paths=["sea"])
    assert found["results"]
