"""Builds after edits: the same bytes as a clean build, and nothing done twice."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.edits import Author, cache_with, clean_build, hurt

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.location import resolve
from kbc import chunking
from kbc.cache import toolchain
from kbc.cache.phases import FILE_NAME as PHASES
from kbc.encoding.cache import FILE_NAME as VECTORS
from kbc.languages import markdown, quint
from kbc.pipeline.build import BuildOptions, BuildReport, build, differing_files, warm_up
from kbc.pipeline.resident import Engines, Resident
from kbc.records import CompiledChunk, CompiledRecord


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


def test_a_file_that_only_one_of_two_collections_ignores_makes_another_build(
    tmp_path: Path,
) -> None:
    root = tmp_path / "kb"
    (root / "docs").mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (root / "docs" / name).write_text(f"# {name}\n\nWords of {name}.\n")
    (root / "kb.toml").write_text(
        '[kb]\nname = "demo"\n'
        '[[collection]]\nname = "pages"\nkind = "docs"\npaths = ["docs"]\n'
        '[[collection]]\nname = "source"\nkind = "code"\npaths = ["docs"]\n'
    )
    build(root, BuildOptions(out=tmp_path / "out", embed=False))
    (root / "docs" / ".gitignore").write_text("b.md\n")
    report = build(root, BuildOptions(out=tmp_path / "out", embed=False))
    clean = build(root, BuildOptions(out=tmp_path / "clean", embed=False))
    assert differing_files(report.path, clean.path) == []


Work = dict[str, list[str]]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """What was parsed, scanned and chunked since it was last cleared."""
    done: Work = {"chunked": [], "scanned": [], "parsed": []}
    chunk, tokenize, read = chunking.chunk, quint.tokenize, markdown.read_front_matter

    def counted_chunk(record: CompiledRecord, budget: chunking.TokenBudget) -> list[CompiledChunk]:
        done["chunked"].append(record.path)
        return chunk(record, budget)

    def counted_tokenize(text: str) -> list[quint.Token]:
        done["scanned"].append(text)
        return tokenize(text)

    def counted_read(*lines: Any) -> Any:
        """Every parsed text begins with its front matter."""
        done["parsed"].append("")
        return read(*lines)

    monkeypatch.setattr(chunking, "chunk", counted_chunk)
    monkeypatch.setattr(quint, "tokenize", counted_tokenize)
    monkeypatch.setattr(markdown, "read_front_matter", counted_read)
    return done


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


SITE = "https://example.org/all"
TWO_COLLECTIONS = """\
[kb]
name = "demo"
title = "Demo"

[[collection]]
name = "pages"
kind = "docs"
paths = ["docs"]
group = "core"
url = "https://example.org/all/{stem}"

