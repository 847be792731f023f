"""An artifact, and a home folder with clients to install it into."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest
from tests.end_to_end.knowledge import write_knowledge
from tests.waiting import PATIENCE_S

from kb_runtime.clients import doctor
from kbc.pipeline.build import BuildOptions, build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("install")
    write_knowledge(folder / "kb")
    return build(folder / "kb", BuildOptions(out=folder / "out", cache=None)).path.parent


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is slow for the doctor: the machine may be."""
    monkeypatch.setattr(doctor, "SLOW_START_S", PATIENCE_S)
    monkeypatch.setattr(doctor, "probe", partial(doctor.probe, timeout_s=PATIENCE_S))


@pytest.fixture
def artifact(built: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    return Path(shutil.copytree(built, tmp_path / "demo"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with six clients, none of which has a server yet."""
    home = tmp_path / "home"
    for name in (
        ".claude",
        ".config/Claude",
        ".cursor",
        ".codex",
        ".config/opencode",
        ".config/zed",
    ):
        (home / name).mkdir(parents=True)
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return home
