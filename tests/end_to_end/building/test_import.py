"""`kbc import` as the documentation shows it: from a mirror to answers."""

from __future__ import annotations

import errno
import json
import re
import shlex
from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kbc.cli.main import run

PAGE = Path(__file__).parents[3] / "docs" / "generators.md"
MIRROR = {
    "index.html": "<title>Heron</title><main><h1>Heron</h1><p>A database.</p></main>",
    "guide/install.html": "<title>Install</title><main><h1>Install</h1><p>Unpack the wader.</p></main>",
    "guide/tune.html": "<title>Tune</title><main><h1>Tune</h1><p>Caches help.</p></main>",
    "guide/tune.html?print=1": "<title>Tune</title><main><h1>Tune</h1><p>Caches help. 1/1</p></main>",
}


def shown() -> list[tuple[str, str]]:
    """The commands of the section with the lines that follow them."""
    section = PAGE.read_text().partition("## Saved sites")[2].partition("\n## ")[0]
    block = re.findall(r"```console\n(.*?)```", section, re.DOTALL)
    assert len(block) == 1
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block[0], re.MULTILINE)


@pytest.mark.slow
def test_the_commands_of_the_page_import_and_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    for name, content in MIRROR.items():
        place = tmp_path / "mirror/docs.heron.example" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    for command, output in shown():
        assert run(shlex.split(command)[1:]) == exit_codes.OK
        assert output in capsys.readouterr().out
    artifact = "out/docs-heron-example"
    assert run(["search", artifact, "unpack", "--json"]) == exit_codes.OK
    assert json.loads(capsys.readouterr().out)["hits"][0]["title"] == "Install"
    address = "https://docs.heron.example/guide/install.html"
    assert run(["get", artifact, address]) == exit_codes.OK
    assert "Unpack the wader." in capsys.readouterr().out


def test_what_is_not_imported_is_said_also_when_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text("<title>A</title><main><h1>A</h1><p>a</p></main>")
    (tmp_path / "b.md").write_bytes(b"\xff\xfe\xff")
    command = ["import", str(tmp_path), "--out", str(tmp_path / "kb"), "--quiet"]
    assert run([*command, "--base", "https://a.example"]) == exit_codes.OK
    assert "warning: b.md: not imported: not UTF-8" in capsys.readouterr().err


def test_files_that_stay_as_their_author_left_them_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror, pages = tmp_path / "mirror", tmp_path / "kb/pages/a.example"
    mirror.mkdir()
    for name in ("a", "b"):
        (mirror / f"{name}.html").write_text(f"<title>{name}</title><main><p>{name}</p></main>")
    command = ["import", str(mirror), "--out", str(tmp_path / "kb"), "--quiet"]
    command += ["--base", "https://a.example"]
    assert run(command) == exit_codes.OK
    for name in ("a", "b"):
        (pages / f"{name}.md").write_text("My own words.\n")
    (mirror / "a.html").write_text("<title>a</title><main><p>New.</p></main>")
    (mirror / "b.html").unlink()
    capsys.readouterr()
    assert run(command) == exit_codes.OK
    told = capsys.readouterr().err
    assert f"warning: {pages / 'a.md'}: not replaced: " in told
    assert f"warning: {pages / 'b.md'}: not removed: " in told


def test_a_file_that_cannot_be_read_stops_the_import_and_takes_no_page_away(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror, pages = tmp_path / "mirror", tmp_path / "kb/pages"
    mirror.mkdir()
    for name in ("a", "b"):
        (mirror / f"{name}.html").write_text(f"<title>{name}</title><main><p>{name}</p></main>")
    command = ["import", str(mirror), "--out", str(tmp_path / "kb"), "--quiet"]
    command += ["--base", "https://a.example"]
    assert run(command) == exit_codes.OK
    there = sorted(pages.rglob("*.md"))
    read = Path.read_bytes

    def failing(path: Path) -> bytes:
        if path == mirror / "b.html":
            raise OSError(errno.EIO, "Input/output error")
        return read(path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", failing)
        assert run(command) == exit_codes.INPUT
    assert "b.html cannot be read: Input/output error" in capsys.readouterr().err
    assert sorted(pages.rglob("*.md")) == there
    assert len(there) == 2
    assert run(command) == exit_codes.OK


def test_json_counts_and_a_wrong_source_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text("<title>A</title><main><h1>A</h1><p>a</p></main>")
    command = ["import", str(tmp_path), "--out", str(tmp_path / "kb"), "--json"]
    assert run([*command, "--base", "https://a.example"]) == exit_codes.OK
    report = json.loads(capsys.readouterr().out)
    assert (report["pages"], report["files"]["found"], report["files"]["read"]) == (1, 1, 1)
    assert (
        run(["import", str(tmp_path / "none"), "--out", str(tmp_path / "kb")]) == exit_codes.INPUT
    )
    assert "does not exist" in capsys.readouterr().err
