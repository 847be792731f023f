"""Shards that are empty, and those that later builds take from earlier ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.comparison import diff
from kb_runtime.knowledge.examination.inspection import inspect
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.search.request import SearchRequest
from kb_runtime.store import manifest as manifest_module
from kb_runtime.store.manifest import load
from kbc.pipeline.build import BuildOptions, build


class Pages:
    """A knowledge base of a few pages, with more shards than these fill."""

    def __init__(self, folder: Path, numbers: range, shard_chunks: int) -> None:
        self.root, self.folder = folder / "kb", folder
        (self.root / "docs").mkdir(parents=True)
        ending = f"[build]\nshard_chunks = {shard_chunks}\n"
        (self.root / "kb.toml").write_text(f'[kb]\nname = "few"\n{ending}')
        for number in numbers:
            self.write(number, "The rope is coiled on the deck. " * 64)

    def write(self, number: int, text: str) -> None:
        (self.root / "docs" / f"page{number}.md").write_text(f"# Page {number}\n\n{text}\n")

    def build(self, out: str = "out", keep: int = 9) -> Path:
        cache = self.folder / "cache" if out == "out" else None
        return build(
            self.root, BuildOptions(out=self.folder / out, cache=cache, embed=False, keep=keep)
        ).path


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def found(folder: Path, query: str) -> set[str]:
    with Artifact.open(folder) as artifact:
        hits = artifact.searcher.search(SearchRequest(query, limit=20, mode="lexical")).hits
        return {artifact.catalog(hit.collection).id(hit.record) for hit in hits}


def test_one_long_page_is_one_shard(tmp_path: Path) -> None:
    one = Pages(tmp_path, range(1), 1).build()
    assert len(inspect(one)["shards"]) == 1
    assert verify(one).problems == ()
    assert found(one, "rope") == {"docs/page0.md"}


def test_a_shard_need_not_have_the_tools_that_the_whole_offers(tmp_path: Path) -> None:
    pages = Pages(tmp_path, range(3), 1)
    tools = (
        '[tools]\noffer = "patterns"\nalias = [{ name = "pattern", tool = "few_get_pattern" }]\n'
    )
    with (pages.root / "kb.toml").open("a") as file:
        file.write(tools)
    (pages.root / "patterns").mkdir()
    (pages.root / "patterns" / "a.md").write_text(
        "---\nid: a\nname: A\ncategory: core\n---\n\n# A\n\nCoil it.\n"
    )
    built = pages.build()
    assert len(inspect(built)["shards"]) > 1
    answers = json.loads((built / "tools.json").read_bytes())
    assert (answers["default"], "pattern" in answers["names"]) == ("patterns", True)
    assert verify(built).problems == ()


def test_shards_without_a_record_are_left_out(tmp_path: Path) -> None:
    pages = Pages(tmp_path, range(3), 1)
    few = pages.build()
    shards = inspect(few)["shards"]
    assert 1 <= len(shards) <= 3
    assert all(sum(shard["records"].values()) for shard in shards)
    assert verify(few).problems == ()
    assert len(found(few, "rope")) == 3


@pytest.mark.slow
def test_an_edit_that_fills_or_empties_a_shard_gives_the_bytes_of_a_clean_build(
    tmp_path: Path,
) -> None:
    pages = Pages(tmp_path, range(3), 1)
    few = pages.build()
    pages.write(3, "A marmoset.")
    more = pages.build()
    assert len(inspect(more)["shards"]) == len(inspect(few)["shards"]) + 1
    assert found(more, "marmoset") == {"docs/page3.md"}
    assert diff(few, more).collections["docs"].added == ("docs/page3.md",)
    assert files(more) == files(pages.build("clean"))
    (pages.root / "docs" / "page3.md").unlink()
    (pages.root / "docs" / "page0.md").unlink()
    fewer = pages.build()
    assert verify(fewer).problems == ()
    assert files(fewer) == files(pages.build("clean"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no proofs")
@pytest.mark.parametrize("keep", [1, 2])
def test_files_that_builds_share_are_hashed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: int
) -> None:
    """Sharing them, and removing a build that does, changes their status and nothing else."""
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "user"))
    hashed: list[str] = []
    digest = manifest_module.file_digest

    def noticed(path: str, size: int) -> str:
        hashed.append(path)
        return digest(path, size)

    pages = Pages(tmp_path, range(3), 1)
    shared = {each["build_id"] for each in inspect(pages.build(keep=keep))["shards"]}
    monkeypatch.setattr(manifest_module, "file_digest", noticed)
    for number in (3, 4):
        pages.write(number, "A marmoset.")
        build = pages.build(keep=keep)
        assert hashed
        assert not shared.intersection(part for path in hashed for part in Path(path).parts)
        hashed.clear()
        manifest = load(build)
        manifest.check_files(manifest.files)
        assert not hashed
    assert verify(build).problems == ()


def damage(path: Path) -> None:
    """Changes a byte of a file, which keeps its size and its hard links."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        "catalog/chunks.bin",
        "columns/record.u32",
        "columns/labels.json",
        "lexical/*.store",
        "tools.json",
    ],
)
def test_a_damaged_shard_is_compiled_again_by_the_next_build(tmp_path: Path, file: str) -> None:
    pages = Pages(tmp_path, range(3), 1)
    before = pages.build()
    shards = {each["build_id"]: each["records"] for each in inspect(before)["shards"]}
    for id in list(shards)[:2]:
        (path,) = (before / "shards" / id).glob(file)
        damage(path)
    assert not verify(before).ok
    again = pages.build()
    assert again == before
    assert verify(again).problems == ()
    for id in list(shards)[:2]:
        (path,) = (again / "shards" / id).glob(file)
        damage(path)
    pages.write(3, "A marmoset.")
    edited = pages.build()
    assert verify(edited).problems == ()
    assert files(edited) == files(pages.build("clean"))


@pytest.mark.slow
def test_sound_shards_are_taken_from_an_earlier_build(tmp_path: Path) -> None:
    pages = Pages(tmp_path, range(3), 1)
    before = pages.build()
    sound, damaged, *_ = (each["build_id"] for each in inspect(before)["shards"])
    damage(before / "shards" / damaged / "catalog" / "chunks.bin")
    pages.write(3, "A marmoset.")
    after = pages.build()
    for id, is_taken in ((sound, True), (damaged, False)):
        one, other = (folder / "shards" / id / "tools.json" for folder in (before, after))
        assert one.samefile(other) is is_taken
