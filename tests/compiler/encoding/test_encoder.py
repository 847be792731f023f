from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from kbc.encoding import encoder as encoder_module
from kbc.encoding.cache import EmbeddingCache
from kbc.encoding.encoder import DocumentEncoder
from kbc.encoding.errors import EncodingError
from kbc.encoding.model import Model, resolve_model
from kbc.encoding.tokenizer import TokenCounter
from kbc.encoding.variants import VARIANTS, Variant

MakeModel = Callable[..., Path]
TEXTS = ["map of sets", "set", "a list of maps.", "to", "set of lists to map", "b c d e f g"]


@pytest.fixture
def model(make_model: MakeModel) -> Model:
    return resolve_model(make_model())


def test_tokens_are_counted_without_the_limit_and_padding_of_the_file(model: Model) -> None:
    counter = TokenCounter(model)
    long = "map " * 30
    assert counter.count("map of sets") == 6  # [CLS] map of set ##s [SEP]
    assert counter.count(long) == 32
    assert counter.count_many(["set", long]) == [3, 32]
    assert [ids.tolist() for ids in counter.encode_many(["set"])] == [[2, 6, 3]]


def test_special_tokens_in_a_text_are_ordinary_text(model: Model) -> None:
    stock = Tokenizer.from_file(str(model.tokenizer_path))
    assert 4 in stock.encode("a [MASK] b").ids
    assert 4 not in TokenCounter(model).encode_many(["a [MASK] b"])[0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_vector_depends_on_its_own_text_only(variant: Variant, model: Model) -> None:
    with DocumentEncoder(model, jobs=1, variant=variant) as alone:
        expected = {text: alone.encode([text])[0] for text in TEXTS}
    with DocumentEncoder(model, jobs=3, variant=variant) as together:
        for order in itertools.islice(itertools.permutations(TEXTS), 0, 720, 90):
            found = together.encode(order)
            assert all(
                np.array_equal(row, expected[text]) for row, text in zip(found, order, strict=True)
            )


def test_repeated_text_is_embedded_once(model: Model) -> None:
    with DocumentEncoder(model) as encoder:
        found = encoder.encode(["set", "map", "set", "set"])
        assert encoder.counts.embedded == 2
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[0], found[3])
    assert not np.array_equal(found[0], found[1])


def test_no_texts_give_no_rows(model: Model) -> None:
    assert DocumentEncoder(model).encode([]).shape == (0, 32)


def test_text_over_the_limit_is_refused_by_key_and_nothing_is_embedded(model: Model) -> None:
    fits, too_long = "map " * 14, "map " * 15  # with [CLS] and [SEP]: 16 and 17 of 16 tokens
    with DocumentEncoder(model) as encoder:
        assert encoder.encode([fits]).shape == (1, 32)
        with pytest.raises(EncodingError) as caught:
            encoder.encode([fits, too_long, "set"], keys=["docs/a#0", "docs/b#3", "docs/c#1"])
        assert caught.value.code == "text-too-long"
        assert caught.value.keys == ("docs/b#3",)
        assert "docs/b#3 (17)" in caught.value.message


def test_progress_ends_at_every_text_and_token(model: Model, tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "cache")
    with DocumentEncoder(model, cache=cache) as encoder:
        encoder.encode(TEXTS[:2])
        seen: list[tuple[int, int]] = []
        encoder.encode(
            [*TEXTS, TEXTS[-1]], progress=lambda done, tokens: seen.append((done, tokens))
        )
        new_tokens = sum(encoder.tokenizer.count_many(TEXTS[2:]))
    assert seen[0] == (2, 0)
    assert seen[-1] == (7, new_tokens)
    assert seen == sorted(seen)


