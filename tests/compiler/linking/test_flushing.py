from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.errors.shortages import ShortageError
from kb_runtime.knowledge.artifact import Artifact
from kbc.linking import flushing, self_check


@pytest.mark.parametrize("started", [0, 1, 3])
def test_everything_is_flushed_where_few_threads_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    for name in "abcdef":
        (tmp_path / name).write_text(name)
    flushed: list[Path] = []
    submit = ThreadPoolExecutor.submit

    def limited(self: Any, *arguments: Any) -> Any:
        nonlocal started
        started -= 1
        if started < 0:
            raise RuntimeError("can't start new thread")
        return submit(self, *arguments)

    monkeypatch.setattr(flushing, "flush", flushed.append)
    monkeypatch.setattr(ThreadPoolExecutor, "submit", limited)
    flushing.flush_tree(tmp_path)
    assert sorted(flushed) == [tmp_path, *sorted(tmp_path.iterdir())]


def test_an_error_of_a_flush_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise OSError("disk")

    monkeypatch.setattr(flushing, "flush", fail)
    with pytest.raises(OSError, match="disk"):
        flushing.flush_tree(tmp_path)


def test_a_build_that_cannot_be_read_for_want_of_memory_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise ArtifactError("shortage", "x cannot be read: no memory.", "Allow more.")

    monkeypatch.setattr(Artifact, "open", fail)
    with pytest.raises(ShortageError, match=r"x cannot be read: no memory\."):
        self_check.examine(tmp_path, None)
    monkeypatch.setattr(self_check, "load", fail)
    with pytest.raises(ShortageError):
        self_check.is_damaged(tmp_path)
