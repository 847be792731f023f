"""MkDocs: navigation that plugins read from files among the pages."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, titles, write_tree

from kbc.project.include_tree import IncludeTree
from kbc.recognition.generators.mkdocs.navigation import navigation

PAGES = {
    "docs/index.md": page("Sluice"),
    "docs/a.md": page("A"),
    "docs/z.md": page("Z"),
    "docs/guide/index.md": page("Guide"),
    "docs/guide/one.md": page("One"),
    "docs/guide/two.md": page("Two"),
    "docs/api/v1.2/get.md": page("Get"),
    "docs/api/put.md": page("Put"),
}


def order(tmp_path: Path, files: Mapping[str, str], config: str) -> list[str]:
    """The pages in the order of a site with `PAGES`."""
    config = f"site_name: Sluice\n{config}"
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": config, **PAGES, **files})
    inputs, diagnostics = read(root)
    assert [each.code for each in diagnostics.warnings] == []
    return list(titles(inputs.records["docs"]))


@pytest.mark.parametrize("name", ["literate-nav", "mkdocs-literate-nav"])
def test_lists_of_links_are_the_navigation(tmp_path: Path, name: str) -> None:
    files = {
        "docs/SUMMARY.md": "Not this: [A](a.md)\n\n<!--nav-->\n\n* [Z](z.md)\n* [Guide](guide/)\n* Parts\n"
        "    * [Put it](api/put.md#how)\n    * [Elsewhere](https://example.org)\n* api/*/\n* *.md\n",
        "docs/guide/SUMMARY.md": "- [Two](two.md)\n- [`One`](<one.md>)\n",
    }
    found = order(tmp_path, files, f"plugins: [search, {name}]\n")
    assert found == [
        "z.md",
        "guide/two.md",
        "guide/one.md",
        "api/put.md",
        "api/v1.2/get.md",
        "index.md",
        "a.md",
        "guide/index.md",
    ]


def test_folders_that_the_configuration_names_have_lists_of_their_own(tmp_path: Path) -> None:
    files = {"docs/guide/NAV.md": "1. [Two](two.md)\n2. [One](one.md)\n"}
    config = (
        "nav: [a.md, Guide: guide/, Api: api/]\nplugins: [{literate-nav: {nav_file: NAV.md}}]\n"
    )
    assert order(tmp_path, files, config)[:4] == [
        "a.md",
        "guide/two.md",
        "guide/one.md",
        "api/put.md",
    ]


def test_a_list_is_a_page_where_no_plugin_reads_it(tmp_path: Path) -> None:
    found = order(tmp_path, {"docs/SUMMARY.md": page("S")}, "")
    assert "SUMMARY.md" in found


@pytest.mark.parametrize(
    ("file", "plugin"),
    [
        (".pages", "awesome-pages"),
        (".nav.yml", "awesome-nav"),
        (".x", "{awesome-pages: {filename: .x}}"),
    ],
)
def test_each_folder_orders_what_is_in_it(tmp_path: Path, file: str, plugin: str) -> None:
    rest = "'*'" if plugin == "awesome-nav" else "..."
    files = {
        f"docs/{file}": f"nav:\n  - Last first: z.md\n  - {rest}\n  - Parts:\n      - guide\n  - api/v1.2\n",
        f"docs/guide/{file}": "nav: [two.md, index.md]\n",
        f"docs/api/{file}": "title: API\n",
    }
    found = order(tmp_path, files, f"plugins:\n  - search\n  - {plugin}\n")
    assert found == [
        "z.md",
        "index.md",
        "a.md",
        "api/put.md",
        "guide/two.md",
        "guide/index.md",
        "api/v1.2/get.md",
        "guide/one.md",
    ]


def test_a_folder_may_be_reversed_and_the_rest_chosen_by_a_pattern(tmp_path: Path) -> None:
    files = {
        "docs/.pages": "nav:\n  - ... | flat | g*\n  - ... | regex=^(?!index\\.md$).*\n",
        "docs/guide/.pages": "order: desc\n",
    }
    found = order(tmp_path, files, "plugins: [awesome-pages]\n")
    assert found[:3] == ["guide/two.md", "guide/one.md", "guide/index.md"]


def test_a_navigation_without_a_rest_is_complete(tmp_path: Path) -> None:
    files = {"docs/.pages": "nav: [z.md]\n"}
    config = "nav: [a.md, guide/one.md]\nplugins: [awesome-pages]\n"
    assert order(tmp_path, files, config)[:2] == ["a.md", "guide/one.md"]


def test_lists_that_name_each_other_and_lines_without_an_end_come_to_one(tmp_path: Path) -> None:
    line = "* [" + "a](b" * 20_000 + "\n* " + "a/" * 50_000 + " b\n"
    files = {
        "docs/SUMMARY.md": f"* [G](guide/)\n* [S](./)\n{line}",
        "docs/guide/SUMMARY.md": "* [U](../)\n* [One](one.md)\n",
        **PAGES,
    }
    tree = IncludeTree(write_tree(tmp_path / "tree", files))
    started = time.process_time()
    found, listing = navigation(None, {"literate-nav": {}}, tree, "docs")
    assert list(found) == ["guide/one.md"]
    assert listing == ("SUMMARY.md", "guide/SUMMARY.md")
    assert time.process_time() - started < 5
