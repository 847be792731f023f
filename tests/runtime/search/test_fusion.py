from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fresh_python import printed_by

from kb_runtime.search.fusion import (
    READ_IN_LETTERS,
    READ_IN_SYLLABLES,
    SQUARED,
    RankedRows,
    balanced,
    balanced_in_two_tiers,
    in_two_tiers,
    is_among,
    lexical_in_two_tiers,
    mix,
    rrf,
    side_weights,
    with_estimated_cosines,
)
from kb_runtime.text.languages import UNKNOWN, UNKNOWN_IN_LATIN

Scored = Sequence[tuple[int, float]]


def ranking(scored: Scored) -> RankedRows:
    return RankedRows.of([row for row, _ in scored], [score for _, score in scored])


def pairs(found: RankedRows) -> list[tuple[int, float]]:
    return list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def fused_in_tiers(
    cosines: Mapping[int, float], semantic: Sequence[int], lexical: Scored, depth: int = 100
) -> list[tuple[int, float]]:
    """`balanced_in_two_tiers` of what two searchers found; `cosines` has every row's."""
    rows = [*semantic, *(row for row, _ in lexical if row not in semantic)]
    bm25 = dict(lexical)
    return pairs(
        balanced_in_two_tiers(
            np.array(rows, dtype=np.int64),
            np.array([cosines[row] for row in rows]),
            np.array([bm25.get(row, 0.0) for row in rows]),
            [rows.index(row) for row, _ in lexical],
            len(semantic),
            depth,
        )
    )


def test_rrf_sums_reciprocal_ranks() -> None:
    fused = dict(pairs(rrf([ranking([(7, 9.0), (3, 1.0)]), ranking([(3, 0.5)])], k=60)))
    assert fused == {3: pytest.approx(1 / 62 + 1 / 61), 7: pytest.approx(1 / 61)}


def test_rrf_breaks_ties_by_row() -> None:
    assert rrf([ranking([(9, 1.0)]), ranking([(2, 1.0)])]).rows.tolist() == [2, 9]


def test_rrf_of_nothing_is_nothing() -> None:
    assert pairs(rrf([ranking([]), ranking([])])) == []


def test_mix_normalises_each_list() -> None:
    semantic, lexical = [(1, 0.9), (2, 0.5), (3, 0.1)], [(2, 40.0), (4, 20.0)]
    mixed = mix(ranking(semantic), ranking(lexical), alpha=0.5)
    assert mixed.rows.tolist() == [2, 1, 3, 4]
    assert mixed.scores == pytest.approx([0.75, 0.5, 0.0, 0.0])


def test_alpha_zero_has_no_row_without_a_lexical_score() -> None:
    assert mix(ranking([(1, 0.9)]), ranking([(2, 3.0)]), alpha=0.0).rows.tolist() == [2]


def test_alpha_one_has_no_row_without_a_semantic_score() -> None:
    assert mix(ranking([(1, 0.9)]), ranking([(2, 3.0)]), alpha=1.0).rows.tolist() == [1]


def test_equal_scores_normalise_to_one() -> None:
    mixed = mix(ranking([]), ranking([(2, 3.0), (5, 3.0)]), alpha=0.0)
    assert pairs(mixed) == [(2, 1.0), (5, 1.0)]


def best_first(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


ranked = st.dictionaries(st.integers(0, 50), st.floats(-5, 50), max_size=20).map(best_first)
by_words = st.dictionaries(st.integers(0, 50), st.floats(0.01, 50), max_size=20).map(best_first)
by_meaning = st.dictionaries(st.integers(0, 50), st.floats(0.05, 1), max_size=20).map(best_first)


@given(ranked, ranked, st.floats(0, 1))
def test_mixed_scores_stay_in_the_unit_interval_and_descend(
    semantic: Scored, lexical: Scored, alpha: float
) -> None:
    scores = mix(ranking(semantic), ranking(lexical), alpha).scores.tolist()
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 + 1e-9 for score in scores)


@given(ranked, ranked)
def test_rrf_ranks_a_row_found_by_both_above_its_place_in_either(
    one: Scored, other: Scored
) -> None:
    fused = dict(pairs(rrf([ranking(one), ranking(other)])))
    assert set(fused) == {row for row, _ in one} | {row for row, _ in other}
    for alone in (rrf([ranking(one)]), rrf([ranking(other)])):
        assert all(fused[row] >= score for row, score in pairs(alone))


