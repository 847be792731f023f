from __future__ import annotations

import json

import pytest
from tests.compiler.encoding.conftest import VOCABULARY, MakeModel

from kbc.encoding.errors import ModelError
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter


def test_many_texts_keep_their_order_and_their_tokens(make_model: MakeModel) -> None:
    counter = TokenCounter(resolve_model(make_model()))
    texts = ["map " * (at % 7) + "set" for at in range(1_500)]
    assert counter.count_many(texts) == [counter.count(text) for text in texts]
    assert list(map(len, counter.encode_many(texts))) == counter.count_many(texts)
    assert counter.count_many(texts)[:3] == [3, 4, 5]


@pytest.mark.parametrize("content", ["", '{"model": {}}', "[]"])
def test_a_tokenizer_that_cannot_be_read_is_the_fault_of_the_model(
    content: str, make_model: MakeModel
) -> None:
    folder = make_model()
    (folder / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read") as caught:
        TokenCounter(resolve_model(folder)).count("map")
    assert caught.value.code == "model-invalid"
    assert str(folder / "tokenizer.json") in caught.value.message
    assert "--model" in caught.value.hint


def test_a_tokenizer_of_another_model_is_refused_before_a_text_needs_it(
    make_model: MakeModel,
) -> None:
    folder = make_model()
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    content["model"]["vocab"]["rare"] = len(VOCABULARY)
    path.write_text(json.dumps(content))
    expected = f"token id {len(VOCABULARY)}, but the weights have {len(VOCABULARY)} rows"
    with pytest.raises(ModelError, match=expected) as caught:
        TokenCounter(resolve_model(folder)).count("map")
    assert caught.value.code == "model-invalid"
