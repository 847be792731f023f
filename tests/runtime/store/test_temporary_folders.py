from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from kb_runtime.store import temporary_folders
from kb_runtime.store.temporary_folders import lock_folder, temporary_folder


def test_a_folder_is_there_for_as_long_as_it_is_needed_and_removes_those_of_killed_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    for name in ("work-killed", "work-living", "other-killed"):
        (tmp_path / name / "content").mkdir(parents=True)
    living = lock_folder(str(tmp_path / "work-living"))
    assert living is not None
    with temporary_folder("work-") as first, temporary_folder("work-") as second:
        there = {path.name for path in tmp_path.iterdir()}
        assert there == {"work-living", "other-killed", Path(first).name, Path(second).name}
    os.close(living)
    assert {path.name for path in tmp_path.iterdir()} == {"work-living", "other-killed"}
