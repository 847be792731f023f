from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tantivy

from kb_runtime.errors import ArtifactError
from kb_runtime.search import lexical_plan
from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.lexical import (
    LexicalHits,
    LexicalIndex,
    LexicalRequest,
    SearchFilters,
)
from kb_runtime.search.lexical_engine import LexicalError, rarity
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS
from kb_runtime.search.query import analyse
from kb_runtime.search.spelling import Correction
from kb_runtime.store import temporary_folders
from kb_runtime.store.facets import RowFilter
from kb_runtime.store.locks import try_lock
from kbc.backends.lexical import write_lexical
from kbc.records import CompiledChunk

ANALYZER = Analyzer()


def chunk(text: str, collection: str = "docs", **fields: object) -> CompiledChunk:
    values = {"record_id": "r", "index": 0, "start_line": 1, "end_line": 1, **fields}
    return CompiledChunk(collection=collection, text=text, **values)  # type: ignore[arg-type]


Build = Callable[[Sequence[CompiledChunk]], LexicalIndex]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def make(chunks: Sequence[CompiledChunk]) -> LexicalIndex:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        write_lexical(folder, chunks, {"docs": 0, "examples": 1, "posts": 2}, {})
        return LexicalIndex(str(folder))

    return make


def search(
    index: LexicalIndex,
    query: str,
    limit: int = 10,
    boosts: Mapping[str, float] | None = None,
    **filters: Any,
) -> LexicalHits:
    restricted = SearchFilters(**filters)
    return index.search(LexicalRequest(analyse(query, ANALYZER), limit, restricted, boosts or {}))


WORDS = (
    *("state", "machine", "value", "network", "message", "leader"),
    *("round", "vote", "node", "client", "server", "token"),
)


def filler(count: int) -> list[CompiledChunk]:
    """Chunks of ordinary words, so that term statistics are those of a corpus."""
    chooser = random.Random(3)
    return [chunk(" ".join(chooser.choices(WORDS, k=30))) for _ in range(count)]


def test_scores_descend_and_ties_come_in_row_order(build: Build) -> None:
    hits = search(build([chunk("other text"), *[chunk("same words here")] * 5]), "same words")
    assert hits.rows == [1, 2, 3, 4, 5]
    assert hits.scores == sorted(hits.scores, reverse=True)


def test_a_title_counts_beside_the_text(build: Build) -> None:
    mention = "a leader is elected"
    index = build([chunk(mention), chunk(mention, title="Doc › Leader")])
    assert search(index, "leader").rows == [1, 0]


def test_a_definition_counts_more_than_a_use(build: Build) -> None:
    use = chunk("x = mapBy(s)\ny = mapBy(t)\n", type="code")
    definition = chunk("builds a map\n", identifiers=("mapBy",))
    assert search(build([use, definition]), "mapBy").rows[0] == 1


def test_stemming_joins_word_forms(build: Build) -> None:
    assert search(build([chunk("invariants of temporal operators")]), "operator invariant").rows


def test_a_word_repeated_in_the_query_counts_twice(build: Build) -> None:
    index = build([chunk("leader x"), chunk("vote x")])
    assert search(index, "leader vote vote").rows == [1, 0]


