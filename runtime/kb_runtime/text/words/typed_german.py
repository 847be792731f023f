"""German as questions have it and pages have not: verbs in two parts (`Wie richte ich es ein?`, `einrichten`)
and umlauts as two letters (`loeschen`)."""

from __future__ import annotations

import re

_PARTICLES = (
    "ab|an|auf|aus|bei|durch|ein|fest|frei|her|heraus|herunter|hervor|hin|hinaus|hinein|hinzu|hoch|los|mit|nach"
    "|raus|rein|runter|über|um|unter|vor|weg|weiter|wieder|zu|zurück|zusammen"
)
# Where a clause ends: elsewhere most particles are prepositions and articles.
_AFTER = r"(?=\s*(?:\Z|\b(?:und|oder|wenn|damit|ohne|bevor|falls|weil|dass)\b))"
_AT_END = re.compile(rf"\b({_PARTICLES}){_AFTER}", re.IGNORECASE)
_CLAUSE = re.compile(r"[.,;:?!()\n]")
_WORD = re.compile(r"[^\W\d_]+")
# Not `neue`, `Steuer`, `quer`.
_DIGRAPH = re.compile(r"(?<![aeouq])([aou])e", re.IGNORECASE)
_UMLAUTS = dict(zip("aouAOU", "äöüÄÖÜ", strict=True))


def parted_verbs(text: str) -> dict[str, list[str]]:
    """The words of a question that may be the first part of a verb, each with the verbs that it then is:
    `löst ... aus` is `auslöst` or a form of `auslösen`."""
    found: dict[str, dict[str, None]] = {}
    for clause in _CLAUSE.split(text):
        # Where a particle stands several times, the last has all words before the others, too.
        last = {particle[1].lower(): particle.start() for particle in _AT_END.finditer(clause)}
        for particle, end in last.items():
            for word in _WORD.findall(clause[:end]):
                verb = particle + word.lower()
                found.setdefault(word, {}).update({verb: None, verb.removesuffix("t"): None})
    return {word: list(verbs) for word, verbs in found.items()}


def with_umlauts(word: str) -> str:
    """`löschen` of `loeschen`; "" of a word that is spelled with none."""
    spelled = _DIGRAPH.sub(lambda letters: _UMLAUTS[letters[1]], word)
    return "" if spelled == word else spelled