[[collection]]
name = "guides"
kind = "docs"
paths = ["docs/lessons"]
group = "core"
exclude = ["draft-*"]
"""


def write_tree(root: Path) -> None:
    """Pages of which one includes a file, two have findings, and three are in two collections."""
    files = {
        "kb.toml": TWO_COLLECTIONS,
        "docs/start.md": "# Start\n\nRead the [guide](lessons/one.md) and [what is gone](gone.md).\n",
        "docs/with.md": '# With\n\nA file is shown here.\n\n--8<-- "parts/shown.txt"\n',
        "docs/open.mdx": "---\ntitle: 3\n---\n# Open\n\n<Tabs/>\n\n```js\nlet x = 1\n",
        "docs/lessons/one.md": "# One\r\n\r\nThe first lesson.\r\n",
        "docs/lessons/two.md": "---\ntags: [b]\n---\n# Two\n\nThe second, after [one](one.md#no-such).\n",
        "docs/lessons/draft-three.md": "# Three\n\nNot finished.\n",
        "parts/shown.txt": "The shown text.\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def stored(report: BuildReport, collection: str, id: str) -> dict[str, Any]:
    """What the artifact says of a record; nothing where it has none of this id."""
    with Artifact.open(report.path) as artifact:
        catalog = artifact.catalog(collection)
        place = catalog.find(id)
        return {} if place is None else dict(catalog[place])


def require_as_clean(root: Path, out: Path, cache: Path, graphs: Path, clean: Path) -> BuildReport:
    """Builds after an edit: artifact, findings and account are those of a clean build."""
    report = build(root, BuildOptions(out=out, cache=cache))
    other = clean_build(root, clean, graphs)
    assert differing_files(report.path, other.path) == []
    assert report.diagnostics == other.diagnostics
    assert report.files.as_dict() == other.files.as_dict()
    return report


@pytest.mark.slow
def test_what_is_taken_from_the_cache_has_its_findings_and_its_place_in_each_collection(
    tmp_path: Path, graphs: Path, work: Work
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    write_tree(root)
    places = root, tmp_path / "out", cache, graphs, tmp_path / "clean"
    first = require_as_clean(*places)
    codes = {found.code for found in first.diagnostics}
    assert {"dead-link", "dead-anchor", "markdown-unclosed-fence"} <= codes
    work["parsed"].clear()
    (root / "docs/start.md").write_text("# Start\n\nAnother beginning.\n")
    report = build(root, BuildOptions(out=tmp_path / "out", cache=cache))
    assert len(work["parsed"]) == 1
    kept = [found for found in first.diagnostics if found.path != "docs/start.md"]
    assert [found for found in report.diagnostics if found.path != "docs/start.md"] == kept
    everywhere = stored(report, "pages", "docs/lessons/two.md")
    own = stored(report, "guides", "docs/lessons/two.md")
    assert (everywhere["url"], everywhere["group"]) == (f"{SITE}/docs/lessons/two", "lessons")
    assert ("url" in own, own["group"]) == (False, "core")
    assert stored(report, "guides", "docs/lessons/draft-three.md") == {}
    require_as_clean(*places)


@pytest.mark.slow
def test_an_included_file_that_changes_changes_the_page_that_shows_it(
    tmp_path: Path, graphs: Path
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    write_tree(root)
    places = root, tmp_path / "out", cache, graphs, tmp_path / "clean"

    def shown() -> str:
        found = stored(require_as_clean(*places), "pages", "docs/with.md")
        return str(found["text"])

    assert "The shown text." in shown()
    (root / "parts/shown.txt").write_text("Another text is shown.\n")
    assert "Another text is shown." in shown()
    (root / "parts/shown.txt").unlink()
    assert "not included" in shown()
    write_tree(root)
    assert "The shown text." in shown()


@pytest.mark.slow
def test_a_page_that_is_rewritten_with_its_size_and_time_is_read(
    tmp_path: Path, graphs: Path
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    write_tree(root)
    places = root, tmp_path / "out", cache, graphs, tmp_path / "clean"
    resident = Resident(Engines())
    build(root, BuildOptions(out=tmp_path / "watched", cache=cache), None, resident)
    require_as_clean(*places)
    for name in ("docs/lessons/one.md", "parts/shown.txt"):
        path = root / name
        info, data = path.stat(), path.read_bytes()
        path.write_bytes(data.replace(b"The", b"Our"))
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (info.st_size, info.st_mtime_ns)
    report = require_as_clean(*places)
    watched = build(root, BuildOptions(out=tmp_path / "watched", cache=cache), None, resident)
    assert differing_files(watched.path, report.path) == []
    lesson, shown = (stored(report, "pages", f"docs/{name}.md") for name in ("lessons/one", "with"))
    assert "Our first lesson." in lesson["text"]
    assert "Our shown text." in shown["text"]


@pytest.mark.slow
def test_a_setting_of_a_collection_changes_records_that_the_cache_has(
    tmp_path: Path, graphs: Path
) -> None:
    root, cache = tmp_path / "kb", cache_with(graphs, tmp_path / "cache")
    write_tree(root)
    places = root, tmp_path / "out", cache, graphs, tmp_path / "clean"
    require_as_clean(*places)
    (root / "kb.toml").write_text(TWO_COLLECTIONS.replace("/all/", "/every/"))
    found = stored(require_as_clean(*places), "pages", "docs/lessons/two.md")
    assert found["url"] == "https://example.org/every/docs/lessons/two"
