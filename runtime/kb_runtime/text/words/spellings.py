"""How an English word is spelled in Britain, where America spells it otherwise, and the other way round; and
verbs with a particle, which are one word where they are nouns (`log in`, `login`).

Stemmers keep both apart (`neighbour`, `neighbor`), and so do typo corrections, as both are words of many
collections. A spelling that is no word (`editour`, `goin`) occurs nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_AFTER_OUR = r"(?=(?:s|ed|ing|ings|able|al|ally|hood|hoods|ful|fully|less|ites?)?\Z)"
_AFTER_ISE = r"(?=(?:e|es|ed|er|ers|ing|able|ations?)\Z)"
_BY_ENDING = (
    (re.compile(rf"(?<=[a-z]{{2}})our{_AFTER_OUR}"), "or"),
    (re.compile(rf"(?<=[a-z]{{2}})or{_AFTER_OUR}"), "our"),
    (re.compile(rf"(?<=[a-z]{{3}})is{_AFTER_ISE}"), "iz"),
    (re.compile(rf"(?<=[a-z]{{3}})iz{_AFTER_ISE}"), "is"),
    (re.compile(rf"(?<=[a-z]{{3}})ys{_AFTER_ISE}"), "yz"),
    (re.compile(rf"(?<=[a-z]{{3}})yz{_AFTER_ISE}"), "ys"),
)
"""`colour`, `serialise`, `analyse`: an ending, and what stands for it in the other spelling."""

_PAIRS = (
    ("acknowledgement", "acknowledgment"), ("analogue", "analog"), ("artefact", "artifact"),
    ("catalogue", "catalog"), ("centre", "center"), ("defence", "defense"), ("dialogue", "dialog"),
    ("fibre", "fiber"), ("fulfil", "fulfill"), ("grey", "gray"), ("judgement", "judgment"),
    ("licence", "license"), ("litre", "liter"), ("metre", "meter"), ("offence", "offense"),
    ("programme", "program"), ("theatre", "theater"),
)  # fmt: skip
_OTHER = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}

_WITH_PARTICLE = re.compile(
    r"(?<![\w.-])([a-z]{2,})[ -](away|back|by|down|in|off|on|out|over|through|up)(?![\w.-]*\w)",
    re.IGNORECASE,
)


def nouns_of_verbs(text: str, stem: Callable[[str], str]) -> dict[str, list[str]]:
    """The words of a question that a particle follows, each with the nouns that both may be: of `Logging in
    fails` `Logging` with `login`."""
    found: dict[str, list[str]] = {}
    for word, particle in dict.fromkeys(_WITH_PARTICLE.findall(text)):
        found.setdefault(word, []).append(stem(word.lower()) + particle.lower())
    return found


def other_spelling(word: str) -> str:
    """`color` of `colour` and back, of a word in lower case; "" of a word that both spell alike."""
    if other := _OTHER.get(word) or _OTHER.get(word.removesuffix("s")):
        return other
    return next((found.sub(with_, word) for found, with_ in _BY_ENDING if found.search(word)), "")
