from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.search.analysis import Analyzer
from kb_runtime.search.query import MAX_CHARS, MAX_WORDS, Query, analyse


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer()


def typed(query: Query) -> list[str]:
    return [term.typed for term in query.terms]


def test_stop_words_go_and_the_rest_keeps_its_spelling(analyzer: Analyzer) -> None:
    query = analyse("How do I create a Map from a set?", analyzer)
    assert typed(query) == ["create", "Map", "set"]


def test_a_query_of_stop_words_alone_keeps_them(analyzer: Analyzer) -> None:
    assert [term.names for term in analyse("not in", analyzer).terms] == [("not",), ("in",)]


def test_repeated_words_are_counted(analyzer: Analyzer) -> None:
    query = analyse("map Map set", analyzer)
    assert [(term.typed, term.times) for term in query.terms] == [("map", 2), ("set", 1)]


def test_a_compound_has_the_whole_first_and_no_stop_words_among_its_parts(
    analyzer: Analyzer,
) -> None:
    (term,) = analyse("setToMap", analyzer).terms
    assert term.names == ("settomap", "set", "map")
    assert term.prose == ("settomap", "set", "map")


def test_identifiers_are_compounds_and_what_stands_in_backticks(analyzer: Analyzer) -> None:
    assert analyse("use setToMap or `fold` twice", analyzer).identifiers == ("setToMap", "fold")


@pytest.mark.parametrize("raw", ["SIGHUP", "E0382", "--rng-seed", "getUser", "max_age", "`map`"])
def test_one_word_that_is_spelled_as_in_programs_is_a_name(raw: str, analyzer: Analyzer) -> None:
    assert analyse(raw, analyzer).is_name


@pytest.mark.parametrize("raw", ["map", "Lantern", "SIGHUP handler", "E0382 and E0499", ""])
def test_other_words_are_no_names(raw: str, analyzer: Analyzer) -> None:
    assert not analyse(raw, analyzer).is_name


def test_phrases_are_quoted_text(analyzer: Analyzer) -> None:
    query = analyse('about "model checker" and “state machine”', analyzer)
    assert query.phrases == ("model checker", "state machine")


def test_an_unbalanced_quote_is_punctuation(analyzer: Analyzer) -> None:
    query = analyse('about "model checker', analyzer)
    assert query.phrases == ()
    assert typed(query) == ["model", "checker"]


def test_operators_are_found(analyzer: Analyzer) -> None:
    assert analyse("what does => mean", analyzer).operators == ("=>",)
    assert analyse("a -- b :: c -> d --", analyzer).lone_operators == ("--", "::", "->")


@pytest.mark.parametrize("raw", ["--force", "what is `--dry-run`", "Cache::get", "cache->get(key)"])
def test_what_is_part_of_a_name_is_no_lone_operator(raw: str, analyzer: Analyzer) -> None:
    found = analyse(raw, analyzer)
    assert found.operators
    assert found.lone_operators == ()


def test_the_trimmed_query_may_be_a_name(analyzer: Analyzer) -> None:
    assert analyse("  mapBy \n", analyzer).names == ("mapBy",)
    assert analyse("word " * 100, analyzer).names == ()


@pytest.mark.parametrize(
    "raw", ["mapBy()", "`mapBy`", "`mapBy()`", ".mapBy(x => x + 1)", "`::mapBy()`"]
)
def test_a_query_that_is_a_use_of_a_name_may_be_that_name(raw: str, analyzer: Analyzer) -> None:
    assert analyse(raw, analyzer).names == (raw, "mapBy")


@pytest.mark.parametrize(
    "raw",
    ["docs/a.md:12", "`docs/a.md:12:4`", "docs/a.md:12:", "docs/a.md#L12", "docs/a.md#L12-L20"],
)
def test_a_file_with_a_line_may_be_that_file(raw: str, analyzer: Analyzer) -> None:
    assert analyse(raw, analyzer).names == (raw, "docs/a.md")


@pytest.mark.parametrize("raw", ["docs/a.md", "docs/a.md#setup", "localhost:80", "a.md:b"])
def test_other_text_with_dots_and_numbers_names_no_file(raw: str, analyzer: Analyzer) -> None:
    assert analyse(raw, analyzer).names == (raw,)


def test_a_sentence_has_no_other_name(analyzer: Analyzer) -> None:
    assert analyse("use `map` or `fold`", analyzer).names == ("use `map` or `fold`",)
    assert analyse("", analyzer).names == ()


@pytest.mark.parametrize("code", ["`filter()`", "filter()", "`.filter(x => x)`", '`filter("a")`'])
def test_a_call_asks_for_what_it_calls(code: str, analyzer: Analyzer) -> None:
    assert analyse(f"what does {code} give back", analyzer).identifiers == ("filter",)


def test_brackets_in_prose_are_no_call(analyzer: Analyzer) -> None:
    assert analyse("the function(s) of a set (of maps)", analyzer).identifiers == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How is the naïve façade built?", "en"),
        ("Как включить CORS в middleware?", "ru"),
        ("Πώς ρυθμίζεται το CORS;", "el"),
        ("डेटाबेस कैसे जोड़ें", "und"),
        ("หน้าเว็บแรกสร้างอย่างไร", "und"),
        ("如何连接数据库", "und"),
        ("α-equivalence of λ terms, within 5 µs", "en"),
        ("How does the parser read the word ключ in a string literal?", "en"),
        ("Why is the string 数据 cut in the middle of a line?", "en"),
    ],
)
def test_letters_tell_the_language_of_a_query(analyzer: Analyzer, text: str, language: str) -> None:
    assert analyse(text, analyzer).language == language


def test_a_language_without_spaces_has_a_term_for_each_pair(analyzer: Analyzer) -> None:
    assert typed(analyse("日本語", analyzer)) == ["日本", "本語"]


def test_lone_surrogates_and_nul_become_spaces(analyzer: Analyzer) -> None:
    query = analyse("map\ud800set\0list", analyzer)
    assert query.text == "map set list"
    assert typed(query) == ["map", "set", "list"]


def test_a_surrogate_pair_is_the_character_it_means(analyzer: Analyzer) -> None:
    assert analyse("\ud83d\udc4d", analyzer).text == "👍"


@pytest.mark.parametrize("raw", ["", "  ", "???", "👍", "\0", "\ud800", '"', "```"])
def test_a_query_without_words_has_no_terms(analyzer: Analyzer, raw: str) -> None:
    assert not analyse(raw, analyzer).has_words


def test_work_is_bounded(analyzer: Analyzer) -> None:
    query = analyse(" ".join(f"w{number}x" for number in range(5000)), analyzer)
    assert len(query.terms) <= MAX_WORDS
    assert len(query.text) <= MAX_CHARS


def test_a_word_without_end_is_cut(analyzer: Analyzer) -> None:
    assert (
        len(analyse("本" * 3 + "".join(map(chr, range(0x4E00, 0x5A00))), analyzer).terms)
        <= MAX_WORDS
    )
    assert [term.names for term in analyse("a.b." * 900, analyzer).terms] == [("b",)]


@given(st.text(st.characters(), max_size=200))
def test_every_text_has_an_analysis(raw: str) -> None:
    query = analyse(raw, Analyzer())
    query.text.encode("utf-8")
    for term in query.terms:
        assert term.names
        assert term.times >= 1
