from __future__ import annotations

import pytest

from kb_runtime.text.words.spellings import nouns_of_verbs, other_spelling


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


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how do I log in", {"log": ["login"]}),
        ("Logging In fails, backing up too", {"Logging": ["login"], "backing": ["backup"]}),
        ("built-in types", {"built": ["builtin"]}),
        ("log in.txt, x.log in, log.in", {}),
    ],
)
def test_a_verb_with_a_particle_may_be_a_noun(query: str, expected: dict[str, list[str]]) -> None:
    stems = {"logging": "log", "backing": "back"}
    assert nouns_of_verbs(query, lambda word: stems.get(word, word)) == expected
