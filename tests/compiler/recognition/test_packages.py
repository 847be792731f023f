"""What the manifests of packages say of a project."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, recognised, write_tree

POM = (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>heron</artifactId>{}</project>'
)
GEM = 'Gem::Specification.new do |s|\n  s.name = "heron-nest"\n  s.version = Heron::VERSION\n'
MIX = 'defmodule Heron do\n  @version "1.2.3"\n  def project, do: [\n    app: :heron,\n'
DYNAMIC = '[project]\nname = "heron"\ndynamic = ["version"]\n'


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": '[tool.poetry]\nname = "heron"\nversion = "1"\n'}, "Python project"),
        ({"setup.cfg": "[metadata]\nname = heron\nversion = 1\n"}, "Python project"),
        ({"setup.py": "setup(\n    name='heron',\n    version='1',\n)\n"}, "Python project"),
        (
            {"heron.cabal": "cabal-version: 3.0\n\nName:     heron\nversion:  1\n"},
            "Haskell package",
        ),
        ({"composer.json": '{"name": "birds/heron", "version": "1"}'}, "Composer package"),
        ({"composer.json": '{"name": "birds/heron"}', "VERSION": "1\n"}, "Composer package"),
        ({"pubspec.yaml": "name: heron\nversion: 1\n"}, "Dart package"),
        ({"shard.yml": "name: heron\nversion: 1\n"}, "Crystal shard"),
        ({"gleam.toml": 'name = "heron"\nversion = "1"\n'}, "Hex package"),
        ({"typst.toml": '[package]\nname = "heron"\nversion = "1"\n'}, "Typst package"),
        ({"pom.xml": POM.format("<version>1</version>")}, "Maven project"),
        ({"pom.xml": POM.format("<parent><version>1</version></parent>")}, "Maven project"),
        # What builds a project counts before what only has tools for it.
        (
            {"DESCRIPTION": "Package: heron\nVersion: 1\n", "package.json": '{"name": "tools"}'},
            "R package",
        ),
        ({"package.json": '{"name": "heron", "version": "1"}'}, "npm package"),
    ],
)
def test_manifests_name_the_project(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    root = write_tree(tmp_path / "folder", {"README.md": page("Read me"), **files})
    found = recognised(root)
    assert found.what == f"{expected} heron"
    assert (found.project.name, found.project.version) == ("heron", "1")


def test_an_application_is_not_called_as_what_it_was_begun_with(tmp_path: Path) -> None:
    skeleton = '{"name": "birds/skeleton", "type": "project", "description": "Begin here."}'
    files = {"composer.json": skeleton, "README.md": page("Heron"), "app/a.php": "<?php\n"}
    found = recognised(write_tree(tmp_path / "heron", files))
    assert (found.what, found.project.name, found.project.description) == (
        "repository",
        "heron",
        "",
    )


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"heron.gemspec": GEM, "lib/heron/nest/version.rb": "  VERSION = '1.2.3'\n"}, "1.2.3"),
        ({"mix.exs": MIX}, "1.2.3"),
        ({"pyproject.toml": DYNAMIC, "src/heron/__init__.py": '__version__ = "1.2.3"\n'}, "1.2.3"),
        (
            {
                "pyproject.toml": f'{DYNAMIC}[tool.hatch.version]\npath = "lib/about.py"\n',
                "lib/about.py": '__version__: str = "1.2.3"\n',
            },
            "1.2.3",
        ),
        (
            {
                "pyproject.toml": DYNAMIC
                + '[tool.setuptools.dynamic]\nversion = {attr = "nest.about.VERSION"}\n',
                "nest/about.py": 'VERSION = "1.2.3"\n',
            },
            "1.2.3",
        ),
        ({"pyproject.toml": DYNAMIC, "heron/__about__.py": '__version__ = "1.2.3"\n'}, "1.2.3"),
        (
            {
                "setup.py": 'version = read("heron")\nsetup(\n    name="heron",\n    version=version)\n',
                "heron/__init__.py": '__version__ = "1.2.3"\n',
            },
            "1.2.3",
        ),
        (
            {
                "setup.cfg": "[metadata]\nname = heron\nversion = attr: nest.about.__version__\n",
                "src/nest/about.py": '__version__ = "1.2.3"\n',
            },
            "1.2.3",
        ),
        (
            {
                "setup.cfg": "[metadata]\nname = heron\nversion = file: nest/VERSION\n",
                "nest/VERSION": "1.2.3\n",
            },
            "1.2.3",
        ),
        (
            {
                "pyproject.toml": DYNAMIC,
                "heron/__init__.py": '__version__ = "unknown"\n',
                "heron/_version.py": '__version__ = "1.2.3"\n',
            },
            "1.2.3",
        ),
        (
            {
                "pyproject.toml": f'{DYNAMIC}[tool.setuptools.dynamic]\nversion.file = ["nest/V"]\n',
                "nest/V": "1.2.3\n",
            },
            "1.2.3",
        ),
        ({"pyproject.toml": DYNAMIC}, "0"),
        ({"pom.xml": POM.format("<version>${revision}</version>")}, "0"),
        ({"pom.xml": POM.format("<packaging>pom</packaging><version>1</version>")}, "0"),
        ({"pom.xml": "<project><artifactId>heron"}, "0"),
        ({"package.json": '{"name": "heron", "version": "${revision}"}'}, "0"),
    ],
)
def test_versions_are_found_where_manifests_say(
    tmp_path: Path, files: dict[str, str], version: str
) -> None:
    root = write_tree(tmp_path / "folder", {"README.md": page("Read me"), **files})
    assert recognised(root).project.version == version


def test_of_a_description_the_first_sentence_is_told(tmp_path: Path) -> None:
    description = "Counts herons, e.g. grey ones. Needs a lake."
    files = {
        "README.md": page("Read me"),
        "pom.xml": POM.format(f"<description>\n  {description}\n</description>"),
    }
    found = recognised(write_tree(tmp_path / "heron", files))
    assert found.project.description == "Counts herons, e.g. grey ones."


def test_a_workspace_that_is_not_published_names_nothing(tmp_path: Path) -> None:
    files = {
        "README.md": page("Read me"),
        "package.json": '{"name": "heron-workspace", "version": "0.0.1", "private": true}',
    }
    found = recognised(write_tree(tmp_path / "heron", files))
    assert (found.what, found.project.name, found.project.version) == ("repository", "heron", "0")


def test_tools_that_are_no_package_name_nothing(tmp_path: Path) -> None:
    tools = '[project]\nname = "heron-docs"\nversion = "0.1"\n\n[tool.uv]\npackage = false\n'
    files = {"README.md": page("Read me"), "pyproject.toml": tools}
    found = recognised(write_tree(tmp_path / "heron", files))
    assert (found.project.name, found.project.version) == ("heron", "0")


def test_a_project_is_called_as_its_package_and_titled_as_its_site(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "heron"\nversion = "1"\n',
        "doc/build/conf.py": "project = 'Heron documentation'\n",
        "doc/build/index.rst": "Home\n====\n\nText.\n",
        "heron.py": "def fly():\n    pass\n",
    }
    found = recognised(write_tree(tmp_path / "folder", files))
    site = "a Sphinx project 'Heron documentation' (doc/build/conf.py)"
    assert found.what == f"Python project heron with {site}"
    assert (found.project.name, found.project.title) == ("heron", "Heron documentation")
