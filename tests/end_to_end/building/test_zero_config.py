"""Somebody's own documentation, without a kb.toml: built, searched, counted, and never written into."""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import shutil
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.compiler.recognition.trees import page, write_tree

import kbc
from kb_runtime.errors import exit_codes
from kb_runtime.knowledge.artifact import Artifact
from kbc.cli.main import run

FILES = {
    "pyproject.toml": '[project]\nname = "weir"\nversion = "1.2"\n',
    "README.md": page("Weir"),
    "weir.py": "def open_gate():\n    return True\n",
    "mkdocs.yml": "site_name: Weir\nsite_url: https://weir.example/\nnav: [index.md, gates.md]\n",
    "docs/index.md": page("Start"),
    "docs/gates.md": "# Gates\n\nA gate lets water through when it is open.\n",
    "docs/picture.png": "no picture",
    ".hidden": "x",
}
GLOB = '[kb]\nname = "weir"\n[[collection]]\nname = "pages"\nkind = "docs"\npaths = ["**/*.md"]\n'


def tree_of(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def ask(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(each) for each in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def ask_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    code, out, err = ask(capsys, *arguments, "--json")
    assert code == exit_codes.OK, err
    return json.loads(out)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "somewhere" / "weir", FILES)


def test_a_build_needs_nothing_and_writes_nothing_into_the_tree(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree_of(project)
    code, out, err = ask(capsys, "build", project, "--out", tmp_path / "out", "--lexical-only")
    assert code == exit_codes.OK, err
    assert tree_of(project) == before
    lines = err.splitlines()
    assert lines[0] == "recognised: Python project weir with a MkDocs site 'Weir' (mkdocs.yml)"
    assert lines[1].startswith("collections: docs (docs, kind docs); readme (README.md, kind docs)")
    assert "out/weir" in out
    (files,) = (line for line in lines if line.startswith("files: "))
    assert files.startswith(
        "files: 8 found = 7 read + 0 included + 1 left out (1 format not read: .png)"
    )
    code, out, _ = ask(capsys, "get", tmp_path / "out/weir", "gates.md")
    assert (code, "lets water through" in out) == (exit_codes.OK, True)


@pytest.mark.parametrize("name", ["Weir", "a b", ""])
def test_a_name_that_no_artifact_may_have_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    code, _, err = ask(capsys, "check", project, "--name", name)
    assert (code, repr(name) in err) == (
        (exit_codes.USAGE, True) if name else (exit_codes.OK, False)
    )


@pytest.mark.slow
def test_two_copies_of_a_tree_are_the_same_bytes_and_hold_no_path_of_the_machine(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "elsewhere" / "renamed"
    shutil.copytree(project, other)
    shared = write_tree(tmp_path / "shared", {"guide/extra.md": page("Extra")})
    toml = (
        '[kb]\nname = "both"\n[[collection]]\nname = "own"\nkind = "docs"\npaths = ["docs"]\n'
        '[[collection]]\nname = "more"\nkind = "docs"\npaths = ["{}"]\nurl = "https://x.example/{{path}}"\n'
    )
    built: dict[str, list[dict[str, str]]] = {"plain": [], "outside": []}
    for number, root in enumerate((project, other)):
        for form, options in (("plain", []), ("outside", ["--allow-outside"])):
            if form == "outside":
                copy = tmp_path / f"copy{number}"
                shutil.copytree(shared, copy / "guide-tree")
                (root / "kb.toml").write_text(toml.format(copy / "guide-tree"))
            out = tmp_path / f"out-{form}-{number}"
            arguments = ["build", root, "--out", out, "--lexical-only", "--quiet", *options]
            code, _, err = ask(capsys, *arguments)
            assert code == exit_codes.OK, err
            built[form].append(tree_of(out))
            (artifact,) = (path for path in out.iterdir() if path.is_dir())
            if form == "outside":
                with Artifact.open(artifact) as found:
                    catalog = found.catalog("more")
                    assert [catalog.id(row) for row in range(len(catalog))] == [
                        "guide-tree/guide/extra.md"
                    ]
            parts = tmp_path / f"parts-{form}-{number}"
            for command in ("wheel", "bundle"):
                code, _, err = ask(capsys, command, artifact, "--out", parts / command)
                assert code == exit_codes.OK, err
            for folder in (out, parts):
                assert places_naming(folder, str(tmp_path)) == []
    assert built["plain"][0] == built["plain"][1]
    assert built["outside"][0] == built["outside"][1]


CONVERTED = {
    "mkdocs.yml": "site_name: Weir\nplugins: [mkdocstrings]\n",
    "weir.py": 'def open(width: int = 1) -> None:\n    """Opens it."""\n',
    "docs/api.md": "# API\n\n::: weir.open\n",
    "docs/guide.rst": "Guide\n=====\n\n.. include:: part.rst\n\n.. autofunction:: weir.open\n",
    "docs/part.rst": "A part.\n",
    "docs/manual.adoc": "= Manual\n\ninclude::gone.adoc[]\n\nText.\n",
    "docs/note.ipynb": '{"cells": [{"cell_type": "markdown", "source": ["# Note"]}], "nbformat": 4}',
    "docs/openapi.yaml": "openapi: 3.1.0\ninfo: {title: Weir, version: '1'}\npaths:\n  /gate:\n"
    "    get: {operationId: getGate, summary: The gate, responses: {}}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("is_archive", [False, True])
def test_converted_formats_and_archives_are_the_same_bytes_wherever_they_lie(
    is_archive: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = []
    for place in ("here", "elsewhere/deeper"):
        root = write_tree(tmp_path / place / "weir-tree", CONVERTED)
        source = root
        if is_archive:
            source = Path(shutil.make_archive(str(tmp_path / place / "weir-1.0"), "zip", root))
        out = tmp_path / place / "out"
        cache = tmp_path / place / "cache"
        arguments = ["build", source, "--out", out, "--lexical-only", "--quiet", "--cache", cache]
        code, _, err = ask(capsys, *arguments)
        assert code == exit_codes.OK, err
        (artifact,) = (path for path in out.iterdir() if path.is_dir())
        with Artifact.open(artifact) as found:
            assert len(found.catalog("docs")) >= 6
        assert ask(capsys, "wheel", artifact, "--out", out)[0] == exit_codes.OK
        assert places_naming(out, str(tmp_path)) == []
        built.append(tree_of(out))
    assert built[0] == built[1]


def places_naming(folder: Path, text: str) -> list[str]:
    """The files below `folder`, also those in zip files, whose bytes hold `text`."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            found += _naming(path.name, path.read_bytes(), text.encode())
    return found


def _naming(name: str, data: bytes, text: bytes) -> list[str]:
    found = [name] if text in data else []
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for each in archive.namelist():
                found += _naming(f"{name}/{each}", archive.read(each), text)
    return found


def test_every_file_is_accounted_for_and_listed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = ask_json(capsys, "inspect", project, "--files")
    assert {each["path"] for each in listed["files"]} == set(FILES)
    summary = listed["summary"]
    outcomes = ("read", "included", "left_out", "not_readable")
    assert summary["found"] == sum(summary[each] for each in outcomes) == len(FILES)
    by_path = {each["path"]: (each["outcome"], each["reason"]) for each in listed["files"]}
    assert by_path["docs/picture.png"] == ("left out", "format not read: .png")
    assert by_path["mkdocs.yml"] == ("read", "")
    code, out, _ = ask(capsys, "inspect", project, "--files")
    assert (code, len(out.splitlines())) == (exit_codes.OK, len(FILES))


def test_the_files_of_an_artifact_are_those_it_was_built_from(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(capsys, "build", project, "--out", tmp_path / "out", "--lexical-only", "--quiet")
    listed = ask_json(capsys, "inspect", tmp_path / "out/weir", "--files")
    assert "docs/gates.md" in {each["path"] for each in listed["files"]}


def test_init_writes_kb_toml_alone_for_what_is_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree_of(project)
    code, out, _ = ask(capsys, "init", project)
    assert (code, out.splitlines()[0]) == (exit_codes.OK, f"wrote {project}/kb.toml")
    after = tree_of(project)
    after.pop("kb.toml")
    assert after == before
    code, _, err = ask(capsys, "check", project)
    assert code == exit_codes.OK, err


def test_init_in_an_empty_folder_writes_no_page_unless_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask(capsys, "init", tmp_path / "a")
    assert list(tree_of(tmp_path / "a")) == ["kb.toml"]
    ask(capsys, "init", tmp_path / "b", "--sample")
    assert sorted(tree_of(tmp_path / "b")) == ["docs/getting-started.md", "kb.toml"]


@pytest.mark.parametrize(
    "files",
    [
        FILES,
        {"a.md": page("A"), "LICENSE.md": page("Licence")},
        {"a.md": page("A"), "LICENSE.md": page("Licence"), "kb.toml": GLOB},
    ],
    ids=["repository", "pages", "glob"],
)
def test_what_was_built_into_the_tree_is_not_compiled_with_it(
    tmp_path: Path, files: dict[str, str]
) -> None:
    root = write_tree(tmp_path / "weir", files)
    options = kbc.BuildOptions(out=root / "dist-index", embed=False)
    first, second = (kbc.build(root, options) for _ in range(2))
    assert (second.build_id, second.reused) == (first.build_id, True)
    assert kbc.build(root, options).build_id == first.build_id


def test_a_bundle_in_the_tree_is_not_compiled_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_tree(tmp_path / "weir", {"a.md": page("A"), "b.md": page("B")})
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    first = kbc.build(root, options)
    code, _, err = ask(capsys, "bundle", first.path, "--out", root / "dist")
    assert (code, any((root / "dist").rglob("llms-full.txt"))) == (exit_codes.OK, True), err
    again = kbc.build(root, options)
    assert again.build_id == first.build_id
    assert list(again.files.folders.values()) == ["published by kbc"]


def test_try_answers_queries_from_stdin_and_ends_with_q(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = tree_of(project)
    monkeypatch.setattr(sys, "stdin", io.StringIO("water gate\n\nq\nnever asked\n"))
    code, out, err = ask(capsys, "try", project, "--lexical-only")
    assert code == exit_codes.OK, err
    assert "Gates" in out.splitlines()[0]
    assert out.count("1. ") == 1
    assert tree_of(project) == before
    assert (tmp_path / "cache/try/weir/CURRENT").exists()
    code, _, err = ask(capsys, "try", project, "--out", tmp_path)  # it would be ignored
    assert (code, "No such option '--out'" in err) == (exit_codes.USAGE, True)


def test_try_ranks_by_words_as_a_server_does_and_says_nothing_of_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "weir"\nversion = "1"\n',
        "docs/gates.md": "# Gates\n\nTurn the wheel of the water gate.\n",
        "weir.py": "def water_gate():\n    return 1\n",
        "tests/test_gates.py": "def test_water_gate():\n    assert water_gate() == 1\n",
    }
    root = write_tree(tmp_path / "weir", files)
    monkeypatch.setattr(sys, "stdin", io.StringIO("water gate\n"))
    cache = tmp_path / "words"
    code, out, _ = ask(capsys, "try", root, "--lexical-only", "--json", "--cache", cache)
    tried = json.loads(out)
    _, out, _ = ask(capsys, "search", cache / "try/weir", "water gate", "--limit", "5", "--json")
    assert (code, tried["warnings"], len(tried["hits"])) == (exit_codes.OK, [], 3)
    assert tried["hits"] == json.loads(out)["hits"]


def test_try_keeps_what_it_asks_while_another_folder_of_its_name_is_tried(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = write_tree(tmp_path / "elsewhere" / "weir", {**FILES, "docs/gates.md": page("Fish")})

    def lines() -> Iterator[str]:
        options = kbc.BuildOptions(out=tmp_path / "cache" / "try", keep=1, embed=False)
        assert kbc.build(other, options).name == "weir"
        yield "water gate\n"

    stdin = io.StringIO()
    monkeypatch.setattr(stdin, "readline", partial(next, lines(), ""))
    monkeypatch.setattr(sys, "stdin", stdin)
    code, out, err = ask(capsys, "try", project, "--lexical-only")
    assert (code, "Gates" in out.splitlines()[0]) == (exit_codes.OK, True), err


def test_try_with_a_closed_stdin_only_builds(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, out, err = ask(capsys, "try", project, "--lexical-only")
    kept = f"keep it: {shlex.join(['kbc', 'build', str(project), '--lexical-only'])}; serve it: "
    assert (code, out, kept in err) == (exit_codes.OK, "", True), err


def test_try_builds_in_the_cache_that_it_is_given_also_where_it_reads_none(
    project: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    given = ("--lexical-only", "--no-cache", "--cache", tmp_path / "own")
    code, _, err = ask(capsys, "try", project, *given)
    assert code == 0, err
    assert f" in {tmp_path / 'own' / 'try'}" in err


def test_try_names_the_settings_of_a_cache_that_cannot_be_written(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/try").touch()
    code, _, err = ask(capsys, "try", project, "--lexical-only", "--cache", tmp_path / "taken")
    assert code == exit_codes.OUTPUT
    assert err.endswith("\n  hint: Name a folder for the cache with $KBC_CACHE or --cache.\n")


def test_try_shows_why_a_file_cannot_be_read_and_no_other_warning(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs/broken.ipynb").write_text("{")
    (project / "docs/astray.md").write_text("# Astray\n\nSee [nothing](nowhere.md).\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    code, _, err = ask(capsys, "try", project, "--lexical-only")
    assert code == exit_codes.OK
    assert "broken.ipynb:1: warning[notebook-invalid]" in err
    assert "dead-link" not in err


def test_the_library_builds_an_archive_as_the_command_does(project: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "weir"), "zip", project)
    for cache in (None, tmp_path / "cache"):
        options = kbc.BuildOptions(out=tmp_path / "out", embed=False, cache=cache)
        report = kbc.build(archive, options)
        assert report.name == "weir"
        assert report.files.counts()["read"] == 7
        assert len(report.files) == sum(report.files.counts().values())
    assert [each.severity.label for each in kbc.check(archive)] == ["note"]


def test_strict_fails_on_a_file_that_cannot_be_read(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs/broken.ipynb").write_text("{")
    command = ["build", project, "--out", tmp_path / "out", "--lexical-only"]
    code, _, err = ask(capsys, *command)
    assert (code, "1 not readable (1 notebook-invalid)" in err) == (exit_codes.OK, True)
    code, _, err = ask(capsys, *command, "--strict")
    assert (code, "warning[notebook-invalid]" in err) == (exit_codes.INPUT, True)
