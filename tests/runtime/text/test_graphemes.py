"""Cuts are those of Unicode Standard Annex 29, as the library `regex` implements it."""

from __future__ import annotations

import itertools

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.text.graphemes import (
    LONGEST_CLUSTER,
    boundary_after,
    boundary_before,
    is_boundary,
)

CLUSTERS = (
    "a",
    " ",
    "\r\n",
    "\n",
    "e\u0301",  # combining acute
    "e\u0301\u0323",
    "\U0001f1e9\U0001f1ea",  # flags
    "\U0001f1eb\U0001f1f7",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # flag of England
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # family
    "\U0001f44d\U0001f3fd",  # skin tone
    "\U0001f469\U0001f3fd\u200d\U0001f680",  # profession with a skin tone
    "\u2764\ufe0f\u200d\U0001f525",  # variation selector and joiner
    "1\ufe0f\u20e3",  # keycap
    "\u0928\u093f",  # Devanagari with a vowel sign
    "\u0915\u094d\u0937",  # Devanagari conjunct
    "\u0e01\u0e33",  # Thai
    "\uac00\u11a8",  # Hangul syllable and final
    "\u1112\u1161\u11ab",  # conjoining jamo
    "\u06dd\u0661",  # sign before a digit
    "\uff76\uff9e",  # half-width voicing mark
    "\u200b",  # zero width space, which is a control
    "\u05e9\u05c1",  # Hebrew point
)

CODE_POINTS = sorted({*"".join(CLUSTERS)})
# Where these stand beside other scripts more is kept together than the standard asks for.
INDIC_SIGNS = "\u093f\u094d"


def clusters(text: str) -> list[str]:
    """`text` at every place where it can be cut."""
    places = [at for at in range(len(text) + 1) if is_boundary(text, at)]
    return [text[start:end] for start, end in itertools.pairwise(places)]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_cluster_is_whole_by_itself(cluster: str) -> None:
    assert clusters(cluster) == [cluster]
    assert regex.findall(r"\X", cluster) == [cluster]


@given(st.lists(st.sampled_from(CLUSTERS), max_size=12))
def test_texts_are_cut_into_their_clusters(parts: list[str]) -> None:
    text = "".join(parts)
    assert clusters(text) == regex.findall(r"\X", text)


@given(
    st.text(st.sampled_from([one for one in CODE_POINTS if one not in INDIC_SIGNS]), max_size=20)
)
def test_any_order_of_code_points_is_cut_as_the_standard_says(text: str) -> None:
    assert clusters(text) == regex.findall(r"\X", text)


# Code points of a later Unicode than Python's are not known to be marks.
ASSIGNED = st.characters(exclude_categories=("Cs", "Cn"))


@given(st.text(ASSIGNED, max_size=40) | st.text(st.sampled_from(CODE_POINTS)))
def test_no_text_is_torn(text: str) -> None:
    whole = list(itertools.accumulate(map(len, regex.findall(r"\X", text)), initial=0))
    assert {at for at in range(len(text) + 1) if is_boundary(text, at)} <= {*whole}


@given(st.text(st.sampled_from(CODE_POINTS), min_size=1, max_size=30))
def test_the_nearest_boundaries_enclose_a_place(text: str) -> None:
    for at in range(len(text) + 1):
        before = boundary_before(text, at, -1)
        assert before is not None
        assert before <= at <= boundary_after(text, at)
        assert not any(is_boundary(text, inside) for inside in range(before + 1, at))
    assert boundary_before(text, 1, 1) is None


def test_a_cluster_beyond_all_measure_is_cut() -> None:
    noise = "a" + "\u0301" * 10 * LONGEST_CLUSTER
    middle = len(noise) // 2
    assert boundary_before(noise, middle, 0) is None
    assert boundary_after(noise, middle) == middle
