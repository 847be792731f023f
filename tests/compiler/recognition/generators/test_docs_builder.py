"""Documentation sets of docs-builder, from their configuration to what their pages show."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, titles, write_tree

from kbc.project import permalinks
from kbc.project.model import Collection
from kbc.project.sites.settings import SiteSettings
from kbc.records import DocRecord

DOCSET = """\
project: 'Heron'
cross_links:
  - nest-docs
exclude:
  - 'draft-*.md'
subs:
  heron: "Heron Server"
toc:
  - file: index.md
  - toc: reference
  - folder: guide
    children:
      - file: wade.md
        children:
          - file: deep.md
  - title: Nests
    crosslink: nest-docs://index.md
  - hidden: notes.md
  - folder: old
    sort: desc
    exclude:
      - no.md
"""
FILES = {
    "docs/docset.yml": DOCSET,
    "docs/index.md": "# {{heron}} [home]\n\nSee [wading](/guide/wade.md#depth) or [nests](nest-docs://a.md).\n",
    "docs/notes.md": page("Notes"),
    "docs/draft-x.md": page("Draft"),
    "docs/reference/toc.yml": "toc:\n  - file: index.md\n  - toc: api\n",
    "docs/reference/api/toc.yml": "toc:\n  - file: calls.md\n",
    "docs/reference/index.md": "---\nsub:\n  depth: 3 m\n---\n# Reference\n\nAt most {{depth}}.\n",
    "docs/reference/api/calls.md": page("Calls"),
    "docs/guide/wade.md": "# Wade\n\n:::{include} /_snippets/depth.md\n:::\n",
    "docs/guide/deep.md": page("Deep"),
    "docs/old/index.md": page("Old"),
    "docs/old/1.md": page("One"),
    "docs/old/2.md": page("Two"),
    "docs/old/no.md": page("No"),
    "docs/_snippets/depth.md": "## How deep [depth]\n\nAs {{heron}} likes.\n",
    "docs/redirects.yml": "redirects:\n  'swim.md': 'guide/wade.md'\n  'fly.md':\n    to: '!notes.md'\n"
    "  'egg.md': 'nest-docs://egg.md'\n",
}


@pytest.mark.parametrize("name", ["docset.yml", "_docset.yml"])
def test_titles_order_and_redirects_come_from_its_files(tmp_path: Path, name: str) -> None:
    start = "_" if name.startswith("_") else ""
    moved = {"docs/docset.yml": f"docs/{name}", "docs/redirects.yml": f"docs/{start}redirects.yml"}
    root = write_tree(tmp_path / "tree", {moved.get(path, path): FILES[path] for path in FILES})
    found = recognised(root / "docs")
    assert found.what == f"docs-builder documentation 'Heron' ({name})"
    inputs, diagnostics = read(root / "docs")
    assert titles(inputs.records["docs"]) == {
        "index.md": "Heron Server",
        "reference/index.md": "Reference",
        "reference/api/calls.md": "Calls",
        "guide/wade.md": "Wade",
        "guide/deep.md": "Deep",
        "notes.md": "Notes",
        "old/index.md": "Old",
        "old/2.md": "Two",
        "old/1.md": "One",
        "old/no.md": "No",
    }
    assert list(titles(inputs.records["docs"])) == [
        *("index.md", "reference/index.md", "reference/api/calls.md", "guide/wade.md"),
        *("guide/deep.md", "notes.md", "old/index.md", "old/2.md", "old/1.md", "old/no.md"),
    ]
    records = {each.id: each for each in inputs.records["docs"] if isinstance(each, DocRecord)}
    assert records["guide/wade.md"].aliases == ("swim",)
    assert records["notes.md"].aliases == ("fly",)
    assert [each.code for each in diagnostics if each.code.startswith("dead")] == []
    assert "[wading](guide/wade.md#depth) or nests." in records["index.md"].content
    assert "At most 3 m." in records["reference/index.md"].content
    (section,) = records["guide/wade.md"].sections[1:]
    assert (section.title, section.anchor) == ("How deep", "depth")


def test_addresses_are_paths_below_the_stated_one() -> None:
    collection = Collection(
        name="docs",
        kind="docs",
        paths=("docs",),
        generator="docs-builder",
        url="https://heron.example/docs/",
        site=SiteSettings(folder="docs"),
    )
    assert {
        path: permalinks.address(collection, path, {})
        for path in ("docs/index.md", "docs/guide/wade.md", "docs/guide/index.md")
    } == {
        "docs/index.md": "https://heron.example/docs/",
        "docs/guide/wade.md": "https://heron.example/docs/guide/wade",
        "docs/guide/index.md": "https://heron.example/docs/guide/",
    }


def test_other_sites_and_descriptions_of_apis_in_it_are_read(tmp_path: Path) -> None:
    files = {
        **FILES,
        "pyproject.toml": '[project]\nname = "heron"\n',
        "docs/sphinx/conf.py": "project = 'Heron for Python'\nextensions = ['myst_parser']\n",
        "docs/sphinx/index.rst": "Heron for Python\n================\n\nText.\n",
        "docs/sphinx/more.md": page("More"),
        "docs/openapi.yaml": "openapi: 3.0.0\ninfo: {title: Heron, version: '1'}\npaths:\n  /wade:\n"
        "    get:\n      operationId: wade\n      summary: Wade\n      responses: {}\n",
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root)
    assert {"openapi.yaml/wade", "guide/wade.md"} <= titles(inputs.records["docs"]).keys()
    assert "sphinx/more.md" not in titles(inputs.records["docs"])
    assert list(titles(inputs.records["docs-2"])) == [
        "docs/sphinx/index.rst",
        "docs/sphinx/more.md",
    ]


@pytest.mark.parametrize("text", ["project: Heron\n", "toc: everything\n", "- a\n", "toc: [\n"])
def test_without_a_table_of_contents_it_is_no_documentation_set(tmp_path: Path, text: str) -> None:
    files = {"docset.yml": text, "a.md": page("A"), "b.md": page("B")}
    assert recognised(write_tree(tmp_path / "tree", files)).what == "folder of pages"


def test_tables_of_contents_that_name_each_other_end(tmp_path: Path) -> None:
    files = {
        "docset.yml": "toc:\n  - toc: a\n",
        "a/toc.yml": "toc:\n  - file: b.md\n  - toc: ../a\n",
        "a/b.md": page("B"),
        "c.md": page("C"),
    }
    inputs, _ = read(write_tree(tmp_path / "tree", files))
    assert list(titles(inputs.records["docs"])) == ["a/b.md", "c.md"]
