"""Two knowledge bases in one client: tools of the same names are told, prefixes keep them apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kbc.pipeline.build import BuildOptions, build


def built(folder: Path, name: str, settings: str) -> Path:
    (folder / name / "docs").mkdir(parents=True)
    (folder / name / "docs" / "page.md").write_text(f"# {name}\n\nAbout {name}.\n")
    (folder / name / "kb.toml").write_text(f'[kb]\nname = "{name}"\n{settings}')
    options = BuildOptions(out=folder / "out", cache=folder / "cache", embed=False)
    return build(folder / name, options).path.parent


def install(home: Path, artifact: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kbc", "install", str(artifact), "--client", "cursor"],
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "collides"), [('prefix = "same"\n', True), ("", False)], ids=["same", "own"]
)
def test_install_warns_of_tools_that_another_server_has(
    tmp_path: Path, settings: str, collides: bool
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    first, second = built(tmp_path, "one", settings), built(tmp_path, "two", settings)
    alone = install(home, first)
    assert alone.returncode == 0, alone.stderr
    assert "same names" not in alone.stderr
    beside = install(home, second)
    assert beside.returncode == 0, beside.stderr
    assert ("Cursor: one has tools of the same names: same_search" in beside.stderr) == collides
    assert ("[tools] prefix = true" in beside.stderr) == collides
