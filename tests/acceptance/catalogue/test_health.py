"""`check_health`: good, degraded, stale and damaged indexes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.acceptance.catalogue.cases import CASES, STEPS, Call, client, compiled, refused

from kbc.pipeline.build import BuildOptions, build


def test_health(call: Call, artifact: Path) -> None:
    found = call("check_health")
    assert found.structured["status"] == "HEALTHY"
    assert found.structured["qdrant"]["status"] == "connected"
    collections = found.structured["qdrant"]["collections"]
    assert (collections["test_docs"], collections["test_steps"]) == (len(CASES), STEPS)
    assert found.structured["buildId"] == artifact.name
    assert found.structured["stale"] is False
    assert found.structured["byPriority"] == {"High": 1, "Low": 1, "Medium": 3}
    assert found.structured["byTestType"] == {"API": 1, "Manual": 4}
    assert f"- test_docs: {len(CASES)} points\n- test_steps: {STEPS} points\n" in found.text
    embedder = found.structured["embedder"]
    assert embedder["model"]
    assert f"- Provider: {embedder['provider']}\n- Model: {embedder['model']}" in found.text


def test_health_without_a_usable_encoder(call_without_encoder: Call) -> None:
    found = call_without_encoder("check_health")
    assert found.structured["status"] == "DEGRADED"
    assert "secret" not in found.text
    assert not found.is_error


def test_an_index_without_vectors_on_purpose_is_healthy(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    cases = [{**case, "steps": case.get("steps") or ["Look"]} for case in CASES[:2]]
    ask = client(compiled(tmp_path, cases, cache, embed=False), data)
    found = ask("check_health")
    assert found.structured["status"] == "HEALTHY"
    assert found.structured["embedder"] == {"provider": "none", "model": "none"}
    assert "problems" not in found.structured
    similar = ask("find_similar_tests", jira_key="DEMO-11")
    assert similar.uids == ["t-login"]
    assert "keyword only" in similar.structured["warnings"][0]


def test_a_build_that_another_has_followed_is_stale(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    folder = compiled(tmp_path, CASES[:2], Path(pytestconfig.cache.mkdir("kbc")), embed=False)
    ask = client(folder, data)  # serves this build, whatever is published beside it
    assert ask("check_health").structured["stale"] is False
    (folder.parent / "CURRENT").write_text("0123456789abcdef\n")
    found = ask("check_health").structured
    assert (found["stale"], found["status"]) == (True, "DEGRADED")
    assert "a newer build is published" in found["problems"][0]


def test_health_is_good_again_after_the_cause_of_a_warning_is_gone(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path
) -> None:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    twice = [*CASES[:2], {**CASES[0], "title": "The same again"}]
    ask = client(compiled(tmp_path, twice, cache, embed=False).parent, data)
    found = ask("check_health").structured
    assert found["status"] == "DEGRADED"
    assert "1 warning about tests" in found["problems"][0]
    export = tmp_path / "kb" / "tests" / "functional.json"
    export.write_text(json.dumps(CASES[:2]))
    build(tmp_path / "kb", BuildOptions(out=tmp_path / "out", cache=cache, embed=False))
    again = ask("check_health").structured
    assert again["status"] == "HEALTHY"
    assert "problems" not in again
    assert again["buildId"] != found["buildId"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["catalog/tests.facets", "catalog/tests.bin"])
def test_health_of_a_damaged_index(
    tmp_path: Path, pytestconfig: pytest.Config, data: Path, name: str
) -> None:
    assert pytestconfig.cache is not None
    folder = compiled(tmp_path, CASES[:2], Path(pytestconfig.cache.mkdir("kbc")))
    ask = client(folder, data)
    content = bytearray((folder / name).read_bytes())
    content[-3] ^= 1
    (folder / name).write_bytes(content)
    found = ask("check_health")
    assert not found.is_error
    assert found.structured["status"] == "UNHEALTHY"
    assert found.structured["qdrant"]["status"] == "disconnected"
    assert str(folder) not in found.text
    refused(ask("search_tests", query="log in", filters={"tags": "web"}), 503)
