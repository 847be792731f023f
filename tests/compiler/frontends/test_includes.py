"""Pages that include other files: what is in the record, and the one warning for what is missing."""

from __future__ import annotations

from pathlib import Path

from kbc.diagnostics import Diagnostics
from kbc.frontends import docs
from kbc.project.include_tree import IncludeTree
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile


def test_files_of_the_tree_are_inserted_and_others_reported_once(tmp_path: Path) -> None:
    root = tmp_path / "kb"
    (root / "docs").mkdir(parents=True)
    (root / "code.py").write_text("x = 1\n")
    (tmp_path / "secret.py").write_text("secret\n")
    text = '# A\n\n```python\n--8<-- "code.py"\n```\n\n{* ../../secret.py *}\n\n<<< @/gone.js\n'
    file = SourceFile("docs/a.md", text.encode(), "docs", IncludeTree(root))
    diagnostics = Diagnostics()
    (record,) = docs.read(
        Collection(name="docs", kind="docs", paths=("docs",)), [file], diagnostics
    )
    assert "```python\nx = 1\n```" in record.text
    assert "secret\n" not in record.text
    (found,) = list(diagnostics)
    assert found.code == "include-unresolved"
    assert "directives on 1 page of 'docs' that name no file (2)" in found.message
