"""Files are replaced whole or not at all, with a backup, and never over another program's change."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

from kb_runtime.clients import config_file
from kb_runtime.clients.errors import ConfigError

NOBODY = 65534


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_file_before_is_kept_under_the_next_free_number(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"one")
    (tmp_path / "mcp.json.bak-1").write_bytes(b"someone else's")
    backup = config_file.replace(config_file.read(str(path)), b"two")
    assert backup == f"{path}.bak-2"
    assert files(tmp_path) == {
        "mcp.json": b"two",
        "mcp.json.bak-1": b"someone else's",
        "mcp.json.bak-2": b"one",
    }
    assert list(config_file.backups(config_file.read(str(path)))) == [b"one", b"someone else's"]


def test_of_many_backups_the_first_and_the_newest_stay(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"0")
    for number in range(1, 31):
        config_file.replace(config_file.read(str(path)), b"%d" % number)
    kept = list(config_file.backups(config_file.read(str(path))))
    assert kept == [*(b"%d" % number for number in range(29, 20, -1)), b"0"]


def test_a_new_file_gets_its_folders_and_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "mcp.json"
    assert config_file.replace(config_file.read(str(path)), b"{}") == ""
    assert files(path.parent) == {"mcp.json": b"{}"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o666])
def test_the_mode_is_kept_by_file_and_backup(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"one")
    path.chmod(mode)
    backup = config_file.replace(config_file.read(str(path)), b"two")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert stat.S_IMODE(Path(backup).stat().st_mode) == mode


def test_a_link_stays_a_link_to_the_edited_file(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "mcp.json"
    target.parent.mkdir()
    target.write_bytes(b"one")
    link = tmp_path / "mcp.json"
    link.symlink_to(target)
    config_file.replace(config_file.read(str(link)), b"two")
    assert link.is_symlink()
    assert files(target.parent) == {"mcp.json": b"two", "mcp.json.bak-1": b"one"}


def test_another_programs_change_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    for before, meanwhile in ((b"one", b"theirs"), (None, b"theirs"), (b"one", None)):
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        snapshot = config_file.read(str(path))
        path.unlink(missing_ok=True)
        if meanwhile is not None:
            path.write_bytes(meanwhile)
        with pytest.raises(ConfigError, match="was changed by another program"):
            config_file.replace(snapshot, b"ours")
        assert files(tmp_path) == ({} if meanwhile is None else {"mcp.json": meanwhile})


def test_of_two_writers_at_once_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b"one")
    snapshots = [config_file.read(str(path)) for _ in range(8)]
    barrier = Barrier(len(snapshots))
    refused: list[int] = []

    def write(number: int) -> None:
        barrier.wait()
        try:
            config_file.replace(snapshots[number], b"writer %d" % number)
        except ConfigError:
            refused.append(number)

    threads = [Thread(target=write, args=(number,)) for number in range(len(snapshots))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = set(range(len(snapshots))) - set(refused)
    assert files(tmp_path) == {"mcp.json": b"writer %d" % winner, "mcp.json.bak-1": b"one"}


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("folder", "file/mcp.json", "loop", "nul\0"):
        with pytest.raises(ConfigError) as refused:
            config_file.replace(config_file.read(str(tmp_path / name)), b"x")
        assert str(tmp_path / name) in refused.value.message


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write")
def test_a_folder_that_cannot_be_written_is_named() -> None:
    with pytest.raises(ConfigError, match=r"/proc/self/x/mcp\.json cannot be written: "):
        config_file.replace(config_file.read("/proc/self/x/mcp.json"), b"x")


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of a user who is not root, and this process as that user: root may write everything."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield Path(folder)
        finally:
            os.setresuid(0, 0, 0)


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="this system cannot change users")
def test_what_may_not_be_written_is_left_alone(unprivileged: Path) -> None:
    path = unprivileged / "mcp.json"
    path.write_bytes(b"one")
    path.chmod(0o444)
    with pytest.raises(ConfigError, match=r"mcp\.json cannot be written: it is read-only"):
        config_file.replace(config_file.read(str(path)), b"two")
    path.chmod(0o644)
    unprivileged.chmod(0o555)
    with pytest.raises(ConfigError, match=r"mcp\.json cannot be written: Permission denied"):
        config_file.replace(config_file.read(str(path)), b"two")
    path.chmod(0o000)
    with pytest.raises(ConfigError, match=r"mcp\.json cannot be read: Permission denied"):
        config_file.read(str(path))
    path.chmod(0o644)
    unprivileged.chmod(0o755)
    assert files(unprivileged) == {"mcp.json": b"one"}


def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(config_file.BOM + "é".encode())
    snapshot = config_file.read(str(path))
    assert snapshot.text() == "é"
    assert snapshot.encode("è") == config_file.BOM + "è".encode()


def test_other_encodings_are_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b'{\n"a": "caf\xe9"}')
    with pytest.raises(ConfigError, match="is not UTF-8: line 2 holds the byte 0xe9"):
        config_file.read(str(path)).text()
