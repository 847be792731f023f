"""The checker of the knowledge base, as a module."""

from __future__ import annotations

from types import ModuleType

import pytest
from tests.kb.scripts import load


@pytest.fixture(scope="session")
def checker() -> ModuleType:
    return load("check_kb")
