"""The rooms of both packages: which may import which, how deep they lie, and how large they are.

`ROOMS` is the plan, from the lowest room to the highest: a room imports rooms on lower layers only.
Imports inside functions and those for type checkers count.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"kb_runtime": ROOT / "runtime" / "kb_runtime", "kbc": ROOT / "compiler" / "kbc"}
ROOMS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "kb_runtime": (
        ("companion", "digests", "errors", "log", "records", "signals", "user_cache", "version"),
        ("options", "store", "text"),
        ("search",),
        ("knowledge",),
        ("live",),
        ("tools",),
        ("mcp",),
        ("api",),
        ("explorer", "http"),
        ("adapters", "clients", "start"),
        ("__main__", "cli"),
    ),
    "kbc": (
        ("diagnostics", "errors", "limits", "linking", "records"),
        ("cache", "processor_time", "project"),
        ("backends", "encoding", "evaluation", "languages"),
        ("chunking", "formats", "shipping", "sources"),
        ("execution", "frontends", "recognition"),
        ("pipeline",),
        ("following", "importing"),
        ("cli",),
        ("__main__",),
    ),
}
MOST_LAYERS = {"kb_runtime": 11, "kbc": 9}
MOST_MODULES = 20
MOST_LINES = 450


@cache
def modules(package: str) -> dict[str, Path]:
    """Dotted name -> file, of every module; a folder's name stands for its `__init__`."""
    found = {}
    for path in sorted(PACKAGES[package].rglob("*.py")):
        parts = path.relative_to(PACKAGES[package]).with_suffix("").parts
        found[".".join((package, *(part for part in parts if part != "__init__")))] = path
    return found


def imported(package: str, name: str) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in it."""
    known = modules(package)
    for node in ast.walk(ast.parse(known[name].read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module


def room(name: str) -> str:
    """`kb_runtime.search.fusion` is in the room `search`; the package itself is in none."""
    return (*name.split("."), "")[1]


@pytest.mark.parametrize("package", ROOMS)
def test_the_plan_names_every_room(package: str) -> None:
    planned = {name for layer in ROOMS[package] for name in layer}
    assert planned == {room(name) for name in modules(package)} - {""}
    assert len(ROOMS[package]) <= MOST_LAYERS[package]


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_import_lower_layers_only(package: str) -> None:
    layer = {name: depth for depth, names in enumerate(ROOMS[package]) for name in names}
    wrong = [
        f"{name} imports {other}"
        for name in modules(package)
        for other in imported(package, name)
        if room(name) and room(other) and room(name) != room(other)
        if layer[room(other)] >= layer[room(name)]
    ]
    assert wrong == []


@pytest.mark.parametrize("package", ROOMS)
def test_no_import_circle(package: str) -> None:
    graph = {name: set(imported(package, name)) - {name, package} for name in modules(package)}
    while leaves := [name for name, others in graph.items() if not others & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert graph == {}


@pytest.mark.parametrize("package", ROOMS)
def test_every_room_says_what_lives_there_and_what_it_may_import(package: str) -> None:
    for name, path in modules(package).items():
        if path.name == "__init__.py" and name != package:
            said = ast.get_docstring(ast.parse(path.read_text())) or ""
            assert "\n\nImports " in said, name


@pytest.mark.parametrize("package", ROOMS)
def test_a_room_says_which_rooms_it_imports(package: str) -> None:
    """But for those of the lowest layer, unless it says that it imports all that lie below it."""
    lowest = {"", *ROOMS[package][0]}
    parts = {part for name in modules(package) for part in name.split(".")}
    wrong = {}
    for name, path in modules(package).items():
        if path.name != "__init__.py" or name != f"{package}.{room(name)}":
            continue
        said = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\nImports ")[2]
        told = set(re.findall(r"`(\w+)`", said))
        inner = [each for each in modules(package) if room(each) == room(name)]
        found = {room(other) for each in inner for other in imported(package, each)}
        untold = set() if re.search(r"below|every room", said) else found - lowest - {room(name)}
        if untold - told or told - parts:
            wrong[name] = untold - told | told - parts
    assert wrong == {}


def said_in(path: Path) -> Iterator[str]:
    """Docstrings and comments of a module."""
    source = path.read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def is_there(name: str) -> bool:
    """Whether a dotted name is that of a module, or of something that a module has."""
    known = {module: path for package in ROOMS for module, path in modules(package).items()}
    module, rest = name, ""
    while module not in known:
        module, _, last = module.rpartition(".")
        rest = last
        if not module:
            return False
    return not rest or re.search(rf"\b{rest}\b", known[module].read_text()) is not None


@pytest.mark.parametrize("package", ROOMS)
def test_every_module_that_a_docstring_or_a_comment_names_exists(package: str) -> None:
    rooms = "|".join({room(name) for name in modules(package)} - {""})
    named = re.compile(rf"\b(?:{'|'.join(ROOMS)})(?:\.\w+)+|`(?:{rooms})\.(?!json`)\w+(?:\.\w+)*`")
    gone = [
        f"{name}: {found[0]}"
        for name, path in modules(package).items()
        for said in said_in(path)
        for found in named.finditer(said)
        if not is_there(
            f"{package}.{found[0].strip('`')}" if found[0].startswith("`") else found[0]
        )
    ]
    assert gone == []


@pytest.mark.parametrize("package", ROOMS)
def test_folders_and_files_stay_small(package: str) -> None:
    for path in modules(package).values():
        assert len(path.read_text().splitlines()) <= MOST_LINES, path
        if path.name == "__init__.py":
            assert len(list(path.parent.glob("*.py"))) - 1 <= MOST_MODULES, path.parent


@pytest.mark.parametrize("top", ["benchmarks", "scripts", "tests"])
def test_what_surrounds_the_packages_has_rooms_too(top: str) -> None:
    folders = {path.parent for path in (ROOT / top).rglob("*.py")}
    assert folders
    for folder in folders:
        modules_in = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules_in) <= MOST_MODULES, folder
        for path in modules_in:
            assert len(path.read_text().splitlines()) <= MOST_LINES, path


@pytest.mark.parametrize("package", ROOMS)
def test_no_module_is_named_like_a_test(package: str) -> None:
    assert [path for path in modules(package).values() if path.name.startswith("test_")] == []


def test_no_two_classes_have_one_name() -> None:
    files = [path for package in ROOMS for path in modules(package).values()]
    trees = [ast.parse(path.read_text()) for path in files]
    names = Counter(
        node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("package", ROOMS)
def test_the_page_on_architecture_names_every_room_and_no_module_that_is_gone(package: str) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    folders = {room(name) for name, path in modules(package).items() if path.name == "__init__.py"}
    assert {name for name in folders - {""} if f"| `{name}` |" not in page} == set()


def test_every_module_that_the_page_on_architecture_names_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    known = {name.partition(".")[2] for package in ROOMS for name in modules(package)}
    rooms = {name.partition(".")[0] for name in known}
    named = {name for name in re.findall(r"`(\w+(?:\.\w+)+)`", page) if not name.endswith(".json")}
    assert {name for name in named if name.split(".")[0] in rooms} <= known
