"""The headers whose documentation Breathe shows on pages of Sphinx."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, write_tree

_HEADERS = {
    "include/lake/boat.h": "/** Floats. */\nvoid boat_float(void);\n",
    "include/lake/detail/hidden.h": "/** Hides. */\nvoid boat_hide(void);\n",
    "src/port.hpp": "/** Opens. */\nvoid port_open();\n",
    "tests/boat.h": "/** Tests. */\nvoid boat_test();\n",
}
_NAMES = {
    "boat_float": "Floats.",
    "boat_hide": "Hides.",
    "port_open": "Opens.",
    "boat_test": "Tests.",
}


def _shown(root: Path, conf: str, page: str = "", **others: str) -> tuple[set[str], list[str]]:
    """The functions that a page shows with their comments, and what is said of the page."""
    directives = "".join(f".. doxygenfunction:: {each}\n\n" for each in _NAMES)
    files = {
        **_HEADERS,
        "CMakeLists.txt": "project(lake)\n",
        "docs/conf.py": f"project = 'Lake'\nextensions = ['breathe']\n{conf}",
        "docs/index.rst": page or f"Lake\n====\n\n{directives}",
        **others,
    }
    inputs, diagnostics = read(write_tree(root, files))
    (record,) = inputs.records["docs"]
    found = {name for name, said in _NAMES.items() if said in record.text}
    return found, [each.message for each in diagnostics if each.path == "docs/index.rst"]


@pytest.mark.parametrize(
    ("doxyfile", "expected"),
    [
        ("INPUT = ../include \\\n  ../src\nRECURSIVE = YES", {"boat_float", "boat_hide", "port_open"}),
        ('INPUT = "../include/lake"', {"boat_float"}),
        ("INPUT = include\nRECURSIVE = YES\nEXCLUDE_PATTERNS = */detail/*", {"boat_float"}),
        ("INPUT = @CMAKE_SOURCE_DIR@/src\nINPUT += ${TOP}/tests", {"port_open", "boat_test"}),
        ("INPUT=..\nRECURSIVE=YES\nEXCLUDE=../tests ../src\nFILE_PATTERNS=*.h", {"boat_float", "boat_hide"}),
    ],
)  # fmt: skip
def test_a_doxyfile_says_which_headers_are_read(
    tmp_path: Path, doxyfile: str, expected: set[str]
) -> None:
    conf = "breathe_projects = {'lake': '../build/xml'}\nbreathe_default_project = 'lake'\n"
    found, said = _shown(tmp_path / "tree", conf, **{"docs/Doxyfile.in": f"{doxyfile}\n"})
    assert found == expected
    count = len(_NAMES) - len(expected)
    assert [f"directives without their text ({count})" in each for each in said] == [True]


def test_without_a_doxyfile_the_folders_of_headers_are_read(tmp_path: Path) -> None:
    conf = "breathe_projects = {'lake': '../build/xml'}\n"
    assert _shown(tmp_path / "tree", conf)[0] == {"boat_float", "boat_hide"}


def test_settings_may_name_the_files(tmp_path: Path) -> None:
    conf = (
        "breathe_projects_source = {'a': ('../src', ['port.hpp']), 'b': ('../tests', ['boat.h'])}\n"
        "breathe_default_project = 'a'\n"
    )
    page = (
        "Lake\n====\n\n.. doxygenfunction:: port_open\n\n"
        ".. doxygenfunction:: boat_test\n   :project: b\n"
    )
    assert _shown(tmp_path / "tree", conf, page) == ({"port_open", "boat_test"}, [])


def test_pages_of_myst_have_the_directives_too(tmp_path: Path) -> None:
    page = "# Lake\n\n```{doxygenfunction} boat_float\n```\n"
    conf = "extensions.append('myst_parser')\n"
    files = {**_HEADERS, "docs/conf.py": f"project = 'Lake'\nextensions = ['breathe']\n{conf}"}
    inputs, _ = read(write_tree(tmp_path, {**files, "docs/index.md": page}))
    (record,) = inputs.records["docs"]
    assert "## `void boat_float(void)` {#boat_float}\n\nFloats.\n" in record.text
