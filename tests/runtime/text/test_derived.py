"""Other forms of words, as a collection has them."""

from __future__ import annotations

import pytest

from kb_runtime.search.analysis import Analyzer, fold
from kb_runtime.text.words.derived import derived_forms


def forms_of(word: str, language: str, collection: str) -> set[str]:
    """The words of a collection that are other forms of a word."""
    analyzer = Analyzer([language])
    stems = {analyzer.stem(fold(other), language): other for other in collection.split()}
    own = analyzer.stem(fold(word), language)
    return {stems[form] for form in derived_forms(own, language, lambda stem: int(stem in stems))}


@pytest.mark.parametrize(
    ("word", "language", "forms", "others"),
    [
        ("удалить", "ru", "удалять удаление", "удача дальний"),
        ("загрузка", "ru", "загрузить загружать загруженный", "груз"),
        ("настройка", "ru", "настроить настраивать", "строить построить"),
        ("обработка", "ru", "обработать обрабатывать", "работа"),
        ("запустить", "ru", "запуск запущенный", "пустой"),
        ("тест", "ru", "тестирование тестировать", "текст"),
        ("задание", "ru", "", "задний здание"),
        ("konfigurieren", "de", "konfiguriert Konfiguration", "Figur"),
        ("prüfen", "de", "prüft Prüfung", "Spruch"),
        ("Speicherung", "de", "speichern speichert", "Spiegel"),
        ("Zeile", "de", "", "Zeitung Zeit"),
        ("عنصر", "ar", "العناصر", "مصدر"),
        ("القوائم", "ar", "قائمة", "قيمة"),
        ("مشاريع", "ar", "المشروع", "شرط"),
        ("أسجل", "ar", "تسجيل يسجل", "جدول"),
        ("استخدام", "ar", "يستخدم تستخدم", "خادم"),
        ("إضافة", "ar", "يضيف", "ضعيف"),
        ("التغيير", "ar", "تتغير يغير", "صغير"),
        ("delete", "en", "", "deleted deletion"),
    ],
)
def test_forms_that_a_stemmer_keeps_apart_are_found(
    word: str, language: str, forms: str, others: str
) -> None:
    found = forms_of(word, language, f"{word} {forms} {others}")
    assert found == set(forms.split())
