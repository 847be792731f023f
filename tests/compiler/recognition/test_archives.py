"""Archives of documentation: what is unpacked, what is refused, and what is left behind."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import IO, Any

import pytest
from tests.compiler.recognition.trees import addresses, page, read, write_tree

from kb_runtime.store import temporary_folders
from kbc.recognition import archives
from kbc.recognition.detection import RecognitionError, recognise

NO_SPACE = """
import resource, signal, sys
from pathlib import Path
from kb_runtime.errors.shortages import shortage
from kbc.recognition.archives import extracted

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    extracted(Path(sys.argv[1]), Path(sys.argv[2]))
except OSError as error:
    print(shortage(error).kind)
"""


def test_archives_are_read_as_the_folders_they_hold(tmp_path: Path) -> None:
    names = {"pkg-1.0/PKG-INFO": "Name: heron\nVersion: 1.0\nSummary: Birds\n"}
    names |= {"pkg-1.0/docs/a.md": page("A"), "pkg-1.0/heron.py": "x = 1\n"}
    with tarfile.open(tmp_path / "pkg-1.0.tar.gz", "w:gz") as archive:
        for name, text in names.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    with zipfile.ZipFile(tmp_path / "heron-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("heron/__init__.py", "x = 1\n")
        archive.writestr("heron-1.0.dist-info/METADATA", "Name: heron\nVersion: 1.0\n\n# Heron\n")
    sdist, _ = read(tmp_path / "pkg-1.0.tar.gz")
    assert list(addresses(sdist)) == ["a.md"]
    assert (sdist.project.name, sdist.project.version) == ("heron", "1.0")
    wheel, _ = read(tmp_path / "heron-1.0-py3-none-any.whl")
    assert "heron/__init__.py" in [each.id for each in wheel.records["code"]]


@pytest.mark.parametrize(
    "name", ["../out.md", "/etc/x.md", "a/../../b.md", "C:/x.md", "..\\x.md", ""]
)
def test_an_archive_that_would_write_outside_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), page("Bad"))
    with pytest.raises(RecognitionError, match="outside its folder"):
        recognise(tmp_path / "bad.zip", tmp_path / "cache")
    assert not (tmp_path / "out.md").exists()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_an_archive_whose_files_a_file_system_would_merge_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulates a file system that does not tell upper and lower case apart."""
    with zipfile.ZipFile(tmp_path / "case.zip", "w") as archive:
        archive.writestr("docs/Pump.md", page("Upper"))
        archive.writestr("docs/pump.md", page("Lower"))
    found, _ = read(tmp_path / "case.zip")
    assert len(addresses(found)) == 2

    def exists(path: Path) -> bool:
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        return path.name.casefold() in {each.name.casefold() for each in beside}

    monkeypatch.setattr(Path, "exists", exists)
    with pytest.raises(
        RecognitionError, match=r"'docs/Pump\.md' and 'docs/pump\.md', which are one"
    ):
        recognise(tmp_path / "case.zip", tmp_path / "other-cache")


def test_links_in_an_archive_are_not_unpacked(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "links.tar", "w") as archive:
        link = tarfile.TarInfo("docs/secret.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        info = tarfile.TarInfo("docs/a.md")
        info.size = len(page("A"))
        archive.addfile(info, io.BytesIO(page("A").encode()))
    inputs, _ = read(tmp_path / "links.tar")
    assert list(addresses(inputs)) == ["a.md"]


@pytest.mark.parametrize(
    ("limit", "told"),
    [("MAX_BYTES", "more than 5,000 bytes"), ("MAX_MEMBERS", "more than 5,000 files")],
)
def test_an_archive_that_says_it_is_too_large_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, told: str
) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5_001):
            archive.writestr(f"{number}.md", "x" * 10)
    monkeypatch.setattr(archives, limit, 5_000)
    monkeypatch.setattr(archives, "_write", None)
    with pytest.raises(RecognitionError, match=told):
        recognise(tmp_path / "bomb.zip", tmp_path / "cache")


def test_folders_and_links_of_an_archive_are_counted_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(tmp_path / "bomb.tar", "w") as archive:
        for number in range(5):
            folder = tarfile.TarInfo(f"folder{number}")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
    monkeypatch.setattr(archives, "MAX_MEMBERS", 4)
    with pytest.raises(RecognitionError, match="more than 4 files or folders"):
        recognise(tmp_path / "bomb.tar", tmp_path / "cache")


