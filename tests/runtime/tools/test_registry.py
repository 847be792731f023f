"""The list of tools says where each is declared."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from tests.fresh_python import printed_by

from kb_runtime.tools import registry

TOOLS_FOLDER = Path(str(registry.__file__)).parent


@pytest.mark.parametrize("module", registry.MODULES)
def test_a_module_declares_the_tools_that_are_listed_for_it(module: str) -> None:
    declared = import_module(f"kb_runtime.tools.{module}").TOOLS
    assert tuple(tool.name for tool in declared) == registry.MODULES[module]
    for tool in declared:
        assert registry.tool_named(tool.name) is tool


def test_every_module_with_tools_is_listed() -> None:
    listed = set(registry.MODULES)
    parts = {"code"}  # whose modules `code.family` puts together
    for path in TOOLS_FOLDER.glob("*/*.py"):
        if "\nTOOLS = (" in path.read_text() and path.parent.name not in parts:
            assert f"{path.parent.name}.{path.stem}" in listed


def test_a_tool_is_found_without_the_modules_of_others() -> None:
    program = (
        "import sys\n"
        "from kb_runtime.tools.registry import tool_named\n"
        "tool_named('{prefix}_hybrid_search')\n"
        "print([name for name in sys.modules if name.startswith('kb_runtime.tools.code')])\n"
    )
    assert printed_by(program) == "[]"


def test_another_name_is_no_tool() -> None:
    with pytest.raises(KeyError):
        registry.tool_named("no_such_tool")
    with pytest.raises(AttributeError):
        registry.NOTHING  # noqa: B018
