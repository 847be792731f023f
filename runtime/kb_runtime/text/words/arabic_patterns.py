"""Forms of an Arabic word that differ inside it: broken plurals (`عنصر`, `عناصر`), and verbs with the nouns
of what they do (`يسجل`, `تسجيل`; `يستخدم`, `استخدام`).

In patterns, numbers stand for the letters of the root. Words are light stems: folded, without article and
endings, so that `قائمة` is `قايم`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

# Singular and plural.
_PLURALS = (
    ("123", "ا12ا3"),  # صنف اصناف
    ("123", "12و3"),  # حقل حقول
    ("1234", "12ا34"),  # عنصر عناصر
    ("1ا23", "1وا23"),  # قالب قوالب
    ("12ي3", "12اي3"),  # وظيفة وظائف
    ("12ا3", "12اي3"),  # رسالة رسائل
    ("12ي3", "123اء"),  # عميل عملاء
    ("123ا4", "12ا3ي4"),  # مفتاح مفاتيح
    ("123و4", "12ا3ي4"),  # مشروع مشاريع
    ("123ي4", "12ا3ي4"),  # تقرير تقارير
    ("1ا2و3", "1وا2ي3"),  # فاتورة فواتير
)
# A verb in the present without its prefix, and the noun of what it does.
_NOUNS = (
    ("123", "123"),  # يعرض عرض
    ("123", "ت12ي3"),  # يسجل تسجيل
    ("123", "ا12ا3"),  # يرسل ارسال
    ("1ي2", "ا1ا2"),  # يضيف اضافة
    ("12", "ا12اء"),  # ينشئ انشاء
    ("1ا23", "م1ا23"),  # يعالج معالجة
    ("ت123", "ت123"),  # يتغير تغير
    ("ت123", "ت12ي3"),  # يتغير تغيير
    ("1234", "ا123ا4"),  # ينتقل انتقال
    ("ست123", "است12ا3"),  # يستخدم استخدام
    ("ست1ي2", "است1ا2"),  # يستعيد استعادة
)
_PREFIXES = ("ي", "ت", "ن", "ا")
_LONGEST = 7


_Rules = tuple[tuple[re.Pattern[str], str], ...]


@cache
def _rules() -> tuple[_Rules, _Rules, _Rules]:
    """Between singular and plural, from verb to noun, and from noun to verb."""
    turned = tuple((other, one) for one, other in _PLURALS)
    verbs = tuple((other, one) for one, other in _NOUNS)
    return _compiled(_PLURALS + turned), _compiled(_NOUNS), _compiled(verbs)


def _compiled(pairs: tuple[tuple[str, str], ...]) -> _Rules:
    return tuple(
        (re.compile(re.sub(r"\d", "(.)", one)), re.sub(r"\d", r"\\g<\g<0>>", other))
        for one, other in pairs
    )


def arabic_forms(stem: str) -> Iterator[str]:
    """All forms that a stem may have, most of which are no words."""
    if not 3 <= len(stem) <= _LONGEST:
        return
    numbers, nouns, verbs = _rules()
    yield from _by(numbers, stem)
    present = [stem[1:]] if stem.startswith(_PREFIXES) else []
    for verb in present:
        yield from _by(nouns, verb)
    for verb in (*present, *_by(verbs, stem)):
        yield from (prefix + verb for prefix in _PREFIXES if len(verb) >= 3)


def _by(rules: _Rules, word: str) -> Iterator[str]:
    for pattern, other in rules:
        if found := pattern.fullmatch(word):
            yield found.expand(other)
