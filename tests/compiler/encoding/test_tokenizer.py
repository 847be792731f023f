from __future__ import annotations

from tests.compiler.encoding.conftest import MakeModel

from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter


def test_many_texts_keep_their_order_and_their_tokens(make_model: MakeModel) -> None:
    counter = TokenCounter(resolve_model(make_model()))
    texts = ["map " * (at % 7) + "set" for at in range(1_500)]
    assert counter.count_many(texts) == [counter.count(text) for text in texts]
    assert list(map(len, counter.encode_many(texts))) == counter.count_many(texts)
    assert counter.count_many(texts)[:3] == [3, 4, 5]