def test_balanced_sides_have_a_say_whatever_their_scales() -> None:
    # Words say 1 before 2 by as much of their spread as meaning says 2 before 1, which counts for more.
    close = fused_in_tiers({1: 0.30, 2: 0.31}, [2, 1], [(1, 40.0), (2, 20.0)])
    assert [row for row, _ in close] == [2, 1]
    assert [row for row, _ in fused_in_tiers({1: 0.3, 2: 0.7}, [2, 1], [(1, 4.0), (2, 2.0)])] == [
        2,
        1,
    ]


def test_meaning_counts_less_the_less_an_encoder_reads_of_a_language() -> None:
    assert side_weights("en") == SQUARED
    for language in ("de", UNKNOWN_IN_LATIN):
        assert side_weights(language) == READ_IN_SYLLABLES
    for language in ("ru", "ta", UNKNOWN):
        assert side_weights(language) == READ_IN_LETTERS
    assert SQUARED.meaning > READ_IN_SYLLABLES.meaning > READ_IN_LETTERS.meaning > 0


def test_an_encoder_counts_fully_in_each_language_that_it_knows() -> None:
    assert side_weights("de", ("en", "de")) == SQUARED
    assert side_weights("ru", ("en", "de")) == READ_IN_LETTERS
    for language in ("de", UNKNOWN):
        assert side_weights(language, ()) == SQUARED  # chosen for the pages


def test_meaning_counts_twice_as_much_among_answers() -> None:
    assert side_weights("en", answers=0.5) == (SQUARED.words, 1.5 * SQUARED.meaning)
    assert side_weights("de", ("de",), 1.0) == (SQUARED.words, 2 * SQUARED.meaning)
    assert side_weights("de", answers=1.0) == READ_IN_SYLLABLES


def test_a_few_words_of_the_question_do_not_outvote_what_is_near() -> None:
    # Row 2 is nearer than row 3 by as much as row 3 is better by words, half as good as the best.
    words = [(1, 40.0), (3, 20.0), (4, 10.0), (2, 8.0)]
    fused = fused_in_tiers({1: 0.2, 2: 0.5, 3: 0.35, 4: 0.1}, [2, 3, 1, 4], words)
    rank = {row: at for at, (row, _) in enumerate(fused)}
    assert rank[2] < rank[3]
    assert rank[1] < rank[4]


def test_a_row_that_words_lack_counts_as_their_last() -> None:
    words = [(1, 10.0), (2, 4.0)]
    fused = dict(fused_in_tiers({1: 0.5, 2: 0.4, 3: 0.4}, [1, 3], words, depth=2))
    assert fused[1] > fused[2] == fused[3]
    # More words than that are known to lack it.
    fused = dict(fused_in_tiers({1: 0.5, 2: 0.4, 3: 0.4}, [1, 3], words, depth=3))
    assert fused[2] > fused[3]


def test_balanced_with_an_empty_side_is_the_other() -> None:
    assert fused_in_tiers({4: 0.25, 9: 0.5}, [9, 4], []) == [(9, 0.5), (4, 0.25)]
    alone = lexical_in_two_tiers(ranking([(9, 8.0), (4, 2.0)]), depth=100)
    assert pairs(alone) == [(9, 1.0), (4, 0.25)]
    assert pairs(lexical_in_two_tiers(ranking([]), depth=3)) == []


def test_words_alone_behind_the_first_are_shares_of_the_last_of_these() -> None:
    alone = lexical_in_two_tiers(ranking([(9, 8.0), (4, 4.0), (5, 2.0), (6, 1.0)]), depth=2)
    assert pairs(alone) == [(9, 1.0), (4, 0.5), (5, 0.5), (6, 0.25)]


def spread(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) * (value - mean) for value in values) / len(values))


def in_pure_python(cosines: Scored, lexical: Scored, floor: float) -> list[tuple[int, float]]:
    """What `balanced` does, value by value."""
    if not lexical:
        return best_first({row: min(max(cosine, 0.0), 1.0) for row, cosine in cosines})
    best, bm25 = lexical[0][1], dict(lexical)
    shares = [(bm25.get(row, floor) / best) ** SQUARED.words for row, _ in cosines]
    in_words, in_meaning = (
        SQUARED.meaning * spread(shares),
        spread([cosine for _, cosine in cosines]),
    )
    alpha = in_words / (in_words + in_meaning) if in_words + in_meaning > 1e-9 else 0.5
    return best_first(
        {
            row: min(max(alpha * cosine + (1.0 - alpha) * share, 0.0), 1.0)
            for (row, cosine), share in zip(cosines, shares, strict=True)
        }
    )


