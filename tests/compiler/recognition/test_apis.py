"""Descriptions of APIs in a project: found by name or content, and each API once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

YAML = """\
openapi: 3.0.3
info:
  title: Heron {title}
  version: "{version}"
paths:
  /nests:
    get: {{operationId: nests{title}, responses: {{"200": {{description: All}}}}}}
  /nests/{{id}}:
    get: {{operationId: nest{title}, responses: {{"200": {{description: One}}}}}}
"""
OPERATION = {"get": {"operationId": "nests", "responses": {"200": {"description": "All"}}}}


def described(title: str = "API", version: str = "1") -> str:
    return YAML.format(title=title, version=version)


def as_json(title: str = "API", version: str = "1", indent: int | None = 2) -> str:
    paths = {"/nests": OPERATION, "/nests/{id}": OPERATION}
    info = {"version": version, "title": f"Heron {title}"}
    return json.dumps({"openapi": "3.0.3", "info": info, "paths": paths}, indent=indent)


def api_files(tree: Path) -> set[str]:
    records = read(tree)[0].records
    found = (record.path for kind in ("api", "docs") for record in records.get(kind, ()))
    return {path for path in found if not path.endswith(".md")}


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        ({"openapi.yaml": described(), "src/openapi.yaml": described()}, "openapi.yaml"),
        ({"openapi.json": as_json(), "openapi.yaml": described()}, "openapi.json"),
        ({"api/openapi.json": as_json(indent=None), "openapi.yaml": described()}, "openapi.yaml"),
        ({"openapi.yaml": described(), "docs/openapi.json": as_json()}, "docs/openapi.json"),
        ({"docs/openapi.json": as_json(), "docs/openapi.yaml": described()}, "docs/openapi.json"),
    ],
)
def test_an_api_that_several_files_describe_is_read_once(
    tmp_path: Path, files: dict[str, str], kept: str
) -> None:
    others = {"package.json": "{}", "docs/index.md": page("Heron"), "src/a.js": "let a = 1;\n"}
    tree = write_tree(tmp_path / "heron", others | files)
    assert api_files(tree) == {kept}
    (copy,) = set(files) - {kept}
    assert f"copies of descriptions of APIs are left out: {copy}" in recognised(tree).notes
    assert copy not in {record.id for record in read(tree)[0].records["code"]}


@pytest.mark.parametrize(
    "other", [described("Admin API"), described(version="2"), "openapi: 3.1.0\n"]
)
def test_other_apis_and_versions_are_no_copies(tmp_path: Path, other: str) -> None:
    files = {"package.json": "{}", "openapi.yaml": described(), "v2/openapi.yaml": other}
    tree = write_tree(tmp_path / "heron", files)
    assert not recognised(tree).notes


def test_an_api_that_is_put_aside_is_none_of_the_project(tmp_path: Path) -> None:
    files = {"_archive/v0/openapi.yaml": described(version="0"), "api/openapi.yaml": described()}
    root = write_tree(tmp_path / "tree", {"package.json": "{}", "docs/a.md": page("A"), **files})
    assert api_files(root) == {"api/openapi.yaml"}
