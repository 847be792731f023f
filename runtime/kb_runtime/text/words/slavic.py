"""Light stemmers for Czech and Polish: the endings of cases, then those that make nouns and verbs of verbs.

After Dolamic and Savoy (Indexing and stemming approaches for the Czech language, 2009), without what changes
inside a word but a vowel that comes and goes (`prvek`, `prvku`; `ścieżka`, `ścieżek`). Words are folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# With the least letters in front of them.
_CZECH_CASES = (
    r"(?<=...)(?:atech|etem|atum|ech|ich|iho|eho|emi|emu|imu|omu|ete|eti|ami|ymi|imi|ych|ove|ovi|ata|aty|ama"
    r"|em|es|im|um|am|ym|mi|ou)|(?<=..)[aeiouy]"
)
_CZECH_VERBS = (
    r"(?<=...)(?:ova(?:vat|vani|van|ni|n|t|la|lo|li|ly|l|teln)|uj(?:em|et|es|ic)?)"
    r"|(?<=.....)(?:[aei]n|[ai]t|[aei]l)"
)
_POLISH_CASES = (
    r"(?<=...)(?:iami|iach|iego|iemu|iej|iom|ami|ach|owi|ego|emu|ymi|imi|ych|ich|ow|om|iem|em|ej|ym|im"
    r"|ia|ie|iu|io|mi)|(?<=..)[aeiouy]"
)
_POLISH_VERBS = (
    r"(?<=...)(?:owa(?:n|ni|c|l|la|lo|li|ly|wcz)|uj(?:em|eci|esz|ac)?)"
    r"|(?<=.....)(?:[ae]ni|[aei]c|yc|[aei]l|[ae]n)"
)
# `prvek`, `retezec`, `sciezek`, `oken`: the vowel is in none of the other cases.
_MOVABLE = re.compile(r"(?<=[^aeiouy])e(?=[kcln]\Z)")


def _light(cases: str, verbs: str) -> Callable[[str], str]:
    case, verb = re.compile(rf"(?:{cases})\Z"), re.compile(rf"(?:{verbs})\Z")

    def stem(word: str) -> str:
        if len(word) < 4 or not word.isalpha():
            return word
        return _MOVABLE.sub("", verb.sub("", case.sub("", word)))

    return stem


czech_stem = _light(_CZECH_CASES, _CZECH_VERBS)
polish_stem = _light(_POLISH_CASES, _POLISH_VERBS)
