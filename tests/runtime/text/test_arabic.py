"""Stems of Arabic words."""

from __future__ import annotations

import pytest

from kb_runtime.search.analysis import fold
from kb_runtime.text.words.arabic import arabic_stem, joined_forms


@pytest.mark.parametrize(
    "forms",
    [
        "متغير متغيرا المتغير متغيرات المتغيرات بالمتغير والمتغيرات للمتغير متغيرين متغيره متغيرها",
        "قيمة القيمة قيمته قيمتها القيم قيمتين للقيمة",
        "دالة الدالة دالتين بالدالة للدالة",
        "كائن الكائن كائنات للكائن كائنا كائنين",
        "مكوّن مكوناتها المكونات",
        "وحدة وحدات الوحدات",
        "وعود الوعود وعودا",
        "تلقائي تلقائيا التلقائية",
        "وقت الوقت وقته",
        "نص النص النصية",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({arabic_stem(fold(form)) for form in forms.split()}) == 1


@pytest.mark.parametrize("words", ["واجهة جهة", "وظيفة ظرف", "هنا هي", "خطأ خط", "بيان بيت"])
def test_other_words_have_other_stems(words: str) -> None:
    one, other = words.split()
    assert arabic_stem(fold(one)) != arabic_stem(fold(other))


def test_what_is_written_onto_a_word_is_told_by_the_collection() -> None:
    counts = {"تاخير": 3, "بتاخير": 1, "برنامج": 5, "رنامج": 0}

    def count(stem: str) -> int:
        return counts.get(stem, 0)

    assert joined_forms("تاخير", count) == ("بتاخير",)
    assert joined_forms("بتاخير", count) == ("تاخير",)
    assert joined_forms("برنامج", count) == ()
