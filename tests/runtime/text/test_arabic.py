"""Words in Arabic letters: stems of Arabic ones, and forms of Persian ones."""

from __future__ import annotations

import pytest

from kb_runtime.search.analysis import fold
from kb_runtime.text.words.arabic import arabic_stem, joined_forms
from kb_runtime.text.words.persian import persian_forms


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


@pytest.mark.parametrize(
    ("word", "pages", "forms"),
    [
        ("قایق", "قایق\u200cهای قایق\u200cهای", "قایقهای"),
        ("قایق\u200cها", "قایق قایق\u200cها قایق", ""),  # one stem
        ("لنگری", "لنگر لنگر لنگری", "لنگر"),
        ("رود", "می\u200cرود", "میرود"),
        ("قایق", "قایق قایق\u200cهای", ""),  # the word itself is as frequent
        ("می", "می\u200cهای", ""),
    ],
)
def test_forms_of_a_persian_word_are_those_that_pages_prefer(
    word: str, pages: str, forms: str
) -> None:
    stems = [arabic_stem(fold(each)) for each in pages.split()]
    found = persian_forms(fold(word), arabic_stem, stems.count)
    assert set(found) == {arabic_stem(form) for form in forms.split()}
