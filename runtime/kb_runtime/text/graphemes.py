"""Finds the boundaries of grapheme clusters, where a text can be cut without splitting a character.

The rules are those of Unicode Standard Annex 29, from the properties that `unicodedata` has and a few ranges
that it lacks. Where a range is an approximation it is wider than the standard's: a cut may be refused
where the standard allows one, and never the other way round.
"""

from __future__ import annotations

import re

LONGEST_CLUSTER = 64
"""Code points of the longest cluster that a cut respects; longer ones are noise."""

# Below it every pair of code points but CR LF can be cut apart: combining marks begin there.
_FIRST_MARK = "\u0300"
_ZWJ = "\u200d"
# Extend without being a mark (category M*): ZWNJ, half-width voicing marks, skin tones, emoji tags.
_EXTEND = re.compile("[\u200c\uff9e-\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
_SPACING_VOWELS = "\u0e33\u0eb3"
# Signs that belong to the digit or letter behind them.
_PREPEND = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890-\u0891\u08e2\u0d4e\u1cf5-\u1cf6\U000110bd\U000110cd"
    "\U000111c2-\U000111c3\U000113d1\U0001193f\U00011941\U00011a3a\U00011a84-\U00011a89"
    "\U00011d46\U00011f02]"
)
# Emoji and the symbols among which they are: more than Extended_Pictographic.
_PICTOGRAPHS = re.compile("[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001fffd]")
# Canonical combining class of the signs that join consonants, in more scripts than the standard names.
_VIRAMA = 9
# Format characters of these categories stand alone, and so do controls and line separators.
_CONTROL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def is_boundary(text: str, index: int) -> bool:
    """Whether `text` can be cut between code points `index` - 1 and `index`; so it can at its ends."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before < _FIRST_MARK and after < _FIRST_MARK:
        return before != "\r" or after != "\n"  # GB3 to GB5, GB999
    if _is_control(before) or _is_control(after):
        return True  # GB4, GB5
    if _extends(after) or after in _SPACING_VOWELS:
        return False  # GB9, GB9a
    if _PREPEND.match(before) or _joins_syllable(before, after):
        return False  # GB9b, GB6 to GB8
    if _joins_consonants(text, index) or _joins_emoji(text, index):
        return False  # GB9c, GB11
    return not _parts_flag(text, index)  # GB12, GB13


def boundary_before(text: str, index: int, floor: int) -> int | None:
    """The last place above `floor`, at or before `index`, where `text` can be cut; None without one."""
    if index > floor and is_boundary(text, index):
        return index
    lowest = max(floor, index - LONGEST_CLUSTER)
    return next((at for at in range(index, lowest, -1) if is_boundary(text, at)), None)


def boundary_after(text: str, index: int) -> int:
    """The first place at or behind `index` where `text` can be cut; `index` inside a longer cluster."""
    if is_boundary(text, index):
        return index
    highest = min(index + LONGEST_CLUSTER, len(text))
    return next((at for at in range(index, highest + 1) if is_boundary(text, at)), index)


def _extends(char: str) -> bool:
    """Extend, ZWJ and the marks among SpacingMark, which `unicodedata` does not tell apart."""
    import unicodedata

    is_mark = unicodedata.category(char).startswith("M")
    return is_mark or char == _ZWJ or _EXTEND.match(char) is not None


def _is_control(char: str) -> bool:
    import unicodedata

    return (
        unicodedata.category(char) in _CONTROL
        and char != _ZWJ
        and not _EXTEND.match(char)
        and not _PREPEND.match(char)
    )


def _joins_syllable(before: str, after: str) -> bool:
    """Whether two jamo or syllables of Hangul are one syllable."""
    if after < "\u1100" or before < "\u1100":
        return False
    first, second = _jamo(before), _jamo(after)
    if first == "L":
        return second in ("L", "V", "LV", "LVT")
    if first in ("LV", "V"):
        return second in ("V", "T")
    return first in ("LVT", "T") and second == "T"


def _jamo(char: str) -> str:
    """Hangul_Syllable_Type: `L`, `V`, `T`, `LV`, `LVT`; empty for everything else."""
    if "\uac00" <= char <= "\ud7a3":
        return "LVT" if (ord(char) - 0xAC00) % 28 else "LV"
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    return "T" if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb" else ""


def _joins_consonants(text: str, index: int) -> bool:
    """Whether a virama stands before a letter."""
    import unicodedata

    if unicodedata.category(text[index]) != "Lo":
        return False
    at = index - 1
    while at >= 0 and _extends(text[at]):
        if unicodedata.combining(text[at]) == _VIRAMA:
            return True
        at -= 1
    return False


def _joins_emoji(text: str, index: int) -> bool:
    """Whether a ZWJ stands between two emoji."""
    if text[index - 1] != _ZWJ or not _PICTOGRAPHS.match(text[index]):
        return False
    at = index - 2
    while at >= 0 and text[at] != _ZWJ and _extends(text[at]):
        at -= 1
    return at >= 0 and _PICTOGRAPHS.match(text[at]) is not None


def _parts_flag(text: str, index: int) -> bool:
    """Whether `index` is inside a flag: a pair of regional indicators, counted from their first."""
    if not _is_regional(text[index]):
        return False
    first = index
    while first > 0 and _is_regional(text[first - 1]):
        first -= 1
    return (index - first) % 2 == 1


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
