"""Exports, searched in the engines that they are for: the best row there is the best hit here."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kb_runtime
import kbc
from kb_runtime.errors import ArtifactError, UsageError
from kb_runtime.store import temporary_folders
from kbc.errors import MissingDependencyError, OutputError
from kbc.shipping import export as exporting

PAGES = {
    "lanterns": "Trim the wick and hold a match to the oil lamp.",
    "sails": "Reef the sails when the wind gets stronger.",
    "bread": "Knead the dough and let it rise next to the oven — “überall”.",
    "taxes": "The fiscal year ends in March, and forms are due in June.",
    "bees": "Bees return to the hive with pollen in spring.",
}
QUESTIONS = {"how do I light a lamp": "lanterns", "baking a loaf": "bread", "honey insects": "bees"}


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    assert pytestconfig.cache is not None
    root = tmp_path_factory.mktemp("kb")
    (root / "docs").mkdir()
    (root / "kb.toml").write_text('[kb]\nname = "handbook"\n')
    for name, text in PAGES.items():
        page = f"---\ntags: [craft]\n---\n\n# {name.title()}\n\n{text}\n"
        (root / f"docs/{name}.md").write_text(page)
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return kbc.build(root, kbc.BuildOptions(out=root / "out", cache=cache)).path


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "BATCH_ROWS", 2)


@pytest.fixture(scope="module")
def asked(artifact: Path) -> list[tuple[list[float], str]]:
    """The vector of each question, and the record of the best hit here."""
    with kb_runtime.open(artifact) as kb:
        found = []
        for question, page in QUESTIONS.items():
            vector = kb.encode(question)
            assert vector is not None
            best = kb.search(question, mode="semantic")[0]
            assert best.address == f"kb://handbook/docs/docs/{page}.md"
            found.append((vector.tolist(), best.address))
        return found


def test_rows_have_the_fields_and_the_vectors_of_the_chunks(artifact: Path, tmp_path: Path) -> None:
    out = tmp_path / "handbook.ndjson"
    count = kbc.export(artifact, out, to="ndjson")
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert count == len(rows) == len(PAGES)
    with kb_runtime.open(artifact) as kb:
        vectors = np.array([row.pop("vector") for row in rows], np.float32)
        assert np.array_equal(vectors, kb.vectors())
        assert [row["text"] for row in rows] == [kb.chunk(at).text for at in range(count)]
    (bread,) = (row for row in rows if row["record"] == "docs/bread.md")
    text = bread.pop("text")
    assert "“überall”" in text
    assert bread == {
        "id": "docs/docs/bread.md#0",
        "collection": "docs",
        "record": "docs/bread.md",
        "title": "Bread",
        "breadcrumb": ["Bread"],
        "lines": [1, 7],
        "address": "kb://handbook/docs/docs/bread.md",
        "tags": ["craft"],
    }


def test_shards_are_exported_as_one(artifact: Path, tmp_path: Path) -> None:
    root = tmp_path / "kb"
    shutil.copytree(artifact.parents[2] / "docs", root / "docs")
    (root / "kb.toml").write_text('[kb]\nname = "handbook"\n\n[build]\nshard_chunks = 1\n')
    sharded = kbc.build(root, kbc.BuildOptions(out=tmp_path / "out")).path
    kbc.export(artifact, tmp_path / "whole", to="ndjson")
    kbc.export(sharded, tmp_path / "sharded", to="ndjson")
    assert (tmp_path / "sharded").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("to", ["parquet", "ndjson"])
def test_duckdb_finds_what_we_find(
    to: Any, artifact: Path, asked: list[tuple[list[float], str]], tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb")
    out = tmp_path / f"handbook.{to}"
    kbc.export(artifact, out, to=to)
    query = (
        f"SELECT address FROM '{out}'"
        " ORDER BY array_cosine_similarity(vector::FLOAT[384], ?::FLOAT[384]) DESC LIMIT 1"
    )
    for vector, address in asked:
        assert duckdb.execute(query, [vector]).fetchone() == (address,)


@pytest.mark.slow
def test_lancedb_finds_what_we_find(
    artifact: Path, asked: list[tuple[list[float], str]], tmp_path: Path
) -> None:
    lancedb = pytest.importorskip("lancedb")
    kbc.export(artifact, tmp_path / "handbook.lance", to="lance")
    assert [each.name for each in tmp_path.iterdir()] == ["handbook.lance"]
    table = lancedb.connect(tmp_path).open_table("handbook")
    assert table.count_rows() == len(PAGES)
    for vector, address in asked:
        assert table.search(vector).metric("cosine").limit(1).to_list()[0]["address"] == address


def test_what_a_killed_export_to_lance_left_is_removed_by_the_next(
    artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lancedb")
    monkeypatch.setattr(temporary_folders, "LOCKED_WITHIN_S", 0.0)
    (tmp_path / ".handbook.lance.killed/handbook.lance").mkdir(parents=True)
    kbc.export(artifact, tmp_path / "handbook.lance", to="lance")
    assert [each.name for each in tmp_path.iterdir()] == ["handbook.lance"]


def test_an_artifact_that_cannot_be_read_is_named_by_an_export_to_lance(
    artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LanceDB reads the rows itself, and keeps the text of their error only."""
    pytest.importorskip("lancedb")

    def refused(kb: kb_runtime.KnowledgeBase, row: int) -> object:
        raise ArtifactError("unreadable", "columns/record.u32 cannot be read")

    monkeypatch.setattr(kb_runtime.KnowledgeBase, "chunk", refused)
    with pytest.raises(ArtifactError, match=r"^columns/record\.u32 cannot be read$"):
        kbc.export(artifact, tmp_path / "handbook.lance", to="lance")
    assert list(tmp_path.iterdir()) == []


