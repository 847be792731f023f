"""A knowledge base in shards: the same answers as in one piece, and an edit compiles its shards only."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.end_to_end.knowledge import FILES, write_knowledge
from tests.end_to_end.serving.federation.library import MODES, PROPERTY, QUERIES, WORDS, pages
from tests.end_to_end.serving.test_every_tool import CALLS

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.comparison import diff
from kb_runtime.knowledge.examination.inspection import inspect
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.search.request import SearchRequest
from kbc.pipeline.build import BuildOptions, build, build_twice
from kbc.shipping.signing import generate, sign

SHARDED = "\n[build]\nshard_chunks = 4\n"
REVISION = "2025-11-25"
OWN = re.compile(r"[0-9.]+ ?ms|TimeMs\W+[0-9.]+|[0-9a-f-]{12,}")
"""What two builds of one tree answer differently: times, and hashes over the build id."""


class Bases:
    """The same tree twice: in one piece and in shards."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.options = {
            name: BuildOptions(
                out=folder / name / "out", cache=cache, source_date_epoch=1_700_000_000
            )
            for name in ("whole", "parts")
        }
        self.roots = {name: folder / name / "kb" for name in self.options}
        for name, root in self.roots.items():
            ending = SHARDED if name == "parts" else ""
            write_knowledge(root, **pages(), **{"kb.toml": FILES["kb.toml"] + ending})

    def build(self, name: str) -> Path:
        return build(self.roots[name], self.options[name]).path


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Bases:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return Bases(tmp_path_factory.mktemp("shards"), cache)


@pytest.fixture(scope="module")
def whole(bases: Bases) -> Iterator[Artifact]:
    with Artifact.open(bases.build("whole")) as artifact:
        yield artifact


@pytest.fixture(scope="module")
def parts(bases: Bases) -> Iterator[Artifact]:
    with Artifact.open(bases.build("parts")) as artifact:
        yield artifact


def found(artifact: Any, request: SearchRequest) -> list[tuple[Any, ...]]:
    """Every hit: the row, the record, the score and what is shown."""
    return [
        (hit.row, hit.collection, hit.record, round(hit.score, 5), hit.strategy, hit.snippet.text)
        for hit in artifact.searcher.search(request).hits
    ]


def test_every_shard_is_an_artifact(parts: Artifact) -> None:
    shards = parts.manifest["shards"]
    assert len(shards) >= 8
    assert parts.manifest["format"] == 2
    chunks = 0
    for shard in shards:
        with Artifact.open(Path(parts.root) / "shards" / shard["build_id"]) as alone:
            chunks += len(alone.chunks)
            assert alone.manifest["format"] == 1
            assert {info.name: info.records for info in alone.collections} == shard["records"]
            alone.searcher.search(SearchRequest("anchor", mode="lexical"))
    assert chunks == len(parts.chunks)


def test_records_and_rows_have_the_places_of_the_whole(whole: Artifact, parts: Artifact) -> None:
    for info in whole.collections:
        one, other = whole.catalog(info.name), parts.catalog(info.name)
        assert [other.raw(at) for at in range(len(other))] == [
            one.raw(at) for at in range(len(one))
        ]
        assert list(other.ids()) == list(one.ids())
        assert other.names() == one.names()
        for key, _ in one.names():
            assert other.find_all(key) == one.find_all(key)
            assert other.find_folded(key.upper()) == one.find_folded(key.upper())
        assert other.find("no such record") is None
    rows = range(len(whole.chunks))
    assert [parts.chunks.raw(row) for row in rows] == [whole.chunks.raw(row) for row in rows]
    for name in ("record", "start_line", "end_line", "type", "language"):
        assert list(parts.chunks.column(name)) == list(whole.chunks.column(name))
    width = whole.manifest["encoder"]["dimensions"]
    numbers = np.arange(len(rows))
    assert (parts.vectors.gather(numbers, width) == whole.vectors.gather(numbers, width)).all()
    for wrong in (-1, len(rows)):
        with pytest.raises(IndexError):
            parts.chunks[wrong]


@pytest.mark.slow
@PROPERTY
@given(words=QUERIES, mode=MODES)
def test_every_search_finds_the_hits_of_the_whole_with_their_scores(
    whole: Artifact, parts: Artifact, words: list[str], mode: Any
) -> None:
    query = " ".join(words)
    for request in (
        SearchRequest(query, limit=100, mode=mode),
        SearchRequest(f'"{query}"', limit=3, mode=mode),
        SearchRequest(query, ("docs", "tests"), limit=10, mode=mode),
        SearchRequest(query, limit=10, mode=mode, types=("prose",)),
        SearchRequest(query, limit=10, mode=mode, rows=(range(3, 9), range(20, 31))),
    ):
        assert found(parts, request) == found(whole, request)


