"""Commands short of memory: a fixed part of `benchmarks.injection.shortages`."""

from __future__ import annotations

import sys

import pytest
from benchmarks.injection.shortages import run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a limit of data is Linux's")
@pytest.mark.parametrize("command", ["search", "verify"])
def test_a_command_short_of_memory_ends_and_is_no_defect(command: str) -> None:
    """A native library may end the process in its own way, which the campaign counts as well."""
    ((_, _, tried, enough, missed, seen),) = run([command], ["DATA"], range(60, 1200, 45))
    assert not {"hang", "defect", "half"} & missed.keys(), seen
    assert tried > 2
    assert enough
