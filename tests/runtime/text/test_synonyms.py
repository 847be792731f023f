from __future__ import annotations

import pytest

from kb_runtime.search.analysis import RECIPE, Analyzer, Language, fold
from kb_runtime.search.query import analyse
from kb_runtime.text.words.prose_synonyms import prose_synonyms
from kb_runtime.text.words.synonyms import synonyms


def test_the_words_of_a_group_stand_for_each_other() -> None:
    found = synonyms(str.lower)
    assert "exclude" in found["remove"]
    assert "remove" in found["exclude"]


def test_a_word_of_several_groups_has_the_others_of_all() -> None:
    assert {"sum", "append"} <= {*synonyms(str.lower)["add"]}


def test_words_with_the_same_stem_are_no_synonyms() -> None:
    found = synonyms(lambda word: word[:6])
    assert "intersection" not in found["inters"]
    assert "common" in found["inters"]


@pytest.mark.parametrize(
    ("query", "language", "others"),
    [
        ("Kennwort", "de", "Passwort"),
        ("Passwörter", "de", "Kennwort"),
        ("Begrenzung", "de", "einschränken"),  # a form of `begrenzen`
        ("отключение", "ru", "выключить"),
        ("حذف", "ar", "إزالة"),
        ("delete", "en", ""),
        ("Segel", "de", ""),
    ],
)
def test_words_of_prose_have_others_in_some_languages(
    query: str, language: str, others: str
) -> None:
    analyzer = Analyzer([language])
    (term,) = analyse(query, analyzer).terms
    assert {analyzer.stem(fold(other)) for other in others.split()} <= set(term.meant)
    assert bool(term.meant) == bool(others)


@pytest.mark.parametrize("language", ["ar", "de", "ru"])
def test_no_group_of_prose_is_one_stem(language: str) -> None:
    own = Language(language, RECIPE)
    found = prose_synonyms(language, lambda word: own.stem(fold(word)))
    assert found
    assert all(found.values())
