"""Files of other formats as records of the kinds `docs` and `pages`."""

from __future__ import annotations

from pathlib import Path

from kbc.diagnostics import Diagnostics
from kbc.pipeline.inputs import Inputs, read_inputs
from kbc.records import DocRecord, PageRecord

OPENAPI = """\
openapi: 3.1.0
info: {title: Pets, description: Keeps pets.}
paths:
  /pets:
    get: {operationId: listPets, summary: List pets, responses: {"200": {description: All}}}
"""


def inputs(root: Path, files: dict[str, str]) -> tuple[Inputs, Diagnostics]:
    for path, text in {"kb.toml": '[kb]\nname = "x"\n', **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    diagnostics = Diagnostics()
    found = read_inputs(root, diagnostics)
    assert found is not None
    return found, diagnostics


def test_docs_hold_the_converted_text_with_the_anchors_of_the_format(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path,
        {
            "docs/a.rst": "Title\n=====\n\nText.\n\n.. option:: --all\n\n.. literalinclude:: ../src/run.py\n",
            "src/run.py": "print(1)\n",
        },
    )
    assert list(diagnostics) == []
    (record,) = found.records["docs"]
    assert isinstance(record, DocRecord)
    assert (record.id, record.title, record.format) == ("docs/a.rst", "Title", "rst")
    assert (
        record.text
        == record.content
        == "# Title\n\nText.\n\n## `--all`\n\n```python\nprint(1)\n```\n"
    )
    assert [section.anchor for section in record.sections] == ["title", "cmdoption-all"]


def test_parts_of_a_file_are_records_of_their_own(tmp_path: Path) -> None:
    found, diagnostics = inputs(
        tmp_path, {"docs/openapi.yaml": OPENAPI, "sources/api/openapi.yaml": OPENAPI}
    )
    assert list(diagnostics) == []
    assert [record.id for record in found.records["docs"]] == [
        "docs/openapi.yaml",
        "docs/openapi.yaml/listPets",
    ]
    pages = [record for record in found.records["sources"] if isinstance(record, PageRecord)]
    assert [(page.id, page.title) for page in pages] == [
        ("api/openapi.yaml", "Pets"),
        ("api/openapi.yaml/listPets", "List pets"),
    ]


def test_directives_without_text_are_one_warning_with_counts(tmp_path: Path) -> None:
    _, diagnostics = inputs(
        tmp_path,
        {"docs/a.rst": "Text.\n\n.. include:: x\n\n.. include:: y\n\n.. autoclass:: Z\n"},
    )
    assert [(each.code, each.path, each.line) for each in diagnostics] == [
        ("unresolved-directive", "docs/a.rst", 3),
        ("content-elsewhere", "docs/a.rst", 7),
    ]
    missing, elsewhere = diagnostics
    assert "include (2)" in missing.message
    assert "autoclass (1)" in elsewhere.message


def test_files_outside_of_the_root_are_not_included(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "kb"
    found, diagnostics = inputs(root, {"docs/a.rst": "Text.\n\n.. include:: ../../secret.txt\n"})
    (root / "docs" / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert [each.code for each in diagnostics] == ["unresolved-directive"]
    (record,) = found.records["docs"]
    assert record.text == "Text.\n"


def test_a_broken_file_is_one_error_with_its_line(tmp_path: Path) -> None:
    _, diagnostics = inputs(
        tmp_path, {"docs/a.ipynb": '{\n"cells": [}', "docs/b.md": "# B\n\nText.\n"}
    )
    assert [(each.severity.label, each.code, each.path, each.line) for each in diagnostics] == [
        ("error", "notebook-invalid", "docs/a.ipynb", 2)
    ]
