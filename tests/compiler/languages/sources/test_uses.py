"""Uses of definitions, by annotations in small trees of each language.

A line of `tests/data/code/LANGUAGE` says in a comment what the names on it mean: `name -> file:line` for the
definition, `name -> ?` where only the name is known. A name that is annotated anywhere in a tree has no other
uses in it: every local variable, parameter and library function of that name is one that must not be found.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from kbc.diagnostics import Diagnostics
from kbc.following.source_index import read_tree
from kbc.languages.uses.extraction import uses
from kbc.languages.uses.imports import read_import
from kbc.languages.uses.resolution import resolve
from kbc.records import CodeRecord

TREES = Path(__file__).parents[3] / "data" / "code"
_ANNOTATION = re.compile(r"([\w$]+) -> (\?|[\w./]+:\d+)")


def records_of(language: str) -> list[CodeRecord]:
    return records_in(TREES / language)


def records_in(tree: Path) -> list[CodeRecord]:
    found = read_tree(tree, Diagnostics()).records["code"]
    return [record for record in found if isinstance(record, CodeRecord)]


def targets(tree: Path, name: str, texts: dict[str, str]) -> list[tuple[str, str]]:
    """The files of the uses of a name, each with that of the definition that it means."""
    for path, text in texts.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    records = records_in(tree)
    resolved = resolve(records)
    return [
        (records[use.file].path, records[resolved.definitions[use.target].file].path)
        for use in resolved.uses.get(name, ())
        if use.target >= 0
    ]


def test_every_language_whose_uses_are_known_has_a_tree() -> None:
    from kbc.languages.uses.queries import QUERIES

    assert {path.name for path in TREES.iterdir()} | {"tsx"} == set(QUERIES)


@pytest.mark.parametrize("language", sorted(path.name for path in TREES.iterdir()))
def test_uses_mean_what_the_tree_says(language: str) -> None:
    records = records_of(language)
    expected: list[tuple[str, int, str, str]] = []
    for record in records:
        for number, line in enumerate(record.text.split("\n"), 1):
            expected += ((record.id, number, *found) for found in _ANNOTATION.findall(line))
    assert expected
    resolved = resolve(records)
    found = []
    for name in {name for _, _, name, _ in expected}:
        for use in resolved.uses.get(name, ()):
            meant = "?"
            if use.target >= 0:
                target = resolved.definitions[use.target]
                assert target.name == name
                meant = f"{records[target.file].id}:{target.line}"
            found.append((records[use.file].id, use.line, name, meant))
    assert sorted(found) == sorted(expected)


def test_names_that_nothing_defines_are_kept_for_a_part_of_a_tree() -> None:
    (main,) = (record for record in records_of("python") if record.id == "main.py")
    assert resolve([main]).uses == {}
    kept = resolve([main], keep_all=True).uses
    assert {"add"} <= kept.keys()
    assert all(use.target == -1 for use in kept["add"])


def test_a_use_says_how_and_where() -> None:
    found = uses("def f(a: T):\n    g(a.b)\n", language="python")
    places = list(
        zip(found.names, found.lines, found.columns, found.ways, found.receivers, strict=True)
    )
    assert places == [
        ("f", 1, 5, 0, ""),
        ("T", 1, 10, 1, ""),
        ("g", 2, 5, 2, ""),
        ("b", 2, 9, 0, "?"),
    ]


def test_a_module_of_which_the_tree_has_the_stub_alone_is_its_stub(tmp_path: Path) -> None:
    texts = {
        "weir/__init__.py": "",
        "weir/flow/__init__.py": "",
        "weir/flow/native.pyi": "def fill(level: int) -> None: ...\n",
        "main.py": "from weir.flow.native import fill\n\nfill(1)\n",
    }
    assert targets(tmp_path, "fill", texts) == [("main.py", "weir/flow/native.pyi")] * 2


def test_the_longest_name_of_a_package_that_an_import_begins_with_is_meant(tmp_path: Path) -> None:
    texts = {
        "one/package.json": '{"name": "weir"}',
        "one/gate.js": "export function lift() {}\n",
        "two/package.json": '{"name": "weir/parts"}',
        "two/gate.js": "export function lift() {}\n",
        "main.js": 'import { lift } from "weir/parts/gate";\nlift();\n',
    }
    assert targets(tmp_path, "lift", texts) == [("main.js", "two/gate.js")] * 2


def test_a_member_is_that_of_the_class_in_the_same_file_then_in_the_same_folder(
    tmp_path: Path,
) -> None:
    of_class = "class Pump:\n    def fill(self):\n        pass\n"
    texts = {
        "a/one.py": of_class + "\n    def run(self):\n        self.fill()\n",
        "a/two.py": "class Pump:\n    def run(self):\n        self.fill()\n",
        "b/one.py": of_class,
        "c/two.py": "class Pump:\n    def run(self):\n        self.fill()\n",
    }
    assert targets(tmp_path, "fill", texts) == [("a/one.py", "a/one.py"), ("a/two.py", "a/one.py")]


@pytest.mark.timeout(120)
def test_names_that_every_function_binds_take_time_for_their_number_alone() -> None:
    text = "".join(f"def f{number}(x):\n    return x + x\n\n" for number in range(20_000))

    started = time.process_time()
    assert uses(text, language="python").receivers == [""] * 20_000
    assert time.process_time() - started < 9


def test_a_text_that_is_no_code_has_no_uses_and_no_error() -> None:
    for language in ("python", "typescript", "rust", "cpp", "php"):
        assert uses("\ud800 }}} ((( \0", language=language).imports == []


@pytest.mark.parametrize(
    ("language", "statement", "imports"),
    [
        ("python", "import a.b as c, d", [("c", "a.b", ""), ("d", "d", "")]),
        (
            "python",
            "from .x import (\n    y as z,  # why\n    w,\n)",
            [("z", ".x", "y"), ("w", ".x", "w")],
        ),
        ("python", "from .. import x", [("x", "..", "x")]),
        ("python", "from a import *", [("*", "a", "")]),
        (
            "typescript",
            "import d, { type a as b, c } from './m';",
            [("b", "./m", "a"), ("c", "./m", "c"), ("d", "./m", "default")],
        ),
        ("typescript", "import * as ns from 'n'", [("ns", "n", "")]),
        ("typescript", "export * from './y';", [("*", "./y", "")]),
        ("javascript", "a = require('./m').b", [("a", "./m", "")]),
        ("go", 'y "gopkg.in/yaml.v3"', [("y", "gopkg.in/yaml.v3", "")]),
        ("go", '"gopkg.in/yaml.v3"', [("yaml", "gopkg.in/yaml.v3", "")]),
        ("go", '"example.org/go-queue/v2"', [("queue", "example.org/go-queue/v2", "")]),
        (
            "rust",
            "pub(crate) use a::{self, b::{c as d, *}, e};",
            [("a", "", "a"), ("d", "a.b", "c"), ("*", "a.b", ""), ("e", "a", "e")],
        ),
        ("java", "import static a.B.*;", [("*", "a.B", "")]),
        ("csharp", "using X = A.B.C;", [("X", "A.B", "C")]),
        ("c", "#include <a/b.h>", [("*", "a/b.h", "")]),
        ("ruby", "require_relative 'a/b'", [("*", "./a/b", "")]),
        ("php", "use A\\{B, C as D};", [("B", "A", "B"), ("D", "A", "C")]),
        ("php", "use function A\\f;", [("f", "A", "f")]),
    ],
)
def test_import_statements(
    language: str, statement: str, imports: list[tuple[str, str, str]]
) -> None:
    assert read_import(language, statement) == imports
