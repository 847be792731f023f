from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb_runtime.search.spelling import DocumentsOf, WithPrefix, corrections

VOCABULARY = {
    "temporal": 9,
    "temporary": 2,
    "template": 5,
    "invariant": 30,
    "invariants": 12,
    "mapby": 4,
    "consensus": 7,
    "operator": 6,
}


def prefixes(vocabulary: dict[str, int]) -> WithPrefix:
    def with_prefix(prefix: str, limit: int) -> list[tuple[str, int]]:
        return [(word, vocabulary[word]) for word in sorted(vocabulary) if word.startswith(prefix)][
            :limit
        ]

    return with_prefix


def counts(vocabulary: dict[str, int]) -> DocumentsOf:
    """As an index gives them: the most frequent words of a prefix come first, a count is exact."""
    return lambda word: vocabulary.get(word, 0)


def meant(word: str) -> list[str]:
    return [one.word for one in corrections(word, prefixes(VOCABULARY), counts(VOCABULARY), 5)]


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("temporl", "temporal"),  # a letter left out near the end
        ("etmporal", "temporal"),  # neighbours exchanged at the beginning
        ("xmapby", "mapby"),  # a letter too many in front
        ("apby", "mapby"),  # the first letter left out
        ("napby", "mapby"),  # the first letter replaced
        ("consensuss", "consensus"),
        ("opratorr", "operator"),  # two edits in a long word
        ("consnsys", "consensus"),
    ],
)
def test_a_typo_finds_the_word(typed: str, word: str) -> None:
    assert word in meant(typed)


def test_a_word_is_found_behind_more_frequent_ones_that_begin_with_it() -> None:
    words = {"prevent": 2, "prevents": 9, "prevented": 20}

    def with_prefix(prefix: str, limit: int) -> list[tuple[str, int]]:
        found = [(word, words[word]) for word in words if word.startswith(prefix)]
        return sorted(found, key=lambda one: -one[1])[:limit]

    assert corrections("prvent", with_prefix, counts(words), 1)[0].word == "prevent"


def test_completions_come_first_the_most_frequent_leading() -> None:
    assert meant("invari") == ["invariant", "invariants"]


def test_short_words_are_left_alone() -> None:
    assert meant("map") == []
    assert meant("inv") == []


def test_a_known_word_is_no_correction_of_itself() -> None:
    assert "temporal" not in meant("temporal")


def test_two_edits_are_too_many_for_a_short_word() -> None:
    assert meant("mopbi") == []


def test_fewer_edits_beat_frequency() -> None:
    two = {"temporal": 1, "tempera": 99}
    found = corrections("tempora", prefixes(two), counts(two), 5)
    assert [one.edits for one in found] == [0, 1]


words = st.text("abcde", min_size=4, max_size=9)


@given(words, st.data())
def test_every_single_edit_is_found(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcde"))
    typed = data.draw(
        st.sampled_from(
            [
                word[:at] + word[at + 1 :],
                word[:at] + letter + word[at:],
                word[:at] + letter + word[at + 1 :],
                word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
            ]
        )
    )
    assume(typed != word and len(typed) >= 4)
    assert word in [
        one.word for one in corrections(typed, prefixes({word: 1}), counts({word: 1}), 5)
    ]
