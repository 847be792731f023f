"""Front matter of pages that nobody wrote for a knowledge base."""

from __future__ import annotations

from pathlib import Path

from tests.compiler.recognition.trees import read, titles, write_tree


def test_a_mistake_in_one_page_of_a_recognised_folder_stops_nothing(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "a.md": "---\ntitle: {let ...}\n---\n\nText.\n",
            "b.md": "---\ntitle: B\ntags: {c: d}\n---\n\nText.\n",
            "c.md": "---\ntitle: bind: more\n---\n\nText.\n",
        },
    )
    inputs, diagnostics = read(root)
    assert titles(inputs.records["docs"]) == {
        "a.md": "{let ...}",
        "b.md": "B",
        "c.md": "bind: more",
    }
    assert [(each.code, each.is_error, each.path) for each in diagnostics] == [
        ("metadata-wrong-type", False, "b.md"),
        ("front-matter-invalid", False, "c.md"),
    ]


def test_a_page_without_text_is_listed_and_not_searched(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "up/index.md": "---\ntitle: Upgrading\norder: 2\n---\n",
            "up/about.md": "---\ntitle: About\ndescription: What changed.\n---\n",
            "up/v6.md": "# From v6 to v7\n\nText.\n",
        },
    )
    inputs, _ = read(root)
    assert len(inputs.records["docs"]) == 3
    assert [record.id for record in inputs.searched] == ["up/about.md", "up/v6.md"]
