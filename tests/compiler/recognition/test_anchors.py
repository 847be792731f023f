"""The anchors that a generator makes: in outlines, in chunks and in the check of links."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, write_tree

from kbc.chunking import TokenBudget, chunk
from kbc.records import DocRecord

BUDGET = TokenBudget(count=lambda text: len(text.split()), max_tokens=60)
ANCHORED = "[there](#a-b_1) [and](#a--b) [dead](#c)\n\n# A & B\n\n{0}\n\n# A & B\n\n{0}\n".format(
    "word " * 40
)


def test_anchors_follow_the_generator_in_outlines_passages_and_the_check(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"mkdocs.yml": "site_name: S\n", "docs/a.md": ANCHORED})
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert [section.anchor for section in record.sections] == ["a-b", "a-b_1"]
    assert {each.anchor for each in chunk(record, BUDGET)} >= {"a-b", "a-b_1"}
    dead = [each.message for each in diagnostics if each.code == "dead-anchor"]
    assert [message.split("'")[1] for message in dead] == ["#a--b", "#c"]


LINKING = "# A\n\nSee [b](#somewhere).\n"


@pytest.mark.parametrize(
    ("files", "dead"),
    [
        ({"book.toml": "[book]\n", "src/SUMMARY.md": "- [A](a.md)\n", "src/a.md": LINKING}, 1),
        (
            {
                "book.toml": "[preprocessor.marks]\ncommand = 'x'\n",
                "src/SUMMARY.md": "- [A](a.md)\n",
                "src/a.md": LINKING,
            },
            0,
        ),
        ({"mkdocs.yml": "site_name: S\n", "docs/a.md": LINKING}, 1),
        ({"mkdocs.yml": "site_name: S\nhooks: [x.py]\n", "docs/a.md": LINKING}, 0),
        (
            {
                ".vitepress/config.ts": "export default {markdown: {anchor: {slugify}}}",
                "a.md": LINKING,
            },
            0,
        ),
        ({"conf.py": "extensions = ['myst_parser']\n", "a.md": LINKING}, 1),
        (
            {
                "conf.py": "extensions = ['myst_parser']\nintersphinx_mapping = {'x': ('https://x', None)}\n",
                "a.md": LINKING,
            },
            0,
        ),
        (
            {
                "conf.py": "extensions = ['myst_parser']\nintersphinx_mapping = mapping({'x', 'y'})\n",
                "a.md": LINKING,
            },
            0,
        ),
        ({"mkdocs.yml": "site_name: S\n", "docs/a.md": "# A\n\n[n](#fn:1)\n\n[^1]: Note.\n"}, 0),
    ],
)
def test_an_anchor_that_the_site_may_make_itself_is_not_called_dead(
    tmp_path: Path, files: dict[str, str], dead: int
) -> None:
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert [each.code for each in diagnostics].count("dead-anchor") == dead


def test_a_page_with_missing_text_may_have_any_anchor(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: S\n",
        "docs/a.md": "# A\n\n[there](b.md#of-the-missing-file)\n",
        "docs/b.md": '# B\n\n--8<-- "missing.md"\n',
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    assert [each.code for each in diagnostics] == ["include-unresolved"]


@pytest.mark.parametrize(
    ("settings", "dead"),
    [
        ({}, ["twice.md", "other/only.md"]),
        ({"mkdocs.yml": "site_name: S\n"}, ["only.md#part", "twice.md", "other/only.md"]),
    ],
)
def test_without_a_generator_a_link_finds_a_page_in_any_folder_by_its_name(
    tmp_path: Path, settings: dict[str, str], dead: list[str]
) -> None:
    files = {
        "docs/guides/a.md": "# A\n\n[b](only.md#part) [c](twice.md) [d](other/only.md)\n",
        "docs/deep/er/only.md": "# Only\n\nText.\n\n## Part\n\n[a](a.md)\n",
        "docs/x/twice.md": page("X"),
        "docs/y/twice.md": page("Y"),
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files | settings))
    found = [each.message.split("'")[1] for each in diagnostics if each.path == "docs/guides/a.md"]
    assert sorted(found) == sorted(dead)


def test_links_of_vitepress_may_be_written_as_their_heading_is(tmp_path: Path) -> None:
    text = "# A\n\n[one](#add_paths) [two](b.md#データの形) [gone](#add_files)\n\n## add_paths\n"
    files = {
        ".vitepress/config.ts": "export default {}",
        "a.md": text,
        "b.md": "# B\n\n## データの形\n",
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    dead = [each.message.split("'")[1] for each in diagnostics if each.code == "dead-anchor"]
    assert dead == ["#add_files"]


def test_links_of_docusaurus_may_start_at_the_folder_of_the_pages(tmp_path: Path) -> None:
    pages = {f"docs/{name}.md": page(name) for name in "abcdefghijklmnopqrstu"}
    ways = "".join(f"[{name}](./{name}.md)\n" for name in "abcdefghijklmnopqrstu")
    files = {
        "docusaurus.config.js": "export default {presets: [['classic', {docs: {}}]]}",
        "package.json": "{}",
        **pages,
        "docs/index.md": f"# Start\n\n[out](deep/far/page.md)\n{ways}",
        "docs/deep/far/page.md": "# Page\n\n[a](a.md) [b](./b.md) [c](../../c.md#gone)\n",
        "docs/deep/own.md": "# Own\n\n[page](far/page.md) [self](deep/alone.md)\n",
        "docs/deep/alone.md": "# Alone\n\n[own](deep/own.md)\n",
    }
    _, diagnostics = read(write_tree(tmp_path / "tree", files))
    found = [(each.code, each.message) for each in diagnostics]
    assert [(code, message.split("'")[1]) for code, message in found if code != "orphan-page"] == [
        ("dead-anchor", "../../c.md#gone"),
        ("dead-link", "./b.md"),
    ]
    assert not [message for code, message in found if code == "orphan-page"]


def test_tabs_of_mkdocs_have_anchors_where_their_extension_makes_some(tmp_path: Path) -> None:
    text = (
        "# A\n\n[one](#by-hand) [two](#linux-by-hand) [gone](#by-foot)\n\n"
        '=== "Linux"\n\n    ## Linux\n\n    === "By hand"\n\n        Text.\n'
    )
    slugify = "!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}"
    config = "site_name: S\nmarkdown_extensions:\n- pymdownx.tabbed:\n    alternate_style: true\n"
    for more, gone in ((f"    slugify: {slugify}\n", 1), ("", 3)):
        files = {"mkdocs.yml": config + more, "docs/a.md": text}
        _, diagnostics = read(write_tree(tmp_path / "tree", files))
        assert [each.code for each in diagnostics].count("dead-anchor") == gone
