from __future__ import annotations

import pytest

from kb_runtime.search.analysis import fold
from kb_runtime.text.words.slavic import czech_stem, polish_stem

CZECH = [
    "proměnná proměnné proměnných proměnnou",
    "řetězec řetězce řetězců řetězcem",
    "prvek prvku prvky prvků",
    "objekt objekty objektů objektech",
    "kopírování kopírovat kopírujeme",
    "zobrazit zobrazení",
    "okno okna oken",
    "událost události událostí událostmi",
    "třída třídy tříd třídou",
]
POLISH = [
    "zmienna zmiennych zmiennej",
    "obiekt obiektów obiektami",
    "funkcja funkcji funkcje",
    "hasło hasła haseł",
    "ścieżka ścieżek ścieżki",
    "testowanie testować testy",
    "użytkownik użytkowników użytkownikiem",
    "połączenie połączenia połączeń",
]


@pytest.mark.parametrize("forms", CZECH)
def test_forms_of_a_czech_word_have_one_stem(forms: str) -> None:
    assert len({czech_stem(fold(form)) for form in forms.split()}) == 1


@pytest.mark.parametrize("forms", POLISH)
def test_forms_of_a_polish_word_have_one_stem(forms: str) -> None:
    assert len({polish_stem(fold(form)) for form in forms.split()}) == 1


def test_other_words_have_other_stems() -> None:
    czech = ["forma", "format", "token", "okno", "objekt", "obor"]
    polish = ["forma", "format", "plik", "obiekt", "tablica", "tabela"]
    assert len(set(map(czech_stem, czech))) == len(set(map(polish_stem, polish))) == 6


@pytest.mark.parametrize("word", ["a", "na", "css", "utf8", "x86"])
def test_short_words_and_names_with_digits_stay(word: str) -> None:
    assert czech_stem(word) == polish_stem(word) == word
