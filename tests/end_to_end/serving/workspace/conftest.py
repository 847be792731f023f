"""Artifacts, test cases and source trees for workspaces, and servers over them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.serving.workspace.files import NEW, SHIPPED, TREE, Serve
from tests.end_to_end.talk import Talk

from kbc.pipeline.build import BuildOptions, BuildReport, build


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> BuildReport:
    """Two pages, and one test that a workspace can replace."""
    assert pytestconfig.cache is not None
    root = tmp_path_factory.mktemp("shipped")
    (root / "docs").mkdir()
    (root / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (root / "tests").mkdir()
    (root / "tests" / "sea.json").write_text(json.dumps(SHIPPED))
    (root / "kb.toml").write_text('[kb]\nname = "sea"\n')
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(root, BuildOptions(out=root / "out", cache=cache))


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """A knowledge base with neither tests nor code."""
    assert pytestconfig.cache is not None
    root = tmp_path_factory.mktemp("pages")
    (root / "docs").mkdir()
    (root / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (root / "kb.toml").write_text('[kb]\nname = "sea"\n')
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return build(root, BuildOptions(out=root / "out", cache=cache)).path.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "new.json").write_text(json.dumps(NEW))
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


@pytest.fixture
def serve(start_server: Callable[..., Any], tmp_path: Path, data: Path) -> Serve:
    """`serve(artifact, *options)`: a conversation with a server over the test's workspace."""

    def go(
        artifact: Path,
        *options: str,
        workspace: Path = tmp_path / "ws",
        hello: bool = True,
        before: tuple[str, ...] = (),
    ) -> Talk:
        shown = ("--workspace", str(workspace), "--data", str(data), *options)
        return Talk(start_server(artifact, *shown, before=before), hello=hello)

    return go
