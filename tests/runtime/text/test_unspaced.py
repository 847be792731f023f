"""Words of scripts without spaces, as terms of an index and of a query."""

from __future__ import annotations

import pytest

from kb_runtime.search.analysis import EARLIER, Analyzer
from kb_runtime.search.query import analyse
from kb_runtime.text.words.unspaced import pairs

ANALYZER = Analyzer()


def terms(text: str) -> list[str]:
    return [term for term, _ in ANALYZER.prose(text)]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("結び目の強さ", ["結び", "び目", "目の", "の強", "強さ"]),
        ("様々な", ["様々", "々な"]),
        ("매듭", ["매듭"]),
        ("밧줄에서", ["밧줄"]),
        ("설정하려면", ["설정"]),
        ("绳", ["绳"]),
    ],
)
def test_terms_are_pairs_of_korean_without_endings(run: str, expected: list[str]) -> None:
    assert pairs(run) == expected


def test_a_query_has_the_pairs_of_the_text_where_they_begin_with_a_mark() -> None:
    assert [term.prose for term in analyse("ผู้ใช้", ANALYZER).terms] == [
        (pair,) for pair in terms("ผู้ใช้")
    ]


@pytest.mark.parametrize("run", ["매듭", "밧줄을", "같은지", "結び目", "ロープ", "绳结的强度"])
def test_pairs_of_a_pair_are_itself(run: str) -> None:
    """The words of a query are analysed once more, each by itself."""
    assert all(pairs(pair) == [pair] for pair in pairs(run))


def test_what_only_asks_or_joins_is_no_term() -> None:
    assert terms("について") == terms("어떻게") == []


def test_names_within_are_whole() -> None:
    assert terms("rope-splitで結ぶ") == ["ropesplit", "rope", "split", "で結", "結ぶ"]
    assert [term.typed for term in analyse("rope-splitで結ぶ", ANALYZER).terms] == [
        "rope-split",
        "で結",
        "結ぶ",
    ]
    assert [term.typed for term in analyse("結び_長さ", ANALYZER).terms] == ["結び", "長さ"]
    assert terms("Rope.js入门") == ["rope.j", "rope", "js", "入门"]


def test_full_and_half_width_forms_are_the_same() -> None:
    assert terms("ＡＰＩ１２ ｶﾞｲﾄﾞ") == terms("API12 ガイド")


def test_an_index_of_the_earlier_recipe_keeps_its_pairs() -> None:
    earlier = Analyzer(recipe=EARLIER)
    assert [term for term, _ in earlier.prose("ロープの長さ")] == [
        "ロー",
        "ープ",
        "プの",
        "の長",
        "長さ",
    ]
    assert [term for term, _ in earlier.prose("様々な長さ")] == ["様", "々", "な長", "長さ"]
    typed = [term.typed for term in analyse("rope-splitで結ぶ", earlier).terms]
    assert typed == ["rope", "split", "で結", "結ぶ"]
