"""What a project's files are asked for by names that its configuration states."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbc.project.include_tree import IncludeTree


@pytest.mark.parametrize("name", ["9" * 5000, "docs/" + "a" * 300 + ".md", "a\0b", "\udcff.md"])
def test_a_name_that_no_file_can_have_is_that_of_no_file(tmp_path: Path, name: str) -> None:
    tree = IncludeTree(tmp_path)
    assert not tree.exists(name)
    assert tree.names(name) == []
    assert tree.peek(name) is None
    assert tree.read(name, "mix.exs") is None
