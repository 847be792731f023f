"""Several artifacts behind the interface of one; `tests.end_to_end.serving.federation` asks them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.small_artifact import publish_small

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.store.manifest import MANIFEST, seal

ENCODER = {
    "model": "m",
    "weights_sha256": "1",
    "tokenizer_sha256": "2",
    "dimensions": 8,
    "pooling": "mean",
    "metric": "cosine",
    "recipe": 1,
    "max_tokens": 64,
    "queries": "fp32",
    "self_test": {"min_cosine": 0.98, "entries": []},
}


@pytest.fixture
def made(tmp_path: Path) -> Any:
    """`made(name, docs=["a", "b"], ...)`: an open artifact; a text is also its record's id."""
    opened: list[Artifact] = []

    def make(name: str, fields: Any = None, **collections: list[str]) -> Artifact:
        entries = {
            kind: [{"id": text, "title": text, "text": text} for text in texts]
            for kind, texts in collections.items()
        }
        place = tmp_path / f"{len(opened)}"
        artifact = Artifact.open(
            publish_small(place, entries, name=name, title=name.title(), **(fields or {})).path
        )
        opened.append(artifact)
        return artifact

    yield make
    for artifact in opened:
        artifact.close()


def test_rows_of_parts_follow_each_other(made: Any) -> None:
    first = made("first", docs=["a", "b"], examples=["c"])
    second = made("second", patterns=["d"], docs=["e"])
    with Federation([first, second]) as both:
        names = [(info.name, list(info.rows)) for info in both.collections]
        assert names == [
            ("first.docs", [0, 1]),
            ("examples", [2]),
            ("patterns", [3]),
            ("second.docs", [4]),
        ]
        assert [both.chunks[row]["text"] for row in range(5)] == ["a", "b", "c", "d", "e"]
        assert [both.collection_of(row).name for row in (1, 2, 3, 4)] == [
            "first.docs",
            "examples",
            "patterns",
            "second.docs",
        ]
        assert list(both.chunks.column("record")) == [0, 1, 0, 0, 0]
        assert both.chunks.rows_of(0, both.collection("second.docs").rows) == range(4, 5)
        with pytest.raises(IndexError):
            both.chunks[5]
        with pytest.raises(IndexError):
            both.chunks[-1]


def test_the_manifest_speaks_for_all_parts(made: Any) -> None:
    said = {"built_at": "2026-01-01T00:00:00Z", "license": "MIT", "description": "One."}
    first = made("first", said, docs=["a"])
    said |= {"built_at": "2026-02-01T00:00:00Z", "version": "2", "description": "Two"}
    second = made("second", said, docs=["b"])
    said = {"prefix": "other", "search": {"rrf_k": 3}, "description": "Three!"}
    third = made("third", said, docs=["c"])
    with Federation([first, second, third]) as all_three:
        manifest = all_three.manifest
        assert manifest["name"] == "first+second+third"
        assert manifest.get("description") == "One. Two. Three!"
        assert manifest["title"] == "First, Second and Third"
        assert (manifest["version"], manifest["license"]) == ("1, 2", "MIT")
        assert manifest["built_at"] == "2026-02-01T00:00:00Z"
        assert (manifest["prefix"], manifest["search"]) == (
            "small",
            {"rrf_k": 60, "languages": ["en"]},
        )
        assert manifest["scopes"] == {"all": ["first.docs", "second.docs", "third.docs"]}
        assert manifest["build_id"] == all_three.build_id
        assert len(all_three.build_id) == len(first.build_id)
    with Federation([first, third, second]) as reordered:
        assert reordered.build_id != all_three.build_id


def test_names_stay_apart_however_they_are_made(made: Any) -> None:
    first = made("a", docs=["x"])
    second = made("b", docs=["y"])
    workspace = made("a", docs=["z"])
    with Federation([first, second, workspace], served=2) as three:
        names = [info.name for info in three.collections]
        assert names == ["a.docs", "b.docs", "a.docs.2"]
        assert three.addressed("a", "docs") == ["a.docs", "a.docs.2"]
        assert three.address("a.docs.2", "z") == "kb://a/docs/z"
        assert [part.build_id for part in three.served] == [first.build_id, second.build_id]
    with pytest.raises(ArtifactError, match="both the knowledge base 'a'"):
        Federation([first, second, workspace])


def test_the_latest_part_that_has_a_record_shows_it(made: Any) -> None:
    parts = [made(name, code=texts) for name, texts in (("a", ["x", "y"]), ("b", ["y", "z"]))]
    newest = made("c", code=["x", "z"], docs=["y"])
    with Federation([*parts, newest], ("code",)) as all_three:
        shown = {info.name: all_three.catalog(info.name).ids() for info in all_three.collections}
        assert shown == {"a.code": [], "b.code": ["y"], "c.code": ["x", "z"], "docs": ["y"]}
        assert [all_three.chunks[row]["text"] for row in range(4)] == ["y", "x", "z", "y"]
        assert list(all_three.chunks.column("record")) == [0, 0, 1, 0]
        assert all_three.catalog("b.code").names() == [("y", 0)]
        with pytest.raises(IndexError):
            all_three.catalog("b.code")[1]
    with Federation([*parts, newest]) as unshadowed:
        assert len(unshadowed.chunks) == 7


def test_kinds_whose_records_belong_together_cannot_be_shadowed(made: Any) -> None:
    with pytest.raises(ValueError, match="pages"):
        Federation([made("a", docs=["x"])], ("pages",))


def with_encoder(artifact: Artifact, identity: dict[str, Any]) -> Artifact:
    """The artifact, opened with an encoder in its manifest: none is published with one that it lacks."""
    path = Path(artifact.manifest.folder, MANIFEST)
    path.chmod(0o644)
    path.write_bytes(seal({**artifact.manifest.as_dict(), "encoder": identity}))
    return Artifact.open(artifact.manifest.folder)


def test_vectors_compare_where_one_encoder_made_them(made: Any) -> None:
    plain = made("w", docs=["a"])
    with (
        with_encoder(made("x", docs=["a"]), ENCODER) as first,
        with_encoder(
            made("y", docs=["a"]), {**ENCODER, "queries": "int8", "license": "MIT"}
        ) as same,
        with_encoder(made("z", docs=["a"]), {**ENCODER, "weights_sha256": "9"}) as other,
        Federation([plain, first, same, other]) as four,
    ):
        assert list(four.words_only) == [other]
        assert four.manifest["encoder"] == ENCODER
    with Federation([plain]) as alone:
        assert alone.words_only == []
        assert alone.encoder is None


def test_each_part_keeps_the_time_of_its_build(made: Any) -> None:
    first = made("first", {"built_at": "2026-01-01T00:00:00Z"}, docs=["a"], examples=["c"])
    second = made("second", {"built_at": "2026-03-01T00:00:00Z"}, docs=["b"])
    with Federation([first, second]) as both:
        assert both.built_at("first.docs") == both.built_at("examples") == "2026-01-01T00:00:00Z"
        assert both.built_at("second.docs") == "2026-03-01T00:00:00Z"
