"""Workspaces that cannot be read or written: what ships is served, and the reason is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.end_to_end.sealed import namespaces
from tests.end_to_end.serving.workspace.files import Serve, titles
from tests.waiting import PATIENCE_S

from kb_runtime.live.workspace import Workspace
from kbc.pipeline.build import BuildReport


@pytest.mark.parametrize("content", [b"[" * 20_000, None])
def test_what_ships_is_served_alone_where_the_workspace_is_none(
    shipped: BuildReport, serve: Serve, tree: Path, tmp_path: Path, content: bytes | None
) -> None:
    marker = tmp_path / "ws" / "workspace.json"
    marker.parent.mkdir()
    os.mkfifo(marker) if content is None else marker.write_bytes(content)
    talk = serve(shipped.path.parent, "--code", str(tree))
    health = talk.facts("check_health")
    assert (health["status"], health["tests"]) == ("DEGRADED", 1)
    assert "the workspace is not served (workspace)" in health["problems"][0]
    _, errors = talk.process.communicate(timeout=PATIENCE_S)
    assert errors.startswith(b"kbc: serving without the workspace: The workspace ")
    assert errors.count(b"\n") == 1


@pytest.mark.slow
def test_a_workspace_that_cannot_be_written_any_more_is_told_and_nothing_else_fails(
    shipped: BuildReport, serve: Serve, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "ws").mkdir()
    Workspace.open(tmp_path / "ws")
    for name in ("tests", "code"):  # folders that somebody has replaced by files
        (tmp_path / "ws" / name).write_text("")
    talk = serve(shipped.path.parent, "--code", str(tree))
    answer = talk("ingest_tests", functional_path="new.json")
    assert answer["isError"]
    assert "the tests were not stored: " in answer["content"][0]["text"]
    assert f"{tmp_path / 'ws' / 'tests'} is not a folder." in answer["content"][0]["text"]
    told = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert str(tmp_path / "ws" / "code") in told["metadata"]["indexStatus"]["problem"]
    assert titles(talk.facts("search_tests", query="sail")) == ["Hoist the sail"]


@namespaces
def test_a_workspace_without_any_space_is_told(
    pages: Path, serve: Serve, tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "ws").mkdir()
    script = """
    mount -t tmpfs -o size=32k none "$0" && printf '{"format": 1}' > "$0/workspace.json" || exit 1
    cat /dev/zero > "$0/fill" 2>/dev/null
    exec "$@"
    """
    before = ("unshare", "-rm", "sh", "-c", script, str(tmp_path / "ws"))
    talk = serve(pages, "--code", str(tree), before=before)
    told = talk.until(
        lambda facts: facts["metadata"]["indexStatus"]["status"] == "failed",
        "codebase_retrieval",
        query="queue",
    )
    assert "no space left" in told["metadata"]["indexStatus"]["problem"].lower()
    assert not any("ask again in a few seconds" in warning for warning in told["warnings"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"workspace.json": '{"format": 2}'}, "has format 2; this kbc uses format 1."),
        ({"main.py": ""}, "is neither empty nor a workspace"),
        (None, "is not a folder."),
    ],
)
def test_an_unusable_workspace_is_one_sentence_and_the_artifact_is_served(
    shipped: BuildReport,
    serve: Serve,
    tmp_path: Path,
    content: dict[str, str] | None,
    said: str,
) -> None:
    folder = tmp_path / "ws"
    if content is None:
        folder.write_text("")
    else:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text)
    talk = serve(shipped.path.parent)
    assert titles(talk.facts("search_tests", query="sail")) == ["Hoist the sail"]
    assert talk.facts("ingest_tests", functional_path="new.json")["persisted"] is False
    talk.process.terminate()
    _, complaint = talk.process.communicate()
    assert said in complaint.decode()
    assert complaint.count(b"\n") == 1
