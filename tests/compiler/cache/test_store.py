from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest

from kbc.cache import store as store_module
from kbc.cache.store import Store, stored_rows

ROOT = Path(__file__).parents[3]
FILE_NAME = "values.sqlite3"
KEYS = [b"key %d" % number for number in range(1200)]  # more than one query's worth


def opened(folder: Path, max_bytes: int = 1 << 30) -> Store:
    return Store(folder / FILE_NAME, max_bytes)


def value(number: int) -> bytes:
    return np.random.default_rng(number).bytes(32)


def filled(folder: Path, count: int = 3) -> Path:
    cache = opened(folder)
    cache.put_many("recipe", {KEYS[number]: value(number) for number in range(count)})
    cache.close()
    assert cache.notes == []
    return folder / FILE_NAME


def test_values_come_back_when_the_file_is_opened_again(tmp_path: Path) -> None:
    filled(tmp_path, count=1100)
    cache = opened(tmp_path)
    found = cache.get_many("recipe", KEYS)
    assert set(found) == set(KEYS[:1100])
    assert all(found[KEYS[number]] == value(number) for number in range(1100))
    assert cache.notes == []


def test_another_recipe_has_no_values(tmp_path: Path) -> None:
    filled(tmp_path)
    assert opened(tmp_path).get_many("another", KEYS) == {}


