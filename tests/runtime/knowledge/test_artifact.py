from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.descriptors import open_below

import kb_runtime
from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kbc.linking.errors import PublishError
from kbc.linking.linker import Published

Publish = Callable[..., Published]


def test_collections_rows_and_records_are_read(publish: Publish) -> None:
    with Artifact.open(publish().path) as artifact:
        assert [info.name for info in artifact.collections] == ["builtins", "docs"]
        assert artifact.collection("docs").rows == range(2, 3)
        assert [artifact.collection_of(row).name for row in range(3)] == [
            "builtins",
            "builtins",
            "docs",
        ]
        assert artifact.catalog("builtins")[1]["name"] == "filter"
        assert artifact.catalog("builtins").find_folded("MAPSET") == 0
        assert artifact.chunks[2]["text"] == "# L\n"
        assert artifact.read("tools.json") == b"{}\n"


def test_a_collection_without_chunks_owns_no_row(publish: Publish) -> None:
    entries = {"docs": [], "posts": [{"id": "a", "text": "t"}], "tests": []}
    with Artifact.open(publish(entries).path) as artifact:
        assert artifact.collection_of(0).name == "posts"
        assert list(artifact.collection("tests").rows) == []


def test_an_unknown_collection_is_a_key_error(publish: Publish) -> None:
    with Artifact.open(publish().path) as artifact, pytest.raises(KeyError):
        artifact.catalog("nothing")


def test_an_altered_section_is_refused_when_it_is_first_used(publish: Publish) -> None:
    build = publish().path
    path = build / "catalog/builtins.keys"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with Artifact.open(build) as artifact:
        assert len(artifact.catalog("docs")) == 1
        with pytest.raises(ArtifactError) as caught:
            artifact.catalog("builtins")
        assert caught.value.code == "altered"


def test_a_truncated_file_is_refused_at_open(publish: Publish) -> None:
    build = publish().path
    os.truncate(build / "catalog/chunks.bin", 3)
    with pytest.raises(ArtifactError) as caught:
        Artifact.open(build)
    assert caught.value.code == "truncated"


def test_a_refused_artifact_leaves_no_descriptor_open(publish: Publish) -> None:
    build = publish().path
    os.truncate(build / "catalog/chunks.bin", 3)
    for _ in range(5):
        with pytest.raises(ArtifactError):
            Artifact.open(build)
    assert open_below(build) == []


def test_counts_of_the_manifest_must_hold(publish: Publish) -> None:
    wrong = [{"name": "docs", "kind": "docs", "records": 5, "chunks": 1, "first_row": 0}]
    with pytest.raises(PublishError, match="holds 1 entries in docs where its manifest says 5"):
        publish({"docs": [{"id": "a", "text": "t"}]}, collections=wrong)


def test_an_artifact_without_an_encoder_has_none(publish: Publish) -> None:
    with Artifact.open(publish().path) as artifact:
        assert artifact.encoder is None


def test_closing_releases_files_and_maps(publish: Publish) -> None:
    artifact = Artifact.open(publish().path)
    artifact.catalog("docs")
    _ = artifact.chunks
    root = artifact.root
    assert root in Path("/proc/self/maps").read_text()
    artifact.close()
    artifact.close()
    assert root not in Path("/proc/self/maps").read_text()
    assert open_below(Path(root)) == []


def test_a_section_is_opened_once_whoever_asks(publish: Publish) -> None:
    with Artifact.open(publish().path) as artifact:
        found: list[object] = []
        barrier = threading.Barrier(8)

        def ask() -> None:
            barrier.wait()
            found.append(artifact.chunks)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 8
        assert len(set(map(id, found))) == 1


def test_it_opens_from_a_read_only_copy(publish: Publish, tmp_path: Path) -> None:
    copy = tmp_path / "site-packages/data"
    shutil.copytree(publish().path.parent, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o555)
    with Artifact.open(copy) as artifact:
        assert len(artifact.chunks) == 3


@pytest.mark.slow
def test_a_hundred_thousand_records_open_without_reading_them(tmp_path: Path) -> None:
    from kb_runtime.store.catalog import Catalog
    from kbc.backends.catalog import write_catalog

    write_catalog(tmp_path, "docs", ({"id": f"r{n}", "text": "t" * 50} for n in range(100_000)))
    code = (
        "import sys, resource; from kb_runtime.store.catalog import Catalog;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "catalog = Catalog(sys.argv[1], 'docs'); assert catalog.find('r77777') == 77777;"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "catalog"],
        env={**os.environ, "PYTHONPATH": str(Path(kb_runtime.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 4096  # kB, of files of 10 MB
    assert len(Catalog(str(tmp_path / "catalog"), "docs")) == 100_000


def test_a_big_endian_machine_opens_nothing(
    publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = publish().path
    monkeypatch.setattr("kb_runtime.knowledge.artifact.sys", SimpleNamespace(byteorder="big"))
    with pytest.raises(ArtifactError, match="big-endian"):
        Artifact.open(build)
