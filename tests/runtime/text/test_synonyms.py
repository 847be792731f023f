from __future__ import annotations

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