def test_a_quotation_is_found_in_every_shard(whole: Artifact, parts: Artifact) -> None:
    sections = {
        row: words
        for row in range(len(whole.chunks))
        if len(words := whole.chunks[row]["text"].split()) > 30  # of words by chance
    }
    assert len(sections) > 5
    for row, words in list(sections.items())[::3]:
        request = SearchRequest(" ".join(words[-8:-1]), limit=20)
        assert found(parts, request) == found(whole, request)
        candidates = parts.searcher.candidates(request, 20)
        assert row in candidates.lexical.quoted


def test_shards_start_no_threads_of_the_algebra_library(parts: Artifact) -> None:
    """They would spin between two products, and take as much of the processors as a search does."""
    script = (
        "import os, sys; from kb_runtime.knowledge.artifact import Artifact;"
        "Artifact.open(sys.argv[1]).catalog('docs'); assert 'numpy' in sys.modules;"
        "print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", script, parts.root],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"


def test_every_tool_answers_as_the_whole_does(whole: Artifact, parts: Artifact) -> None:
    def answers(artifact: Artifact) -> dict[str, Any]:
        live = LiveArtifact(Path(artifact.root))
        dispatcher = Dispatcher(live)
        told = {}
        for tool, arguments, _ in CALLS:
            params = {"name": tool, "arguments": arguments}
            result = dispatcher.handle("tools/call", params, REVISION)
            text = json.dumps(result).replace(artifact.build_id, "BUILD")
            told[f"{tool} {arguments}"] = OWN.sub("", text)
        live.close()
        return told

    expected, answered = answers(whole), answers(parts)
    differing = {name for name, text in expected.items() if answered[name] != text}
    assert {name: answered[name] for name in differing} == {
        name: expected[name] for name in differing
    }


@pytest.mark.slow
def test_shards_take_part_in_a_federation(whole: Artifact, parts: Artifact, tmp_path: Path) -> None:
    root = tmp_path / "kb"
    root.mkdir()
    (root / "kb.toml").write_text('[kb]\nname = "other"\n')
    (root / "docs").mkdir()
    (root / "docs" / "parrot.md").write_text("# The parrot\n\nA parrot sits on the mast.\n")
    other = build(root, BuildOptions(out=tmp_path / "out", embed=False)).path
    for mode in ("hybrid", "lexical", "semantic"):
        request = SearchRequest("parrot on the mast", limit=30, mode=mode)  # type: ignore[arg-type]
        with (
            Artifact.open(other) as small,
            Federation([parts, small]) as both,
            Federation([whole, small]) as expected,
        ):
            assert found(both, request) == found(expected, request)


def test_the_whole_and_each_shard_verify(parts: Artifact) -> None:
    assert verify(parts.root).problems == ()
    first = parts.manifest["shards"][0]["build_id"]
    assert verify(Path(parts.root) / "shards" / first).problems == ()
    assert inspect(parts.root)["sizes"]["shards"] > 0


def test_the_bill_of_the_whole_names_each_shard_by_its_manifest(parts: Artifact) -> None:
    bill = json.loads(parts.manifest.read("sbom.cdx.json"))
    hashes = {
        each["name"]: each["hashes"][0]["content"]
        for each in bill["components"]
        if each["type"] == "file"
    }
    manifests = {f"shards/{one['build_id']}/manifest.json" for one in parts.manifest["shards"]}
    assert {path for path in hashes if path.startswith("shards/")} == manifests
    assert all(parts.manifest.files[path][1] == digest for path, digest in hashes.items())


@pytest.mark.slow
def test_a_build_in_shards_can_be_reproduced(bases: Bases) -> None:
    build_twice(bases.roots["parts"], bases.options["parts"])


