"""What the entry of a client carries to `serve`."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_runtime.cli.serve_arguments import PATHS, with_absolute_paths


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(tmp_path)


def test_every_option_with_a_file_or_folder_is_known_as_one() -> None:
    assert set(PATHS) == {"--code", "--data", "--key", "--model", "--workspace"}


@pytest.mark.parametrize("option", PATHS)
def test_the_path_of_an_option_becomes_absolute(here: str, option: str) -> None:
    assert with_absolute_paths(["kb", option, "x"]) == [f"{here}/kb", option, f"{here}/x"]
    assert with_absolute_paths([f"{option}=x/../y"]) == [f"{option}={here}/y"]
    assert with_absolute_paths([option, "/x"]) == [option, "/x"]


def test_what_is_no_path_stays(here: str) -> None:
    given = ["--tools", "kb", "kb", "--read-only", "two", "--log=json", "--log", "kb"]
    expected = [*given[:2], f"{here}/kb", "--read-only", f"{here}/two", *given[5:]]
    assert with_absolute_paths(given) == expected


def test_a_path_that_is_empty_is_one_that_was_not_given(here: str) -> None:
    given = ["--workspace=", "--code", ""]
    assert with_absolute_paths(given) == given


def test_a_link_stays_a_link(here: str) -> None:
    Path("real").mkdir()
    Path("link").symlink_to("real")
    assert with_absolute_paths(["link"]) == [f"{here}/link"]
    assert with_absolute_paths(["link/../real"]) == [f"{here}/real"]
