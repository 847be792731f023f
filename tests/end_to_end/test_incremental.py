"""Builds after edits: the same bytes as a clean build, and nothing done twice."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.edits import Author, cache_with, clean_build, hurt

from kb_runtime.store.manifest import resolve
from kbc import chunking
from kbc.cache import toolchain
from kbc.cache.phases import FILE_NAME as PHASES
from kbc.encoding.cache import FILE_NAME as VECTORS
from kbc.languages import markdown, quint
from kbc.pipeline import executor
from kbc.pipeline.build import BuildOptions, build, differing_files, warm_up
from kbc.pipeline.resident import Engines, Resident
from kbc.records import Chunk, Record


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_after_any_edits_the_bytes_are_those_of_a_clean_build(
    tmp_path: Path, graphs: Path, seed: int
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    author, chance = Author(root, seed), random.Random(seed)
    for step in range(8):
        report = build(root, BuildOptions(out=tmp_path / "out", cache=cache))
        clean = clean_build(root, tmp_path / "clean", graphs)
        assert report.build_id == clean.build_id
        assert differing_files(report.path, clean.path) == []
        assert report.embedded == 0 or not report.reused
        for _ in range(chance.randint(1, 3)):
            author.edit()
        if step % 3 == 2:
            hurt(cache, chance)


Work = dict[str, list[str]]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """What was parsed, scanned and chunked since it was last cleared."""
    done: Work = {"chunked": [], "scanned": [], "parsed": []}
    chunk, tokenize, read = chunking.chunk, quint.tokenize, markdown.read_front_matter

    def counted_chunk(record: Record, budget: chunking.TokenBudget) -> list[Chunk]:
        done["chunked"].append(record.path)
        return chunk(record, budget)

    def counted_tokenize(text: str) -> list[quint.Token]:
        done["scanned"].append(text)
        return tokenize(text)

    def counted_read(*lines: Any) -> Any:
        """Every parsed text begins with its front matter."""
        done["parsed"].append("")
        return read(*lines)

    monkeypatch.setattr(executor.chunking, "chunk", counted_chunk)
    monkeypatch.setattr(quint, "tokenize", counted_tokenize)
    monkeypatch.setattr(markdown, "read_front_matter", counted_read)
    return done


def test_only_the_changed_page_is_parsed_chunked_and_embedded(
    tmp_path: Path, graphs: Path, work: Work
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    Author(root, 3)
    first = build(root, BuildOptions(out=tmp_path / "out", cache=cache))
    assert len(work["chunked"]) > 5
    assert len(work["parsed"]) > 2
    assert work["scanned"]
    for each in work.values():
        each.clear()
    page = next(iter(sorted(root.glob("docs/*.md"))))
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    report = build(root, BuildOptions(out=tmp_path / "out", cache=cache))
    assert work["chunked"] == [page.relative_to(root).as_posix()]
    assert len(work["parsed"]) == 1
    assert work["scanned"] == []
    assert 0 < report.embedded < first.embedded


def test_a_process_that_has_warmed_up_has_all_in_memory_that_an_edit_leaves_as_it_is(
    tmp_path: Path, graphs: Path, work: Work
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    Author(root, 6)
    options = BuildOptions(out=tmp_path / "out", cache=cache)
    first = build(root, options)
    resident = Resident(Engines())
    assert build(root, options, None, resident).reused
    assert not resident.is_warm
    warm_up(root, options, resident)
    assert resident.is_warm
    for name in (PHASES, VECTORS):
        (cache / name).unlink()
    for each in work.values():
        each.clear()
    page = next(iter(sorted(root.glob("docs/*.md"))))
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    report = build(root, options, None, resident)
    assert work["chunked"] == [page.relative_to(root).as_posix()]
    assert len(work["parsed"]) == 1
    assert work["scanned"] == []
    assert 0 < report.embedded < first.embedded
    clean = clean_build(root, tmp_path / "clean", graphs)
    assert differing_files(report.path, clean.path) == []


def test_warming_up_publishes_nothing_also_where_an_edit_came_before(
    tmp_path: Path, graphs: Path
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    Author(root, 7)
    options = BuildOptions(out=tmp_path / "out", cache=cache)
    first = build(root, options)
    page = next(iter(sorted(root.glob("docs/*.md"))))
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    resident = Resident(Engines())
    before = sorted(first.path.parent.iterdir())
    warm_up(root, options, resident)
    assert sorted(first.path.parent.iterdir()) == before
    assert resolve(str(first.path.parent)) == str(first.path)
    report = build(root, options, None, resident)
    assert (report.reused, report.embedded) == (False, 0)
    clean = clean_build(root, tmp_path / "clean", graphs)
    assert differing_files(report.path, clean.path) == []


def test_another_compiler_parses_and_chunks_again_but_keeps_vectors(
    tmp_path: Path, graphs: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    Author(root, 4)
    build(root, BuildOptions(out=tmp_path / "out", cache=cache))
    before = {name: len(each) for name, each in work.items()}
    monkeypatch.setattr(toolchain, "source_hash", lambda: "0" * 64)
    report = build(root, BuildOptions(out=tmp_path / "out", cache=cache))
    assert {name: len(each) - before[name] for name, each in work.items()} == before
    assert report.embedded == 0
    assert not report.reused


def test_a_cache_that_cannot_be_used_only_costs_time(tmp_path: Path, graphs: Path) -> None:
    root = tmp_path / "kb"
    Author(root, 5)
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    report = build(root, BuildOptions(out=tmp_path / "out", cache=in_the_way / "cache"))
    assert [found.code for found in report.diagnostics if found.severity.label == "note"] == [
        "cache",
        "cache",
    ]
    clean = clean_build(root, tmp_path / "clean", graphs)
    assert differing_files(report.path, clean.path) == []
