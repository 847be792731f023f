"""Opening a lexical index: damage, recipes, temporary folders, and failures of the engine."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tantivy
from tests.fresh_python import printed_by
from tests.runtime.search.lexical.chunks import filler, search

from kb_runtime.errors import ArtifactError
from kb_runtime.search import lexical_engine
from kb_runtime.search.lexical import LexicalIndex
from kb_runtime.search.lexical_engine import LexicalError
from kb_runtime.store import temporary_folders
from kb_runtime.store.locks import try_lock
from kbc.backends.lexical import write_lexical


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

    def refuse_first(prefix: str, parent: str | None) -> str:
        tried.append(parent)
        if len(tried) == 1:
            raise PermissionError(13, "Permission denied")
        return temporary_folders.make_folder(prefix)

    monkeypatch.setattr(lexical_engine, "make_folder", refuse_first)
    assert LexicalIndex(str(folder)).documents == 5
    assert tried == [None, "/dev/shm"]


def test_no_temporary_folder_at_all_is_one_clear_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(lexical_engine, "make_folder", refuse)
    with pytest.raises(ArtifactError, match="temporary") as caught:
        LexicalIndex(str(folder))
    assert "TMPDIR" in caught.value.hint


def test_another_recipe_is_refused(folder: Path) -> None:
    meta = folder / "meta.json"
    meta.write_bytes(meta.read_bytes().replace(b"kbc-terms-3", b"kbc-terms-9"))
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


def test_a_search_by_words_imports_no_numbers_and_nothing_that_copies_files(folder: Path) -> None:
    code = (
        "import sys; from kb_runtime.search.lexical import *; from kb_runtime.search.query import analyse;"
        f"i = LexicalIndex({str(folder)!r}); i.search(LexicalRequest(analyse('leader', i.analyzer), 3));"
        "print({'numpy', 'shutil', 'tempfile'} & sys.modules.keys())"
    )
    assert printed_by(code) == "set()"


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
