from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.waiting import PATIENCE_S

import kb_runtime
from kb_runtime.store import temporary_folders
from kb_runtime.store.temporary_folders import (
    lock_folder,
    make_folder,
    remove_abandoned,
    remove_made,
    temporary_folder,
)

RUNTIME = Path(kb_runtime.__file__).parents[1]


def test_a_folder_is_there_for_as_long_as_it_is_needed_and_removes_those_of_killed_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    for name in ("work-killed", "work-living", "other-killed"):
        (tmp_path / name / "content").mkdir(parents=True)
    living = lock_folder(str(tmp_path / "work-living"))
    assert living is not None
    with temporary_folder("work-") as first, temporary_folder("work-") as second:
        there = {path.name for path in tmp_path.iterdir()}
        assert there == {"work-living", "other-killed", Path(first).name, Path(second).name}
    os.close(living)
    assert {path.name for path in tmp_path.iterdir()} == {"work-living", "other-killed"}


def test_a_folder_from_before_the_clock_went_back_is_removed_and_a_new_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work-killed").mkdir()
    now = time.time()
    for behind_s, is_left in ((1, True), (24 * 3600, False)):
        monkeypatch.setattr(time, "time", lambda behind_s=behind_s: now - behind_s)
        remove_abandoned(str(tmp_path), "work-")
        assert (tmp_path / "work-killed").exists() == is_left


def test_a_folder_into_which_a_thread_writes_while_it_is_removed_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_remove, writes = os.rmdir, iter((True, True, False))

    def remove(path: str) -> None:
        if next(writes, False):
            Path(path, ".tantivy-meta.lock").touch()
        really_remove(path)

    monkeypatch.setattr(os, "rmdir", remove)
    remove_made(make_folder("work-", str(tmp_path)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_removed", [True, False])
def test_a_folder_that_was_taken_for_abandoned_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    really_make, taken = os.mkdir, []

    def make(path: str, mode: int) -> None:
        really_make(path, mode)
        if not taken:
            taken.append(lock_folder(path))
            if is_removed:
                Path(path).rmdir()

    monkeypatch.setattr(os, "mkdir", make)
    folder = make_folder("work-", str(tmp_path))
    monkeypatch.undo()
    assert lock_folder(folder) is None
    (tmp_path / folder / "link").touch()
    remove_made(folder)
    assert taken[0] is not None
    os.close(taken[0])
    assert len(list(tmp_path.iterdir())) == (not is_removed)


def test_a_folder_that_is_gone_already_is_no_failure(tmp_path: Path) -> None:
    folder = make_folder("work-", str(tmp_path))
    Path(folder).rmdir()
    remove_made(folder)


def ended(tmp_path: Path, program: str) -> tuple[int, str, str, list[Path]]:
    """The exit code of a program that makes folders, its output, and what it leaves."""
    done = subprocess.run(
        [sys.executable, "-c", "from kb_runtime.store.temporary_folders import *\n" + program],
        env={"PYTHONPATH": str(RUNTIME), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return done.returncode, done.stdout, done.stderr, list(tmp_path.iterdir())


def test_a_signal_that_ends_the_process_leaves_no_folder_of_its_main_thread(tmp_path: Path) -> None:
    program = """
import os, signal
signal.signal(signal.SIGTERM, lambda *_: end_process(3))
open(make_folder("work-") + "/file", "w").close()
os.kill(os.getpid(), signal.SIGTERM)
while True: signal.pause()
"""
    assert ended(tmp_path, program) == (3, "", "", [])


def test_a_process_that_ends_waits_for_threads_that_need_a_folder(tmp_path: Path) -> None:
    program = """
import threading
from kb_runtime.store.temporary_folders import _making
made = threading.Event()
def work():
    folder = make_folder("work-")
    made.set()
    while _making.acquire(blocking=False):
        _making.release()
    open(folder + "/file", "w").close()
    os.write(1, b"removed")
    remove_made(folder)
    make_folder("work-")  # too late
threading.Thread(target=work, daemon=True).start()
made.wait()
end_process(3)
"""
    assert ended(tmp_path, program) == (3, "removed", "", [])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_child_leaves_the_folders_of_its_parent_alone(tmp_path: Path) -> None:
    program = """
folder = make_folder("work-")
child = os.fork()
if not child:
    make_folder("own-")
    end_process(0)
os.waitpid(child, 0)
print(len(os.listdir(os.path.dirname(folder))), os.path.isdir(folder))
"""
    assert ended(tmp_path, program) == (0, "1 True\n", "", [])


@pytest.mark.skipif(os.name != "posix", reason="another system has its folder elsewhere")
@pytest.mark.parametrize(
    ("stated", "place"),
    [({"TMPDIR": ""}, "a"), ({"TMPDIR": "{}/c"}, "a"), ({}, "a"), ({"TMPDIR": "{}/b"}, "b")],
)
def test_a_folder_is_where_tempfile_would_make_it(
    tmp_path: Path, stated: dict[str, str], place: str
) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    environment = {"PYTHONPATH": str(RUNTIME), "TEMP": str(tmp_path / "a")}
    environment |= {name: text.format(tmp_path) for name, text in stated.items()}
    program = (
        "from kb_runtime.store.temporary_folders import *; folder = make_folder('work-');"
        "import os, tempfile; print(os.path.dirname(folder), tempfile.gettempdir())"
    )
    made = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert made.stdout.split() == [str(tmp_path / place)] * 2


@pytest.mark.skipif(os.name != "posix", reason="another system has its folder elsewhere")
def test_a_folder_whose_disk_is_full_is_passed_over(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    program = """
import errno, os
def failing(really):
    def call(path, *given, **named):
        if str(path).startswith(os.environ["TMPDIR"]):
            raise OSError(errno.ENOSPC, "full", path)
        return really(path, *given, **named)
    return call
os.mkdir, os.open = failing(os.mkdir), failing(os.open)
from kb_runtime.store.temporary_folders import make_folder
print(os.path.dirname(make_folder("work-")))
"""
    environment = {"TMPDIR": str(tmp_path / "b"), "TEMP": str(tmp_path / "a")}
    environment["PYTHONPATH"] = str(RUNTIME)
    made = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert made.stdout.split() == [str(tmp_path / "a")]
