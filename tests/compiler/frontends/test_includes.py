"""Pages that include other files: what is in the record, and the one warning for what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbc.cache.phases import PhaseCache, remembering
from kbc.diagnostics import Diagnostics
from kbc.frontends import docs
from kbc.frontends.page_includes import expansion
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
    assert found.message.endswith("; the first: '../../secret.py'")
    assert found.line == 7


def test_directives_are_looked_for_once_in_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []
    may_include = expansion.may_include

    def noted(text: str) -> bool:
        looked_at.append(text)
        return may_include(text)

    monkeypatch.setattr(expansion, "may_include", noted)
    (tmp_path / "code.py").write_text("x = 1\n")
    plain, marked = "# Plain\n\nText.\n", '# Marked\n\n```python\n--8<-- "code.py"\n```\n'

    def read() -> list[str]:
        cache = PhaseCache(tmp_path / "cache")
        collection = Collection(name="docs", kind="docs", paths=("docs",))
        files = [
            SourceFile(f"docs/{name}.md", text.encode(), "docs", IncludeTree(tmp_path))
            for name, text in (("a", plain), ("b", marked))
        ]
        with remembering(cache):
            records = docs.read(collection, files, Diagnostics())
        cache.close()
        return [record.text for record in records]

    first = read()
    assert first[0] == plain
    assert "x = 1" in first[1]
    (tmp_path / "code.py").write_text("x = 2\n")
    assert "x = 2" in read()[1]
    assert looked_at == [plain, marked]


def test_pictures_in_included_files_are_no_text(tmp_path: Path) -> None:
    picture = f'<img src="data:image/png;base64,{"iVBORw0KGgo" * 200}"> seen\n'
    (tmp_path / "plan.html").write_text(picture)
    file = SourceFile("a.md", b'# A\n\n--8<-- "plan.html"\n', "", IncludeTree(tmp_path))
    (record,) = docs.read(Collection(name="docs", kind="docs", paths=(".",)), [file], Diagnostics())
    assert "seen" in record.text
    assert "iVBOR" not in record.text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A\n\n> #### Care {: .warning}\n>\n> Hot.\n", "# A\n\n> #### Care\n>\n> Hot.\n"),
        ("# A\n\n```\n{: .x}\n```\n\n{:ok, pid}\n", None),
        ("# A\n\n</kite>\n```sh\nrun\n```\n", None),
    ],
)
def test_lists_of_attributes_are_no_text_without_a_generator(
    text: str, shown: str | None, tmp_path: Path
) -> None:
    file = SourceFile("a.md", text.encode(), "", IncludeTree(tmp_path))
    (record,) = docs.read(Collection(name="docs", kind="docs", paths=(".",)), [file], Diagnostics())
    assert record.text == (text if shown is None else shown)


def test_html_in_markdown_is_markdown_in_the_record_and_stored_as_it_is(tmp_path: Path) -> None:
    stored = (
        '<h1 align="center">Kites</h1>\n\nSee [rates](#rate).\n\n'
        '<table>\n<tr><th>Wind</th></tr>\n<tr><td id="rate">strong</td></tr>\n</table>\n\n## Use\n'
    )
    file = SourceFile("docs/a.md", stored.encode(), "docs", IncludeTree(tmp_path))
    collection = Collection(name="docs", kind="docs", paths=("docs",))
    diagnostics = Diagnostics()
    (record,) = docs.read(collection, [file], diagnostics)
    assert record.title == "Kites"
    assert "| Wind |\n| --- |\n| strong |\n" in record.text
    assert record.stored == stored
    assert [(each.title, each.level) for each in record.sections] == [("Kites", 1), ("Use", 2)]
    assert not list(diagnostics)
