"""Configurations that a build of the project fills in before the generator reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, titles, write_tree

CONF = "project = '@NAME@'\nversion = ${VERSION}\nextensions = ['sphinx.ext.todo']\n"
RST = "Weirs\n=====\n\nThey hold water.\n"


@pytest.mark.parametrize(
    ("config", "text", "others", "generator", "found"),
    [
        ("conf.py.in", CONF, {"index.rst": RST}, "sphinx", {"index.rst": "Weirs"}),
        (
            "conf.py.in",
            CONF.replace("version", "html_title = 'Weirs ${VERSION}'\n# version"),
            {"index.rst": RST},
            "sphinx",
            {"index.rst": "Weirs"},
        ),
        (
            "book.toml.in",
            '[book]\ntitle = "Weirs @VERSION@"\nsrc = "pages"\n',
            {"pages/SUMMARY.md.in": "- [First](a.md)\n@MORE@\n", "pages/a.md": "It holds.\n"},
            "mdbook",
            {"a.md": "First"},
        ),
        (
            "mkdocs.yml.in",
            "site_name: Weirs @VERSION@\nnav:\n  - First: a.md\n",
            {"docs/a.md": "It holds.\n"},
            "mkdocs",
            {"a.md": "First"},
        ),
    ],
)
def test_a_template_of_a_configuration_is_read_without_what_is_filled_in(
    tmp_path: Path,
    config: str,
    text: str,
    others: dict[str, str],
    generator: str,
    found: dict[str, str],
) -> None:
    root = write_tree(tmp_path / "tree", {config: text, **others})
    (docs,) = recognised(root).project.collections
    assert docs.generator == generator
    assert docs.site.title in ("", "Weirs")
    inputs, _ = read(root)
    assert titles(inputs.records["docs"]) == found


def test_pages_may_be_around_the_folder_of_a_template_and_nowhere(tmp_path: Path) -> None:
    files = {
        "docs/sphinx/conf.py.in": CONF.replace("${VERSION}", "'${VERSION}'"),
        "docs/parts/a.rst": RST,
        "CMakeLists.txt": "",
        "a.c": "",
    }
    plain = recognised(write_tree(tmp_path / "plain", files)).project
    assert [each.generator for each in plain.collections if each.kind == "docs"] == [""]
    root = write_tree(tmp_path / "around", {**files, "docs/index.rst": RST})
    docs = next(each for each in recognised(root).project.collections if each.kind == "docs")
    assert (docs.generator, docs.paths) == ("sphinx", ("docs",))


def test_a_configuration_is_read_before_a_template_of_it(tmp_path: Path) -> None:
    configs = {"conf.py.in": CONF, "conf.py": "project = 'Weirs'\nextensions = []\n"}
    root = write_tree(tmp_path / "tree", {**configs, "index.rst": RST, "a.md": page("A")})
    assert recognised(root).what == "Sphinx project 'Weirs' (conf.py)"
