"""The templates front end: three forms of metadata, missing files, wrong fields."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kbc.diagnostics import Diagnostics
from kbc.frontends.templates import read
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import TemplateRecord


def read_files(files: Mapping[str, str]) -> tuple[list[TemplateRecord], Diagnostics]:
    diagnostics = Diagnostics()
    sources = [SourceFile(f"templates/{p}", t.encode(), "templates") for p, t in files.items()]
    collection = Collection("templates", "templates", ("templates",), line=9)
    records = read(collection, sources, diagnostics)
    return [each for each in records if isinstance(each, TemplateRecord)], diagnostics


TOML = """[[template]]
id = "base"
name = "Base"
description = "A plain start."
framework = "standard"
filename = "base.qnt"
use_for = ["contracts", "games"]
includes = ["types"]
instructions = ["Rename it", "Fill it"]
workflow = ["Check"]
"""
JSON = """{"templates": [
  {"id": "base", "name": "Base", "description": "A plain start.",
   "framework": "standard",
   "filename": "base.qnt",
   "use_for": ["contracts", "games"], "includes": ["types"],
   "instructions": ["Rename it", "Fill it"], "workflow": ["Check"]}
]}
"""
MARKDOWN = """# Templates

## base

**Name:** Base
**Description:** A plain
start.
**Framework:** standard
**File:** `base.qnt`

**Use for:** contracts, games

**Includes:**

- types

**Instructions:**

1. Rename it
2. Fill it

**Workflow:**
- Check
"""


@pytest.mark.parametrize(
    ("name", "metadata"),
    [
        ("templates.toml", TOML),
        ("templates.toml", TOML.replace("filename", "file")),
        ("templates.json", JSON),
        ("templates.md", MARKDOWN),
    ],
)
def test_metadata_in_three_forms(name: str, metadata: str) -> None:
    (record,), diagnostics = read_files({name: metadata, "base.qnt": "module base {}\n"})
    assert not list(diagnostics)
    assert (record.id, record.name, record.framework) == ("base", "Base", "standard")
    assert record.description == "A plain start."
    assert (record.path, record.filename) == ("templates/base.qnt", "base.qnt")
    assert (record.text, record.language, record.lines) == ("module base {}\n", "quint", 1)
    assert record.use_for == ("contracts", "games")
    assert record.includes == ("types",)
    assert record.instructions == ("Rename it", "Fill it")
    assert record.workflow == ("Check",)


@pytest.mark.parametrize(
    ("name", "metadata", "line"),
    [
        ("templates.toml", TOML, 6),
        ("templates.json", JSON, 4),
        ("templates.md", MARKDOWN, 9),
    ],
)
def test_a_missing_file_is_an_error_where_it_is_named(name: str, metadata: str, line: int) -> None:
    records, diagnostics = read_files({name: metadata})
    assert records == []
    (found,) = diagnostics
    assert (found.code, found.path, found.line) == (
        "template-file-missing",
        f"templates/{name}",
        line,
    )
    assert "'base.qnt'" in found.message
    assert "templates/base.qnt" in found.hint


def test_unknown_fields_repeated_ids_and_undescribed_files() -> None:
    second = TOML.replace('name = "Base"', 'nam = "Other"')
    records, diagnostics = read_files(
        {"templates.toml": TOML + second, "base.qnt": "x", "lost.qnt": "y"}
    )
    assert len(records) == 1
    assert [(each.code, each.path, each.line) for each in diagnostics] == [
        ("template-not-described", "templates/lost.qnt", 1),
        ("duplicate-id", "templates/templates.toml", 11),
        ("metadata-unknown-field", "templates/templates.toml", 13),
    ]
    duplicate = diagnostics.errors[0]
    assert "templates/templates.toml:1" in duplicate.message


@pytest.mark.parametrize(
    ("name", "metadata", "code", "line"),
    [
        ("templates.toml", "a = \n", "toml-syntax", 1),
        ("templates.toml", "template = 3\n", "templates-bad-shape", 1),
        ("templates.json", "{\n  'a'", "json-syntax", 2),
        ("templates.json", "[1]", "templates-bad-shape", 1),
        ("templates.json", "[" * 100_000, "json-syntax", 1),
        ("templates.md", "# Only a title\n", "templates-bad-shape", 1),
    ],
)
def test_wrong_metadata(name: str, metadata: str, code: str, line: int) -> None:
    records, diagnostics = read_files({name: metadata})
    assert records == []
    assert [(each.code, each.line) for each in diagnostics.errors] == [(code, line)]
    assert all(each.hint for each in diagnostics)


def test_required_fields() -> None:
    _, diagnostics = read_files({"templates.toml": '[[template]]\nid = "a"\nuse_for = 3.5\n'})
    assert {(each.code, each.line) for each in diagnostics} == {("metadata-missing-field", 1)}
    assert len(diagnostics) == 2


def test_a_folder_without_metadata_is_an_error() -> None:
    _, diagnostics = read_files({"base.qnt": "x"})
    assert [(each.code, each.path, each.line) for each in diagnostics] == [
        ("templates-no-metadata", "kb.toml", 9)
    ]


def test_two_files_that_agree_describe_one_template() -> None:
    """As where one is generated from the other: lists become texts, and marks of code are lost."""
    generated = JSON.replace('"workflow": ["Check"]', '"workflow": "Check", "key_patterns": ["p"]')
    files = {"templates.json": generated, "templates.md": MARKDOWN, "base.qnt": "module base {}\n"}
    (record,), diagnostics = read_files(files)
    assert not list(diagnostics)
    assert record.use_for == ("contracts", "games")
    assert record.key_patterns == ("p",)


def test_what_only_the_second_file_says_is_added() -> None:
    short = '{"base": {"filename": "base.qnt", "framework": "standard"}}'
    files = {"templates.json": short, "templates.md": MARKDOWN, "base.qnt": "module base {}\n"}
    (record,), diagnostics = read_files(files)
    assert not list(diagnostics)
    assert (record.name, record.instructions) == ("Base", ("Rename it", "Fill it"))


def test_two_files_that_contradict_each_other_are_an_error() -> None:
    other = MARKDOWN.replace("standard", "choreo").replace("1. Rename it", "1. Rename all")
    files = {"templates.json": JSON, "templates.md": other, "base.qnt": "module base {}\n"}
    _, diagnostics = read_files(files)
    found = [(each.code, each.path, each.line, each.message) for each in diagnostics.errors]
    assert found == [
        (
            "template-conflict",
            "templates/templates.md",
            8,
            "`framework` of the template 'base' differs from what templates/templates.json:3 says",
        ),
        (
            "template-conflict",
            "templates/templates.md",
            17,
            "`instructions` of the template 'base' differs from what templates/templates.json:6 says",
        ),
    ]
