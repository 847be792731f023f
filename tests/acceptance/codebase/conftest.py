"""A compiled source tree that all tests of the tools over code ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.acceptance.codebase.shop import FILES
from tests.acceptance.conftest import Client, compile_into


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        path = folder / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


@pytest.fixture(scope="session")
def shop(folder: Path, pytestconfig: pytest.Config) -> Client:
    return compile_into(folder, pytestconfig)