def test_neighbours_count_until_their_words_are_everywhere(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phrases keep the engine from passing over chunks that cannot be among the best."""
    index = build([chunk("leader of the vote"), chunk("the leader vote of all"), *filler(20)])
    assert search(index, "leader vote").rows.index(1) < search(index, "leader vote").rows.index(0)
    request = LexicalRequest(analyse("leader vote", ANALYZER), 10)
    planned = lexical_plan.plan(request.query, request.weights, index, ANALYZER)
    assert planned.phrases
    assert planned.present
    monkeypatch.setattr(lexical_plan, "MAX_POSTINGS", 2)
    without = lexical_plan.plan(request.query, request.weights, index, ANALYZER)
    assert (without.phrases, without.present, without.terms) == ([], {}, planned.terms)
    assert search(index, '"leader vote"').rows[0] == 1, "what was quoted still counts"


def test_a_text_with_more_of_the_words_beats_one_that_repeats_one(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both words are as rare as each other; the text that has both is four times as long as the usual one.
    repeats = chunk("quorum " * 12 + "of all")
    has_both = chunk("the quorum waits " + "for what comes " * 40 + "then a lease")
    index = build([repeats, chunk("one lease"), has_both, *filler(20)])
    hits = search(index, "quorum lease", limit=30)
    assert hits.rows.index(2) < hits.rows.index(0)
    with monkeypatch.context() as patched:
        patched.setattr(lexical_plan, "PRESENCE", 0.0)
        plain = search(index, "quorum lease", limit=30)
    assert plain.rows.index(0) < plain.rows.index(2)
    gained = dict(zip(hits.rows, hits.scores, strict=True))
    before = dict(zip(plain.rows, plain.scores, strict=True))
    rarities = [
        rarity(index.documents, index.frequency("body", index.analyzer.stem(word)))
        for word in ("quorum", "lease")
    ]
    share = lexical_plan.PRESENCE * DEFAULT_BOOSTS["body"]
    assert gained[0] - before[0] == pytest.approx(share * rarities[0], rel=1e-4)
    assert gained[2] - before[2] == pytest.approx(share * sum(rarities), rel=1e-4)


def test_a_quoted_phrase_beats_the_same_words_apart(build: Build) -> None:
    index = build(
        [chunk("checker of a model and model of a checker"), chunk("a model checker was here too")]
    )
    assert search(index, '"model checker"').rows == [1, 0]


def test_a_phrase_matches_across_spellings_of_identifiers(build: Build) -> None:
    index = build([chunk("server and http"), chunk("an HTTPServer there")])
    assert search(index, '"http server"').rows[0] == 1


def test_boosts_can_be_changed(build: Build) -> None:
    index = build([chunk("leader"), chunk("nothing", tags=("leader",))])
    assert search(index, "leader").rows == [0, 1]
    assert search(index, "leader", boosts={"tags": 9.0}).rows == [1, 0]


@pytest.mark.parametrize(
    ("filters", "rows"),
    [
        ({}, [0, 1, 2, 3]),
        ({"collections": [1]}, [2, 3]),
        ({"collections": [0, 1]}, [0, 1, 2, 3]),
        ({"collections": [2]}, []),
        ({"collections": []}, []),
        ({"types": ["CODE"]}, [1, 3]),
        ({"types": ["code"], "collections": [1]}, [3]),
        ({"languages": ["Rust", "go"]}, [1, 3]),
        ({"languages": ["go"], "types": ["prose"]}, []),
    ],
)
def test_filters_restrict_what_is_found(
    build: Build, filters: dict[str, Any], rows: list[int]
) -> None:
    index = build(
        [
            chunk("leader"),
            chunk("leader", type="code", language="go"),
            chunk("leader", collection="examples"),
            chunk("leader", collection="examples", type="code", language="rust"),
        ]
    )
    assert sorted(search(index, "leader", **filters).rows) == rows


def test_filters_do_not_change_scores_and_still_fill_the_limit(build: Build) -> None:
    chunks = [*filler(200), *[chunk("leader vote", collection="posts")] * 5]
    index = build(chunks)
    free = dict(zip(*search_all(index, "leader vote"), strict=True))
    restricted = search(index, "leader vote", limit=5, collections=[2])
    assert restricted.rows == [200, 201, 202, 203, 204]
    assert restricted.scores == pytest.approx([free[row] for row in restricted.rows])


def search_all(index: LexicalIndex, query: str) -> tuple[list[int], list[float]]:
    hits = search(index, query, limit=index.documents)
    return hits.rows, hits.scores


def test_an_unknown_part_of_a_compound_is_corrected(build: Build) -> None:
    chunks = [chunk("Handling of errors.\n"), chunk("Something else.\n")]
    hits = search(build(chunks), "error-handlng")
    assert hits.corrections == {"handlng": ("handling",)}
    assert hits.scores[0] > search(build(chunks), "error-xxxxxxx").scores[0]


def test_an_unknown_word_is_corrected(build: Build) -> None:
    index = build([*filler(50), chunk("temporal operators talk about time")])
    hits = search(index, "temporl")
    assert hits.rows == [50]
    assert hits.corrections == {"temporl": ("temporal",)}


def test_an_unfinished_word_is_completed(build: Build) -> None:
    hits = search(build([*filler(50), chunk("an invariant")]), "invar")
    assert hits.rows == [50]


def test_a_known_word_is_searched_as_it_is(build: Build) -> None:
    chunks = [*filler(50), *[chunk("leaders")] * 3, *[chunk("loader")] * 3]
    assert search(build(chunks), "loader").corrections == {}


def test_a_very_rare_word_may_be_a_typo_of_a_frequent_one(build: Build) -> None:
    chunks = [chunk("a consensis slipped in"), *[chunk("consensus of nodes")] * 20]
    hits = search(build(chunks), "consensis")
    assert hits.rows[0] == 0
    assert len(hits.rows) == 10


def test_short_unknown_words_are_not_expanded(build: Build) -> None:
    assert search(build([chunk("maps and sets")]), "mpa st").rows == []


def test_the_limit_is_respected_and_at_least_one(build: Build) -> None:
    index = build(filler(40))
    assert len(search(index, "state machine", limit=7).rows) == 7
    assert len(search(index, "state machine", limit=0).rows) == 1


def test_of_too_many_words_the_rarest_are_searched(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical_plan, "MAX_TERMS", 2)
    index = build([*filler(100), chunk("zebra yak")])
    assert search(index, "state machine value zebra network yak", limit=1).rows == [100]
    assert len(search(index, "zebra yak state machine").rows) == 1


def test_a_query_of_many_unknown_words_is_not_taken_for_typos(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = build(filler(60))
    looked_up: list[str] = []

    def nothing_near(_: object, term: str, limit: int) -> list[Correction]:
        looked_up.append(term)
        return []

    monkeypatch.setattr(lexical_plan, "nearest_words", nothing_near)
    search(index, " ".join(f"unheard{number}of" for number in range(50)))
    assert len(looked_up) == lexical_plan.MAX_LOOKED_UP


NASTY = [
    "",
    " ",
    "a",
    "?",
    "the of and",
    "!!! ??? ...",
    '"unbalanced AND (field:x OR [1 TO *',
    "*",
    "title:leader",
    "leader~9^99",
    "👍🏽 👨‍👩‍👧",
    "שָׁלוֹם עולם",
    "\0",
    "leader\0vote",
    "\ud800",
    "\udfff leader",
    "leader " * 1400,
    " ".join(f"term{number}zz" for number in range(3000)),
    "x" * 10_000,
    "a.b." * 2500,
    "日本語" * 3000,
]


@pytest.mark.parametrize("query", NASTY, ids=range(len(NASTY)))
def test_no_query_is_an_error(build: Build, query: str) -> None:
    hits = search(build(filler(60)), query)
    assert len(hits.rows) == len(hits.scores) <= 10
    assert all(score > 0 for score in hits.scores)


def test_a_mask_keeps_to_its_rows_before_the_limit(build: Build) -> None:
    chunks = [
        chunk(f"leader {'vote ' * (number % 7)}", record_id=f"r{number}") for number in range(90)
    ]
    index = build(chunks)
    mask = np.zeros(len(chunks), dtype=np.bool_)
    mask[60:63] = True
    everything = search(index, "leader vote", 90)
    expected = [row for row in everything.rows if mask[row]]
    assert search(index, "leader vote", 3, rows=RowFilter((), mask)).rows == expected
    assert search(index, "leader vote", 9, rows=RowFilter((), mask)).rows == expected


def test_terms_of_a_filter_are_alternatives_within_a_group(tmp_path: Path) -> None:
    chunks = [chunk("leader", record_id=f"r{number}") for number in range(4)]
    facets = {("docs", f"r{number}"): [f"tag:{number}", "kind:x"] for number in range(3)}
    write_lexical(tmp_path / "index", chunks, {"docs": 0}, {}, facets)
    index = LexicalIndex(str(tmp_path / "index"))
    mask = np.ones(4, dtype=np.bool_)
    groups = (("tag:0", "tag:2", "tag:9"), ("kind:x",))
    assert search(index, "leader", rows=RowFilter(groups, mask)).rows == [0, 2]


def test_query_syntax_of_the_engine_means_nothing(build: Build) -> None:
    index = build(filler(60))
    assert search(index, "*").rows == []
    assert search(index, "zzz OR *:*").rows == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_lexical(tmp_path / "lexical", filler(5), {"docs": 0}, {})
    return tmp_path / "lexical"


def raising(error: BaseException) -> Any:
    """An engine whose index can be opened, and raises `error` when it is searched."""

    class Searcher:
        num_docs = 5

        def doc_freq(self, *_: object) -> int:
            raise error

    class Index:
        schema = None

        @classmethod
        def open(cls, _folder: str) -> Index:
            return cls()

        def searcher(self) -> Searcher:
            return Searcher()

    return Index


def test_a_panic_of_the_engine_is_an_ordinary_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panic = type("PanicException", (BaseException,), {})("assertion failed")
    monkeypatch.setattr(tantivy, "Index", raising(panic))
    with pytest.raises(LexicalError, match="assertion failed"):
        search(LexicalIndex(str(folder)), "leader")


@pytest.mark.parametrize("layers", [b"\x7f" * 8 + b"\x80", b"\x7f" * 3 + b"\xff"])
def test_a_store_that_would_abort_the_engine_is_refused(folder: Path, layers: bytes) -> None:
    """The engine reserves memory for the layers that the store's index of blocks says to have."""
    (store,) = folder.glob("*.store")
    data = store.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    start = int.from_bytes(data[end - 24 : end - 16], "little")
    for damaged in (data[:start] + layers + data[start + len(layers) :], data[-3:], data[-40:]):
        store.write_bytes(damaged)
        with pytest.raises(ArtifactError) as caught:
            LexicalIndex(str(folder))
        assert caught.value.code == "altered"


def test_an_interrupt_is_not_swallowed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tantivy, "Index", raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        search(LexicalIndex(str(folder)), "leader")


def test_opening_leaves_nothing_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = sorted(folder.iterdir())
    index = LexicalIndex(str(folder))
    assert search(index, "leader").rows
    assert sorted(folder.iterdir()) == before
    assert list(temporary.iterdir()) == []


def test_a_relative_path_opens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert LexicalIndex("lexical").documents == 5


@pytest.mark.skipif(os.getuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_opens(folder: Path) -> None:
    folder.chmod(0o555)
    assert LexicalIndex(str(folder)).documents == 5


def test_an_unwritable_temporary_folder_has_a_second_choice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []
    real = tempfile.mkdtemp

    def refuse_first(prefix: str, dir: str | None) -> str:
        tried.append(dir)
        if len(tried) == 1:
            raise PermissionError(13, "Permission denied")
        return real(prefix=prefix)

    monkeypatch.setattr(tempfile, "mkdtemp", refuse_first)
    assert LexicalIndex(str(folder)).documents == 5
    assert tried == [None, "/dev/shm"]


def test_no_temporary_folder_at_all_is_one_clear_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(ArtifactError, match="temporary") as caught:
        LexicalIndex(str(folder))
    assert "TMPDIR" in caught.value.hint


def test_another_recipe_is_refused(folder: Path) -> None:
    meta = folder / "meta.json"
    meta.write_bytes(meta.read_bytes().replace(b"kbc-terms-2", b"kbc-terms-9"))
    with pytest.raises(ArtifactError, match="kbc-terms-9") as caught:
        LexicalIndex(str(folder))
    assert caught.value.code == "newer-format"


@pytest.mark.parametrize("damage", ["missing", "empty", "half"])
def test_a_damaged_segment_is_one_clear_error(folder: Path, damage: str) -> None:
    segment = next(folder.glob("*.term"))
    data = segment.read_bytes()
    if damage == "missing":
        segment.unlink()
    else:
        segment.write_bytes(b"" if damage == "empty" else data[: len(data) // 2])
    with pytest.raises(ArtifactError) as caught:
        LexicalIndex(str(folder))
    assert caught.value.code == "altered"


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff"])
def test_damaged_metadata_is_one_clear_error(folder: Path, content: bytes) -> None:
    (folder / "meta.json").write_bytes(content)
    with pytest.raises(ArtifactError):
        LexicalIndex(str(folder))


def test_missing_metadata_is_one_clear_error(folder: Path) -> None:
    (folder / "meta.json").unlink()
    with pytest.raises(ArtifactError) as caught:
        LexicalIndex(str(folder))
    assert caught.value.code == "truncated"


def test_a_search_by_words_imports_no_numbers(folder: Path) -> None:
    code = (
        "import sys; from kb_runtime.search.lexical import *; from kb_runtime.search.query import analyse;"
        f"i = LexicalIndex({str(folder)!r}); i.search(LexicalRequest(analyse('leader', i.analyzer), 3));"
        "print('numpy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert run.stdout.strip() == "False"


def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_living_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    write_lexical(index, filler(5), {"docs": 0}, {})
    temporary = tmp_path / "tmp"
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    for name in ("kbc-lexical-killed", "kbc-lexical-living", "others"):
        (temporary / name).mkdir(parents=True)
        (temporary / name / ".tantivy-meta.lock").touch()
    held = os.open(temporary / "kbc-lexical-living", os.O_RDONLY)
    assert try_lock(held)
    LexicalIndex(str(index))
    os.close(held)
    assert sorted(path.name for path in temporary.iterdir()) == ["kbc-lexical-living", "others"]


def test_words_side_by_side_count_more_than_words_apart(build: Build) -> None:
    apart = "a leader of the party; later in the year an election was lost"
    close = "a party of the year; later in the a leader election was lost"
    index = build([chunk(apart), chunk(close)])
    assert search(index, "leader election").rows == [1, 0]


def test_a_folder_is_removed_at_the_end_while_a_thread_still_writes_into_it(tmp_path: Path) -> None:
    folder = tmp_path / "links"
    folder.mkdir()
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            with contextlib.suppress(OSError):
                (folder / ".tantivy-meta.lock").touch()

    thread = threading.Thread(target=write)
    thread.start()
    threading.Timer(0.02, ended.set).start()
    temporary_folders.remove_at_exit(str(folder))
    temporary_folders.remove_remaining()
    thread.join()
    assert not folder.exists()
