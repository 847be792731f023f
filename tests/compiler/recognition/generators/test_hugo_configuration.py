"""Hugo: which files are its configuration, and the files that hold parts of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import addresses, page, read, write_tree


def test_hugo_reads_the_language_of_a_file_of_its_own(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "config/_default/hugo.toml": 'baseURL = "https://moss.example/"\n',
            "config/_default/languages.en.toml": 'title = "Moss"\ncontentDir = "content/en"\n',
            "config/_default/languages.fr.toml": 'title = "Mousse"\ncontentDir = "content/fr"\n',
            "content/en/care.md": page("Care"),
            "content/fr/care.md": page("Soin"),
            "content/template/care.md": page("Untranslated"),
        },
    )
    inputs, _ = read(root)
    assert inputs.project.title == "Moss"
    assert addresses(inputs) == {"care.md": "https://moss.example/care/"}


@pytest.mark.parametrize("key", ["languageCode: en-us", "disableKinds: [term]"])
def test_hugo_needs_no_address_in_its_configuration(tmp_path: Path, key: str) -> None:
    root = write_tree(
        tmp_path / "tree",
        {
            "config.yaml": f"{key}\ntitle: Moss\n",
            "layouts/index.html": "{{ .Content }}",
            "content/care.md": page("Care"),
        },
    )
    inputs, _ = read(root)
    assert [each.generator for each in inputs.collections] == ["hugo"]
    assert inputs.project.title == "Moss"


def test_another_tool_may_have_a_configuration_beside_a_folder_of_content(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "tree",
        {"config.yaml": "title: Moss\n", "layouts/a.txt": "a", "content/care.md": page("Care")},
    )
    inputs, _ = read(root)
    assert all(each.generator == "" for each in inputs.collections)
