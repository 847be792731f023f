"""BERT's WordPiece tokenizer on the standard library, for queries.

Gives the ids that the tokenizers package gives for the same `tokenizer.json`, without its import
(15 to 20 ms and 8 MB at start-up). Two things are on purpose: special tokens typed by a user (`[MASK]`)
are ordinary text, as they are when documents are compiled, and lone surrogates are dropped.

The tokenizers package classifies characters by tables that stopped at Unicode 8, Python by its own
release. They agree on the blocks below, which hold all living scripts of its vocabularies and all
symbols; a text with another character is left to the tokenizers package, loaded when one comes.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

# Checked character by character against the tokenizers package in the tests.
_AGREED = re.compile(
    "[\\u0000-\\u052f\\u0590-\\u05ff\\u0620-\\u06ff\\u1e00-\\u1fff\\u2000-\\u2bff"
    "\\u3000-\\u9fff\\uac00-\\ufaff\\ufe00-\\ufe6f\\uff00-\\uffff"
    "\\U0001f000-\\U0001faff\\U00020000-\\U0003ffff\\U000e0000-\\U0010ffff]*"
)
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
_MEMORISED_BELOW = 0x3000  # code points whose treatment is worth remembering


class UnsupportedTokenizerError(ValueError):
    """The tokenizer.json describes something else than BERT's WordPiece."""


class _Translation(dict[int, str]):
    """A table for `str.translate` that is filled as characters are met."""

    def __missing__(self, code: int) -> str:
        replacement = self.replacement(chr(code))
        if code < _MEMORISED_BELOW:
            self[code] = replacement
        return replacement

    def replacement(self, char: str) -> str:
        raise NotImplementedError


class _Cleaned(_Translation):
    """Control characters go, white space becomes a space, ideographs stand alone."""

    def __init__(self, clean: bool, separate_ideographs: bool) -> None:
        super().__init__()
        self._clean = clean
        self._separate = separate_ideographs

    def replacement(self, char: str) -> str:
        category = unicodedata.category(char)
        if category == "Cs":
            return ""
        if self._clean:
            if char in "\t\n\r" or (char.isspace() and category[0] == "Z"):
                return " "
            if category in ("Cc", "Cf", "Co") or char == "\ufffd":
                return ""
        if self._separate and any(first <= ord(char) <= last for first, last in _IDEOGRAPHS):
            return f" {char} "
        return char


class _WithoutMarks(_Translation):
    """Combining marks go, which after decomposition are the accents."""

    def replacement(self, char: str) -> str:
        return "" if unicodedata.category(char) == "Mn" else char


class _SplitPunctuation(_Translation):
    """Punctuation stands alone; so do all ASCII symbols."""

    def replacement(self, char: str) -> str:
        if unicodedata.category(char)[0] == "P" or (char.isascii() and _is_ascii_symbol(char)):
            return f" {char} "
        return char


def _is_ascii_symbol(char: str) -> bool:
    return "!" <= char <= "~" and not char.isalnum()


