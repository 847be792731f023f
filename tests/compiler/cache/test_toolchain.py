"""What made an artifact is recorded."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from kbc.cache.toolchain import LANGUAGE_PACK, LIBRARIES, library_versions, source_hash

ROOT = Path(__file__).parents[3]


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = project["dependencies"] + project["optional-dependencies"]["compiler"]
    return {requirement.split(">")[0].split("[")[0] for requirement in requirements}


def test_the_compiler_asks_for_versions_of_its_dependencies_only() -> None:
    sources = (path.read_text() for path in (ROOT / "compiler").rglob("*.py"))
    asked = {name for text in sources for name in re.findall(r"version\(\"([\w-]+)\"\)", text)}
    assert asked <= declared()


def test_recorded_libraries_are_declared_dependencies() -> None:
    assert set(LIBRARIES) <= declared()
    assert library_versions().keys() == {"kbc", *LIBRARIES, LANGUAGE_PACK}


def test_a_language_pack_that_is_not_installed_is_not_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = metadata.version

    def version(name: str) -> str:
        if name == LANGUAGE_PACK:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    library_versions.cache_clear()
    monkeypatch.setattr(metadata, "version", version)
    assert library_versions().keys() == {"kbc", *LIBRARIES}
    library_versions.cache_clear()


def test_the_source_hash_is_stable() -> None:
    assert source_hash() == source_hash()
    assert len(source_hash()) == 64
