"""The languages that a page can state, and the tags that state them."""

from __future__ import annotations

from kb_runtime.text.languages import STEMMERS, UNKNOWN_IN_LATIN

LANGUAGES = (*STEMMERS, UNKNOWN_IN_LATIN)
"""What can be said of a page."""
_OTHERS_IN_LATIN = frozenset([
    "af", "az", "bs", "ca", "cy", "eo", "et", "eu", "fil", "fo", "fy", "ga", "gd", "gl", "ha",
    "hr", "ht", "id", "ig", "is", "jv", "ku", "lb", "lt", "lv", "mg", "mi", "ms", "mt", "oc",
    "qu", "rm", "rw", "sk", "sl", "sm", "sn", "so", "sq", "st", "su", "sw", "tk", "tl", "tn", "uz",
    "vi", "wo", "xh", "yo", "zu",
])  # fmt: skip
"""Codes of ISO 639 of languages in Latin letters that have no stemmer here."""
_NORWEGIAN = frozenset({"nb", "nn"})  # tagged as what it is written in


def language_of_tag(tag: str) -> str:
    """The language that a tag such as `de-AT` or `pt_BR` names, one of `LANGUAGES`. Empty for what is no tag,
    and for other letters than Latin ones, which say it themselves."""
    tag = tag.strip().replace("_", "-").lower()
    code = tag.partition("-")[0]
    if code in _OTHERS_IN_LATIN or tag == UNKNOWN_IN_LATIN.lower():
        return UNKNOWN_IN_LATIN
    code = "no" if code in _NORWEGIAN else code
    return code if code in STEMMERS else ""
