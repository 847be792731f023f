"""Stems of folded words, whose endings a stemmer knows by their accents."""

from __future__ import annotations

import pytest

from kb_runtime.search.analysis import EARLIER, Analyzer, fold

FORMS = {
    "fr": ["utilisé utilisée utilisés utilisées utiliser", "première premières premier"],
    "pt": ["configuração configurações configurar", "variável variáveis", "expressão expressões"],
    "tr": [
        "dosya dosyayı dosyanın dosyalar dosyaları",
        "fonksiyonlar fonksiyonları",
        "sözlük sözlüğü sözlükler",
        "örnek örneği örneğin",
        "modül modülü modüller",
        "metot metotlar",
    ],
}


@pytest.mark.parametrize(
    ("language", "forms"), [(code, forms) for code, listed in FORMS.items() for forms in listed]
)
def test_forms_of_a_word_have_one_stem_with_and_without_accents(language: str, forms: str) -> None:
    analyzer = Analyzer([language])
    words = forms.split()
    assert len({analyzer.prose(word)[0][0] for word in words}) == 1
    assert len({analyzer.prose(fold(word))[0][0] for word in words}) == 1


def test_stems_are_folded() -> None:
    assert Analyzer(["tr"]).prose("sözlüğü") == Analyzer(["tr"]).prose("sozlugu") == [("sozluk", 0)]
    assert Analyzer(["fr"]).prose("idée") == Analyzer(["fr"]).prose("idee")


def test_an_index_of_the_earlier_recipe_keeps_its_stems() -> None:
    assert Analyzer(["pt"], EARLIER).prose("configuração") == [("configuraca", 0)]
