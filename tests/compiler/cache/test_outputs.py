from __future__ import annotations

from pathlib import Path

import pytest

from kbc.cache.outputs import FILE_NAME, replaced_source
from kbc.pipeline.build import BuildOptions, BuildReport, build

PROJECT = """\
[kb]
name = "docs"

[[collection]]
name = "pages"
kind = "docs"
paths = ["*.md"]
"""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """A cache, an output, and two folders that are both called docs."""
    found = tuple(tmp_path / name for name in ("cache", "out/docs", "a/docs", "b/docs"))
    for folder in found[1:]:
        folder.mkdir(parents=True)
    return found  # type: ignore[return-value]


def test_another_folder_that_is_still_there_is_named(
    places: tuple[Path, Path, Path, Path],
) -> None:
    cache, output, one, other = places
    assert replaced_source(cache, output, one) is None
    assert replaced_source(cache, output, one) is None
    assert replaced_source(cache, output, other) == one
    assert replaced_source(cache, output, other) is None
    assert replaced_source(cache, output.with_name("more"), one) is None


def test_a_checkout_that_moved_is_no_other_folder(places: tuple[Path, Path, Path, Path]) -> None:
    cache, output, one, other = places
    replaced_source(cache, output, one)
    one.rmdir()
    assert replaced_source(cache, output, other) is None


def test_outputs_that_are_gone_are_forgotten(places: tuple[Path, Path, Path, Path]) -> None:
    cache, output, one, other = places
    replaced_source(cache, output, one)
    output.rmdir()
    replaced_source(cache, other, one)
    assert str(output) not in (cache / FILE_NAME).read_text()


def test_what_is_in_the_cache_is_not_remembered(places: tuple[Path, Path, Path, Path]) -> None:
    cache, output, one, _ = places
    replaced_source(cache, cache / "try" / "docs", one)
    replaced_source(cache, output, cache / "archives" / "0123" / "content")
    assert not cache.exists()


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"a": 1}'])
def test_a_damaged_file_is_written_again(
    places: tuple[Path, Path, Path, Path], damage: bytes
) -> None:
    cache, output, one, other = places
    cache.mkdir()
    (cache / FILE_NAME).write_bytes(damage)
    assert replaced_source(cache, output, one) is None
    assert replaced_source(cache, output, other) == one


def notes(report: BuildReport) -> list[str]:
    return [str(each) for each in report.diagnostics if each.code == "source-replaced"]


def test_a_build_that_takes_the_name_of_another_says_so(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "docs").mkdir(parents=True)
        (tmp_path / name / "docs" / "kb.toml").write_text(PROJECT)
        (tmp_path / name / "docs" / "index.md").write_text(f"# Of {name}\n\nText.\n")
    options = BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache", embed=False)
    assert notes(build(tmp_path / "a/docs", options)) == []
    (note,) = notes(build(tmp_path / "b/docs", options))
    assert str(tmp_path / "a/docs") in note
    assert str(tmp_path / "b/docs") in note
    assert "--name" in note
    assert notes(build(tmp_path / "b/docs", options)) == []
