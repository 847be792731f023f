from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from kb_runtime.live.workspace import (
    FORMAT,
    FORMAT_FILE,
    Workspace,
    WorkspaceError,
)
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.locks import try_lock


def refusal(path: Path) -> WorkspaceError:
    with pytest.raises(WorkspaceError) as caught:
        Workspace.open(path)
    assert caught.value.message.endswith(".")
    return caught.value


@pytest.mark.parametrize("there", [False, True])
def test_a_new_or_empty_folder_becomes_a_workspace(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "a" / "ws"
    if there:
        folder.mkdir(parents=True)
    assert Workspace.open(folder).root == str(folder)
    assert json.loads((folder / FORMAT_FILE).read_bytes()) == {"format": FORMAT}
    assert Workspace.open(folder).root == str(folder)


def test_a_folder_with_other_content_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("")
    assert "neither empty nor a workspace: it holds 'main.py'" in refusal(tmp_path).message
    assert [path.name for path in tmp_path.iterdir()] == ["main.py"]


@pytest.mark.parametrize("content", ['{"format": 99}', "[]", "{", ""])
def test_another_format_is_refused_with_its_number(tmp_path: Path, content: str) -> None:
    (tmp_path / FORMAT_FILE).write_text(content)
    shown = "99" if "99" in content else "'unknown'"
    assert f"has format {shown}; this kbc uses format {FORMAT}" in refusal(tmp_path).message
    assert (tmp_path / FORMAT_FILE).read_text() == content


def test_a_path_that_is_a_file_or_below_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    assert "is not a folder" in refusal(file).message
    assert "is not a folder" in refusal(file / "below").message


def test_a_limit_of_file_sizes_is_one_sentence_and_leaves_no_half_written_file(
    tmp_path: Path,
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        refused = refusal(tmp_path / "ws")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "the limit of file sizes is reached: 14 bytes are needed" in refused.message
    assert list((tmp_path / "ws").iterdir()) == []


def test_what_a_killed_server_left_of_the_marker_goes_when_nobody_is_at_it(tmp_path: Path) -> None:
    left, busy = (tmp_path / f".{FORMAT_FILE}.{number}.new" for number in (1, 2))
    left.touch()
    with busy.open("w") as file:
        assert try_lock(file.fileno())
        Workspace.open(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {FORMAT_FILE, busy.name}


def test_trees_do_not_share_a_folder(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    one, other = (workspace.code(str(tmp_path / name)) for name in ("one", "other"))
    assert one.folder != other.folder
    assert one.folder == workspace.code(f"{tmp_path}/x/../one").folder


def test_the_status_of_a_tree_is_what_was_written_whole(tmp_path: Path) -> None:
    code = Workspace.open(tmp_path / "ws").code(str(tmp_path))
    assert code.status() == {}
    Path(code.folder).mkdir(parents=True)
    for content, expected in (("{", {}), ("[1]", {}), ('{"state": "ready"}', {"state": "ready"})):
        replace_file(code.status_path, content.encode())
        assert code.status() == expected
    assert [path.name for path in Path(code.folder).iterdir()] == ["status.json"]


def test_a_tree_is_followed_while_a_process_holds_its_lock(tmp_path: Path) -> None:
    code = Workspace.open(tmp_path / "ws").code(str(tmp_path))
    assert not code.is_followed()
    Path(code.folder).mkdir(parents=True)
    with Path(code.lock_path).open("w") as lock:
        assert not code.is_followed()
        assert try_lock(lock.fileno())
        assert code.is_followed()
    assert not code.is_followed()


def test_what_lies_where_the_marker_should_be_is_one_sentence(tmp_path: Path) -> None:
    marker = tmp_path / "workspace.json"
    marker.write_text("[" * 20_000)
    with pytest.raises(WorkspaceError, match="has format 'unknown'"):
        Workspace.open(tmp_path)
    marker.unlink()
    os.mkfifo(marker)
    with pytest.raises(WorkspaceError, match=r"workspace.json is not a regular file"):
        Workspace.open(tmp_path)


def test_a_status_that_is_a_pipe_or_without_a_bottom_says_nothing(tmp_path: Path) -> None:
    code = Workspace.open(tmp_path / "workspace").code(str(tmp_path))
    Path(code.folder).mkdir(parents=True)
    Path(code.status_path).write_text("[" * 20_000)
    assert code.status() == {}
    Path(code.status_path).unlink()
    os.mkfifo(code.status_path)
    assert code.status() == {}
