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