def test_progress_that_raises_stops_the_threads_and_keeps_what_was_done(
    model: Model, tmp_path: Path
) -> None:
    def interrupt(done: int, _tokens: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    cache = EmbeddingCache(tmp_path / "cache")
    with DocumentEncoder(model, cache=cache) as encoder:
        with pytest.raises(KeyboardInterrupt):
            encoder.encode(TEXTS, progress=interrupt)
        assert not [t for t in threading.enumerate() if t.name.startswith("encoder-")]
        encoder.encode(TEXTS)
        assert encoder.counts.cached == 3


def test_texts_embedded_ahead_are_not_embedded_again(model: Model, tmp_path: Path) -> None:
    with DocumentEncoder(model) as encoder:
        expected = encoder.encode([*TEXTS, "set"])
    cache = EmbeddingCache(tmp_path / "cache")
    with DocumentEncoder(model, cache=cache) as encoder:
        encoder.encode(TEXTS[:1])
    told: list[tuple[int, int]] = []
    with DocumentEncoder(model, cache=cache) as encoder:
        encoder.embed_ahead(TEXTS[:3], progress=lambda *done: told.append(done))
        encoder.embed_ahead([TEXTS[1], TEXTS[4], TEXTS[4]])
        assert encoder.counts.embedded == 3
        found = encoder.encode([*TEXTS, "set"], progress=lambda *done: told.append(done))
        assert (encoder.counts.embedded, encoder.counts.cached) == (5, 1)
        assert encoder.counts.tokens == sum(encoder.tokenizer.count_many(TEXTS[1:]))
    assert np.array_equal(found, expected)
    assert told == sorted(told)
    assert told[0][0] == 2
    assert told[-1] == (7, encoder.counts.tokens)


def test_a_text_over_the_limit_is_refused_ahead_as_well(model: Model) -> None:
    with DocumentEncoder(model) as encoder, pytest.raises(EncodingError) as caught:
        encoder.embed_ahead(["set", "map " * 15], keys=["docs/a#0", "docs/b#3"])
    assert caught.value.keys == ("docs/b#3",)


def test_cached_vectors_are_equal_and_need_no_graph(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DocumentEncoder(model, cache=EmbeddingCache(tmp_path / "cache")) as encoder:
        expected = encoder.encode(TEXTS)

    def refuse(*_arguments: object) -> None:
        raise AssertionError("a graph was loaded although every vector was cached")

    monkeypatch.setattr(encoder_module, "open_session", refuse)
    again = DocumentEncoder(model, cache=EmbeddingCache(tmp_path / "cache"))
    assert np.array_equal(again.encode(TEXTS), expected)
    assert (again.counts.cached, again.counts.embedded) == (len(TEXTS), 0)


def test_cache_keeps_variants_and_models_apart(make_model: MakeModel, tmp_path: Path) -> None:
    first = resolve_model(make_model("first"))
    cls = resolve_model(make_model("second", pooling={"pooling_mode_cls_token": True}))
    cache = EmbeddingCache(tmp_path / "cache")
    encoders = [
        DocumentEncoder(first, cache=cache),
        DocumentEncoder(first, variant="int8", cache=cache),
        DocumentEncoder(cls, cache=cache),
    ]
    for encoder in encoders:
        encoder.encode(TEXTS)
        assert encoder.counts.cached == 0


def test_vectors_of_another_tokenizer_library_are_computed_again(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, embedded in (("1", 1), ("1", 0), ("2", 1)):
        monkeypatch.setattr(encoder_module, "library_versions", lambda v=version: {"tokenizers": v})
        cache = EmbeddingCache(tmp_path)
        with DocumentEncoder(model, cache=cache) as encoder:
            encoder.encode(["set"])
            assert encoder.counts.embedded == embedded
        cache.close()


def test_failure_inside_the_graph_reaches_the_caller(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DocumentEncoder(model) as encoder:
        monkeypatch.setattr(
            encoder.tokenizer, "encode_many", lambda _: [np.array([2, 3]), np.array([2, 10_000, 3])]
        )
        with pytest.raises(Exception, match="out of data bounds"):
            encoder.encode(["a", "b"])


def test_fewer_than_one_job_is_refused(model: Model) -> None:
    with pytest.raises(ValueError, match="jobs is 0"):
        DocumentEncoder(model, jobs=0)
