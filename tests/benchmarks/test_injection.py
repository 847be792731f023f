"""Faults at every file operation: a fixed part of `benchmarks.injection` and of its `power_loss`."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from benchmarks.injection import shim
from benchmarks.injection.__main__ import run
from benchmarks.injection.crash_states import Disk, Step, digest, write_out
from benchmarks.injection.faults import KINDS
from benchmarks.injection.power_loss import run as lose_power
from tests.required import needs

preloads = needs(
    shim.compiler() is not None and sys.platform == "linux", "Linux and a C compiler are needed"
)


@preloads
@pytest.mark.parametrize(
    ("command", "every"), [("keygen", 1), ("install", 2), ("import", 8), ("label", 12)]
)
def test_every_operation_may_fail(command: str, every: int) -> None:
    tried = 0
    for name, kind, operations, trials, missed, seen in run([command], list(KINDS), every):
        assert (name, operations > 0) == (command, True), kind
        assert not missed, seen
        tried += trials
    print(f"{command}: {tried} tried, 0 failed")


@pytest.mark.slow
@preloads
@pytest.mark.parametrize(
    ("command", "every"),
    [
        *((name, 20) for name in ("init", "sign", "export", "import", "wheel")),
        *((name, 20) for name in ("label", "tune", "accept")),
        *((name, 60) for name in ("build", "ingest")),
        # What they have in common with the others is most of their operations.
        *((name, 100) for name in ("sample", "instructions", "inspect", "ndjson", "parquet")),
        *((name, 100) for name in ("prune", "cache", "fetch", "try", "index")),
        ("follow", 300),
    ],
)
def test_operations_of_larger_commands_may_fail(command: str, every: int) -> None:
    for *_, missed, seen in run([command], list(KINDS), every):
        assert not missed, seen


@pytest.mark.slow
@preloads
def test_a_write_that_the_table_format_keeps_quiet_about_is_noticed() -> None:
    pytest.importorskip("lancedb")
    # The table is written last.
    ((_, _, operations, tried, missed, seen),) = run(["lance"], ["EIO"], 1, first=50)
    assert tried == operations - 49 > 10
    assert not missed, seen


@pytest.mark.slow
@preloads
def test_power_may_fail_in_a_build(tmp_path: Path) -> None:
    lost = lose_power(tmp_path, more=0, heal_every=100, seed=1, most=300)
    assert lost.steps > 100
    assert lost.states > 100
    assert (lost.broken, lost.sick) == ([], [])


def steps(root: Path, *done: tuple[int, str, str, bytes]) -> list[Step]:
    return [
        Step(kind, 0, f"{root}/{path}" if path else str(root), f"{root}/{other}", data)
        for kind, path, other, data in done
    ]


def contents(disk: Disk, folder: Path) -> set[str]:
    """What may be in the file `a` in any state; "-" for no such file."""
    found = set()
    for number, state in enumerate(disk.states(random.Random(1), 50)):
        place = folder / str(number)
        place.mkdir(parents=True)
        write_out(state, place)
        found.add((place / "a").read_text() if (place / "a").exists() else "-")
    return found


REPLACED = (
    (shim.CREATE, "b", "", b""),
    (shim.WRITE, "b", "", b"newest"),
    (shim.RENAME, "b", "a", b""),
)


@pytest.mark.parametrize(
    ("flushed", "possible"),
    [
        ((), {"old", "", "new", "newest"}),
        (("b",), {"old", "newest"}),
        (("b", ""), {"newest"}),
    ],
)
def test_what_was_flushed_is_there_after_a_power_loss(
    flushed: tuple[str, ...], possible: set[str], tmp_path: Path
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a").write_text("old")
    disk = Disk(root)
    created, written, renamed = steps(root, *REPLACED)
    order = [created, written]
    order += steps(root, *((shim.SYNC, "b", "", b"") for each in flushed if each))
    order += [renamed, *steps(root, *((shim.SYNC, "", "", b"") for each in flushed if not each))]
    for step in order:
        disk.take(step)
    assert contents(disk, tmp_path / "states") == possible


def test_states_that_look_alike_are_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    first, second = Disk(tmp_path), Disk(tmp_path)
    (step,) = steps(tmp_path, (shim.MKDIR, "d", "", b""))
    second.take(step)
    one, two = next(first.states(random.Random(1), 0)), next(second.states(random.Random(1), 0))
    assert digest(one) != digest(two)
