from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.wheel import main


@pytest.mark.slow
def test_a_wheel_is_weighed_and_its_start_is_timed(
    searchable: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([str(searchable), "--spawns", "1"])
    told = capsys.readouterr().out
    assert code in (0, 1)  # whether the bars of time are met depends on this machine
    assert re.search(r"^\| encoder \| [\d.]+ MB \| [\d.]+ MB \|$", told, re.MULTILINE)
    for measured in ("writing the wheel", "spawn to `initialize`", "spawn to first hybrid answer"):
        assert re.search(rf"^\| {measured} \| [\d.]+ ", told, re.MULTILINE), measured