def test_qdrant_finds_what_we_find(
    artifact: Path, asked: list[tuple[list[float], str]], tmp_path: Path
) -> None:
    qdrant = pytest.importorskip("qdrant_client")
    out = tmp_path / "handbook.ndjson"
    kbc.export(artifact, out, to="ndjson")
    models = qdrant.models
    client = qdrant.QdrantClient(":memory:")
    size = models.VectorParams(size=384, distance=models.Distance.COSINE)
    client.create_collection("handbook", vectors_config=size)
    rows = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    points = [
        models.PointStruct(id=at, vector=row.pop("vector"), payload=row)
        for at, row in enumerate(rows)
    ]
    client.upsert("handbook", points)
    for vector, address in asked:
        (best,) = client.query_points("handbook", query=vector, limit=1).points
        assert best.payload["address"] == address


def test_parquet_says_what_it_is_of(artifact: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    kbc.export(artifact, tmp_path / "handbook.parquet", to="parquet")
    file = parquet.ParquetFile(tmp_path / "handbook.parquet")
    with kb_runtime.open(artifact) as kb:
        assert file.schema_arrow.metadata[b"build_id"] == kb.build_id.encode()
    assert str(file.schema_arrow.field("vector").type) == "fixed_size_list<element: float>[384]"
    assert file.num_row_groups == 3  # batches of 2


@pytest.mark.parametrize("to", ["parquet", "ndjson", "lance"])
def test_a_failed_export_leaves_what_was_there(
    to: Any, artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lancedb")
    out = tmp_path / f"handbook.{to}"
    if to != "lance":
        out.write_bytes(b"before")

    read = kb_runtime.KnowledgeBase.vectors

    def fail_later(kb: kb_runtime.KnowledgeBase, rows: range) -> Any:
        if rows.start:
            raise OSError(5, "Input/output error")
        return read(kb, rows)

    monkeypatch.setattr(kb_runtime.KnowledgeBase, "vectors", fail_later)
    with pytest.raises(Exception, match="Input/output error"):
        kbc.export(artifact, out, to=to)
    assert [each.name for each in tmp_path.iterdir()] == ([] if to == "lance" else [out.name])
    assert to == "lance" or out.read_bytes() == b"before"


@pytest.mark.parametrize(
    ("to", "module"), [("parquet", "pyarrow"), ("ndjson", "json"), ("lance", "lancedb")]
)
def test_an_export_makes_the_folders_around_it(
    to: Any, module: str, artifact: Path, tmp_path: Path
) -> None:
    pytest.importorskip(module)
    out = tmp_path / "new" / "deep" / f"handbook.{to}"
    assert kbc.export(artifact, out, to=to) > 0
    assert out.exists()


def test_a_folder_in_place_of_the_file_of_an_export_is_named_before_it_is_written(
    artifact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kb_runtime.KnowledgeBase, "vectors", None)
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        kbc.export(artifact, tmp_path, to="ndjson")


def test_an_artifact_without_vectors_has_no_such_column(artifact: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    words = kbc.build(artifact.parents[2], options).path
    for to in ("parquet", "ndjson"):
        kbc.export(words, tmp_path / to, to=to)  # type: ignore[arg-type]
    assert "vector" not in parquet.read_schema(tmp_path / "parquet").names
    assert "vector" not in json.loads((tmp_path / "ndjson").read_text().splitlines()[0])


def test_lance_wants_a_new_folder_of_its_name(artifact: Path, tmp_path: Path) -> None:
    pytest.importorskip("lancedb")
    with pytest.raises(UsageError, match=r"must end with \.lance"):
        kbc.export(artifact, tmp_path / "handbook", to="lance")
    (tmp_path / "handbook.lance").mkdir()
    with pytest.raises(OutputError, match="already exists"):
        kbc.export(artifact, tmp_path / "handbook.lance", to="lance")


@pytest.mark.parametrize(
    ("to", "module", "extra"), [("parquet", "pyarrow", "export"), ("lance", "lancedb", "lance")]
)
def test_a_missing_library_is_named_with_what_installs_it(
    to: Any,
    module: str,
    extra: str,
    artifact: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError) as caught:
        kbc.export(artifact, tmp_path / f"handbook.{to}", to=to)
    assert caught.value.hint == f'pip install "kb-compiler[{extra}]"'