@given(by_meaning, by_words, st.integers(1, 12), st.randoms(use_true_random=False))
def test_arrays_are_fused_as_single_values_are(
    semantic: Scored, lexical: Scored, depth: int, chooser: st.random.Random
) -> None:
    cosines = {row: chooser.uniform(-0.1, 1.0) for row, _ in lexical} | dict(semantic)
    first = lexical[:depth]
    among = {row for row, _ in [*semantic[:depth], *first]}
    floor = first[-1][1] if len(first) == depth else 0.0
    rows = [*dict.fromkeys([*(row for row, _ in semantic), *(row for row, _ in lexical)])]
    head = in_pure_python([(row, cosines[row]) for row in rows if row in among], first, floor)
    rest = [one for one in lexical[depth:] if one[0] not in among]
    behind = in_pure_python([(row, cosines[row]) for row in rows if row not in among], rest, 0.0)
    least = head[-1][1] if head else 1.0
    expected = [*head, *((row, least * score) for row, score in behind)]
    assert fused_in_tiers(cosines, [row for row, _ in semantic], lexical, depth) == expected


@given(by_meaning, by_words, st.integers(1, 12))
def test_a_deeper_list_does_not_move_the_first_rows(
    semantic: Scored, lexical: Scored, depth: int
) -> None:
    def fuse(one: RankedRows, other: RankedRows) -> RankedRows:
        return mix(one, other, 0.4)

    shallow = in_two_tiers(fuse, ranking(semantic[:depth]), ranking(lexical[:depth]), depth)
    deep = pairs(in_two_tiers(fuse, ranking(semantic), ranking(lexical), depth))
    assert deep[: len(shallow.rows)] == pairs(shallow)
    scores = [score for _, score in deep]
    assert scores == sorted(scores, reverse=True)
    assert {row for row, _ in deep} == {row for row, _ in [*semantic, *lexical]}


@given(st.lists(st.integers(0, 20)), st.lists(st.integers(0, 20)))
def test_rows_are_among_others_where_they_are(rows: list[int], others: list[int]) -> None:
    found = is_among(np.array(rows, np.int64), np.array(others, np.int64))
    assert found.dtype == np.bool_
    assert found.tolist() == [row in others for row in rows]


def test_long_lists_are_fused_without_the_masked_arrays_of_numpy() -> None:
    code = (
        "import sys, numpy as np; from kb_runtime.search.fusion import *;"
        "one = RankedRows.of(range(300), range(300, 0, -1));"
        "other = RankedRows.of(range(900, 200, -2), range(350, 0, -1));"
        "fused = in_two_tiers(lambda a, b: mix(a, b, 0.4), one, other, 100);"
        "print(len(fused.rows), 'numpy.ma' in sys.modules)"
    )
    assert printed_by(code) == "601 False"


@given(by_meaning, by_words)
def test_balanced_scores_stay_in_the_unit_interval_and_descend(
    semantic: Scored, lexical: Scored
) -> None:
    cosines = {row: -1.0 for row, _ in lexical} | dict(semantic)
    fused = fused_in_tiers(cosines, [row for row, _ in semantic], lexical)
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_balanced_weighs_the_side_that_tells_candidates_apart_by_less() -> None:
    rows = np.array([1, 2])
    found = balanced(rows, np.array([0.5, 0.5]), np.array([2.0, 4.0]), 4.0, SQUARED)
    assert pairs(found) == [(1, 0.5), (2, 0.5)]


def test_words_stand_for_the_meaning_of_what_has_no_vector() -> None:
    cosines = np.array([0.8, 0.6, 0.4, 0.0, 0.0])
    bm25 = np.array([3.0, 2.0, 1.0, 4.0, 0.0])
    absent = np.array([False, False, False, True, True])
    found = with_estimated_cosines(cosines, bm25, absent).tolist()
    assert found[:3] == [0.8, 0.6, 0.4]
    assert found[3] == pytest.approx(1.0)  # as far above the mean of the others as by words
    assert found[4] == pytest.approx(0.2)


def test_without_an_example_nothing_is_estimated() -> None:
    alone = with_estimated_cosines(np.zeros(1), np.array([4.0]), np.array([True]))
    assert alone.tolist() == [0.0]
    cosines, bm25 = np.array([0.8, 0.6, 0.0]), np.array([0.0, 0.0, 4.0])
    alike = with_estimated_cosines(cosines, bm25, np.array([False, False, True]))
    assert alike[2] == pytest.approx(0.7)


def test_what_is_behind_the_first_candidates_stays_there_in_its_own_order() -> None:
    found = RankedRows.of([4, 2, 9, 7], [0.5, 0.8, 0.2, 0.9]).ordered_in_tiers(2)
    assert (found.rows.tolist(), found.scores.tolist()) == ([2, 4, 7, 9], [0.8, 0.5, 0.5, 0.2])
    assert RankedRows.of([4, 2], [0.5, 0.8]).ordered_in_tiers(2).rows.tolist() == [2, 4]
