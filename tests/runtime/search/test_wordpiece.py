from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from kb_runtime.search.wordpiece import (
    PackagedTokenizer,
    UnsupportedTokenizerError,
    WordPiece,
    open_tokenizer,
)
from kbc.encoding.model import resolve_model

PATH = str(resolve_model().tokenizer_path)
NO_LIMIT = 1_000_000
WORDPIECE = WordPiece(PATH, NO_LIMIT)


def packaged() -> Any:
    tokenizer = Tokenizer.from_file(PATH)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


PACKAGED = packaged()

LIMITED = {limit: (WordPiece(PATH, limit), PackagedTokenizer(PATH, limit)) for limit in (3, 4, 9)}

# Any character, and more often the ones that the normaliser and the splitter treat specially.
special = st.sampled_from(
    "ΑΣΣςİıßÉé\u0301\u0308漢字かなカナ한국어😀👩‍💻\u200d\ufe0f\u00ad\u200b\ufeff\x00\x1f\x85\u00a0\u2028\t\r\n"
    " ''\"_-—…¿$+<=>^`|~©"
)
words = st.sampled_from(["setToMap", "nondet_x", "[CLS]", "[MASK]", "##s", "HTTPServer", "x" * 101])
characters = st.characters(exclude_categories=["Cs"])
texts = st.lists(st.one_of(special, words, characters, st.text("abcdeX09 .", max_size=8))).map(
    "".join
)


@given(texts)
@example("x" * 100)
@example("x" * 101)
@example("e\u0301" * 60)
@example("नमस्ते दुनिया")
@example("the [SEP] of [PAD] and [UNK]")
def test_ids_equal_those_of_the_tokenizers_package(text: str) -> None:
    assert WORDPIECE.encode(text) == PACKAGED.encode(text).ids


def test_every_character_is_read_as_the_tokenizers_package_reads_it() -> None:
    step = 16  # characters in one text, each between letters and before an accent
    for start in range(0, 0x110000, step):
        if 0xD800 <= start < 0xE000 or 0x40000 <= start < 0xE0000:  # surrogates, empty planes
            continue
        text = "".join(f"a{chr(code)}b {chr(code)}\u0301 " for code in range(start, start + step))
        assert WORDPIECE.encode(text) == PACKAGED.encode(text).ids, hex(start)


@pytest.mark.parametrize("limit", LIMITED)
@given(text=texts)
def test_long_text_is_cut_as_the_tokenizers_package_cuts_it(limit: int, text: str) -> None:
    wordpiece, packaged_tokenizer = LIMITED[limit]
    assert wordpiece.encode(text) == packaged_tokenizer.encode(text)
    assert len(wordpiece.encode(text)) <= limit


def test_lone_surrogates_are_dropped() -> None:
    assert WORDPIECE.encode("map\ud800 of\udfff sets") == WORDPIECE.encode("map of sets")
    assert WORDPIECE.encode("नम\ud800स्ते") == WORDPIECE.encode("नमस्ते")


def test_common_text_does_not_load_the_tokenizers_package() -> None:
    program = (
        "import sys; from kb_runtime.search.wordpiece import open_tokenizer;"
        f"open_tokenizer({PATH!r}, 256).encode('Größe der Menge: 集合 😀 «quote» [MASK]');"
        "sys.exit('tokenizers' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    environment = {"PYTHONPATH": str(root / "runtime"), "PYTHONIOENCODING": "utf-8"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


Change = Callable[[dict[str, Any]], object]


def changed(tmp_path: Path, change: Change) -> str:
    config = json.loads(Path(PATH).read_text(encoding="utf-8"))
    change(config)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "settings",
    [
        {"lowercase": False},
        {"lowercase": False, "strip_accents": True},
        {"strip_accents": False},
        {"handle_chinese_chars": False},
        {"clean_text": False},
    ],
)
def test_other_settings_of_the_normaliser_are_followed(
    settings: dict[str, bool], tmp_path: Path
) -> None:
    path = changed(tmp_path, lambda config: config["normalizer"].update(settings))
    wordpiece, reference = WordPiece(path, 64), PackagedTokenizer(path, 64)
    for text in ("Größe ΑΣ Éa e\u0301", "集合set", "a\x00b\u200bc\x85d", "İI ǅ", "tab\there"):
        assert wordpiece.encode(text) == reference.encode(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config["model"].update(type="WordLevel"),
        lambda config: config["normalizer"].update(type="Lowercase"),
        lambda config: config.update(normalizer=None),
        lambda config: config.update(pre_tokenizer={"type": "Whitespace"}),
        lambda config: config.update(post_processor=None),
        lambda config: (
            config["post_processor"]["single"].reverse() or config["post_processor"]["single"].pop()
        ),
        lambda config: config["added_tokens"].append({"content": "kbc", "special": False}),
    ],
)
def test_another_kind_of_tokenizer_is_refused(change: Change, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedTokenizerError):
        WordPiece(changed(tmp_path, change), 64)


def test_another_kind_of_tokenizer_is_left_to_the_package(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.BPE({"<s>": 0, "</s>": 1, "a": 2, "b": 3, "ab": 4}, [("a", "b")]))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    opened = open_tokenizer(str(path), 5)
    assert opened.encode("AB ba") == [0, 4, 3, 2, 1]
    assert opened.encode("ab ab ab ab") == [0, 4, 4, 4, 1]


def test_bert_processing_is_read_like_a_template(tmp_path: Path) -> None:
    processor = {"type": "BertProcessing", "sep": ["[SEP]", 102], "cls": ["[CLS]", 101]}
    path = changed(tmp_path, lambda config: config.update(post_processor=processor))
    assert WordPiece(path, 64).encode("map of sets") == WORDPIECE.encode("map of sets")