class WordPiece:
    """The tokenizer in `tokenizer.json`. Raises `UnsupportedTokenizerError` if it is of another kind.

    `max_tokens` counts the two special tokens; `encode` cuts what is longer.
    """

    def __init__(self, path: str, max_tokens: int) -> None:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        self._path = path
        self._max_tokens = max_tokens
        self._exact: Any = None
        model, normalizer = config.get("model") or {}, config.get("normalizer") or {}
        _require(model.get("type") == "WordPiece", "its model is not WordPiece")
        _require(normalizer.get("type") == "BertNormalizer", "its normalizer is not BERT's")
        pre_tokenizer = (config.get("pre_tokenizer") or {}).get("type")
        _require(pre_tokenizer == "BertPreTokenizer", "its pre-tokenizer is not BERT's")
        added = config.get("added_tokens") or []
        _require(all(token.get("special") for token in added), "it adds tokens to the vocabulary")

        self._vocabulary: dict[str, int] = model["vocab"]
        self._unknown = self._vocabulary[model["unk_token"]]
        self._continuation: str = model["continuing_subword_prefix"]
        self._longest_word: int = model["max_input_chars_per_word"]
        self._first, self._last = _frame(config.get("post_processor") or {})
        lowercase, strip = normalizer["lowercase"], normalizer["strip_accents"]
        self._lowercase: bool = lowercase
        self._strip_accents: bool = lowercase if strip is None else strip
        self._cleaned = _Cleaned(normalizer["clean_text"], normalizer["handle_chinese_chars"])
        self._without_marks = _WithoutMarks()
        self._split = _SplitPunctuation()

    def encode(self, text: str) -> list[int]:
        """Ids of `text` between the special tokens, at most `max_tokens` in all."""
        if not _AGREED.fullmatch(text):
            text = "".join(char for char in text if not "\ud800" <= char <= "\udfff")
            return self._encode_exactly(text)
        room = self._max_tokens - 2
        ids: list[int] = []
        for word in self._normalise(text).translate(self._split).split():
            ids += self._pieces(word)
            if len(ids) >= room:
                break
        return [self._first, *ids[:room], self._last]

    def _normalise(self, text: str) -> str:
        text = text.translate(self._cleaned)
        if not text.isascii():
            if self._strip_accents:
                text = unicodedata.normalize("NFD", text).translate(self._without_marks)
            if self._lowercase:
                # str.lower turns a sigma at the end of a word into its final form; BERT does not.
                text = text.replace("Σ", "σ")
        return text.lower() if self._lowercase else text

    def _pieces(self, word: str) -> list[int]:
        """The longest known prefix, again and again; one unknown piece makes the word unknown."""
        whole = self._vocabulary.get(word)
        if len(word) > self._longest_word:
            return [self._unknown]
        if whole is not None:
            return [whole]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = self._continuation if start else ""
            for end in range(len(word), start, -1):
                piece = self._vocabulary.get(prefix + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return [self._unknown]
        return pieces

    def _encode_exactly(self, text: str) -> list[int]:
        if self._exact is None:
            self._exact = PackagedTokenizer(self._path, self._max_tokens)
        ids: list[int] = self._exact.encode(text)
        return ids


class PackagedTokenizer:
    """Any `tokenizer.json`, read by the tokenizers package; same methods as `WordPiece`."""

    def __init__(self, path: str, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(path)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._tokenizer.encode_special_tokens = True

    def encode(self, text: str) -> list[int]:
        """Ids of `text` with its special tokens, at most `max_tokens` in all."""
        ids: list[int] = self._tokenizer.encode(text).ids
        return ids


def open_tokenizer(path: str, max_tokens: int) -> WordPiece | PackagedTokenizer:
    """The fast tokenizer if `tokenizer.json` is BERT's WordPiece, the packaged one otherwise."""
    try:
        return WordPiece(path, max_tokens)
    except UnsupportedTokenizerError:
        return PackagedTokenizer(path, max_tokens)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise UnsupportedTokenizerError(otherwise)


def _frame(post_processor: dict[str, Any]) -> tuple[int, int]:
    """The ids before and after a text: [CLS] and [SEP]."""
    if post_processor.get("type") == "BertProcessing":
        return post_processor["cls"][1], post_processor["sep"][1]
    single = post_processor.get("single") or []
    names = [
        part["SpecialToken"]["id"] if "SpecialToken" in part else "Sequence" for part in single
    ]
    _require(
        post_processor.get("type") == "TemplateProcessing"
        and len(names) == 3
        and names.index("Sequence") == 1,
        "it does not put one special token on either side of a text",
    )
    first, last = (post_processor["special_tokens"][names[at]]["ids"] for at in (0, 2))
    _require(len(first) == len(last) == 1, "a special token of it has several ids")
    return first[0], last[0]
