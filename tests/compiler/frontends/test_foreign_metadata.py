"""Front matter of pages that nobody wrote for a knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import read, titles, write_tree

from kbc.records import DocRecord


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


def test_tags_may_be_maps_with_a_label(tmp_path: Path) -> None:
    tags = "- {label: Reeds, permalink: /r}\n- {tag: beta, primary: true}\n- c\n"
    text = f"---\ntitle: A\ntags:\n{tags}---\n\nText.\n"
    inputs, diagnostics = read(write_tree(tmp_path / "tree", {"a.md": text}))
    (record,) = inputs.records["docs"]
    assert record.tags == ("Reeds", "beta", "c")
    assert not [each for each in diagnostics if each.code == "metadata-wrong-type"]


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


def test_tabs_in_front_matter_are_white_space(tmp_path: Path) -> None:
    text = "---\ntitle: A\naliases: [\n\t/old/a/,\n  /older/a/,\n]\n---\n\nText.\n"
    root = write_tree(tmp_path / "tree", {"hugo.toml": "title = 'S'\n", "content/a.md": text})
    inputs, diagnostics = read(root)
    (record,) = inputs.records["docs"]
    assert isinstance(record, DocRecord)
    assert record.aliases == ("old/a/", "older/a/")
    assert not [each for each in diagnostics if each.code == "front-matter-invalid"]


@pytest.mark.parametrize(
    "matter",
    [
        "---\ntitle: Open the *gates*\ndescription: How to.\nurl: /gates/\naliases: [/old/]\n---\n",
        "+++\ntitle = 'Open the *gates*'\ndescription = 'How to.'\nurl = '/gates/'\n"
        "aliases = ['/old/']\n+++\n",
    ],
)
def test_asciidoc_may_have_front_matter(tmp_path: Path, matter: str) -> None:
    files = {
        "hugo.toml": "title = 'S'\nbaseURL = 'https://s.example/'\n",
        "content/a.adoc": f"{matter}\nText.\n\n== By hand\n\ninclude::gone.adoc[]\n",
        "content/b.adoc": "= B\n\n---\n\nText.\n\n---\n",
    }
    inputs, diagnostics = read(write_tree(tmp_path / "tree", files))
    gates, other = inputs.records["docs"]
    assert isinstance(gates, DocRecord)
    assert isinstance(other, DocRecord)
    assert (gates.title, gates.summary) == ("Open the *gates*", "How to.")
    assert gates.url == "https://s.example/gates/"
    assert gates.aliases == ("https://s.example/old/",)
    assert gates.text.startswith("Text.\n\n## By hand\n")
    assert (other.title, other.text.count("***")) == ("B", 2)
    (warning,) = (each for each in diagnostics if each.code == "unresolved-directive")
    assert warning.line == matter.count("\n") + 6
