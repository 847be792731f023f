from __future__ import annotations

from importlib.metadata import version

from kb_runtime.version import DISTRIBUTION
from kbc.shipping.closure import runtime_closure


def test_the_closure_is_closed_and_in_order() -> None:
    parts = {each.name: each for each in runtime_closure()}
    assert list(parts) == sorted(parts)
    assert {need for each in parts.values() for need in each.needs} <= set(parts)
    reached, wanted = set(), [DISTRIBUTION]
    while wanted:
        name = wanted.pop()
        if name not in reached:
            reached.add(name)
            wanted += parts[name].needs
    assert reached == set(parts)


def test_parts_have_the_version_and_the_licence_that_are_installed() -> None:
    parts = {each.name: each for each in runtime_closure()}
    assert parts["numpy"].version == version("numpy")
    assert "BSD-3-Clause" in parts["numpy"].license
    assert parts["mcp"].license.startswith("MIT")


def test_what_only_the_compiler_needs_is_no_part() -> None:
    names = {each.name for each in runtime_closure()}
    assert names.isdisjoint({"onnx", "lxml", "pytest", "cyclonedx-python-lib"})
