"""Runs of an import: limits, continuation, turns, damaged pages, and what follows a change."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmarks.mutations import HTML, mutated
from tests.compiler.importing.saved_pages import WGET, adds_up, imported, page, pages, write

from kbc.errors import OutputError
from kbc.importing import page as page_module
from kbc.importing import running
from kbc.importing.journal import FILE_NAME, Journal
from kbc.importing.running import STAGED

TUNE = "pages/docs.example.org/guide/tune.md"


def test_patterns_depth_and_limit_leave_pages_out(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    report = imported(source, tmp_path / "a", exclude=("guide/",))
    adds_up(report, len(WGET))
    assert list(pages(tmp_path / "a")) == ["docs.example.org/index.md"]
    report = imported(source, tmp_path / "b", include=("/docs.example.org/guide/tune*",))
    assert list(pages(tmp_path / "b")) == ["docs.example.org/guide/tune.md"]
    report = imported(source, tmp_path / "c", depth=0)
    assert list(pages(tmp_path / "c")) == ["docs.example.org/index.md"]
    report = imported(source, tmp_path / "d", limit=2)
    adds_up(report, len(WGET))
    assert report.pages == 2
    assert report.files.reasons("left out")[running.OVER_LIMIT] == 4


def test_a_second_run_continues_and_converts_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "mirror", WGET)
    read = running.read_page
    converted: list[str] = []

    def dying(entry: Any, *rest: Any) -> Any:
        if len(converted) == 3:
            raise KeyboardInterrupt
        converted.append(entry.key)
        return read(entry, *rest)

    monkeypatch.setattr(running, "read_page", dying)
    with pytest.raises(KeyboardInterrupt):
        imported(source, tmp_path / "kb")
    journal = tmp_path / "kb" / FILE_NAME
    journal.write_text(journal.read_text() + '\n{"key": "torn')
    again: list[str] = []

    def counting(entry: Any, *rest: Any) -> Any:
        again.append(entry.key)
        return read(entry, *rest)

    monkeypatch.setattr(running, "read_page", counting)
    report = imported(source, tmp_path / "kb")
    assert set(again).isdisjoint(converted)
    assert len(again) + len(converted) == 6
    adds_up(report, len(WGET))
    first = {path: path.read_bytes() for path in (tmp_path / "kb").rglob("*.*") if path.is_file()}
    again.clear()
    report = imported(source, tmp_path / "kb")
    assert again == []
    assert report.kept == report.pages == 3
    assert {
        path: path.read_bytes() for path in (tmp_path / "kb").rglob("*.*") if path.is_file()
    } == first
    clean = imported(source, tmp_path / "clean")
    assert clean.files.reasons("left out") == report.files.reasons("left out")
    assert pages(tmp_path / "clean") == pages(tmp_path / "kb")


def test_two_imports_into_one_folder_take_turns(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    (tmp_path / "kb").mkdir()
    busy = pytest.raises(OutputError, match="another import writes into")
    with Journal(tmp_path / "kb").writing(), busy:
        imported(source, tmp_path / "kb")
    (tmp_path / "kb" / STAGED).write_text("half a pa")  # what a killed run leaves
    assert imported(source, tmp_path / "kb").pages == 3
    assert not (tmp_path / "kb" / STAGED).exists()


def test_damaged_pages_are_counted_and_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    files: dict[str, str | bytes] = {
        f"docs.example.org/{number}.html": mutated(HTML, chance) for number in range(40)
    }
    source = write(tmp_path / "mirror", files | {"docs.example.org/bad.html": page("Bad", "x")})
    read = page_module.read_html

    def failing(source: str, link: Callable[[str], str]) -> Any:
        if "<h1>Bad</h1>" in source:
            raise RecursionError
        return read(source, link)

    monkeypatch.setattr(page_module, "read_html", failing)
    report = imported(source, tmp_path / "kb")
    adds_up(report, 41)
    assert report.pages > 5
    assert report.files.reasons("not readable") == {"reading it failed (RecursionError)": 1}


def test_what_is_gone_or_changed_follows_and_other_files_stay(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    imported(source, tmp_path / "kb")
    write(
        tmp_path / "kb/pages",
        {"docs.example.org/mine.md": "---\nurl: https://x.example/\n---\nOwn.\n"},
    )
    (source / "docs.example.org/guide/tune.html").write_text(page("Tuning", "All new."))
    (source / "docs.example.org/guide/copy.html").unlink()
    report = imported(source, tmp_path / "kb")
    assert report.removed == 1
    assert sorted(pages(tmp_path / "kb")) == [
        "docs.example.org/guide/install.md",
        "docs.example.org/guide/tune.md",
        "docs.example.org/index.md",
        "docs.example.org/mine.md",
    ]
    assert "All new." in (tmp_path / "kb/pages/docs.example.org/guide/tune.md").read_text()


def test_a_file_that_no_import_wrote_is_not_replaced(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    own = write(tmp_path / "kb", {TUNE: "My own words.\n"}) / TUNE
    report = imported(source, tmp_path / "kb")
    adds_up(report, len(WGET))
    assert (report.not_replaced, report.pages) == ((TUNE,), 3)
    assert imported(source, tmp_path / "kb").not_replaced == (TUNE,)
    assert own.read_text() == "My own words.\n"
    for path in source.rglob("tune*"):
        path.unlink()
    report = imported(source, tmp_path / "kb")
    assert (report.removed, report.not_replaced, report.not_removed) == (0, (), ())
    assert own.read_text() == "My own words.\n"


def test_an_edited_page_stays_whatever_becomes_of_its_source(tmp_path: Path) -> None:
    source = write(tmp_path / "mirror", WGET)
    imported(source, tmp_path / "kb")
    edited = tmp_path / "kb" / TUNE
    before = edited.read_bytes()
    edited.write_bytes(before + b"My own words.\n")
    report = imported(source, tmp_path / "kb")
    assert (report.kept, report.not_replaced) == (3, ())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(running.toolchain, "source_hash", lambda: "of another version")
        assert imported(source, tmp_path / "kb").not_replaced == ()
    (source / "docs.example.org/guide/tune.html").write_text(page("Tuning", "All new."))
    for _ in range(2):
        assert imported(source, tmp_path / "kb").not_replaced == (TUNE,)
        assert edited.read_bytes() == before + b"My own words.\n"
    for path in source.rglob("tune*"):
        path.unlink()
    report = imported(source, tmp_path / "kb")
    assert (report.removed, report.not_removed) == (0, (TUNE,))
    assert edited.read_bytes() == before + b"My own words.\n"
    assert imported(source, tmp_path / "kb").not_removed == ()


@pytest.mark.parametrize("undo", [Path.unlink, Path.write_bytes])
def test_an_edited_page_is_imported_again_when_the_edit_is_undone(
    tmp_path: Path, undo: Callable[..., object]
) -> None:
    source = write(tmp_path / "mirror", WGET)
    imported(source, tmp_path / "kb")
    edited = tmp_path / "kb" / TUNE
    before = edited.read_bytes()
    edited.write_bytes(before + b"My own words.\n")
    (source / "docs.example.org/guide/tune.html").write_text(page("Tuning", "All new."))
    imported(source, tmp_path / "kb")
    undo(edited, *([before] if undo is Path.write_bytes else []))
    assert imported(source, tmp_path / "kb").not_replaced == ()
    assert "All new." in edited.read_text()


@pytest.mark.parametrize("killed_in", ["replace", "add", "unlink"])
def test_a_run_after_a_killed_one_leaves_no_page_that_the_source_lacks(
    tmp_path: Path, killed_in: str
) -> None:
    """Killed before and after a page is in its place, and before what is obsolete is removed."""
    address = '<link rel="canonical" href="https://docs.example.org/{}">'.format
    source = write(tmp_path / "mirror", {"docs.example.org/a.html": page("A", "x", address("old"))})
    imported(source, tmp_path / "kb")
    (source / "docs.example.org/a.html").write_text(page("A", "Words.", address("new")))

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Journal if killed_in == "add" else Path, killed_in, killed)
        with pytest.raises(KeyboardInterrupt):
            imported(source, tmp_path / "kb")
    (source / "docs.example.org/a.html").write_text(page("A", "Newer.", address("new")))
    report = imported(source, tmp_path / "kb")
    assert (report.removed, report.not_replaced, report.not_removed) == (1, (), ())
    assert list(pages(tmp_path / "kb")) == ["docs.example.org/new.md"]
    assert "Newer." in (tmp_path / "kb/pages/docs.example.org/new.md").read_text()
