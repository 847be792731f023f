"""Builds after edits: the same bytes as a clean build, and nothing done twice."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from kbc import chunking, markdown, phase_cache, pipeline, quint, toolchain
from kbc.encoding import cache as embedding_cache
from kbc.pipeline import BuildOptions, BuildReport, build, differing_files
from kbc.records import Chunk, Record

PROJECT = """\
[kb]
name = "demo"
title = "{title}"

[[collection]]
name = "pages"
kind = "docs"
paths = ["docs"]
group = "{group}"
url = "https://example.org/{group}/{{stem}}"

[[collection]]
name = "specs"
kind = "examples"
paths = ["specs"]

[[collection]]
name = "source"
kind = "code"
paths = ["src"]

[[collection]]
name = "site"
kind = "pages"
paths = ["site"]
"""
WORDS = ("anchor", "beacon", "compass", "deck", "engine", "ferry", "galley", "harbour", "island")


class Author:
    """Writes and changes a knowledge base, the same way for the same seed."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self._random = random.Random(seed)
        self._made = 0
        self.settings()
        for make in (self._page, self._mdx, self._plain, self._spec, self._code, self._html):
            make()
        self.add()

    def edit(self) -> None:
        steps = (self.add, self.change, self.change, self.rename, self.delete, self.settings)
        self._random.choice(steps)()

    def add(self) -> None:
        makers = (self._page, self._mdx, self._plain, self._spec, self._code, self._html)
        self._random.choice(makers)()

    def change(self) -> None:
        """Adds a sentence to a file, in a form that its kind allows."""
        path = self._any()
        end = {".qnt": "// {}\n", ".py": "# {}\n", ".html": "<p>{}</p>\n"}.get(
            path.suffix, "\n{}\n"
        )
        with path.open("a") as file:
            file.write(end.format(self._sentence()))

    def rename(self) -> None:
        path = self._any()
        path.rename(path.with_stem(self._name()))

    def delete(self) -> None:
        path = self._any()
        if len(list(path.parent.iterdir())) > 1:
            path.unlink()

    def settings(self) -> None:
        text = PROJECT.format(title=self._sentence(), group=self._random.choice(WORDS))
        self.root.mkdir(exist_ok=True)
        (self.root / "kb.toml").write_text(text)

    def _any(self) -> Path:
        files = sorted(path for path in self.root.glob("*/*") if path.is_file())
        return self._random.choice(files)

    def _name(self) -> str:
        self._made += 1
        return f"{self._random.choice(WORDS)}{self._made}"

    def _sentence(self) -> str:
        return " ".join(self._random.choices(WORDS, k=8)).capitalize() + "."

    def _write(self, folder: str, ending: str, text: str) -> None:
        path = self.root / folder / f"{self._name()}{ending}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def _page(self) -> None:
        sections = "".join(
            f"\n## {self._random.choice(WORDS)}\n\n{self._sentence()} [a](other.md#b)\n\n"
            "```sh\nrow --hard\n```\n"
            for _ in range(3)
        )
        text = f"---\ntags: [{self._random.choice(WORDS)}, 3.10]\n---\n\n# {self._sentence()}\n"
        self._write("docs", ".md", text + sections)

    def _mdx(self) -> None:
        self._write(
            "docs", ".mdx", f"import A from './a'\n\n# {self._sentence()}\n\n<A>\n\nText.\n"
        )

    def _plain(self) -> None:
        self._write("docs", ".txt", f"{self._sentence()}\n\n{self._sentence()}\n")

    def _spec(self) -> None:
        name = self._random.choice(WORDS)
        self._write(
            "specs", ".qnt", f"module {name} {{\n  /// {name}\n  pure val {name}s = 1\n}}\n"
        )

    def _code(self) -> None:
        name = self._random.choice(WORDS)
        self._write("src", ".py", f'def {name}(x):\n    """{self._sentence()}"""\n    return x\n')

    def _html(self) -> None:
        self._write("site", ".html", f"<main><h1>{self._sentence()}</h1><p>{self._sentence()}</p>")


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the encoder's graphs and nothing else."""
    folder = tmp_path_factory.mktemp("graphs")
    Author(folder / "kb", 0)
    build(folder / "kb", BuildOptions(out=folder / "out", cache=folder / "cache"))
    for name in (embedding_cache.FILE_NAME, phase_cache.FILE_NAME):
        (folder / "cache" / name).unlink()
    return folder / "cache" / "graphs"


def cache_with(graphs: Path, folder: Path) -> Path:
    folder.mkdir()
    (folder / "graphs").symlink_to(graphs)
    return folder


def clean_build(root: Path, out: Path, graphs: Path) -> BuildReport:
    """Of a copy of the tree, with nothing but the encoder's graphs in its cache."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(root, out / "kb")
    cache = cache_with(graphs, out / "cache")
    return build(out / "kb", BuildOptions(out=out / "built", cache=cache))


def hurt(cache: Path, chance: random.Random) -> None:
    """Deletes one of the cache's files, cuts it, or flips bits in it."""
    path = cache / chance.choice((embedding_cache.FILE_NAME, phase_cache.FILE_NAME))
    data = bytearray(path.read_bytes())
    match chance.randrange(3):
        case 0:
            path.unlink()
        case 1:
            path.write_bytes(data[: chance.randrange(len(data))])
        case _:
            for at in chance.sample(range(len(data)), 200):
                data[at] ^= 1 << chance.randrange(8)
            path.write_bytes(data)


@pytest.mark.parametrize("seed", [1, 2])
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
    chunk, tokenize, anchors = chunking.chunk, quint.tokenize, markdown.Anchors

    def counted_chunk(record: Record, budget: chunking.TokenBudget) -> list[Chunk]:
        done["chunked"].append(record.path)
        return chunk(record, budget)

    def counted_tokenize(text: str) -> list[quint.Token]:
        done["scanned"].append(text)
        return tokenize(text)

    def counted_anchors() -> markdown.Anchors:
        """Every parsed text numbers its anchors."""
        done["parsed"].append("")
        return anchors()

    monkeypatch.setattr(pipeline.chunking, "chunk", counted_chunk)
    monkeypatch.setattr(quint, "tokenize", counted_tokenize)
    monkeypatch.setattr(markdown, "Anchors", counted_anchors)
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
