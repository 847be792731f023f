from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kbc.encoding.checks import check_vectors
from kbc.encoding.errors import EncodingError
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter

MakeModel = Callable[..., Path]
TEXTS = ["map", "set", "list of sets"]
KEYS = ["docs/a#0", "docs/a#1", "docs/b#0"]


@pytest.fixture
def counter(make_model: MakeModel) -> TokenCounter:
    return TokenCounter(resolve_model(make_model()))


def good_vectors() -> Any:
    vectors = np.random.default_rng(1).standard_normal((3, 8)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def refusal(vectors: Any, counter: TokenCounter, texts: list[str] = TEXTS) -> EncodingError:
    with pytest.raises(EncodingError) as caught:
        check_vectors(vectors, texts, KEYS, counter)
    return caught.value


def test_good_vectors_pass(counter: TokenCounter) -> None:
    check_vectors(good_vectors(), TEXTS, KEYS, counter)
    check_vectors(np.empty((0, 8), np.float32), [], [], counter)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_vector_that_is_not_finite_is_refused_by_key(value: float, counter: TokenCounter) -> None:
    vectors = good_vectors()
    vectors[1, 3] = value
    error = refusal(vectors, counter)
    assert (error.code, error.keys) == ("vector-not-finite", ("docs/a#1",))


@pytest.mark.parametrize("factor", [0, 0.99, 1.01])
def test_vector_of_another_length_is_refused_by_key(factor: float, counter: TokenCounter) -> None:
    vectors = good_vectors()
    vectors[2] *= factor
    error = refusal(vectors, counter)
    assert (error.code, error.keys) == ("vector-not-normalised", ("docs/b#0",))


def test_missing_vector_is_refused(counter: TokenCounter) -> None:
    assert refusal(good_vectors()[:2], counter).code == "vector-count"


def test_other_type_or_rank_is_refused(counter: TokenCounter) -> None:
    assert refusal(good_vectors().astype(np.float64), counter).code == "vector-shape"
    assert refusal(good_vectors()[:, 0], counter).code == "vector-shape"


def test_two_different_texts_with_one_vector_are_refused_by_key(counter: TokenCounter) -> None:
    vectors = good_vectors()
    vectors[2] = vectors[0]
    error = refusal(vectors, counter)
    assert (error.code, error.keys) == ("vector-duplicate", ("docs/a#0", "docs/b#0"))


@pytest.mark.parametrize("twin", ["map", "MAP", "  map\n"])
def test_texts_of_the_same_tokens_may_share_a_vector(twin: str, counter: TokenCounter) -> None:
    vectors = good_vectors()
    vectors[2] = vectors[0]
    check_vectors(vectors, ["map", "set", twin], KEYS, counter)
