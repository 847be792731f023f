"""Anchors of headings, as GitHub numbers them."""

from __future__ import annotations

import unicodedata


def slug(title: str) -> str:
    """GitHub's anchor of a heading before numbering: lower case, letters, marks, digits, `_` and
    `-` kept, each space a hyphen."""
    kept = (
        char
        for char in title.strip().lower()
        if char in "- " or unicodedata.category(char)[0] in "LM" or _is_word_sign(char)
    )
    return "".join(kept).replace(" ", "-")


class Anchors:
    """Numbers repeated anchors as GitHub does: `a`, `a-1`, `a-2`; a taken number is skipped."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def next(self, title: str) -> str:
        original = anchor = slug(title)
        while anchor in self._seen:
            self._seen[original] += 1
            anchor = f"{original}-{self._seen[original]}"
        self._seen[anchor] = 0
        return anchor


def _is_word_sign(char: str) -> bool:
    return unicodedata.category(char) in ("Nd", "Nl", "Pc")