def test_storing_again_replaces(tmp_path: Path) -> None:
    filled(tmp_path)
    cache = opened(tmp_path)
    cache.put_many("recipe", {KEYS[0]: value(99)})
    assert cache.get_many("recipe", KEYS[:1])[KEYS[0]] == value(99)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET value = zeroblob(32) WHERE id = 2",
        "UPDATE entries SET value = 'text' WHERE id = 2",
        "UPDATE entries SET value = (SELECT value FROM entries WHERE id = 1) WHERE id = 2",
        "UPDATE entries SET checksum = x'00' WHERE id = 2",
    ],
)
def test_damaged_row_is_a_miss_and_the_others_stay(statement: str, tmp_path: Path) -> None:
    path = filled(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    assert set(opened(tmp_path).get_many("recipe", KEYS)) == {KEYS[0], KEYS[2]}


@pytest.mark.parametrize(
    "content", [b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 4080]
)
def test_file_that_is_no_database_is_replaced(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    cache = opened(tmp_path)
    assert len(cache.notes) == 1
    assert "damaged" in cache.notes[0]
    cache.put_many("recipe", {KEYS[0]: value(0)})
    assert set(cache.get_many("recipe", KEYS)) == {KEYS[0]}


def test_damage_in_the_middle_never_gives_a_wrong_value(tmp_path: Path) -> None:
    path = filled(tmp_path, count=400)
    intact = path.read_bytes()
    random = np.random.default_rng(3)
    for _round in range(40):
        data = bytearray(intact)
        for position in random.integers(100, len(data), size=60):
            data[position] ^= 1 << int(random.integers(8))
        path.write_bytes(data)
        cache = opened(tmp_path)
        for number, key in enumerate(KEYS[:400]):
            found = cache.get_many("recipe", [key])
            assert key not in found or found[key] == value(number)
        cache.put_many("recipe", {KEYS[500]: value(500)})
        cache.close()
        path.unlink()


def test_truncated_file_is_replaced(tmp_path: Path) -> None:
    path = filled(tmp_path, count=400)
    path.write_bytes(path.read_bytes()[: 3 * 4096])
    cache = opened(tmp_path)
    cache.get_many("recipe", KEYS)
    cache.put_many("recipe", {key: value(number) for number, key in enumerate(KEYS)})
    cache.put_many("recipe", {key: value(number) for number, key in enumerate(KEYS)})
    assert len(cache.get_many("recipe", KEYS)) == len(KEYS)
    assert any("damaged" in note for note in cache.notes)


def test_file_of_another_layout_starts_empty(tmp_path: Path) -> None:
    path = filled(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    cache = opened(tmp_path)
    assert cache.get_many("recipe", KEYS) == {}
    cache.put_many("recipe", {KEYS[0]: value(0)})
    assert set(cache.get_many("recipe", KEYS)) == {KEYS[0]}


def test_file_deleted_under_an_open_cache_fails_nothing(tmp_path: Path) -> None:
    path = filled(tmp_path)
    cache = opened(tmp_path)
    path.unlink()
    cache.get_many("recipe", KEYS)
    cache.put_many("recipe", {KEYS[5]: value(5)})
    cache.close()
    filled(tmp_path)


def test_locked_file_is_left_alone_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LOCK_WAIT_S", 0.01)
    path = filled(tmp_path)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    cache = opened(tmp_path)
    assert cache.get_many("recipe", KEYS) == {}
    cache.put_many("recipe", {KEYS[5]: value(5)})
    assert len(cache.notes) == 1
    assert "locked" in cache.notes[0]
    blocker.rollback()
    blocker.close()
    assert len(opened(tmp_path).get_many("recipe", KEYS)) == 3


def test_build_waits_for_another_that_makes_room(tmp_path: Path) -> None:
    """Which takes seconds in a full cache on a busy machine."""
    path = filled(tmp_path)
    blocker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    blocker.execute("BEGIN EXCLUSIVE")
    release = Timer(2.5, blocker.rollback)
    release.start()
    cache = opened(tmp_path)
    assert set(cache.get_many("recipe", KEYS)) == set(KEYS[:3])
    assert cache.notes == []
    release.join()
    blocker.close()


def test_read_only_file_is_read_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    connect = sqlite3.connect

    def connect_read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"{path.as_uri()}?mode=ro", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_read_only)
    cache = opened(tmp_path)
    assert len(cache.get_many("recipe", KEYS)) == 3
    cache.put_many("recipe", {KEYS[5]: value(5)})
    assert len(cache.notes) == 1
    assert "readonly" in cache.notes[0]


def test_folder_that_cannot_be_made_turns_the_cache_off(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    cache = opened(tmp_path / "file" / "cache")
    cache.put_many("recipe", {KEYS[0]: value(0)})
    assert cache.get_many("recipe", KEYS) == {}
    (note,) = cache.notes
    assert note.partition(" is not used: ")[2] in ("Not a directory", "File exists")


def fill_in_sessions(folder: Path, numbers: range, max_bytes: int) -> None:
    """Stores a value of 4,000 bytes for each number, as one build for each would."""
    for number in numbers:
        cache = opened(folder, max_bytes)
        cache.put_many("recipe", {KEYS[number]: bytes(4_000)})
        cache.close()


def test_oldest_values_of_earlier_builds_make_room(tmp_path: Path) -> None:
    fill_in_sessions(tmp_path, range(300), max_bytes=400_000)
    kept = set(opened(tmp_path).get_many("recipe", KEYS))
    assert KEYS[299] in kept
    assert KEYS[0] not in kept
    assert 50 < len(kept) < 100
    assert (tmp_path / FILE_NAME).stat().st_size < 500_000


def test_values_of_a_clock_that_has_gone_back_make_room_like_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = int(time.time())
    monkeypatch.setattr(store_module.time, "time", lambda: now + 400 * 24 * 3600)
    fill_in_sessions(tmp_path, range(60), max_bytes=400_000)
    monkeypatch.setattr(store_module.time, "time", lambda: now)
    fill_in_sessions(tmp_path, range(60, 200), max_bytes=400_000)
    kept = set(opened(tmp_path).get_many("recipe", KEYS))
    assert kept.isdisjoint(KEYS[:60])
    assert KEYS[199] in kept


def test_a_use_in_the_future_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = int(time.time())
    monkeypatch.setattr(store_module.time, "time", lambda: now + 400 * 24 * 3600)
    path = filled(tmp_path)
    monkeypatch.setattr(store_module.time, "time", lambda: now)
    cache = opened(tmp_path)
    cache.get_many("recipe", KEYS[:1])
    cache.close()
    assert sorted(row.used for row in stored_rows(path))[:2] == [now, now + 400 * 24 * 3600]


def test_a_reserved_size_keeps_what_this_build_does_not_ask_for(tmp_path: Path) -> None:
    fill_in_sessions(tmp_path, range(90), max_bytes=400_000)
    cache = opened(tmp_path, max_bytes=400_000)
    cache.reserve(2_000_000)
    for number in range(90, 200):
        cache.put_many("recipe", {KEYS[number]: bytes(4_000)})
    cache.close()
    assert len(opened(tmp_path).get_many("recipe", KEYS)) == 200


def test_build_above_the_limit_keeps_all_that_it_stored(tmp_path: Path) -> None:
    cache = opened(tmp_path, max_bytes=400_000)
    for number in range(300):
        cache.put_many("recipe", {KEYS[number]: bytes(4_000)})
    cache.close()
    assert len(opened(tmp_path).get_many("recipe", KEYS)) == 300


@pytest.mark.parametrize("from_memory", [False, True])
def test_edit_above_the_limit_removes_nothing_that_it_uses(
    from_memory: bool, tmp_path: Path
) -> None:
    first = opened(tmp_path)
    first.put_many("recipe", {key: bytes(4_000) for key in KEYS[:400]})
    first.close()
    edit = opened(tmp_path, max_bytes=400_000)
    used = KEYS[300:400]
    if from_memory:
        edit.keep("recipe", used)
    else:
        assert len(edit.get_many("recipe", used)) == 100
    for number in range(400, 500):
        edit.put_many("recipe", {KEYS[number]: bytes(4_000)})
    edit.close()
    kept = set(opened(tmp_path).get_many("recipe", KEYS))
    assert kept >= set(KEYS[300:500])
    assert KEYS[0] not in kept


STORE_MANY = """
import sys
from pathlib import Path
from kbc.cache.store import Store

cache = Store(Path(sys.argv[1]), 1 << 30)
for start in range(int(sys.argv[2]), int(sys.argv[2]) + 200, 5):
    keys = [b"key %d" % number for number in range(start, start + 5)]
    cache.put_many("recipe", {key: b"value" for key in keys})
    cache.get_many("recipe", keys)
sys.exit("; ".join(cache.notes) or None)
"""


def test_two_processes_share_a_new_file(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "compiler", ROOT / "runtime")))}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", STORE_MANY, tmp_path / FILE_NAME, start],
            env=environment,
            stderr=subprocess.PIPE,
        )
        for start in ("0", "200")
    ]
    assert [process.communicate()[1] for process in processes] == [b"", b""]
    assert [process.returncode for process in processes] == [0, 0]
    assert set(opened(tmp_path).get_many("recipe", KEYS)) == set(KEYS[:400])
