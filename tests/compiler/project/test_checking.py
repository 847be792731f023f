"""Checking a knowledge base without building it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kbc.languages import markdown
from kbc.pipeline.checking import check, check_files


def test_a_page_is_parsed_once_by_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nOpens [the gate](b.md#gate).\n")
    (tmp_path / "docs" / "b.md").write_text("# B\n\n## Gate\n\nOf [a](a.md) and [c](a.md#c).\n")
    parsed: list[str] = []
    blocks = markdown._BlockList

    def noted(lines: list[str], *rest: Any) -> Any:
        parsed.append(lines[0])
        return blocks(lines, *rest)

    monkeypatch.setattr(markdown, "_BlockList", noted)
    (found,) = (each for each in check(tmp_path) if each.code == "dead-anchor")
    assert (found.path, found.line) == ("docs/b.md", 5)
    assert sorted(parsed) == ["# A", "# B"]


def test_what_lies_beside_a_single_file_is_not_counted(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nAbout {name}.\n")
    _, files = check_files(tmp_path / "one.md")
    assert files is not None
    assert [each.path for each in files] == ["one.md"]


def test_the_settings_are_no_file_that_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nAbout a.\n")
    (tmp_path / "kb.toml").write_text('[kb]\nname = "a"\n')
    _, files = check_files(tmp_path)
    assert files is not None
    assert [(each.path, each.outcome) for each in files] == [
        ("docs/a.md", "read"),
        ("kb.toml", "included"),
    ]


def test_an_empty_example_is_left_out_without_a_warning(tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "boil.py").write_text('"""Boils."""\n')
    (tmp_path / "examples" / "__init__.py").write_text("")
    (tmp_path / "kb.toml").write_text(
        '[[collection]]\nname = "a"\nkind = "examples"\npaths = ["examples"]\nextensions = [".py"]\n'
    )
    diagnostics, files = check_files(tmp_path)
    assert files is not None
    assert [(each.path, each.outcome, each.reason) for each in files][:2] == [
        ("examples/__init__.py", "left out", "empty"),
        ("examples/boil.py", "read", ""),
    ]
    assert not list(diagnostics)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("mkdocs.yml", "site_name: Oven\nnav: [a.md\n", 3),
        ("book.toml", '[book]\ntitle = "Oven\n', None),
    ],
)
def test_a_configuration_that_cannot_be_read_is_a_warning(
    tmp_path: Path, name: str, text: str, line: int | None
) -> None:
    for folder in ("docs", "src"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text("# A\n\nAbout a.\n")
    (tmp_path / "src" / "SUMMARY.md").write_text("- [A](a.md)\n")
    (tmp_path / name).write_text(text)
    (found,) = (each for each in check(tmp_path) if each.code == "config-invalid")
    assert (found.path, found.line) == (name, line)
    assert "cannot be read: " in found.message


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('config = "mkdocs.yml"\n', "'mkdocs.yml' of collection 'docs' does not exist"),
        (
            'config = "docs/a.md"\n',
            "'docs/a.md' of collection 'docs' is not a configuration of a generator",
        ),
        (
            'config = "docs/a.md"\ngenerator = "mkdocs"\n',
            "'docs/a.md' of collection 'docs' is not a configuration of 'mkdocs'",
        ),
    ],
)
def test_a_configuration_that_is_none_or_not_there_is_called_so(
    tmp_path: Path, keys: str, message: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nAbout a.\n")
    collection = '[[collection]]\nname = "docs"\nkind = "docs"\npaths = ["docs"]\n'
    (tmp_path / "kb.toml").write_text(collection + keys)
    (found,) = (each for each in check(tmp_path) if each.code == "config-unusable")
    assert found.message == message
