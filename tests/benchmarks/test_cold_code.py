"""A cold start in short: the first answer has results, whatever it took."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.cold_code import agreement, start
from benchmarks.made_up import write_modules


def test_the_first_answer_after_a_cold_start_has_results(tmp_path: Path) -> None:
    write_modules(tmp_path / "tree", 20, 2.0)
    found = start(tmp_path / "tree", "value of a name", dict(os.environ), tmp_path / "cache")
    assert found.results > 0
    assert found.state in ("drafting", "indexing")
    assert 0 < found.hello_s < found.answer_s


def test_what_is_found_by_reading_is_what_a_draft_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_modules(tmp_path / "tree", 20, 2.0)
    agreement(tmp_path / "tree", tmp_path, count=20)
    words = capsys.readouterr().out.split()
    assert float(words[9].rstrip(",")) > 0.8
