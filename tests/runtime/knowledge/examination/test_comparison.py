from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.small_artifact import publish_small

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.examination.comparison import CollectionDiff, diff
from kb_runtime.knowledge.examination.inspection import inspect, render_inspection
from kb_runtime.store.manifest import BILL, load, seal
from kbc.cli.artifact_reports import render_diff
from kbc.linking.linker import Published

Publish = Callable[..., Published]


def test_inspect_sums_up_the_manifest(publish: Publish) -> None:
    inputs = '[{"path": "a.md", "bytes": 1, "sha256": "0"}]'
    published = publish(more_sections=lambda folder: (folder / "inputs.json").write_text(inputs))
    facts = inspect(published.path.parent)
    assert facts["build_id"] == published.build_id
    assert facts["title"] == "Small"
    files = [path for path in published.path.rglob("*") if path.is_file()]
    assert facts["counts"] == {"records": 3, "chunks": 3, "inputs": 1, "files": len(files)}
    assert set(facts["sizes"]) == {
        *("catalog", "columns", "inputs.json", "manifest.json", "tools.json", "total")
    }
    assert facts["sizes"]["total"] == sum(path.stat().st_size for path in files)
    json.dumps(facts)


def test_a_leftover_draft_is_shown_as_one(tmp_path: Path) -> None:
    draft = publish_small(tmp_path / "draft")
    whole = publish_small(
        tmp_path / "whole", more_sections=lambda folder: (folder / BILL).write_text("{}")
    )
    for published, is_draft in ((draft, True), (whole, False)):
        facts = {**inspect(published.path), "encoder": None, "collections": []}
        assert facts["draft"] is is_draft
        assert ("\ndraft " in render_inspection(facts)) is is_draft


def test_warnings_of_a_build_are_listed_up_to_a_bound(publish: Publish) -> None:
    facts = {**inspect(publish().path), "encoder": None, "collections": []}
    assert "at build time" not in render_inspection(facts)
    warning = {"code": "dead-link", "message": "the link 'b' leads\nnowhere", "path": "a.md"}
    facts["warnings"] = [{**warning, "line": line} for line in range(1, 24)]
    head, first, *_, last, more = render_inspection(facts).rpartition("\n\n")[2].splitlines()
    assert head == "23 warnings at build time"
    assert first == r"a.md:1: warning[dead-link]: the link 'b' leads\nnowhere"
    assert last.startswith("a.md:20: ")
    assert more == "and 3 more: --json lists all"
    facts["warnings"] = [{"code": "cache", "message": "not used"}]
    assert render_inspection(facts).endswith("1 warning at build time\nwarning[cache]: not used")


def test_inputs_of_an_artifact_that_lists_them_in_its_manifest_are_read(publish: Publish) -> None:
    build = publish().path
    manifest = load(build)
    inputs = [{"path": "a.md", "bytes": 1, "sha256": "0"}]
    (build / "manifest.json").write_bytes(seal({**manifest.as_dict(), "inputs": inputs}))
    assert load(build).inputs() == inputs
    assert inspect(build)["counts"]["inputs"] == 1


def test_inspect_refuses_a_damaged_artifact(publish: Publish) -> None:
    build = publish().path
    os.truncate(build / "tools.json", 0)
    with pytest.raises(ArtifactError):
        inspect(build)


def test_an_artifact_equals_itself(publish: Publish) -> None:
    build = publish().path
    found = diff(build, build)
    assert found.same
    assert found.collections == {}
    assert all(old == new for old, new in found.sizes.values())


def test_records_added_removed_and_changed_are_found_by_id(publish: Publish) -> None:
    old = publish(
        {
            "docs": [{"id": "a", "text": "1"}, {"id": "b", "text": "2"}, {"id": "c", "text": "3"}],
            "posts": [{"id": "p", "text": "same"}],
        }
    )
    new = publish(
        {
            "docs": [{"id": "c", "text": "3"}, {"id": "b", "text": "new"}, {"id": "d", "text": ""}],
            "posts": [{"id": "p", "text": "same"}],
            "tests": [{"id": "t", "text": ""}],
        }
    )
    found = diff(old.path, new.path)
    assert found.collections == {
        "docs": CollectionDiff(added=("d",), removed=("a",), changed=("b",)),
        "tests": CollectionDiff(added=("t",), removed=(), changed=()),
    }
    assert not found.same
    assert "catalog/docs.bin" in found.files
    assert "catalog/posts.bin" not in found.files


def test_settings_are_compared_by_dotted_name(publish: Publish) -> None:
    old = publish(title="Old", search={"rrf_k": 60, "boosts": {"title": 2}}, version="1")
    new = publish(title="Old", search={"rrf_k": 60, "boosts": {"title": 3}}, version="2")
    found = diff(old.path, new.path)
    assert found.settings == {"search.boosts.title": (2, 3), "version": ("1", "2")}
    assert found.encoder == {}
    assert found.files == ()
    assert not found.same
    json.dumps(found.as_dict())


def test_another_build_time_alone_is_no_difference(publish: Publish) -> None:
    old = publish(built_at="2026-01-01T00:00:00Z")
    new = publish(built_at="2026-01-02T00:00:00Z")
    assert old.build_id != new.build_id
    assert diff(old.path, new.path).same


def test_a_difference_beside_records_and_settings_is_told(publish: Publish) -> None:
    old, new = (publish(built_at=f"2026-01-0{day}T00:00:00Z") for day in (1, 2))
    found = replace(diff(old.path, new.path), files=("tools.json",))
    assert not found.same
    assert "only files: tools.json" in render_diff(found)
