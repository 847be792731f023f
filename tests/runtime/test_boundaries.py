"""The runtime stands alone: no module of the compiler, no library that is not its dependency."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import kb_runtime

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "runtime" / "kb_runtime"
MODULES = sorted(RUNTIME.rglob("*.py"))

BROUGHT_BY_MCP = {"anyio", "httpx2", "jwt", "mcp_types", "pydantic", "starlette", "uvicorn"}
"""Libraries that the SDK depends on; the HTTP front end uses some of them."""


FRAMEWORKS = {"langchain_core", "llama_index"}
"""What an adapter is for; extras bring them."""

SHA256 = {"_sha256", "_sha2"}
"""The standard library's SHA-256 without OpenSSL, up to Python 3.11 and from 3.12 on."""


_MODULES = {"markdown-it-py": "markdown_it"}
"""Distributions whose module has another name."""


def allowed(*, explorer: bool = False) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        requirement.split(">")[0].replace("-", "_") for requirement in project["dependencies"]
    }
    if explorer:
        extra = project["optional-dependencies"]["explorer"]
        declared |= {_MODULES.get(name, name) for name in (each.split(">")[0] for each in extra)}
        declared.add("markupsafe")  # which Jinja is made of
    return declared | BROUGHT_BY_MCP | set(sys.stdlib_module_names) | {"kb_runtime"} | SHA256


def imports(path: Path) -> Iterator[str]:
    """Top-level names of everything that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(RUNTIME)))
def test_a_runtime_module_imports_runtime_dependencies_only(path: Path) -> None:
    is_explorer = path.parent.name == "explorer"
    extra = FRAMEWORKS if path.parent.name == "adapters" else set()
    assert set(imports(path)) - allowed(explorer=is_explorer) - extra == set()


def test_the_explorer_uses_the_public_names_of_the_runtime_only() -> None:
    for path in (RUNTIME / "explorer").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kb_runtime"):
                assert (node.module or "").startswith("kb_runtime.explorer"), path
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "kr" or node.attr in kb_runtime.__all__, path


def test_what_does_not_open_the_explorer_does_not_import_it() -> None:
    rooms = ("explorer",)
    users = {
        str(path.relative_to(RUNTIME))
        for path in MODULES
        if path.parent.name not in rooms and "kb_runtime.explorer" in path.read_text()
    }
    assert users == {"start/main.py"}


@pytest.mark.slow
def test_the_sdk_is_imported_by_the_http_front_end_only() -> None:
    users = {path.name for path in MODULES if {"mcp", "mcp_types"} & set(imports(path))}
    assert users <= {"app.py"}
