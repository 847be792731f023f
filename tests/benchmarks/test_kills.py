from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.kills.__main__ import VICTIMS, run

ROUNDS = 10
SEED = 7


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_whatever_is_killed_leaves_a_good_version_and_nothing_else(tmp_path: Path) -> None:
    outcome = run(tmp_path, ROUNDS, SEED)
    assert outcome.failures == []
    assert sum(outcome.rounds.values()) == ROUNDS
    assert {what.partition(":")[0] for what in outcome.rounds} == set(VICTIMS)