def test_an_archive_that_grows_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(tmp_path / "bomb.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("a.md")
        info.size = 10_000
        archive.addfile(info, io.BytesIO(bytes(10_000)))
    monkeypatch.setattr(archives, "MAX_BYTES", 5_000)
    with pytest.raises(RecognitionError, match="more than 5,000 bytes"):
        recognise(tmp_path / "bomb.tar.gz", tmp_path / "cache")


@pytest.mark.skipif(sys.platform == "win32", reason="names have other limits there")
def test_a_name_that_is_too_long_is_told_without_a_path_of_the_cache(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("x" * 300 + ".md", "# A\n")
    with pytest.raises(RecognitionError) as caught:
        recognise(tmp_path / "x.zip", tmp_path / "cache")
    assert caught.value.message == "'x.zip' cannot be unpacked: File name too long"


@pytest.mark.parametrize("name", ["x.tar.gz", "x.tar", "x.zip"])
def test_a_damaged_archive_is_one_sentence(tmp_path: Path, name: str) -> None:
    start = b"PK\x03\x04" if name == "x.zip" else b"\x1f\x8b\x08"
    (tmp_path / name).write_bytes(start + b"nonsense")
    with pytest.raises(RecognitionError, match=r"^'x.*' cannot be unpacked: [^\n]+$") as caught:
        recognise(tmp_path / name, tmp_path / "cache")
    assert "copy it again" in caught.value.hint
    assert name != "x.zip" or "not a zip file" in caught.value.message


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a file's size are POSIX")
def test_an_archive_that_finds_no_space_is_not_called_damaged(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", "# A\n" * 10_000)
    said = subprocess.run(
        [sys.executable, "-c", NO_SPACE, tmp_path / "large.zip", tmp_path / "cache"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "the limit of file sizes is reached\n"
    assert list((tmp_path / "cache/archives").iterdir()) == []


def test_an_archive_that_two_processes_unpack_at_once_is_whole_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {f"{number}.md": page(f"Page {number}") for number in range(5)}
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for name, text in pages.items():
            archive.writestr(f"site/{name}", text)
    write = archives._write
    second_writes, first_is_done = Event(), Event()
    seconds: list[Future[dict[str, str]]] = []

    def taking_turns(stream: IO[bytes], place: Path, *rest: Any) -> None:
        if place.name == "2.md" and not seconds:
            seconds.append(pool.submit(unpacked))
            assert second_writes.wait(60)
        elif current_thread() is not main_thread() and not second_writes.is_set():
            second_writes.set()
            assert first_is_done.wait(60)
        write(stream, place, *rest)

    def unpacked() -> dict[str, str]:
        found = archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
        return {each.name: each.read_text() for each in found.iterdir()}

    monkeypatch.setattr(archives, "_write", taking_turns)
    with ThreadPoolExecutor(1) as pool:
        try:
            assert unpacked() == pages
        finally:
            first_is_done.set()
        assert seconds[0].result() == pages
    assert len(list((tmp_path / "cache/archives").iterdir())) == 1


def test_what_killed_processes_were_unpacking_goes_with_the_next_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    for name in (".new-killed", ".new-living"):
        write_tree(tmp_path / "cache/archives" / name, {"content/a.md": page("Half")})
    held = temporary_folders.lock_folder(str(tmp_path / "cache/archives/.new-living"))
    assert held is not None
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        archive.writestr("a.md", page("A"))
    archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
    os.close(held)
    hidden = [path.name for path in (tmp_path / "cache/archives").glob(".*")]
    assert hidden == [".new-living"]


@pytest.mark.parametrize("damage", ["removed", "changed", "added", "unlisted"])
def test_an_unpacked_archive_that_lost_files_is_unpacked_again(tmp_path: Path, damage: str) -> None:
    pages = {"a.md": page("A"), "b/c.md": page("C")}
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        for name, text in pages.items():
            archive.writestr(name, text)
    found = archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
    inode = found.stat().st_ino
    assert archives.extracted(tmp_path / "site.zip", tmp_path / "cache").stat().st_ino == inode
    match damage:
        case "removed":
            (found / "b/c.md").unlink()
        case "changed":
            (found / "a.md").write_text("B")
        case "added":
            (found / "d.md").write_text("D")
        case _:
            (found.parent / "files.json").unlink()
    again = archives.extracted(tmp_path / "site.zip", tmp_path / "cache")
    files = [each for each in again.rglob("*") if each.is_file()]
    assert {each.relative_to(again).as_posix(): each.read_text() for each in files} == pages
    assert [each.name[0] for each in (tmp_path / "cache/archives").iterdir()] != ["."]
