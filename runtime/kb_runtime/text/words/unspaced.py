"""Words of scripts that put no spaces between words, and of Korean, which writes endings onto them.

Without a dictionary, a run of such letters is searched by its overlapping pairs: about as well as by words
(Savoy, "Comparative study of monolingual and multilingual search models for use with Asian languages", 2005).
Pairs across scripts tell Japanese words apart, too (`使う`). Particles and endings of verbs are taken off
Korean words first, as far as two syllables are left.
"""

from __future__ import annotations

import re
from functools import cache

# Thai to Myanmar, Khmer, kana, Han, Hangul.
_SCRIPTS = (
    r"\u0e00-\u109f\u1100-\u11ff\u1780-\u17dd\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf"
    r"\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
UNSPACED = re.compile(rf"[{_SCRIPTS}\u3005-\u3007]+")
"""Runs of letters of such scripts, with the marks of repetition of Han and what is written like them."""
_HANGUL = re.compile(r"([\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]+)")
# Particles behind nouns, and the forms of 하다 and 되다 that make verbs of nouns (`설정하려면`: `설정`).
_ENDINGS = re.compile(
    r"(?<=..)(?:이라는|이라고|라는|라고|이란|에서는|에서도|에서|으로는|으로|로는|에게|부터|까지|에는|에도"
    r"|처럼|보다|마다|이나|들은|들을|들이|들의|들|은|는|이|가|을|를|의|에|로|와|과|도|만|란"
    r"|하는|하기|하고|하면|하여|하지|하려면|하려고|하게|하도록|해서|해야|하세요|합니다|합니까|했습니다|했다|한다|할|한|함|해"
    r"|되는|되면|되어|되지|됩니다|되었습니다|된다|될|된|됨)\Z"
)

FUNCTION_PAIRS = frozenset(
    """
    です ます でし まし ませ せん した して しな しま すか する すれ され れる られ れば れた たり たい
    たら いる いた いて いま いう ある あり あれ こと もの ため よう うに うな その この これ それ どの
    どう うや やっ って った から まで より など には では とは への での にも でも とし くだ ださ さい
    につ つい によ よる よっ なく ない なり なる なっ なら がら なが のよ にし とき ここ そこ どこ なに
    なぜ だけ おり おく てい てお しょ ょう でき きる きま べき ほか また まず
    어떻 떻게 무엇 엇인 인가 가요 나요 까요 합니 니다 습니 입니 됩니 하는 하기 하면 려면 하려 해야 하고
    하여 해서 하지 에서 으로 부터 까지 위해 위한 대해 대한 있는 있습 있다 없는 없습 것은 것을 것이 그리
    리고 또는
    """.split()  # noqa: SIM905
)
"""Pairs of Japanese and Korean that say nothing of the subject: auxiliary verbs, pronouns, particles.
To leave out those of Chinese changes nothing."""


@cache
def unspaced_earlier() -> re.Pattern[str]:
    """As `UNSPACED`, for indexes of the earlier recipe, in which such marks are other letters: few servers
    need it, and to compile it takes a millisecond."""
    return re.compile(rf"[{_SCRIPTS}]+")


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a folded run, of Korean words without their endings; a word of one letter is a
    term itself."""
    return [
        pair
        for at, part in enumerate(_HANGUL.split(run))
        if part
        for pair in pairs_of_letters(_ENDINGS.sub("", part) if at % 2 else part)
    ]


def pairs_of_letters(run: str) -> list[str]:
    """The overlapping pairs of a run as it is."""
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


def pieces(word: str, runs: re.Pattern[str] = UNSPACED) -> list[tuple[str, bool]]:
    """A word cut into runs of such scripts and what stands between them, with whether it is such a run."""
    found: list[tuple[str, bool]] = []
    at = 0
    for match in runs.finditer(word):
        if match.start() > at:
            found.append((word[at : match.start()], False))
        found.append((match[0], True))
        at = match.end()
    if at < len(word):
        found.append((word[at:], False))
    return found
