"""pkgdown: the order and the addresses of the reference and the articles of an R package."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, read, recognised, write_tree

PACKAGE = "Package: heron\nTitle: Fly\nVersion: 1.2.0\nLicense: MIT + file LICENSE\n"
CONFIG = """\
url: https://heron.example/
articles:
- title: Basics
  contents: [nests, starts_with("fly")]
reference:
- title: Nests
  contents:
  - find_nest
- subtitle: Others
  contents: ['`land`', ends_with("_egg"), lacks_concepts("x")]
"""


def topic(name: str, *aliases: str) -> str:
    names = "".join(f"\\alias{{{each}}}\n" for each in (name, *aliases))
    return f"\\name{{{name}}}\n{names}\\title{{{name}!}}\n\\description{{About {name}.}}\n"


@pytest.mark.parametrize("config", ["_pkgdown.yml", "pkgdown/_pkgdown.yml", "inst/_pkgdown.yaml"])
def test_pages_have_the_order_and_addresses_of_the_site(tmp_path: Path, config: str) -> None:
    files = {
        config: CONFIG,
        "DESCRIPTION": PACKAGE,
        "NAMESPACE": "export(land)\n",
        "R/land.R": "land <- function() 1\n",
        "man/big_egg.Rd": topic("big_egg"),
        "man/any.Rd": topic("any"),
        "man/fly.Rd": topic("fly", "land"),
        "man/nests.Rd": topic("nests", "find_nest"),
        "vignettes/_part.Rmd": "A part.\n",
        "vignettes/articles/flying.Rmd": "---\ntitle: Flying\n---\n\nText.\n",
        "vignettes/nests.Rmd": "---\ntitle: Nests\n---\n\nText.\n",
        "vignettes/other.Rmd": "---\ntitle: Other\n---\n\nText.\n",
    }
    root = write_tree(tmp_path / "tree", files)
    found = recognised(root)
    assert found.what == f"R package heron with a pkgdown site ({config})"
    assert (found.project.name, found.project.version) == ("heron", "1.2.0")
    assert (found.project.description, found.project.license) == ("Fly", "MIT")
    inputs, _ = read(root)
    assert list(addresses(inputs).items()) == [
        ("vignettes/nests.Rmd", "https://heron.example/articles/nests.html"),
        ("man/nests.Rd", "https://heron.example/reference/nests.html"),
        ("man/fly.Rd", "https://heron.example/reference/fly.html"),
        ("man/big_egg.Rd", "https://heron.example/reference/big_egg.html"),
        ("man/any.Rd", "https://heron.example/reference/any.html"),
        ("vignettes/articles/flying.Rmd", "https://heron.example/articles/flying.html"),
        ("vignettes/other.Rmd", "https://heron.example/articles/other.html"),
    ]
    assert "R/land.R" in {record.id for record in inputs.records["code"]}


def test_all_articles_come_first_where_none_are_named(tmp_path: Path) -> None:
    files = {
        "_pkgdown.yml": "url: https://heron.example\n",
        "DESCRIPTION": PACKAGE,
        "man/fly.Rd": topic("fly"),
        "vignettes/nests.Rmd": "---\ntitle: Nests\n---\n\nText.\n",
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert [*addresses(inputs)] == ["vignettes/nests.Rmd", "man/fly.Rd"]


def test_a_configuration_without_a_package_is_no_site(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"_pkgdown.yml": CONFIG, "a.md": "# A\n\nText.\n"})
    assert recognised(root).what == "folder of pages"
