"""Faults at every file operation: a fixed part of `benchmarks.injection` and of its `power_loss`."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.injection import shim
from benchmarks.injection.__main__ import Victims, run
from benchmarks.injection.crash_states import Disk, Step, digest, write_out
from benchmarks.injection.faults import KINDS
from benchmarks.injection.points import Point, kind_of_file, occurrences, points
from benchmarks.injection.power_loss import run as lose_power
from benchmarks.injection.scenarios import SCENARIOS
from tests.required import needs

preloads = needs(
    shim.compiler() is not None and sys.platform == "linux", "Linux and a C compiler are needed"
)


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    with Victims() as started:
        yield started


@pytest.mark.slow
@preloads
@pytest.mark.parametrize(
    ("command", "every"), [("keygen", 1), ("install", 2), ("import", 6), ("label", 12)]
)
def test_every_operation_may_fail(victims: Victims, command: str, every: int) -> None:
    tried = 0
    for row in run(victims, [command], list(KINDS), every, most=1):
        assert (row.scenario, row.operations >= row.points > 0) == (command, True), row.kind
        assert not row.missed, row.seen
        assert every > 1 or row.hit == row.points
        tried += row.tried
    print(f"{command}: {tried} tried, 0 failed")


@pytest.mark.slow
@preloads
@pytest.mark.parametrize(
    ("command", "every"),
    [
        *((name, 18) for name in ("init", "sign", "export", "import", "wheel")),
        *((name, 18) for name in ("label", "tune", "accept")),
        *((name, 27) for name in ("build", "ingest")),
        # What they have in common with the others is most of their operations.
        *(
            (name, 50)
            for name in ("sample", "instructions", "inspect", "ndjson", "parquet", "bundle")
        ),
        *((name, 50) for name in ("prune", "cache", "fetch", "try", "index")),
        ("follow", 170),
    ],
)
def test_operations_of_larger_commands_may_fail(victims: Victims, command: str, every: int) -> None:
    for row in run(victims, [command], list(KINDS), every, most=1):
        assert not row.missed, row.seen


@pytest.mark.slow
@preloads
def test_a_write_that_the_table_format_keeps_quiet_about_is_noticed(victims: Victims) -> None:
    pytest.importorskip("lancedb")
    # The table is written last.
    (row,) = run(victims, ["lance"], ["EIO"], 1, first=50)
    assert row.tried == row.operations - 49 > 10
    assert not row.missed, row.seen


@pytest.mark.slow
@preloads
def test_a_state_that_no_user_may_meet_is_reported(
    victims: Victims, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = SCENARIOS["label"]

    def strict(folder: Path) -> str:
        return "broken: unfinished" if any(folder.glob(".q.toml*")) else label.state(folder)

    monkeypatch.setitem(SCENARIOS, "label", replace(label, state=strict))
    (row,) = run(victims, ["label"], ["kill"], most=1)
    assert row.missed == {"lost": row.failed}
    assert 0 < row.failed < row.tried


@pytest.mark.slow
@preloads
def test_of_points_that_an_earlier_command_had_a_share_is_tried(
    victims: Victims,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SCENARIOS, "again", replace(SCENARIOS["label"], name="again"))
    first, second = run(victims, ["label", "again"], ["EIO"], most=1, shared=2)
    assert (first.tried, first.points, first.hit) == (second.operations,) * 3
    assert (second.tried, second.points, second.hit) == (-(-first.points // 2), 0, 0)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("out/demo/.tmp-5aa8e0d4c9d8c4e9-13485-9890a7fe", "/OUT/.tmp-*"),
        (
            "ws/code/6a8b0df6dc53/edits/code/4b379da4ee21e8d4/vectors/rows.i8",
            "/OUT/*/vectors/rows.i#",
        ),
        ("cache/try/docs/lexical/bfd7372b3e67432ebbd93a8f751cd157.term", "/OUT/lexical/*.term"),
        ("out/demo/lexical/.tmpEj5R1s", "/OUT/lexical/.tmp*"),
        ("ws/cache/graphs/304b33faf158568a9f693da7/model.bin", "/cache/graphs/*/model.bin"),
        (".q.lance.oredqjvm/q.lance", "/.q.lance.*/q.lance"),
        ("models/tmp_29e3b7ee-f496-4fc9-9171-9f6863abb564", "/models/tmp_*"),
        ("out/demo/catalog/pages.off", "/OUT/catalog/*.off"),
        ("out/demo/catalog/chunks.off", "/OUT/catalog/chunks.off"),
        ("kb/docs/facade.md", "/kb/docs/facade.md"),
    ],
)
def test_names_that_differ_from_run_to_run_are_one_kind_of_file(path: str, kind: str) -> None:
    assert kind_of_file(f"/tmp/kbc-injection-1/build/stage/{path}", STAGE) == kind


STAGE = Path("/tmp/kbc-injection-1/build/stage")


def test_a_point_is_an_operation_on_a_kind_of_file_after_another_on_its_thread() -> None:
    trace = ["1 open a1", "2 open b", "1 write a1", "1 write a1", "2 write b", "1 open a2"]
    trace += ["1 write a2", "1 write a2", "1 write a2"]
    lines = ["\t".join([*line.split(), ""]).replace("\ta", f"\t{STAGE}/a") for line in trace]
    found = points([*lines, f"3\topen\t{STAGE}/c"], STAGE)  # whose process was killed
    assert [point.before for point in found] == [
        *("", "", "open", "write", "open", "write", "open", "write", "write")
    ]
    assert found[2] == found[6] == Point("write", "/a#", "", "open")
    assert found[3] == found[7] == found[8]
    wanted = {found[2], found[3]}
    assert occurrences(found, 1, wanted) == [3, 4]
    assert occurrences(found, 2, wanted) == [3, 4, 7, 9]
    assert occurrences(found, 3, wanted) == [3, 4, 7, 8, 9]


@pytest.mark.slow
@preloads
def test_power_may_fail_in_a_build(victims: Victims, tmp_path: Path) -> None:
    lost = lose_power(victims, tmp_path, more=0, heal_every=100, seed=1, most=300)
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
