"""What `kbc init` leaves when it cannot write."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from kbc.project import starter
from kbc.project.loading import PROJECT_FILE
from kbc.project.starter import InitError, write_starter


@pytest.mark.parametrize("refused", [PROJECT_FILE, "getting-started.md"])
def test_a_starter_that_cannot_be_written_leaves_nothing(
    refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = starter.replace_file

    def full(path: Path, data: bytes) -> None:
        if path.name == refused:
            raise OSError(errno.ENOSPC, "there is no space left")
        write(path, data)

    monkeypatch.setattr(starter, "replace_file", full)
    with pytest.raises(InitError, match="there is no space left"):
        write_starter(tmp_path / "new" / "kb", "docs")
    assert list(tmp_path.iterdir()) == []

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.md").write_text("# Mine\n")
    with pytest.raises(InitError, match="there is no space left"):
        write_starter(tmp_path, "docs")
    assert [each.name for each in tmp_path.rglob("*")] == ["docs", "mine.md"]
