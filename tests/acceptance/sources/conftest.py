"""The documentation set that all tests of its tools ask."""

from __future__ import annotations

import pytest
from tests.acceptance.served import Server, compiled
from tests.acceptance.sources.library import TREE


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return compiled(tmp_path_factory.mktemp("library"), TREE, pytestconfig)
