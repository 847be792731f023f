"""Artifacts of every format version open and answer; a newer one is refused by name.

`tests/data/formats/format-N.zip` is what `benchmarks.resealed.small_artifact` built with format N: for 1 in
one piece, for 2 in shards. Whoever raises `FORMAT_VERSION` adds the next one, and decides what becomes of the
others.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from tests.runtime.knowledge.examination.test_verification import reseal

from kb_runtime.cli.self_questions import verify_served
from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import SearchRequest
from kb_runtime.version import FORMAT_VERSION, UNSHARDED_FORMAT_VERSION

KEPT = sorted((Path(__file__).parents[2] / "data" / "formats").glob("format-*.zip"))


def unpacked(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    (build,) = folder.iterdir()
    return build


def test_every_format_is_kept() -> None:
    formats = range(UNSHARDED_FORMAT_VERSION, FORMAT_VERSION + 1)
    assert {path.name for path in KEPT} == {f"format-{number}.zip" for number in formats}
    assert all(path.stat().st_size < 200_000 for path in KEPT)


@pytest.mark.slow
@pytest.mark.parametrize("archive", KEPT, ids=lambda path: path.stem)
def test_an_artifact_of_a_kept_format_opens_and_answers(archive: Path, tmp_path: Path) -> None:
    build = unpacked(archive, tmp_path)
    fields = json.loads((build / "manifest.json").read_bytes())
    assert archive.stem == f"format-{fields['format']}"
    report = verify_served(build)
    assert report.ok, report.problems
    with Artifact.open(build) as artifact:
        assert {info.name: info.records for info in artifact.collections} == {
            "docs": 2,
            "code": 2,
            "tests": 1,
        }
        result = artifact.searcher.search(SearchRequest("gate lets water", ("docs",)))
        assert artifact.catalog("docs")[result.hits[0].record]["id"] == "docs/gate.md"


def test_a_newer_format_is_refused_by_name(tmp_path: Path) -> None:
    build = unpacked(KEPT[-1], tmp_path)
    manifest = build / "manifest.json"
    fields = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**fields, "format": FORMAT_VERSION + 1}))
    reseal(build)
    with pytest.raises(ArtifactError) as caught:
        Artifact.open(build)
    assert caught.value.code == "newer-format"
    assert str(FORMAT_VERSION + 1) in caught.value.message
