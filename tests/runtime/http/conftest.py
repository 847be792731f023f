"""An artifact of one page, without vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbc import BuildOptions, build


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    (folder / "docs").mkdir()
    (folder / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (folder / "kb.toml").write_text('[kb]\nname = "demo"\n')
    return build(folder, BuildOptions(out=folder / "out", embed=False)).path
