"""Edits of a watched knowledge base, in short: each is live and in the next answer, and little is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.made_up import write_pages
from benchmarks.watch import run

PAGES = 6
EDITS = 4


@pytest.mark.slow
def test_each_edit_embeds_its_own_chunks_and_is_in_the_next_answer(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "kb", "made-up", PAGES)
    outcome = run(tmp_path / "kb", pages, tmp_path, edits=EDITS - 2, starts=1, jobs=1)
    assert outcome.cold["chunks"] > 15 * PAGES
    assert len(outcome.edits) == EDITS
    assert [edit.visible for edit in outcome.edits] == [True] * EDITS
    # A sentence at the end of a page is a chunk of its own, or changes the last one.
    assert {edit.embedded for edit in outcome.edits} == {1}
