"""Texts of JSON and YAML that escape half of a surrogate pair, which UTF-8 cannot carry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from kbc.cache.codec import pack
from kbc.diagnostics import Diagnostics
from kbc.languages.markdown import parse
from kbc.pipeline.reading import read_inputs
from kbc.project.well_formed import YamlLoader, parse_json, yaml_table
from kbc.recognition.configuration import parse_yaml, syntax_problem

HALF, WHOLE = "\\ud83d", "\\uD83D\\uDE00"
WORKSHOP = "workshops/w/exercises"


def test_halves_are_replaced_and_pairs_joined() -> None:
    source = f'{{"a {HALF}": ["{HALF} b", "{WHOLE}"]}}'
    expected = {"a \ufffd": ["\ufffd b", "\U0001f600"]}
    assert parse_json(source) == expected
    assert yaml.load(source, Loader=YamlLoader) == expected


def test_front_matter_is_well_formed() -> None:
    found = parse(f'---\n"k{HALF}": 1\ntitle: "a {HALF} b"\ntags: ["{WHOLE}"]\n---\n\nText.\n')
    assert found.front_matter is not None
    assert found.front_matter.data == {"k\ufffd": 1, "title": "a \ufffd b", "tags": ["\U0001f600"]}
    assert found.front_matter.line_of("k\ufffd") == 2


@pytest.mark.parametrize(
    "files",
    [
        {"sources/s.jsonl": f'{{"url": "https://x.org/a", "text": "# Hi {HALF}\\n\\nText"}}'},
        {"docs/openapi.json": json.dumps(
            {"openapi": "3.0.0", "info": {"title": "A \ud83d", "version": "1"}, "paths": {
                "/a": {"get": {"summary": "x", "responses": {}}}}})},
        {"docs/a.md": f'---\ntitle: "a {HALF} b"\n---\n\nText.\n'},
        {"templates/a.qnt": "module a {}\n", "templates/templates.json": json.dumps(
            [{"id": "a", "name": "n \ud83d", "description": "d", "framework": "f", "filename": "a.qnt"}])},
        {"workshops/w/package.json": f'{{"epicshop": {{"title": "T {HALF}"}}}}',
         f"{WORKSHOP}/README.mdx": "# Hi\n", f"{WORKSHOP}/01.a/README.mdx": "# A\n",
         f"{WORKSHOP}/01.a/01.problem.b/README.mdx": "# B\n"},
    ],
)  # fmt: skip
def test_files_with_such_texts_are_read(tmp_path: Path, files: dict[str, str]) -> None:
    root = tmp_path / "kb"
    for name, text in {**files, "kb.toml": '[kb]\nname = "k"\n'}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    diagnostics = Diagnostics()
    inputs = read_inputs(root, diagnostics)
    assert inputs is not None
    assert diagnostics.errors == []
    assert "\ufffd" in pack(inputs.records).decode(errors="ignore")


MERGED = "a0: &a0 {k: 1, l: 2}\n" + "".join(
    f"a{at}: &a{at}\n  <<: [*a{at - 1}, *a{at - 1}]\n  k{at}: 1\n" for at in range(1, 30)
)
NESTED = "a0: &a0 [x, x]\n" + "".join(
    f"a{at}: &a{at} [*a{at - 1}, *a{at - 1}]\n" for at in range(1, 30)
)


@pytest.mark.parametrize("source", [MERGED, NESTED])
def test_tables_that_double_are_none(source: str) -> None:
    assert yaml_table(source) == {}
    assert parse_yaml(source) == {}


def test_a_table_may_have_many_entries_of_its_own() -> None:
    source = "a: &a {b: 1}\nc:\n  <<: *a\n" + "".join(f"  k{at}: 1\n" for at in range(10_001))
    assert len(yaml_table(source)["c"]) == 10_002


@pytest.mark.parametrize("value", ["!!bool maybe", '!!int ""', '!!float ""', "!!timestamp soon"])
def test_a_value_that_is_not_of_the_type_of_its_tag_cannot_be_read(value: str) -> None:
    text = f"title: Nest\nday: {value}\n"
    assert not yaml_table(text)
    problem, line = syntax_problem("mkdocs.yml", text.encode()) or ("", 0)
    assert "not of the type of its tag" in problem
    assert line == 2
