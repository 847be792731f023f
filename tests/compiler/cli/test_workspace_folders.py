"""`kbc workspace` with folders that are not there: an error, and nothing is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kbc.cli.main import run


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("command", [("prune",), ("remove", "t-1")])
def test_what_takes_from_a_workspace_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], there: bool
) -> None:
    folder = tmp_path / "typo"
    if there:
        folder.mkdir()
    name, *more = command
    assert run(["workspace", name, str(folder), *more]) == exit_codes.USAGE
    assert f"there is no workspace at '{folder}'" in capsys.readouterr().err
    assert list(tmp_path.rglob("*")) == ([folder] if there else [])


@pytest.mark.parametrize("command", ["index", "follow"])
def test_a_tree_that_is_not_there_makes_no_workspace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    tree = str(tmp_path / "typo")
    given = ["workspace", command, str(tmp_path / "ws"), "--code", tree]
    assert run(given) == exit_codes.USAGE
    assert f"--code '{tree}' is not a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
