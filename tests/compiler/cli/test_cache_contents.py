from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from tests.small_artifact import publish_small

from kb_runtime.errors import exit_codes
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store import temporary_folders
from kb_runtime.store.locks import try_share
from kbc.cache import phases
from kbc.cache.store import Store
from kbc.cli.cache_contents import chosen, read_contents, remove
from kbc.cli.main import run
from kbc.cli.trying import TRIED
from kbc.encoding import cache as embedding_cache
from kbc.encoding import graph_cache
from kbc.linking import retention
from kbc.linking.linker import Staging
from kbc.recognition import archives

DAY_S = 86_400
NOW = time.time()


def fill(folder: Path, name: str, recipe: str, first: int, count: int) -> Store:
    store = Store(folder / name, 1 << 30)
    store.put_many(recipe, {b"%d" % number: bytes(1000) for number in range(first, first + count)})
    return store


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Ten vectors, five chunks and three parsed texts, and a graph of a month ago."""
    fill(tmp_path, embedding_cache.FILE_NAME, "encoder", 0, 10).close()
    fill(tmp_path, phases.FILE_NAME, "chunks abc", 0, 5).close()
    fill(tmp_path, phases.FILE_NAME, "markdown abc", 0, 3).close()
    graph = tmp_path / "graphs" / "0123"
    graph.mkdir(parents=True)
    (graph / "model.bin").write_bytes(bytes(5000))
    (graph / "sha256.json").write_text("{}")
    os.utime(graph / "sha256.json", (NOW - 30 * DAY_S, NOW - 30 * DAY_S))
    return tmp_path


def kinds(folder: Path) -> dict[str, tuple[int, int]]:
    contents = read_contents(folder)
    assert contents.problems == []
    return {each.kind: (each.entries, each.bytes) for each in contents.summaries()}


def set_uses(path: Path, age_s: float) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE uses SET used = ?", [int(NOW - age_s)])
    connection.close()


def test_entries_are_counted_by_kind(cache: Path) -> None:
    assert kinds(cache) == {
        "embeddings": (10, 10_000),
        "phases: chunks": (5, 5_000),
        "phases: markdown": (3, 3_000),
        "graphs": (1, 5_002),
    }
    summaries = {each.kind: each for each in read_contents(cache).summaries()}
    assert abs((summaries["embeddings"].newest_use or 0) - NOW) < 3600
    assert abs((summaries["graphs"].oldest_use or 0) - (NOW - 30 * DAY_S)) < 3600


def test_a_cache_that_is_not_there_is_empty(tmp_path: Path) -> None:
    contents = read_contents(tmp_path / "none")
    assert (contents.entries, contents.disk_bytes, contents.problems) == ([], 0, [])


def test_what_was_not_used_for_long_goes(cache: Path) -> None:
    set_uses(cache / embedding_cache.FILE_NAME, 20 * DAY_S)
    going = chosen(read_contents(cache), NOW - 10 * DAY_S, None)
    done = remove(cache, going)
    assert (done.entries, done.bytes, done.problems) == (11, 15_002, [])
    assert kinds(cache) == {"phases: chunks": (5, 5_000), "phases: markdown": (3, 3_000)}


def test_the_longest_unused_make_room(cache: Path) -> None:
    set_uses(cache / phases.FILE_NAME, 2 * DAY_S)
    before = read_contents(cache)
    done = remove(cache, chosen(before, None, 12_000))
    assert sum(size for _, size in kinds(cache).values()) <= 12_000
    assert kinds(cache)["embeddings"] == (10, 10_000)
    assert done.disk_bytes < before.disk_bytes
    assert chosen(read_contents(cache), None, 1 << 30) == []


def test_a_lookup_is_a_use(cache: Path) -> None:
    path = cache / embedding_cache.FILE_NAME
    set_uses(path, 20 * DAY_S)
    store = Store(path, 1 << 30)
    assert len(store.get_many("encoder", [b"1", b"2"])) == 2
    store.close()
    going = chosen(read_contents(cache), NOW - 10 * DAY_S, None)
    assert len([entry for entry in going if entry.kind == "embeddings"]) == 8


def test_a_store_of_an_earlier_version_keeps_its_rows_and_their_use_is_unknown(
    cache: Path,
) -> None:
    path = cache / embedding_cache.FILE_NAME
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE uses")
    connection.close()
    contents = read_contents(cache)
    assert [each.oldest_use for each in contents.summaries() if each.kind == "embeddings"] == [None]
    store = Store(path, 1 << 30)
    assert len(store.get_many("encoder", [b"1"])) == 1
    store.close()
    remove(cache, chosen(read_contents(cache), NOW - DAY_S, None))
    assert kinds(cache)["embeddings"] == (1, 1_000)


def test_a_damaged_store_is_told_and_the_rest_is_pruned(cache: Path) -> None:
    (cache / phases.FILE_NAME).write_bytes(b"no database" * 100)
    contents = read_contents(cache)
    assert [phases.FILE_NAME in problem for problem in contents.problems] == [True]
    done = remove(cache, chosen(contents, None, 0))
    assert done.entries == 11
    assert read_contents(cache).entries == []


def test_a_prune_that_could_not_read_a_part_does_not_end_well(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (cache / phases.FILE_NAME).write_bytes(b"no database" * 100)
    pruned = ["cache", "prune", "--cache", str(cache), "--max-size", "0B"]
    assert run(pruned) == exit_codes.OUTPUT
    assert f"{phases.FILE_NAME} cannot be read" in capsys.readouterr().err
    (cache / phases.FILE_NAME).unlink()
    assert run(pruned) == exit_codes.OK


def test_what_a_killed_removal_left_goes(cache: Path) -> None:
    left = cache / graph_cache.FOLDER / f"{graph_cache.UNFINISHED}abc-1"
    left.mkdir()
    remove(cache, [])
    assert not left.exists()


def test_a_build_that_writes_keeps_its_rows_and_goes_on(cache: Path) -> None:
    busy = fill(cache, embedding_cache.FILE_NAME, "encoder", 100, 1)
    writing = sqlite3.connect(cache / embedding_cache.FILE_NAME, isolation_level=None)
    writing.execute("BEGIN IMMEDIATE")
    done = remove(cache, chosen(read_contents(cache), None, 0))
    assert [embedding_cache.FILE_NAME in problem for problem in done.problems] == [True]
    writing.execute("COMMIT")
    writing.close()
    assert len(busy.get_many("encoder", [b"1", b"100"])) == 2
    busy.close()


def test_a_build_that_reads_misses_what_was_removed_under_it(cache: Path) -> None:
    reading = Store(cache / embedding_cache.FILE_NAME, 1 << 30)
    assert len(reading.get_many("encoder", [b"1"])) == 1
    assert remove(cache, chosen(read_contents(cache), None, 0)).problems == []
    assert reading.get_many("encoder", [b"1", b"2"]) == {}
    reading.put_many("encoder", {b"1": b"again"})
    assert reading.get_many("encoder", [b"1"]) == {b"1": b"again"}
    reading.close()
    assert reading.notes == []


@pytest.fixture
def unpacked(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that was unpacked into the cache, two months ago; gives where."""
    archive = tmp_path_factory.mktemp("archive") / "docs.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("docs/index.md", "# Apples\n")
    script = (
        "import sys; from pathlib import Path; from kbc.recognition.archives import extracted\n"
    )
    script += "print(extracted(Path(sys.argv[1]), Path(sys.argv[2])))"
    command = [sys.executable, "-c", script, str(archive), str(cache)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    entry = Path(done.stdout.strip()).parents[1]
    set_time(entry / archives.LISTING)
    return entry


@pytest.fixture
def tried(cache: Path) -> Path:
    """A build of `kbc try` of two months ago."""
    published = publish_small(cache / TRIED)
    for path in retention.locks_below(published.path.parent):
        set_time(path)
    return published.path


def set_time(path: Path) -> None:
    os.utime(path, (NOW - 60 * DAY_S, NOW - 60 * DAY_S))


def pruned(cache: Path) -> list[str]:
    """Removes what was not used for ten days, and gives the problems."""
    return remove(cache, chosen(read_contents(cache), NOW - 10 * DAY_S, None)).problems


def test_unpacked_archives_and_builds_of_try_are_listed_and_go(
    cache: Path, unpacked: Path, tried: Path
) -> None:
    found = {each.kind: each for each in read_contents(cache).summaries()}
    assert found[archives.FOLDER].entries == found[TRIED].entries == 1
    assert found[TRIED].bytes == sum(
        path.stat().st_size for path in tried.parent.rglob("*") if path.is_file()
    )
    assert abs((found[archives.FOLDER].newest_use or 0) - (NOW - 60 * DAY_S)) < 2
    assert pruned(cache) == []
    assert list((cache / TRIED).iterdir()) == list((cache / archives.FOLDER).iterdir()) == []


def test_an_archive_that_a_build_reads_stays(cache: Path, unpacked: Path) -> None:
    with (unpacked / archives.LISTING).open() as file:
        try_share(file.fileno())
        assert pruned(cache) == [f"{unpacked} is in use"]
    assert (unpacked / "content").is_dir()
    assert pruned(cache) == []
    assert not unpacked.exists()


def test_a_process_keeps_what_it_has_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as file:
        file.writestr("index.md", "# Apples\n")
    content = archives.extracted(tmp_path / "docs.zip", tmp_path / "cache")
    set_time(content.parent / archives.LISTING)
    assert pruned(tmp_path / "cache") == [f"{content.parent} is in use"]
    assert (content / "index.md").is_file()
    archives.release(tmp_path / "cache")
    assert pruned(tmp_path / "cache") == []
    assert not content.exists()


def test_a_build_of_try_that_is_open_written_or_about_to_be_opened_stays(
    cache: Path, tried: Path
) -> None:
    with Artifact.open(tried):
        assert pruned(cache) == [f"{tried.parent} is in use"]
    with Staging(cache / TRIED, tried.parent.name, "0" * 16):
        assert pruned(cache) == [f"{tried.parent} is in use"]
    everything = chosen(read_contents(cache), None, 0)
    assert remove(cache, everything).problems == [f"{tried.parent} is in use"]
    assert tried.is_dir()


def test_a_build_of_try_from_before_the_clock_went_back_goes(cache: Path, tried: Path) -> None:
    for path in retention.locks_below(tried.parent):
        os.utime(path, (NOW + 60 * DAY_S, NOW + 60 * DAY_S))
    assert remove(cache, chosen(read_contents(cache), None, 0)).problems == []
    assert not tried.exists()


def test_what_a_killed_unpacking_left_goes(
    cache: Path, unpacked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    left = unpacked.parent / f"{archives.UNFINISHED}abc"
    left.mkdir()
    remove(cache, [])
    assert not left.exists()
