from __future__ import annotations

import pytest

from kb_runtime.text.words.spellings import other_spelling


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("neighbour", "neighbor"),
        ("behavioural", "behavioral"),
        ("favourites", "favorites"),
        ("coloured", "colored"),
        ("initialise", "initialize"),
        ("serialisation", "serialization"),
        ("analyser", "analyzer"),
        ("licence", "license"),
        ("centre", "center"),
    ],
)
def test_a_word_has_another_spelling_across_the_ocean(british: str, american: str) -> None:
    assert other_spelling(british) == american
    assert other_spelling(american) == british


@pytest.mark.parametrize(
    "word", ["for", "your", "four", "size", "wise", "analysis", "sort", "", "or"]
)
def test_words_that_are_spelled_alike_have_none(word: str) -> None:
    assert other_spelling(word) == ""
