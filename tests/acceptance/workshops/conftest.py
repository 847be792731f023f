"""The workshops that all tests of their tools ask."""

from __future__ import annotations

import pytest
from tests.acceptance.served import Server, compiled
from tests.acceptance.workshops.school import TREE


@pytest.fixture(scope="session")
def school(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return compiled(tmp_path_factory.mktemp("school"), TREE, pytestconfig)
