"""The command of an installed knowledge base, run over a package's folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from kb_runtime.cli.packaged import ARTIFACT_FOLDER, main
from kb_runtime.errors import exit_codes
from kb_runtime.store.manifest import seal
from kbc.linking.linker import Published

ABOUT = {"command": "small-kb", "version": "1.2", "requires": "kb-compiler>=3,<4"}


@pytest.fixture
def package(tmp_path: Path, publish: Callable[..., Published]) -> Path:
    """The folder of a package that holds a small artifact."""
    folder = tmp_path / "small_kb"
    copytree(publish().path.parent, folder / ARTIFACT_FOLDER)
    return folder


def run(package: Path, *arguments: str) -> int:
    return main(str(package / "__main__.py"), ABOUT, arguments)


def make_newer(package: Path) -> None:
    (path,) = package.glob(f"{ARTIFACT_FOLDER}/*/manifest.json")
    path.write_bytes(seal({**json.loads(path.read_bytes()), "format": 99}))


def test_questions_are_asked_of_the_package_s_own_artifact(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(package, "get", "mapSet") == exit_codes.OK
    assert "maps a set" in capsys.readouterr().out
    assert run(package, "info", "--json") == exit_codes.OK
    facts = json.loads(capsys.readouterr().out)
    assert (facts["title"], facts["path"].startswith(str(package))) == ("Small", True)


def test_the_version_names_the_package_the_runtime_and_the_format(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(package, "--version") == exit_codes.OK
    told = capsys.readouterr().out
    assert told.startswith("small-kb 1.2, kbc ")
    assert "artifact format 2" in told


def test_help_names_every_command(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(package, "--help") == exit_codes.OK
    told = capsys.readouterr().out
    for command in ("serve", "search", "get", "verify", "info", "install", "doctor"):
        assert f"\n  {command} " in told


@pytest.mark.parametrize("arguments", [("serve", "--help"), ("--tools", "all", "--help")])
def test_help_on_serving_names_this_command(
    package: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert run(package, *arguments) == exit_codes.OK
    told = capsys.readouterr().out
    assert "small-kb serve" in told
    assert "kbc serve" not in told


@pytest.mark.parametrize("arguments", [("--nope",), ("serve", "--nope")])
def test_options_without_a_command_are_those_of_serve(
    package: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert run(package, *arguments) == exit_codes.USAGE
    assert capsys.readouterr().err == "small-kb serve: unknown option --nope. Try --help.\n"


def test_an_unknown_command_is_a_usage_error(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(package, "serch") == exit_codes.USAGE
    assert "'search'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [(), ("get", "map"), ("verify",)])
def test_an_artifact_of_a_newer_format_names_both_versions_and_what_to_install(
    package: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    make_newer(package)
    assert run(package, *arguments) == exit_codes.ARTIFACT
    told = capsys.readouterr().err
    assert "has format 99; this kbc reads formats 1 to 2" in told
    assert 'pip install "kb-compiler>=3,<4"' in told


def test_an_altered_file_is_found_by_verify_and_refused_by_first_use(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = package.glob(f"{ARTIFACT_FOLDER}/*/catalog/builtins.bin")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    for arguments in (("verify",), ("get", "map")):
        assert run(package, *arguments) == exit_codes.ARTIFACT
        assert "builtins.bin" in capsys.readouterr().err


def test_an_artifact_that_is_gone_is_one_sentence(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (package / ARTIFACT_FOLDER / "CURRENT").unlink()
    assert run(package, "get", "map") == exit_codes.ARTIFACT
    assert "is not a compiled knowledge base" in capsys.readouterr().err
