from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from kb_runtime.search.analysis import RECIPE, Analyzer
from kb_runtime.search.lexical import LexicalIndex, LexicalRequest
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS
from kb_runtime.search.query import analyse
from kbc.backends.lexical import write_lexical
from kbc.records import CompiledChunk


def chunk(record: str, text: str, **fields: object) -> CompiledChunk:
    values = {"collection": "docs", "index": 0, "start_line": 1, "end_line": 1, **fields}
    return CompiledChunk(record_id=record, text=text, **values)  # type: ignore[arg-type]


CHUNKS = [
    chunk(
        "a.md",
        "Maps keep keys and values.\n",
        title="Language › Maps",
        breadcrumb=("Language", "Maps"),
    ),
    chunk("b.md", "pure val x = setToMap(s)\n", type="code", language="quint", tags=("maps",)),
    chunk("c.md", "日本語の文書\n", identifiers=("mapBy", "=="), signature="(Set[a]) => b"),
]
PATHS = {("docs", "a.md"): "docs/a.md"}


def write(folder: Path, chunks: list[CompiledChunk] | None = None) -> None:
    write_lexical(folder, CHUNKS if chunks is None else chunks, {"docs": 0}, PATHS)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_the_same_chunks_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "one")
    write(tmp_path / "other")
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_other_chunks_give_another_segment_name(tmp_path: Path) -> None:
    write(tmp_path / "one")
    write(tmp_path / "other", CHUNKS[:2])
    assert set(contents(tmp_path / "one")) & set(contents(tmp_path / "other")) == {"meta.json"}


def test_only_the_segment_and_its_description_are_left(tmp_path: Path) -> None:
    write(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    segment = json.loads((tmp_path / "meta.json").read_bytes())["segments"][0]["segment_id"]
    stem = segment.replace("-", "")
    assert {name.split(".")[0] for name in names} == {"meta", stem}
    assert {name.split(".")[1] for name in names} == {
        "json", "idx", "pos", "term", "store", "fast", "fieldnorm",
    }  # fmt: skip


def test_everybody_can_read_the_files(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write(tmp_path)
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o644}


def test_the_recipe_is_recorded(tmp_path: Path) -> None:
    write(tmp_path)
    assert json.loads((tmp_path / "meta.json").read_bytes())["payload"] == RECIPE


def test_no_text_is_stored(tmp_path: Path) -> None:
    write(tmp_path, [chunk("s.md", "Unmistakable sentence, twice. " * 50)])
    stored = next(tmp_path.glob("*.store")).read_bytes()
    assert b"sentence" not in stored
    assert len(stored) < 200


def test_an_empty_knowledge_base_has_an_index_without_hits(tmp_path: Path) -> None:
    write(tmp_path, [])
    assert (
        LexicalIndex(str(tmp_path)).search(LexicalRequest(analyse("map", Analyzer()), 5)).rows == []
    )


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("keys", 0),
        ("language", 0),
        ("a.md", 0),
        ("set to map", 1),
        ("settomap", 1),
        ("mapby", 2),
        ("==", 2),
        ("=>", 2),
        ("文書", 2),
    ],
)
def test_each_field_can_be_searched(tmp_path: Path, query: str, row: int) -> None:
    write(tmp_path)
    hits = LexicalIndex(str(tmp_path)).search(LexicalRequest(analyse(query, Analyzer()), 5))
    assert hits.rows[0] == row


def test_the_headings_of_a_passage_count_as_its_text_once(tmp_path: Path) -> None:
    chunks = [
        chunk("a.md", "It is slow.\n", title="Maps › Lookup", breadcrumb=("Maps", "Lookup")),
        chunk("b.md", "## Lookup\nIt is slow.\n", title="Maps › Lookup", breadcrumb=("Maps",)),
        chunk("c.md", "Sets are slow.\n", title="Sets", breadcrumb=("Sets",)),
    ]
    write(tmp_path, chunks)
    index = LexicalIndex(str(tmp_path))
    assert [index.frequency("body", term) for term in ("map", "lookup", "slow")] == [2, 2, 3]
    only_body = dict.fromkeys(index_fields(), 0.0) | {"body": 1.0}
    hits = index.search(LexicalRequest(analyse("lookup", Analyzer()), 5, boosts=only_body))
    assert sorted(hits.rows) == [0, 1]
    assert hits.scores[0] == pytest.approx(hits.scores[1], rel=0.02)


def index_fields() -> list[str]:
    return list(DEFAULT_BOOSTS)


def test_words_of_comments_are_not_indexed(tmp_path: Path) -> None:
    text = "Maps.\n<!-- a secret => note -->\nSets.\n"
    span = text.index("<"), text.index(">\nS") + 1
    write(tmp_path, [chunk("a.md", text, comments=(span,)), chunk("b.md", "a secret => note\n")])
    index = LexicalIndex(str(tmp_path))
    for query, rows in (("secret", [1]), ("=>", [1]), ("sets", [0])):
        assert index.search(LexicalRequest(analyse(query, Analyzer()), 5)).rows == rows, query
