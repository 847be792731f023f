"""The libraries that a checkout is set up with."""

from __future__ import annotations

from importlib import metadata

from packaging.specifiers import SpecifierSet

LEAST_PYTHON = "3.11.0"
"""What pyproject.toml promises; Debian's is 3.11.2."""


def test_every_library_can_be_had_with_the_oldest_python() -> None:
    wanted = {
        each.name: each.metadata.get("Requires-Python", "") for each in metadata.distributions()
    }
    assert "pymdown-extensions" in wanted
    too_new = {
        name: versions
        for name, versions in wanted.items()
        if not SpecifierSet(versions).contains(LEAST_PYTHON)
    }
    assert not too_new
