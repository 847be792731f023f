"""Files that are written whole: what readers see, and what killed writers leave."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kb_runtime.store.atomic_files import (
    output_file,
    replace_file,
    replace_text,
    staged_file,
)

KILLED = """
import os, signal, sys
from kb_runtime.store.atomic_files import staged_file

with staged_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_with_the_mode_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for content, mode in ((b"one", 0o600), (b"two", 0o644)):
        replace_file(path, content, mode=mode)
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (content, mode)
    assert names(tmp_path) == ["a"]


def test_a_file_that_must_be_new_leaves_the_one_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    replace_file(path, b"one", keep_old=True)
    with pytest.raises(FileExistsError):
        replace_file(path, b"two", keep_old=True)
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["a"]


def test_an_error_while_writing_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    replace_file(path, b"one")

    def write_and_fail() -> None:
        with staged_file(path) as file:
            file.write(b"two")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["a"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    for path, kind in ((tmp_path / "no" / "a", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(kind) as caught:
            replace_file(path, b"one")
        assert (caught.value.filename, caught.value.filename2) == (str(path), None)
    with pytest.raises(FileNotFoundError) as other, staged_file(tmp_path / "a"):
        (tmp_path / "absent").read_bytes()
    assert other.value.filename == str(tmp_path / "absent")
    assert names(tmp_path) == []


def test_what_a_killed_writer_left_goes_with_the_next_and_a_live_one_keeps_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    replace_file(path, b"one")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"one"
    assert len(names(tmp_path)) == 2
    with staged_file(tmp_path / "a") as file:
        assert len(names(tmp_path)) == 2
        own = os.fstat(file.fileno())
        done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
        assert any(os.path.samestat(each.stat(), own) for each in tmp_path.iterdir())
        file.write(b"two")
    assert path.read_bytes() == b"two"
    replace_file(path, b"three")
    assert names(tmp_path) == ["a"]


def test_a_text_that_its_author_edits_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "linked"
    path.write_text("one")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_text(link, "two")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("two", 0o640)
    assert link.is_symlink()
    assert names(tmp_path) == ["a", "linked"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\nb\n", b"a\nc\n"),
        (b"a\r\nb\n", b"a\nc\n"),
        (b"a", b"a\nc\n"),
    ],
)
def test_an_edited_text_keeps_its_line_ends(tmp_path: Path, before: bytes, after: bytes) -> None:
    path = tmp_path / "kb.toml"
    path.write_bytes(before)
    replace_text(path, "a\nc\n")
    assert path.read_bytes() == after


@pytest.mark.skipif(os.name == "nt", reason="no named pipes")
def test_output_goes_into_a_pipe_and_through_a_link_which_stay_what_they_are(
    tmp_path: Path,
) -> None:
    pipe, linked, link = tmp_path / "pipe", tmp_path / "file", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(linked)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (pipe, link):
        with output_file(path) as file:
            file.write(b"one")
    assert os.read(reader, 9) == linked.read_bytes() == b"one"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()
    assert names(tmp_path) == ["file", "link", "pipe"]
