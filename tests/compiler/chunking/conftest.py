"""Token budgets of real WordPiece tokenizers, built here, and records of every sort."""

from __future__ import annotations

import re
import string
from collections.abc import Callable

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from kbc.chunking import TokenBudget
from kbc.records import CompiledRecord, DocRecord

COMMON = "the a of and to in is it you that he for on are with as def class return if else end"


@pytest.fixture(scope="session")
def budget() -> TokenBudget:
    """256 tokens of a vocabulary of a few words, letters and signs: most words take several."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *COMMON.split(), *string.punctuation]
    letters = string.ascii_lowercase + string.digits
    words += [letter for letter in letters if letter not in words]
    words += [f"##{letter}" for letter in letters] + ["##ing", "##er", "##ion"]
    vocabulary = {word: index for index, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
    )
    return TokenBudget(count=lambda text: len(tokenizer.encode(text).ids))


@pytest.fixture(scope="session")
def words_budget() -> TokenBudget:
    """60 words: sizes that a test can count by hand."""
    return TokenBudget(count=lambda text: len(text.split()), max_tokens=60)


@pytest.fixture(scope="session")
def code_budget() -> TokenBudget:
    """128 words and signs."""
    return TokenBudget(count=lambda text: len(re.findall(r"\w+|[^\w\s]", text)), max_tokens=128)


@pytest.fixture(scope="session")
def page() -> Callable[..., DocRecord]:
    def make(text: str, title: str = "Guide", path: str = "docs/guide.md") -> DocRecord:
        format_ = "mdx" if path.endswith(".mdx") else "markdown"
        return DocRecord(
            id=path,
            collection="docs",
            title=title,
            path=path,
            text=text,
            group="core",
            format=format_,
            content=text,
        )

    return make


@pytest.fixture(scope="session")
def source() -> Callable[..., CompiledRecord]:
    def make(text: str, path: str) -> CompiledRecord:
        return CompiledRecord(id=path, collection="code", title=path, path=path, text=text)

    return make
