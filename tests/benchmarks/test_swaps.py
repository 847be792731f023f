"""Swaps under load, in short: nobody sees an error or two versions at once, and nothing is left over."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.swaps import run


@pytest.mark.parametrize(("transport", "kbs"), [("http", 1), ("stdio", 2)])
def test_clients_that_never_pause_see_whole_versions(
    transport: str, kbs: int, tmp_path: Path
) -> None:
    outcome = run(transport, swaps=10, clients=6, scratch=tmp_path, embed=False, kbs=kbs)
    assert outcome.errors == []
    assert outcome.mixed == []
    assert outcome.backwards == 0
    assert len(outcome.versions_seen) > 5
    assert outcome.early is not None
    assert outcome.final is not None
    # Some sections of the version of the moment may not have been opened yet.
    assert outcome.final.descriptors <= outcome.early.descriptors + 8
    assert outcome.final.maps <= outcome.early.maps * 1.1
