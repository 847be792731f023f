from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.http_workers.__main__ import main, serving, steps
from benchmarks.http_workers.load import Load


@pytest.mark.slow
def test_memory_and_searches_are_measured(
    searchable: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([str(searchable), "--workers", "2", "--seconds", "0.2", "--rounds", "1"])
    told = capsys.readouterr().out
    assert code in (0, 1)  # whether the bar is met depends on the memory of this machine
    assert re.search(r"PSS of 2 workers +\d+ MB, of \d+ MB allowed", told)
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([\d.]+) \|", told, re.MULTILINE)
    assert [int(workers) for workers, _, _ in rows] == steps(2)
    assert rows[0][2] == "1.00"


def test_workers_are_counted_up_to_the_processors() -> None:
    counted = steps(9)
    assert counted[0] == 1
    assert counted[-1] >= 9
    assert counted == sorted(set(counted))


@pytest.mark.slow
def test_a_load_does_not_take_an_error_for_an_answer(searchable: Path) -> None:
    missing = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(str(searchable), 1) as (_, address, _):
        load = Load(address, [missing], 2)
        with pytest.raises(RuntimeError, match="404"):
            load.run(lambda answered: answered > 0)
        load.close()
