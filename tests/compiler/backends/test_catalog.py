from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from kb_runtime.store.catalog import Catalog, ChunkTable
from kbc.backends.catalog import lookup_keys, write_catalog, write_chunks
from kbc.records import BuiltinRecord, CompiledChunk, catalog_entry


def chunk(text: str, **fields: object) -> CompiledChunk:
    given = {"collection": "docs", "record_id": "a", "index": 0, "start_line": 1, "end_line": 1}
    return CompiledChunk(text=text, **{**given, **fields})  # type: ignore[arg-type]


def test_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    entries = [{"id": f"r{number}", "n": number} for number in range(50)]
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        write_catalog(folder, "docs", entries)
    one, two = ({p.name: p.read_bytes() for p in (f / "catalog").iterdir()} for f in folders)
    assert one == two
    assert sorted(one) == ["docs.bin", "docs.keys", "docs.off"]


def test_offsets_are_little_endian_and_end_with_the_size(tmp_path: Path) -> None:
    write_catalog(tmp_path, "docs", [{"id": "a"}, {"id": "bc"}])
    offsets = (tmp_path / "catalog/docs.off").read_bytes()
    assert struct.unpack("<3Q", offsets) == (0, 6, 13)  # map 1, "id" 3, "a" 2


def test_a_collection_may_be_empty(tmp_path: Path) -> None:
    write_catalog(tmp_path, "docs", [])
    catalog = Catalog(str(tmp_path / "catalog"), "docs")
    assert len(catalog) == 0
    assert catalog.find("a") is None


def test_a_collection_cannot_take_the_place_of_the_chunk_table(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="chunks"):
        write_catalog(tmp_path, "chunks", [])


def test_a_record_that_cannot_be_encoded_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'bad' of docs"):
        write_catalog(tmp_path, "docs", [{"id": "bad", "value": object()}])


def test_lookup_keys_of_a_named_record_leave_out_its_shared_path() -> None:
    record = BuiltinRecord(
        id="eq",
        collection="builtins",
        title="eq",
        path="docs/builtin.md",
        text="",
        name="eq",
        signature="",
        description="",
        aliases=("==",),
    )
    assert lookup_keys(catalog_entry(record)) == ["eq", "=="]


def test_lookup_keys_of_a_test_case_leave_out_its_file() -> None:
    entry = {"id": "u", "uid": "u", "path": "tests/x.json", "jira_key": "A-1", "test_case_id": "C"}
    assert lookup_keys(entry) == ["A-1", "C"]
    assert lookup_keys({"id": "u", "uid": "u", "path": "tests/x.json"}) == []


def test_lookup_keys_of_a_page_have_its_path() -> None:
    assert lookup_keys({"id": "x", "path": "docs/x.md"}) == ["docs/x.md"]


def test_chunks_store_what_has_a_value_and_nothing_implied(tmp_path: Path) -> None:
    long = chunk("body", embedded_text="title\nbody", breadcrumb=("A", "B"), section_level=0)
    write_chunks(tmp_path, [(0, long)])
    assert ChunkTable(str(tmp_path))[0] == {
        "index": 0,
        "text": "body",
        "start_line": 1,
        "end_line": 1,
        "type": "prose",
        "breadcrumb": ["A", "B"],
        "section_line": 0,
        "section_level": 0,
    }


def test_a_column_says_which_answer_a_chunk_is_of_where_there_are_some(tmp_path: Path) -> None:
    write_chunks(tmp_path, [(0, chunk("a")), (0, chunk("b", answer=1))])
    table = ChunkTable(str(tmp_path))
    assert list(table.answers() or ()) == [0, 1]
    assert "answer" not in table[1]
    other = tmp_path / "other"
    other.mkdir()
    write_chunks(other, [(0, chunk("a"))])
    assert ChunkTable(str(other)).answers() is None


def test_columns_hold_records_lines_and_labels(tmp_path: Path) -> None:
    rows = [
        (0, chunk("a", start_line=1, end_line=4)),
        (0, chunk("b", start_line=5, end_line=9, type="code", language="quint")),
        (1, chunk("c", type="code", language="go")),
    ]
    write_chunks(tmp_path, rows)
    assert struct.unpack("<3I", (tmp_path / "columns/record.u32").read_bytes()) == (0, 0, 1)
    assert struct.unpack("<3I", (tmp_path / "columns/end_line.u32").read_bytes()) == (4, 9, 1)
    assert struct.unpack("<3I", (tmp_path / "columns/language.u32").read_bytes()) == (0, 2, 1)
    labels = json.loads((tmp_path / "columns/labels.json").read_bytes())
    assert labels == {"type": ["code", "prose"], "language": ["", "go", "quint"]}
