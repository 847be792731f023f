"""What conf.py states for the text of all pages: names, links, roles, the version, the language of code."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, write_tree

from kbc.records import DocRecord

_SETTINGS = '''
project = "Weir"
version = "1.2"
extensions = ["sphinx.ext.extlinks"]
highlight_language = "console"
default_role = "code"
rst_prolog = """
.. |pond| replace:: the |big| *pond*
.. |big| replace:: large
"""
rst_epilog = """
.. _site: https://weir.example
.. _`the lake`: https://lake.example
.. |unused| replace:: never
"""
extlinks = {"issue": ("https://issues.example/%s", "issue %s"), "Wiki": ("https://wiki.example/%s", None),
    "lost": (f"{find_base()}/%s", "lost %s")}
'''


def test_pages_have_what_conf_py_states_for_all_of_them(tmp_path: Path) -> None:
    page = (
        "Weir |version|\n==============\n\nAt |Pond|: site_, `The lake`_, `flow`, :issue:`12`,"
        " :issue:`that one <13>`, :wiki:`Home`,"
        " :lost:`7`.\n\nRun::\n\n   $ open |version|\n\n"
        ".. parsed-literal::\n\n   get |release|\n\n.. |mine| replace:: own\n"
    )
    files = {"docs/conf.py": _SETTINGS, "docs/index.rst": page, "pyproject.toml": ""}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (found,) = inputs.records["docs"]
    assert isinstance(found, DocRecord)
    assert found.title == "Weir 1.2"
    assert found.text == (
        "# Weir 1.2\n\nAt the large *pond*: [site](https://weir.example), "
        "[The lake](https://lake.example), `flow`, [issue 12](https://issues.example/12), "
        "[that one](https://issues.example/13), [Home](https://wiki.example/Home), 7.\n\n"
        "Run:\n\n```console\n$ open |version|\n```\n\n```console\nget 1.2\n```\n"
    )
    assert found.targets == ("weir-version",)
    assert not [each for each in diagnostics if each.path.startswith("docs/")]


def test_what_a_page_defines_itself_counts_there(tmp_path: Path) -> None:
    page = (
        "Weir\n====\n\nAt |pond|: site_, `the lake`_.\n\n.. |pond| replace:: this one\n"
        ".. _site: https://own.example\n.. _`The lake`: https://own.example/lake\n"
    )
    files = {"docs/conf.py": _SETTINGS, "docs/index.rst": page, "pyproject.toml": ""}
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (found,) = inputs.records["docs"]
    assert isinstance(found, DocRecord)
    assert found.text == (
        "# Weir\n\nAt this one: [site](https://own.example), [the lake](https://own.example/lake).\n"
    )
    assert not [each for each in diagnostics if each.path.startswith("docs/")]


def test_a_version_that_a_program_computes_is_left_out_of_titles(tmp_path: Path) -> None:
    files = {
        "docs/conf.py": "project = 'Weir'\nversion = release = find_version()\n",
        "docs/index.rst": "Weir |version| manual\n=====================\n\n|release| is |today|.\n",
        "docs/own.rst": ".. |version| replace:: of ours\n\nA |version|\n===========\n\nText.\n",
        "pyproject.toml": "",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [each.title for each in inputs.records["docs"]] == ["Weir manual", "A of ours"]


def test_a_word_for_an_unknown_version_is_none(tmp_path: Path) -> None:
    files = {
        "docs/conf.py": (
            "project = 'Weir'\ntry:\n    release = version('weir')\n"
            "except NotFound:\n    release = 'unknown'\n"
        ),
        "docs/index.rst": "Weir\n====\n\nWater.\n",
        "pyproject.toml": '[project]\nname = "weir"\ndynamic = ["version"]\n',
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert inputs.project.version == "0"


def test_what_a_prolog_includes_defines_names_for_all_pages(tmp_path: Path) -> None:
    files = {
        "docs/conf.py": "project = 'Weir'\nrst_prolog = '.. include:: /names.inc'\n",
        "docs/names.inc": ".. |pond| replace:: the pond\n.. _site: https://weir.example\n",
        "docs/index.rst": "Weir\n====\n\nSee |pond| and site_.\n",
        "pyproject.toml": "",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    (found,) = inputs.records["docs"]
    assert "See the pond and [site](https://weir.example)." in found.text


@pytest.mark.parametrize("format", ["rst", "md"])
@pytest.mark.parametrize("docs", ["docs", "docs/site"])
@pytest.mark.parametrize(
    "place", ["pond-birds", "pond-birds/src", "packages/birds", "plugins/birds/src"]
)
def test_references_are_those_of_projects_beside_the_documentation(
    place: str, docs: str, format: str, tmp_path: Path
) -> None:
    project = place.removesuffix("/src")
    directive = ".. automodule:: pond.birds\n   :members:\n"
    page = {
        "rst": f"Birds\n=====\n\n{directive}",
        "md": f"# Birds\n\n```{{eval-rst}}\n{directive}```\n",
    }
    files = {
        f"{docs}/conf.py": 'project = "Pond"\nextensions = ["sphinx.ext.autodoc", "myst_parser"]\n',
        f"{docs}/index.{format}": page[format],
        f"{project}/pyproject.toml": '[project]\nname = "pond-birds"\n',
        f"{place}/pond/birds/__init__.py": "def hatch():\n    'Hatches.'\n",
        "other/readme.txt": "Nothing.\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    (found,) = inputs.records["docs"]
    assert isinstance(found, DocRecord)
    assert "Hatches." in found.text
    assert not [each for each in diagnostics if each.code == "content-elsewhere"]
