from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_runtime.errors import ArtifactError
from kb_runtime.store import catalog as catalog_module
from kb_runtime.store.catalog import Catalog, ChunkTable, key_hash
from kbc.backends import catalog as writer_module
from kbc.backends.catalog import write_catalog, write_chunks
from kbc.records import CompiledChunk

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(0, 99), inner),
    max_leaves=8,
)
records = st.fixed_dictionaries({"id": st.text(), "body": values, "aliases": st.lists(st.text())})
few = settings(max_examples=60)


def written(folder: Path, entries: list[dict[str, Any]]) -> Catalog:
    write_catalog(folder, "docs", entries, lambda entry: entry.get("aliases", []))
    return Catalog(str(folder / "catalog"), "docs")


def same(left: Any, right: Any) -> bool:
    """Equality under which NaN equals itself, at any depth."""
    if isinstance(left, float) and isinstance(right, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right and type(left) is type(right))


@pytest.mark.slow
@few
@given(st.lists(records, max_size=12))
def test_what_is_written_is_read(tmp_path: Path, entries: list[dict[str, Any]]) -> None:
    catalog = written(tmp_path, entries)
    assert len(catalog) == len(entries)
    assert all(map(same, catalog, entries))
    assert catalog.ids() == [entry["id"] for entry in entries]
    catalog.close()


@pytest.mark.slow
@few
@given(st.lists(records, max_size=12))
def test_head_of_a_record_is_the_record_without_its_long_fields(
    tmp_path: Path, entries: list[dict[str, Any]]
) -> None:
    with_texts = [{**entry, "text": "long", "definitions": [{"name": "f"}]} for entry in entries]
    catalog = written(tmp_path, with_texts)
    assert all(same(catalog.head(at), entry) for at, entry in enumerate(entries))
    catalog.close()


@pytest.mark.slow
@few
@given(st.lists(records, max_size=12), st.text())
def test_lookup_agrees_with_a_scan(
    tmp_path: Path, entries: list[dict[str, Any]], stranger: str
) -> None:
    catalog = written(tmp_path, entries)
    keys = {key for entry in entries for key in (entry["id"], *entry["aliases"])}
    for key in {*keys, *(key.swapcase() for key in keys), stranger}:
        folded = key.casefold()
        exact_ids = [i for i, e in enumerate(entries) if e["id"] == key]
        exact = [i for i, e in enumerate(entries) if key in e["aliases"]]
        folded_ids = [i for i, e in enumerate(entries) if e["id"].casefold() == folded]
        others = [i for i, e in enumerate(entries) if folded in map(str.casefold, e["aliases"])]
        assert catalog.find(key) == next(iter(exact_ids + exact), None)
        assert catalog.find_folded(key) == next(iter(folded_ids + others), None)
        expected = list(dict.fromkeys(exact_ids + exact + folded_ids + others))
        assert catalog.find_all(key) == expected
    catalog.close()


def test_colliding_hashes_change_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (catalog_module, writer_module):
        monkeypatch.setattr(module, "key_hash", lambda key: len(key) % 2)
    entries = [{"id": f"r{number}", "aliases": [f"ALIAS{number}"]} for number in range(40)]
    catalog = written(tmp_path, entries)
    assert [catalog.find(f"r{number}") for number in range(40)] == list(range(40))
    assert catalog.find_folded("alias17") == 17
    assert catalog.find("alias17") is None


def test_key_hash_is_the_documented_one() -> None:
    # printf map | sha256sum, first 16 digits in reversed byte order
    assert key_hash("map") == int.from_bytes(bytes.fromhex("60be9861750facbf"), "little")


def test_a_lone_surrogate_finds_nothing(tmp_path: Path) -> None:
    catalog = written(tmp_path, [{"id": "a"}])
    assert catalog.find("\ud800") is None
    assert catalog.find_folded("\ud800") is None


@pytest.mark.parametrize("index", [-1, 2])
def test_a_record_outside_the_catalog_is_an_index_error(tmp_path: Path, index: int) -> None:
    catalog = written(tmp_path, [{"id": "a"}, {"id": "b"}])
    with pytest.raises(IndexError):
        catalog[index]
    with pytest.raises(IndexError):
        catalog.id(index)


@pytest.mark.parametrize("name", ["docs.bin", "docs.off", "docs.keys"])
@pytest.mark.parametrize("cut", [1, 8])
def test_a_cut_file_is_refused(tmp_path: Path, name: str, cut: int) -> None:
    written(tmp_path, [{"id": "a"}, {"id": "b"}])
    path = tmp_path / "catalog" / name
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(ArtifactError):
        Catalog(str(tmp_path / "catalog"), "docs")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    written(tmp_path, [{"id": "a"}])
    (tmp_path / "catalog/docs.keys").unlink()
    with pytest.raises(ArtifactError, match=r"docs\.keys is missing"):
        Catalog(str(tmp_path / "catalog"), "docs")


def test_opening_decodes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_catalog(tmp_path, "docs", ({"id": f"r{number}"} for number in range(1000)))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a record was decoded")

    monkeypatch.setattr(catalog_module.msgpack, "unpackb", refuse)
    catalog = Catalog(str(tmp_path / "catalog"), "docs")
    assert catalog.find("r999") == 999
    assert catalog.id(500) == "r500"


def test_names_lists_ids_and_further_keys(tmp_path: Path) -> None:
    catalog = written(tmp_path, [{"id": "eq", "aliases": ["==", "eq"]}, {"id": "neq"}])
    assert catalog.names() == [("eq", 0), ("==", 0), ("neq", 1)]


@few
@given(st.lists(st.lists(st.text(), max_size=3), max_size=6))
def test_rows_of_a_record_are_its_chunks(tmp_path: Path, texts: list[list[str]]) -> None:
    rows = [
        (
            record,
            CompiledChunk(
                collection="docs",
                record_id=str(record),
                index=index,
                text=text,
                start_line=index + 1,
                end_line=index + 2,
            ),
        )
        for record, parts in enumerate(texts)
        for index, text in enumerate(parts)
    ]
    write_chunks(tmp_path, rows)
    table = ChunkTable(str(tmp_path))
    assert len(table) == len(rows)
    for record, parts in enumerate(texts):
        own = table.rows_of(record, range(len(rows)))
        assert [table[row].get("text", "") for row in own] == parts
        assert [table.column("start_line")[row] for row in own] == [
            index + 1 for index in range(len(parts))
        ]
    table.close()


@pytest.mark.parametrize(
    "content", ["[" * 100_000, "[]", "{}", '{"type": [], "language": [7]}', '{"type": 0}']
)
def test_labels_of_another_shape_are_refused(tmp_path: Path, content: str) -> None:
    write_chunks(tmp_path, [])
    (tmp_path / "columns" / "labels.json").write_text(content)
    with pytest.raises(ArtifactError, match=r"labels\.json is inconsistent"):
        ChunkTable(str(tmp_path))


def test_a_cut_column_is_refused(tmp_path: Path) -> None:
    chunk = CompiledChunk(
        collection="d", record_id="a", index=0, text="x", start_line=1, end_line=1
    )
    write_chunks(tmp_path, [(0, chunk)])
    (tmp_path / "columns/record.u32").write_bytes(b"\0\0\0")
    with pytest.raises(ArtifactError, match=r"record\.u32"):
        ChunkTable(str(tmp_path))
