"""Verbs in two parts and umlauts as two letters."""

from __future__ import annotations

import pytest

from kb_runtime.text.words.typed_german import parted_verbs, with_umlauts


@pytest.mark.parametrize(
    ("question", "word", "verb"),
    [
        ("Wie richte ich das Boot ein?", "richte", "einrichte"),
        ("wie lege ich ein neues Boot an", "lege", "anlege"),
        ("Was löst den Alarm aus, wenn das Boot sinkt?", "löst", "auslös"),
        ("Wie schalte ich es aus und wieder ein?", "schalte", "einschalte"),
        ("Wie richte ich das ein (am Heck)?", "richte", "einrichte"),
    ],
)
def test_a_verb_is_put_together(question: str, word: str, verb: str) -> None:
    assert verb in parted_verbs(question)[word]


def test_a_particle_that_is_repeated_makes_each_verb_once() -> None:
    assert parted_verbs("Boot " + "ein und " * 100) == {
        "Boot": ["einboot", "einboo"],
        "ein": ["einein"],
        "und": ["einund"],
    }


@pytest.mark.parametrize(
    "text", ["Boot an der Leine, ein Boot mit Segel", "Wo ist ein Boot? Ein Boot!"]
)
def test_articles_and_prepositions_are_no_part_of_a_verb(text: str) -> None:
    assert parted_verbs(text) == {}


@pytest.mark.parametrize(
    ("typed", "spelled"),
    [
        ("loeschen", "löschen"),
        ("Uebersicht", "Übersicht"),
        ("fuer", "für"),
        ("neue", ""),
        ("Steuer", ""),
        ("bauen", ""),
        ("quer", ""),
    ],
)
def test_umlauts_may_be_two_letters(typed: str, spelled: str) -> None:
    assert with_umlauts(typed) == spelled
