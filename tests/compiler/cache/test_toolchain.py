"""What made an artifact is recorded."""

from __future__ import annotations

import tomllib
from pathlib import Path

from kbc.cache.toolchain import LIBRARIES, library_versions, source_hash

ROOT = Path(__file__).parents[3]


def test_recorded_libraries_are_declared_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = project["dependencies"] + project["optional-dependencies"]["compiler"]
    names = {requirement.split(">")[0].split("[")[0] for requirement in declared}
    assert set(LIBRARIES) - names == {"tree-sitter"}  # comes with the grammars
    assert library_versions().keys() == {"kbc", *LIBRARIES}


def test_the_source_hash_is_stable() -> None:
    assert source_hash() == source_hash()
    assert len(source_hash()) == 64
