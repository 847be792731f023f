"""The first index of a tree, in short: words answer first, answers keep coming, then meaning does too."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.made_up import write_modules
from benchmarks.workspace import HYBRID, KEYWORD, run

FILES = 40  # their embedding takes seconds, so that an answer by words is asked for in time


@pytest.mark.slow
def test_answers_come_by_words_at_once_and_by_meaning_when_all_is_embedded(tmp_path: Path) -> None:
    write_modules(tmp_path / "tree", FILES, 2.0)
    outcome = run(tmp_path / "tree", tmp_path / "scratch", edits_each=1, tests=3)
    assert outcome.answers[0].mode == KEYWORD
    assert outcome.wrong == []
    assert outcome.hybrid is not None
    assert outcome.answers[-1].mode == HYBRID
