"""Swaps under load, in short: nobody sees an error or two versions at once, and nothing is left over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.swaps.__main__ import run
from benchmarks.swaps.outcome import Outcome, State

SWAPS = 30
CLIENTS = 6

LEAK = """
from kb_runtime.knowledge.artifact import Artifact

kept, close = [], Artifact.close

def leaking_close(artifact):
    kept.append(bytearray(range(256)) * 12288)
    close(artifact)

Artifact.close = leaking_close
"""
"""Three megabytes for each version that is closed."""


@pytest.mark.slow
@pytest.mark.parametrize(("transport", "kbs"), [("http", 1), ("stdio", 2)])
def test_clients_that_never_pause_see_whole_versions_and_the_server_does_not_grow(
    transport: str, kbs: int, tmp_path: Path
) -> None:
    outcome = run(transport, swaps=SWAPS, clients=CLIENTS, scratch=tmp_path, embed=False, kbs=kbs)
    assert outcome.errors == []
    assert outcome.mixed == []
    assert outcome.backwards == 0
    assert len(outcome.versions_seen) > 5
    assert outcome.grown == [], (outcome.early, outcome.final)


@pytest.mark.slow
def test_a_server_that_keeps_memory_of_closed_versions_misses_the_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound above can be missed."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "sitecustomize.py").write_text(LEAK)
    paths = [str(tmp_path / "modules"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    outcome = run("http", swaps=SWAPS, clients=1, scratch=tmp_path / "swaps", embed=False)
    assert outcome.grown == ["memory"], (outcome.early, outcome.final)


def test_what_is_open_for_a_moment_is_no_growth_and_what_stays_open_is() -> None:
    usual, busy, grown = (State(100, count, 300, 10) for count in (24, 90, 41))
    assert Outcome(9, states=[usual] * 7 + [busy] + [usual]).grown == []
    assert Outcome(9, states=[usual] * 6 + [grown] * 3).grown == ["descriptors"]
