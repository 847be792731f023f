"""Tools that a machine may lack: there tests skip, except in CI, where a skip must not look like a pass."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

TOOLS = "KBC_REQUIRE_TOOLS"
"""Set where every tool of the tests is installed and namespaces may be made."""
NPM = "KBC_REQUIRE_NPM"
"""Set where npm can fetch the locked packages, or has them."""
BROWSER = "KBC_REQUIRE_BROWSER"
"""Set where Chromium is installed."""
INDEX = "KBC_REQUIRE_INDEX"
"""Set where pip can fetch the pinned wheels, or has them."""
PYTHONS = "KBC_REQUIRE_PYTHONS"
"""Set where every Python that kbc supports is installed."""
IMAGES = "KBC_REQUIRE_IMAGES"
"""Set where root has buildah, runc and the base image."""


def needs(present: object, reason: str) -> pytest.MarkDecorator:
    """Skips a test whose tool is not present. Where tools are required it runs, and fails on its own."""
    return pytest.mark.skipif(not present and not os.environ.get(TOOLS), reason=reason)


def give_up(reason: str, switch: str = TOOLS) -> NoReturn:
    """Skips the test that runs; fails it where `switch` is set."""
    if os.environ.get(switch):
        pytest.fail(f"{reason} ({switch} is set)")
    pytest.skip(reason)
