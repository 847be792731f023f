"""Every family of encoders computes what its papers say, and is searched by meaning in what a build makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tiny_models import (
    DOCUMENT,
    FAMILIES,
    QUERY,
    TEXTS,
    write_family,
)

import kb_runtime
from kb_runtime.store.onnx_graph import check_graph
from kbc.chunking.budget import TokenBudget
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.graph import write_graph
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter
from kbc.encoding.variants import VARIANTS, Variant
from kbc.pipeline.build import BuildOptions, build

# int8 rounds activations, of which random layers of 32 values have wide ones.
LEAST: dict[Variant, float] = {"fp32": 0.999999, "nb8-b32": 0.998, "int8": 0.985}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_variant_computes_the_family(family: str, tmp_path: Path) -> None:
    reference = write_family(tmp_path / family, family)
    model = resolve_model(tmp_path / family)
    texts = [*TEXTS, "a", " ".join(TEXTS[:1] * 2)[:70]]
    expected = np.stack([reference(DOCUMENT + text) for text in texts])
    for variant in VARIANTS:
        with DocumentEncoder(model, variant=variant) as encoder:
            cosines = (encoder.encode(texts) * expected).sum(axis=1)
        assert cosines.min() > LEAST[variant], variant
        (tmp_path / variant).mkdir()
        write_graph(model, variant, tmp_path / variant)
        check_graph(str(tmp_path / variant))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_built_is_searched_by_meaning(family: str, tmp_path: Path) -> None:
    reference = write_family(tmp_path / "model", family)
    kb = tmp_path / "kb"
    (kb / "docs").mkdir(parents=True)
    (kb / "kb.toml").write_text('[kb]\nname = "tiny"\n', encoding="utf-8")
    for at, text in enumerate(TEXTS):
        (kb / "docs" / f"{at}.md").write_text(f"# Page {at}\n\n{text}\n", encoding="utf-8")
    options = BuildOptions(
        out=tmp_path / "out", cache=tmp_path / "cache", model=tmp_path / "model", exact=True,
        query_variant="fp32",
    )  # fmt: skip
    build(kb, options)
    with kb_runtime.open(tmp_path / "out") as knowledge:
        query = "one thread at a time"
        vector = knowledge.encode(query)
        assert vector is not None
        assert np.allclose(vector, reference(QUERY + query), atol=1e-4)
        hits = knowledge.search(query, mode="semantic", limit=len(TEXTS))
        best = int(np.argmax(knowledge.vectors() @ vector))
        assert hits[0].row == best


def test_prompts_of_kb_toml_are_used_instead_of_the_models(tmp_path: Path) -> None:
    reference = write_family(tmp_path / "model", "xlm-roberta")
    kb = tmp_path / "kb"
    (kb / "docs").mkdir(parents=True)
    prompts = '[encoder]\nquery_prompt = "ask "\ndocument_prompt = ""\n'
    (kb / "kb.toml").write_text(f'[kb]\nname = "tiny"\n{prompts}', encoding="utf-8")
    (kb / "docs" / "one.md").write_text("# One\n\nA lock.\n", encoding="utf-8")
    options = BuildOptions(
        out=tmp_path / "out",
        cache=tmp_path / "cache",
        model=tmp_path / "model",
        query_variant="fp32",
    )
    build(kb, options)
    with kb_runtime.open(tmp_path / "out") as knowledge:
        vector = knowledge.encode("a lock")
        assert vector is not None
        assert np.allclose(vector, reference("ask a lock"), atol=1e-4)


def test_tokens_for_white_space_are_part_of_the_cost(tmp_path: Path) -> None:
    for family, kept in (("roberta", True), ("xlm-roberta", False)):
        write_family(tmp_path / family, family)
        counter = TokenCounter(resolve_model(tmp_path / family))
        budget = TokenBudget.of(counter, 64)
        assert not budget.adds_up
        assert budget.keeps_spaces is kept
        with_spaces, without, blank = budget.costs(["        lock\n", "lock", "\n"])
        assert (with_spaces > without) is kept
        assert blank == 0
