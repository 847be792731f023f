from __future__ import annotations

import json

import pytest
from tests.compiler.encoding.conftest import VOCABULARY, MakeModel, tokenizer_config

from kbc.chunking import TokenBudget
from kbc.encoding.errors import ModelError
from kbc.encoding.model import resolve_model
from kbc.encoding.tokenizer import TokenCounter


def test_many_texts_keep_their_order_and_their_tokens(make_model: MakeModel) -> None:
    counter = TokenCounter(resolve_model(make_model()))
    texts = ["map " * (at % 7) + "set" for at in range(1_500)]
    assert counter.count_many(texts) == [counter.count(text) for text in texts]
    assert list(map(len, counter.encode_many(texts))) == counter.count_many(texts)
    assert counter.count_many(texts)[:3] == [3, 4, 5]


def test_the_tokens_of_words_add_up(make_model: MakeModel) -> None:
    counter = TokenCounter(resolve_model(make_model()))
    assert counter.adds_up
    budget = TokenBudget.of(counter, 64)
    texts = [
        "map\n\n  set\tof map.\n",
        "a\x0cset \x1c of\u2028map\xa0list",
        "e\u0301 \u0301e \u03a3\u03c3 \u4e2d\u6587 \u0e33",
        "[CLS] [MASK]##s \0 \ufeffmap \u200b",
        "of " * 62 + "map",
        "of " * 61 + "map",
    ]
    assert [budget.tokens(text) + budget.special for text in texts] == counter.count_many(texts)
    assert budget.fits_each(texts) == [True, True, True, True, False, True]


def test_they_do_not_with_tokens_of_several_words_or_a_prompt_that_joins_the_first_one() -> None:
    config = tokenizer_config()
    plain = json.dumps(config).encode()
    assert TokenCounter(plain, "of: ").adds_up
    assert not TokenCounter(plain, "of:").adds_up
    config["added_tokens"].append({**config["added_tokens"][0], "id": 5, "content": "map of"})
    assert not TokenCounter(json.dumps(config).encode()).adds_up


def test_counts_are_right_while_another_thread_begins_a_new_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kbc.chunking.budget.MAX_REMEMBERED", 2)

    def count(text: str) -> int:
        if text == "map":  # as if another thread were at work now
            assert budget.tokens("to list") == 2
            assert budget.tokens("of list") == 2
        return len(text.split())

    budget = TokenBudget(count=count, max_tokens=30)
    assert budget.tokens("of set") == 2
    assert budget.tokens("of set map") == 3


def test_words_that_are_known_are_not_counted_again() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    budget = TokenBudget(count=count, max_tokens=30, adds_up=True)
    assert budget.costs(["map of set\n", "set of map\n"]) == [3, 3]
    counted.clear()
    assert budget.fits("map of set\nset of map of set")
    assert not budget.fits("map of set\n" * 11)
    assert not "".join(counted)


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
