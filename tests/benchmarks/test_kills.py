from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.kills import run


@pytest.mark.slow
def test_killed_compilers_and_watchers_leave_a_good_version_and_nothing_else(
    tmp_path: Path,
) -> None:
    outcome = run(tmp_path, 20, 7)
    assert outcome.failures == []
    assert sum(outcome.published.values()) == 20
