from __future__ import annotations

import errno
import json
import zipfile
from pathlib import Path

import pytest
from tests.compiler.shipping.conftest import Ship

from kbc.shipping.bundle.folder import write_bundles
from kbc.shipping.errors import ShippingError
from kbc.shipping.product import product


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_every_form_is_written(ship: Ship, tmp_path: Path) -> None:
    artifact = ship({"docs": [{"id": "a.md", "title": "A", "text": "# A\n\nText.\n"}]})
    report = write_bundles(artifact, product(artifact, mcp_name="org.example/small"), tmp_path, 0)
    assert report.left_out == ()
    assert report.folder == tmp_path / "small-kb-1"
    assert set(report.files) == {
        "llms-full.txt",
        "llms.txt",
        "plugin/.claude-plugin/plugin.json",
        "plugin/.mcp.json",
        "plugin/skills/small-kb/SKILL.md",
        "server.json",
        "skills/small-kb/SKILL.md",
        "small-kb.mcpb",
    }
    plugin = report.folder / "plugin"
    servers = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"small": {"command": "small-kb"}}
    assert json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())["name"] == "small-kb"
    with zipfile.ZipFile(report.folder / "small-kb.mcpb") as archive:
        assert archive.namelist() == ["manifest.json", "server/main.py"]


def test_the_same_artifact_gives_the_same_bytes_and_replaces_the_folder(
    ship: Ship, tmp_path: Path
) -> None:
    artifact = ship()
    folder = write_bundles(artifact, product(artifact), tmp_path, 0).folder
    first = content(folder)
    (folder / "llms.txt").write_text("of an earlier run")
    assert content(write_bundles(artifact, product(artifact), tmp_path, 0).folder) == first
    assert {path.name for path in tmp_path.iterdir()} == {"out", "small-kb-1"}


def test_an_interruption_while_the_folder_is_replaced_leaves_the_earlier_one(
    ship: Ship, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = ship()
    folder = write_bundles(artifact, product(artifact), tmp_path, 0).folder
    first, rename = content(folder), Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if target == folder and not path.name.endswith(".old"):
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bundles(artifact, product(artifact), tmp_path, 0)
    assert content(folder) == first
    assert {path.name for path in tmp_path.iterdir()} == {"out", "small-kb-1"}


def test_what_cannot_be_made_is_told_with_the_reason(ship: Ship, tmp_path: Path) -> None:
    artifact = ship({"builtins": [{"id": "map", "title": "map", "text": "maps"}]})
    report = write_bundles(artifact, product(artifact), tmp_path, 0)
    assert "server.json" not in report.files
    assert "llms.txt" not in report.files
    registry, pages = report.left_out
    assert "mcp_name" in registry
    assert "no page" in pages


def test_a_folder_with_other_files_is_left_alone(ship: Ship, tmp_path: Path) -> None:
    artifact = ship()
    (tmp_path / "small-kb-1").mkdir()
    (tmp_path / "small-kb-1" / "thesis.txt").write_text("mine")
    with pytest.raises(ShippingError, match=r"thesis\.txt"):
        write_bundles(artifact, product(artifact), tmp_path, 0)
    assert content(tmp_path / "small-kb-1") == {"thesis.txt": b"mine"}


def test_a_file_in_the_way_is_left_alone(ship: Ship, tmp_path: Path) -> None:
    artifact = ship()
    (tmp_path / "small-kb-1").write_text("mine")
    with pytest.raises(ShippingError, match="is a file"):
        write_bundles(artifact, product(artifact), tmp_path, 0)


def test_a_folder_that_cannot_be_written_is_named(
    ship: Ship, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = ship()
    (tmp_path / "dist").mkdir()

    def refuse(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    make = Path.mkdir
    monkeypatch.setattr(
        Path, "mkdir", lambda self, **how: make(self, **how) if how else refuse(self)
    )
    with pytest.raises(PermissionError) as caught:
        write_bundles(artifact, product(artifact), tmp_path / "dist", 0)
    assert caught.value.filename == str(tmp_path / "dist")