@pytest.mark.slow
def test_an_edit_compiles_only_the_shards_that_it_changes(bases: Bases, tmp_path: Path) -> None:
    root = tmp_path / "kb"
    write_knowledge(root, **pages(), **{"kb.toml": FILES["kb.toml"] + SHARDED})
    options = BuildOptions(out=tmp_path / "out", cache=bases.options["parts"].cache)
    before = build(root, options).path
    page = root / "docs" / "page07.md"
    page.write_text(page.read_text() + "\nThe marmoset of this page was added.\n")
    after = build(root, options).path
    ids = [[one["build_id"] for one in inspect(path)["shards"]] for path in (before, after)]
    changed = [new for old, new in zip(*ids, strict=True) if old != new]
    assert len(changed) == 1
    for id in {*ids[1]} - {*changed}:
        old, new = (path / "shards" / id / "vectors" / "rows.f32" for path in (before, after))
        assert new.samefile(old)
    with Artifact.open(after) as artifact:
        (hit, *_) = artifact.searcher.search(SearchRequest("marmoset", mode="lexical")).hits
        assert artifact.catalog(hit.collection).id(hit.record) == "docs/page07.md"
    found_changes = diff(before, after)
    assert found_changes.collections["docs"].changed == ("docs/page07.md",)
    assert not found_changes.collections["docs"].added


@pytest.mark.slow
def test_a_damaged_shard_is_refused(bases: Bases, tmp_path: Path) -> None:
    options = BuildOptions(out=tmp_path / "out", cache=bases.options["parts"].cache)
    folder = build(bases.roots["parts"], options).path
    with Artifact.open(folder) as artifact:
        shard = Path(folder) / "shards" / artifact.manifest["shards"][1]["build_id"]
    generate(tmp_path / "key.pem", None)
    sign(folder, tmp_path / "key.pem", None)
    assert verify(folder, [tmp_path / "key.pem.pub"]).checks[0] == "signature"
    path = shard / "vectors" / "rows.f32"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    (problem,) = verify(folder, [tmp_path / "key.pem.pub"]).problems
    assert problem.code == "altered"
    with Artifact.open(folder) as artifact, pytest.raises(ArtifactError, match="SHA-256"):
        _ = artifact.vectors


@pytest.mark.slow
def test_long_lists_of_equal_chunks_keep_their_order(tmp_path: Path) -> None:
    """Chunks that score the same are in the order of rows, however many tie with the last place."""
    texts = {
        f"docs/page{number:03}.md": "# Rope\n\nThe rope is coiled on the deck of the boat today.\n"
        for number in range(150)
    }
    found_in = []
    for name, ending in (("whole", ""), ("parts", SHARDED)):
        root = tmp_path / name
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / "kb.toml").write_text(f'[kb]\nname = "same"\n{ending}')
        path = build(root, BuildOptions(out=tmp_path / f"{name}-out", embed=False)).path
        with Artifact.open(path) as artifact:
            requests = [
                SearchRequest("rope on the deck", limit=limit, mode="lexical", distinct=None)
                for limit in (1, 5, 40)
            ]
            found_in.append([found(artifact, request) for request in requests])
    assert found_in[0] == found_in[1]


def test_words_of_the_pages_are_spread_over_the_shards(parts: Artifact) -> None:
    """The tree of these tests has a word in several shards, so that statistics are really shared."""
    word = random.Random(2).choice(WORDS)
    shards = [one["build_id"] for one in parts.manifest["shards"]]
    counts = []
    for id in shards:
        with Artifact.open(Path(parts.root) / "shards" / id) as shard:
            counts.append(shard.lexical.document_frequency(word))
    assert sum(count > 0 for count in counts) > 2
    assert sum(counts) == parts.lexical.document_frequency(word)


def test_shards_say_which_answer_a_chunk_is_of(tmp_path: Path) -> None:
    words = "which is said in so many words that no other answer has a place beside it, " * 4
    faq = "# Asked\n\n" + "".join(f"## Why {name}?\n\nFor {name}, {words}\n\n" for name in "abc")
    files = {
        f"docs/{name}/{at}.md": f"# Page {at}\n\nText {at}.\n" for name in "xyz" for at in range(9)
    }

    def built(name: str, ending: str, **more: str) -> Artifact:
        root = tmp_path / name
        described = FILES["kb.toml"].replace('name = "demo"', f'name = "{name}"') + ending
        write_knowledge(root, **files, **more, **{"kb.toml": described})
        found = build(root, BuildOptions(out=tmp_path / f"{name}-out", embed=False))
        assert verify(found.path).ok
        return Artifact.open(found.path)

    with (
        built("plain", "") as plain,
        built("whole", "", **{"docs/faq.md": faq}) as whole,
        built("parts", SHARDED, **{"docs/faq.md": faq}) as parts,
        Federation([plain, whole]) as both,
    ):
        assert parts.manifest.get("shards")
        assert plain.chunks.answers() is None
        columns = [list(one.chunks.answers() or ()) for one in (whole, parts, both)]
    assert columns[0] == columns[1]
    assert [answer for answer in columns[0] if answer] == [1, 2, 3]
    assert columns[2][-len(columns[0]) :] == columns[0]
