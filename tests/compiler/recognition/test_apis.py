"""Descriptions of APIs in a project: found by name or content, and each API once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

from kbc.recognition import apis

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


def test_what_a_description_refers_to_is_no_source(tmp_path: Path) -> None:
    own = described().replace(
        "get: {operationId: nest", 'get: {"$ref": "parts/get.yml#/a", x: nest'
    )
    files = {
        "package.json": "{}",
        "src/a.js": "let a = 1;\n",
        "api/openapi.yaml": own,
        "api/parts/get.yml": "a:\n  operationId: nest\n  x:\n    $ref: ../../shared/x.yml\n",
        "api/parts/other.yml": "a: 1\n",
        "shared/x.yml": "a: 1\n",
    }
    records = read(write_tree(tmp_path / "heron", files))[0].records
    assert {each.path for each in records["code"]} == {
        *("api/parts/other.yml", "package.json", "src/a.js")
    }


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
    "other",
    [
        *(described("Admin API"), described(version="2"), "openapi: 3.1.0\n"),
        described()
        + "servers:\n- url: '{basePath}'\n  variables:\n    basePath:\n      default: /v2\n",
    ],
)
def test_other_apis_and_versions_are_no_copies(tmp_path: Path, other: str) -> None:
    files = {"package.json": "{}", "openapi.yaml": described(), "v2/openapi.yaml": other}
    tree = write_tree(tmp_path / "heron", files)
    assert not recognised(tree).notes


def test_an_api_that_is_put_aside_is_none_of_the_project(tmp_path: Path) -> None:
    files = {"_archive/v0/openapi.yaml": described(version="0"), "api/openapi.yaml": described()}
    root = write_tree(tmp_path / "tree", {"package.json": "{}", "docs/a.md": page("A"), **files})
    assert api_files(root) == {"api/openapi.yaml"}


def test_many_descriptions_are_read_where_their_titles_begin_with_one_name(tmp_path: Path) -> None:
    site = {"hugo.toml": 'baseURL = "https://x.org/"\n', "content/_index.md": page("Heron")}
    parts = {f"data/api/{at}.yaml": described(f"Part{at} API") for at in range(30)}
    own = write_tree(tmp_path / "own", site | parts)
    assert api_files(own) == set(parts)
    others = {
        name: text.replace("Heron", f"Vendor{at}") for at, (name, text) in enumerate(parts.items())
    }
    assert not api_files(write_tree(tmp_path / "others", site | others))


def test_descriptions_outside_of_the_pages_of_a_site_are_read(tmp_path: Path) -> None:
    site = {"hugo.toml": 'baseURL = "https://x.org/"\n', "content/_index.md": page("Heron")}
    files = {"data/heron.yaml": described(), "static/openapi.json": as_json()}
    root = write_tree(tmp_path / "site", site | files)
    assert api_files(root) == {"data/heron.yaml"}
    note = "copies of descriptions of APIs are left out: static/openapi.json"
    assert note in recognised(root).notes


def test_many_descriptions_are_compared_only_where_that_matters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"docs/{at}.yaml" for at in range(30)]
    files = {name: described().replace("Heron", f"Vendor{at}") for at, name in enumerate(names)}
    root = write_tree(tmp_path / "tree", files)
    compared: list[Path] = []
    monkeypatch.setattr(apis, "_identity", compared.append)
    assert apis.descriptions(root, names, ["docs"]) == apis.Descriptions()
    assert apis.descriptions(root, names, []) == apis.Descriptions()
    assert compared == []


def test_what_two_apis_call_alike_has_the_title_of_its_api(tmp_path: Path) -> None:
    schemas = "components:\n  schemas:\n    Problem: {type: object}\n    Only%s: {type: object}\n"
    files = {f"{name.lower()}.yaml": described(name) + schemas % name for name in ("Nests", "Eggs")}
    root = write_tree(tmp_path / "heron", {**files, "package.json": "{}", "a.js": "let a = 1;\n"})
    records = read(root)[0].records["api"]
    found = {each.title for each in records if "nests" in each.path}
    assert {"Heron Nests", "Problem (Heron Nests)", "OnlyNests"} <= found


def test_a_folder_of_pages_has_each_api_once(tmp_path: Path) -> None:
    files = {"about.md": page("About"), "openapi.json": as_json(), "v1/openapi.json": as_json()}
    root = write_tree(tmp_path / "tree", files)
    assert recognised(root).what == "folder of pages"
    assert api_files(root) == {"openapi.json"}
