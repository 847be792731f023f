from __future__ import annotations

import pytest

from kbc.evaluation.tuning import Proposal, SettingChange


@pytest.mark.parametrize(("chance", "said"), [(0.0005, "p < 0.001"), (0.0312, "p = 0.031")])
def test_a_probability_is_never_said_to_be_nothing(chance: float, said: str) -> None:
    change = SettingChange("alpha", None, 0.5, 0.1, chance)
    lines = str(Proposal(40, 0.5, 0.6, 0.1, chance, (change,), {"alpha": 0.5})).splitlines()
    assert [line.endswith(said) for line in lines] == [False, True, True]
