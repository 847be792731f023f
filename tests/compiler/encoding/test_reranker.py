"""A cross-encoder computes what its papers say, goes into an artifact, and re-ranks the searches that ask."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from tests.tiny_models import RERANKERS, TEXTS, PairReference, write_family, write_reranker

import kb_runtime
from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.search.ranking.cross_encoder import CrossEncoder, run_self_test
from kb_runtime.search.ranking.reranking import CROSS_ENCODED
from kb_runtime.search.request import RERANK_VARIABLE, SearchRequest
from kbc.encoding.errors import ModelError
from kbc.encoding.graph import write_graph
from kbc.encoding.model import resolve_reranker
from kbc.encoding.variants import Variant
from kbc.pipeline.build import BuildOptions, BuildReport, build

QUERY = "one thread at a time"
# Random layers of 32 values have wide activations, which int8 rounds.
MOST: dict[Variant, float] = {"fp32": 1e-4, "nb8-b32": 0.5, "int8": 0.8}


@pytest.mark.parametrize("family", RERANKERS)
def test_every_variant_computes_the_score_of_a_pair(family: str, tmp_path: Path) -> None:
    reference = write_reranker(tmp_path / family, family)
    model = resolve_reranker(tmp_path / family)
    texts = [*TEXTS, "a", " ".join(TEXTS)]
    for variant, most in MOST.items():
        folder = tmp_path / variant
        folder.mkdir()
        write_graph(model, variant, folder)
        (folder / "tokenizer.json").write_bytes(model.tokenizer_path.read_bytes())
        scores = CrossEncoder(str(folder), model.max_tokens)(QUERY, texts)
        expected = [reference(QUERY, text) for text in texts]
        assert scores == pytest.approx(expected, abs=most), variant


def test_a_model_that_gives_no_single_score_is_refused(tmp_path: Path) -> None:
    write_reranker(tmp_path / "three", "bert", scores=3)
    write_family(tmp_path / "headless", "bert")
    write_family(tmp_path / "other", "mpnet")
    for name, reason in (("three", "3 scores"), ("headless", "classifier"), ("other", "mpnet")):
        with pytest.raises(ModelError, match=reason) as caught:
            resolve_reranker(tmp_path / name)
        assert caught.value.code == "model-unsupported"
    with pytest.raises(ModelError, match="no model folder"):
        resolve_reranker(tmp_path / "absent")


def built(folder: Path, search: str = "", name: str = "tiny", **options: Path) -> BuildReport:
    kb = folder / f"{name}-kb"
    (kb / "docs").mkdir(parents=True, exist_ok=True)
    (kb / "kb.toml").write_text(f'[kb]\nname = "{name}"\n{search}', encoding="utf-8")
    for at in range(3 * len(TEXTS)):
        text = f"# Page {at}\n\nOne thread. {TEXTS[at % len(TEXTS)]} {'and more ' * (at % 7)}\n"
        (kb / "docs" / f"{at}.md").write_text(text, encoding="utf-8")
    if not (folder / "model").exists():
        write_family(folder / "model", "xlm-roberta")
    chosen = BuildOptions(out=folder / "out", cache=folder / "cache", model=folder / "model")
    return build(kb, replace(chosen, **options))


@pytest.fixture
def reference(tmp_path: Path) -> PairReference:
    return write_reranker(tmp_path / "reranker", "bert")


def test_a_search_that_asks_is_re_ranked_and_explained(
    reference: PairReference, tmp_path: Path
) -> None:
    report = built(tmp_path, rerank_model=tmp_path / "reranker")
    assert verify(report.path).ok
    manifest = json.loads((report.path / "manifest.json").read_text("utf-8"))
    assert manifest["reranker"]["model"] == "reranker"
    assert "re-ranker" in (report.path / "NOTICE").read_text("utf-8")
    bill = json.loads((report.path / "sbom.cdx.json").read_text("utf-8"))
    kinds = [each["name"] for each in bill["components"] if "model" in each["type"]]
    assert sorted(kinds) == ["model", "reranker"]
    with kb_runtime.open(report.path) as knowledge, Artifact.open(report.path) as artifact:
        plain = knowledge.search(QUERY, limit=50)
        assert "reranker" not in plain[0].explain()
        found = knowledge.search(QUERY, limit=50, rerank=True)
        assert {hit.row for hit in found} == {hit.row for hit in plain}
        sums = []
        for hit in found[:CROSS_ENCODED]:
            facts = hit.explain()
            text = f"{hit.title}\n{hit.snippet}"
            assert artifact.reranker is not None
            assert [facts["reranker"]] == pytest.approx(artifact.reranker(QUERY, [text]), abs=1e-4)
            sums.append(facts["scaled"] + sum(facts["adjustments"].values()))
        assert all(left >= right - 1e-3 for left, right in pairwise(sums))
        assert [hit.row for hit in found] != [hit.row for hit in plain]
        assert [hit.score for hit in found] == sorted((h.score for h in found), reverse=True)
        plainly = SearchRequest(QUERY, ranking=(), rerank=True)
        assert "reranker" in knowledge.search(plainly)[0].explain()


def test_who_asks_in_vain_is_told(
    tmp_path: Path, reference: PairReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = built(tmp_path, "[search]\nrerank = true\n")
    assert [one.code for one in report.diagnostics] == ["no-reranker"]
    with kb_runtime.open(report.path) as knowledge:
        assert knowledge.search(QUERY)
        with pytest.raises(ToolError, match="--rerank-model DIR") as caught:
            knowledge.search(QUERY, rerank=True)
        assert caught.value.code == "UNAVAILABLE"
    for asked, said in (
        ("1", ["The re-ranker is unavailable (the knowledge base was built"]),
        ("0", []),
    ):
        monkeypatch.setenv(RERANK_VARIABLE, asked)
        with Artifact.open(report.path) as artifact:
            warnings = artifact.searcher.search(SearchRequest(QUERY)).warnings
            assert [one.partition(" without one")[0] for one in warnings] == said


def test_kb_toml_and_the_environment_say_whether_searches_are_re_ranked(
    tmp_path: Path, reference: PairReference, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = built(tmp_path, "[search]\nrerank = true\n", rerank_model=tmp_path / "reranker")
    with kb_runtime.open(report.path) as knowledge:
        assert "reranker" in knowledge.search(QUERY)[0].explain()
        assert "reranker" not in knowledge.search(QUERY, rerank=False)[0].explain()
    monkeypatch.setenv(RERANK_VARIABLE, "0")
    with kb_runtime.open(report.path) as knowledge:
        assert "reranker" not in knowledge.search(QUERY)[0].explain()
    monkeypatch.setenv(RERANK_VARIABLE, "1")
    other = built(tmp_path, name="other", rerank_model=tmp_path / "reranker")
    with Artifact.open(report.path) as one, Artifact.open(other.path) as two:
        (hit, *_) = Federation([two, one]).searcher.search(SearchRequest(QUERY)).hits
        assert hit.rerank_score is not None


def test_other_scores_than_those_of_the_build_are_found(
    tmp_path: Path, reference: PairReference
) -> None:
    report = built(tmp_path, rerank_model=tmp_path / "reranker")
    with Artifact.open(report.path) as artifact:
        entry = artifact.manifest["reranker"]
        assert artifact.reranker is not None
        assert run_self_test(artifact.reranker, entry["self_test"]) == []
        moved = {**entry["self_test"], "entries": [dict(entry["self_test"]["entries"][0])]}
        moved["entries"][0]["score"] += 1
        assert "the score" in run_self_test(artifact.reranker, moved)[0]
