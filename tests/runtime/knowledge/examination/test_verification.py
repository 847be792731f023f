from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.examination.verification import CHECKS, render_verdict, verify
from kb_runtime.store.manifest import seal
from kbc.linking.errors import PublishError
from kbc.linking.linker import Published

Publish = Callable[..., Published]


def reseal(build: Path) -> None:
    """Lists the files of a build as they are now, so that only their content is inconsistent."""
    path = build / "manifest.json"
    fields: dict[str, Any] = json.loads(path.read_bytes())
    for file in fields["files"]:
        data = (build / file["path"]).read_bytes()
        file |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    path.write_bytes(seal(fields))


def test_a_sound_artifact_has_no_problem(publish: Publish) -> None:
    build = publish().path
    report = verify(build.parent)
    assert report.ok
    assert report.build_id == build.name
    assert report.files == len([path for path in build.rglob("*") if path.is_file()]) - 1
    assert report.checks == tuple(CHECKS)
    assert json.loads(json.dumps(report.as_dict()))["ok"] is True


def test_every_altered_and_missing_file_is_reported(publish: Publish) -> None:
    build = publish().path
    (build / "tools.json").write_bytes(b"[]\n")
    (build / "catalog/docs.bin").unlink()
    report = verify(build)
    assert {(one.code, one.path) for one in report.problems} == {
        ("altered", "tools.json"),
        ("truncated", "catalog/docs.bin"),
    }
    assert "checked" not in render_verdict(report)


def test_an_extra_file_is_reported(publish: Publish) -> None:
    build = publish().path
    (build / "lexical").mkdir()
    (build / "lexical/extra.idx").write_bytes(b"")
    report = verify(build)
    assert [(one.code, one.path) for one in report.problems] == [("extra", "lexical/extra.idx")]
    assert report.checks == ()


@pytest.mark.parametrize("name", ["tools.json", "catalog/docs.bin", "manifest.json", "extra"])
@pytest.mark.parametrize("kind", ["link to a device", "pipe"])
def test_what_is_no_regular_file_is_reported_and_not_read(
    publish: Publish, name: str, kind: str
) -> None:
    """A device never ends, and a pipe waits for a writer."""
    build = publish().path
    (build / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(build / name)
    else:
        (build / name).symlink_to("/dev/zero")
    if name == "manifest.json":
        with pytest.raises(ArtifactError, match="regular file"):
            verify(build)
    else:
        (problem,) = verify(build).problems
        assert problem.path == name


@pytest.mark.parametrize("delta", [-1, 1])
def test_a_size_that_is_one_off_is_reported(publish: Publish, delta: int) -> None:
    build = publish().path
    path = build / "manifest.json"
    fields: dict[str, Any] = json.loads(path.read_bytes())
    file = next(file for file in fields["files"] if file["path"] == "catalog/docs.bin")
    file["bytes"] += delta
    path.write_bytes(seal(fields))
    report = verify(build)
    (problem,) = report.problems
    assert problem.code == ("truncated" if delta > 0 else "altered")
    assert f"catalog/docs.bin has {file['bytes'] - delta} bytes" in problem.message


def test_a_damaged_manifest_is_an_error(publish: Publish) -> None:
    build = publish().path
    os.truncate(build / "manifest.json", 40)
    with pytest.raises(ArtifactError):
        verify(build)


@pytest.mark.parametrize(
    ("file", "position", "path"),
    [
        ("catalog/builtins.off", 8, "catalog/builtins.bin"),  # where the second record starts
        ("catalog/builtins.keys", -1, "catalog/builtins.keys"),  # the last letter of a key
        ("columns/start_line.u32", 0, "columns"),
        ("columns/record.u32", 0, "columns/record.u32"),
    ],
)
def test_files_that_contradict_each_other_are_reported(
    publish: Publish, file: str, position: int, path: str
) -> None:
    build = publish().path
    data = bytearray((build / file).read_bytes())
    data[position] ^= 64
    (build / file).write_bytes(data)
    reseal(build)
    problems = verify(build).problems
    assert {one.code for one in problems} == {"inconsistent"}
    assert problems[0].path == path


def test_scopes_must_name_collections(publish: Publish) -> None:
    with pytest.raises(PublishError, match="the scope 'all' names 'nowhere'"):
        publish(scopes={"all": ["nowhere"]})


def test_rows_must_follow_each_other(publish: Publish) -> None:
    collections = [{"name": "docs", "kind": "docs", "records": 1, "chunks": 1, "first_row": 4}]
    with pytest.raises(PublishError, match="starts at row 4"):
        publish({"docs": [{"id": "a", "text": "t"}]}, collections=collections)


def test_empty_collections_are_sound(publish: Publish) -> None:
    published = publish({"docs": [], "posts": []})
    assert verify(published.path).ok
