from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from kb_runtime.search.tokenizer import QueryTokenizer
from kbc.encoding.model import resolve_model

PATH = str(resolve_model().tokenizer_path)
TOKENIZER = QueryTokenizer(PATH, 1_000_000)
LIMITED = {limit: QueryTokenizer(PATH, limit) for limit in (3, 4, 9)}


@given(st.text())
def test_a_limit_keeps_the_frame_and_the_first_tokens(text: str) -> None:
    first, *inner, last = TOKENIZER.encode(text)
    for limit, tokenizer in LIMITED.items():
        assert tokenizer.encode(text) == [first, *inner[: limit - 2], last]


def test_special_tokens_in_a_query_are_ordinary_text() -> None:
    masked = TOKENIZER.encode("[MASK]")
    assert len(masked) > 3
    assert Tokenizer.from_file(PATH).token_to_id("[MASK]") not in masked


@given(st.text(), st.text())
def test_lone_surrogates_are_dropped(before: str, after: str) -> None:
    assert TOKENIZER.encode(f"{before}\ud800{after}\udfff") == TOKENIZER.encode(before + after)


def test_tokenizers_of_other_kinds_are_read(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.BPE({"<s>": 0, "</s>": 1, "a": 2, "b": 3, "ab": 4}, [("a", "b")]))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    opened = QueryTokenizer(str(path), 5)
    assert opened.encode("AB ba") == [0, 4, 3, 2, 1]
    assert opened.encode("ab ab ab ab") == [0, 4, 4, 4, 1]
