from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from kbc.shipping.archive import EARLIEST, Archive

MOMENT = 1_700_000_000


def write(path: Path, moment: int = MOMENT) -> bytes:
    with Archive(path, moment) as archive:
        archive.add("a/b.txt", b"hello " * 1000)
        archive.add("c.bin", bytes(range(256)))
    return path.read_bytes()


def write_half(path: Path) -> None:
    with Archive(path, MOMENT) as archive:
        archive.add("a", b"x")
        archive.add("b", path.with_name("absent"))


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    assert write(tmp_path / "one.zip") == write(tmp_path / "sub" / "other.zip")


def test_a_file_on_disk_gives_the_bytes_of_its_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "file").chmod(0o600)
    packed = []
    for name, content in (("one.zip", b"content"), ("two.zip", tmp_path / "file")):
        with Archive(tmp_path / name, MOMENT) as archive:
            archive.add("file", content)
        packed.append((tmp_path / name).read_bytes())
    assert packed[0] == packed[1]


def test_entries_have_one_time_and_one_mode(tmp_path: Path) -> None:
    write(tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            assert entry.date_time == (2023, 11, 14, 22, 13, 20)
            assert entry.external_attr >> 16 == 0o100644


def test_a_time_before_the_first_of_zip_files_becomes_that(tmp_path: Path) -> None:
    assert write(tmp_path / "one.zip", 0) == write(tmp_path / "two.zip", EARLIEST)


def test_after_an_error_nothing_is_left_and_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "one.zip").write_bytes(b"before")
    with pytest.raises(FileNotFoundError):
        write_half(tmp_path / "one.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["one.zip"]
    assert (tmp_path / "one.zip").read_bytes() == b"before"
