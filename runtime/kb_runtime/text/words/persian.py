"""Forms of a Persian word. Its plurals, articles and the prefix of verbs stand apart, are joined to it by a
character without width, or are written together: `دکمه ها`, `دکمه‌ها`, `دکمه‌های`; `می شود`, `می‌شود`.

Indexes have the words as they are written, with the stems of Arabic, whose letters they are in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

_ENDINGS = ("هایی", "های", "ها", "ای", "ی")
_PREFIXES = ("نمی", "می")
# Of a shorter rest these letters are a part (`بازی`).
_MIN_REST = 3


def persian_forms(
    word: str, stem: Callable[[str], str], count: Callable[[str], int]
) -> tuple[str, ...]:
    """The stems of other forms of a folded word that a collection has more often than the word. `stem` gives
    that of a word, `count` says how often a stem occurs."""
    own = stem(word)
    known = count(own)
    stems = dict.fromkeys(map(stem, _spellings(word)))
    return tuple(other for other in stems if other != own and count(other) > known)


def _spellings(word: str) -> Iterator[str]:
    bases = [word]
    bases += (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    bases += (word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix))
    for base in bases:
        if len(base) >= _MIN_REST:
            yield base
            yield from (base + ending for ending in _ENDINGS)
            yield from (prefix + base for prefix in _PREFIXES)
