"""Terms: the same for an index and a query, whatever the spelling, script or rubbish."""

from __future__ import annotations

import tracemalloc
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.search import analysis
from kb_runtime.search.analysis import Analyzer, fold, operators


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer()


def names(analyzer: Analyzer, text: str) -> list[str]:
    return [term for term, _ in analyzer.names(text)]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("setToMap", ["settomap", "set", "to", "map"]),
        ("set_to_map", ["settomap", "set", "to", "map"]),
        ("set-to-map", ["settomap", "set", "to", "map"]),
        ("SET_TO_MAP", ["settomap", "set", "to", "map"]),
        ("utf8", ["utf8", "utf", "8"]),
        ("__init__", ["init"]),
        ("größteZahl", ["grosstezahl", "grosste", "zahl"]),
        ("1_000", ["1000", "1", "000"]),
        ("plain", ["plain"]),
        ("x1", ["x1"]),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(
    analyzer: Analyzer, word: str, expected: list[str]
) -> None:
    assert names(analyzer, word) == expected


@pytest.mark.parametrize("word", ["http.parse_url", "http::parseUrl"])
def test_a_qualified_name_is_found_whole_by_components_and_by_parts(
    analyzer: Analyzer, word: str
) -> None:
    assert names(analyzer, word) == ["http.parseurl", "http", "parseurl", "parse", "url"]


def test_compound_stands_where_its_first_part_stands(analyzer: Analyzer) -> None:
    assert analyzer.names("the setToMap x") == [
        ("the", 0),
        ("settomap", 1),
        ("set", 1),
        ("to", 2),
        ("map", 3),
        ("x", 4),
    ]


def test_prose_is_stemmed_without_stop_words_and_keeps_their_gap(analyzer: Analyzer) -> None:
    assert analyzer.prose("The running of invariants") == [("run", 1), ("invari", 3)]


def test_names_keep_stop_words_and_are_not_stemmed(analyzer: Analyzer) -> None:
    assert names(analyzer, "and running") == ["and", "running"]


def test_repeated_words_stay_repeated(analyzer: Analyzer) -> None:
    assert [term for term, _ in analyzer.prose("map map maps")] == ["map", "map", "map"]


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Naïve", "naive"),
        ("nai\u0308ve", "naive"),
        ("ＡＢＣ", "abc"),
        ("ﬁne", "fine"),
        ("Straße", "strasse"),
        ("ŁÓDŹ", "lodz"),
        ("İstanbul", "istanbul"),
        ("Ἑλλάς", "ελλασ"),
        ("שָׁלוֹם", "שלום"),
        ("й", "й"),
        ("हिन्दी", "हिन्दी"),
        ("co\u00adoperate", "cooperate"),
    ],
)
def test_folding_removes_accents_of_letters_but_not_letters(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日本語", ["日本", "本語"]),
        ("東", ["東"]),
        ("ไทย", ["ไท", "ทย"]),
        ("使用Python编程", ["使用", "python", "编程"]),
    ],
)
def test_scripts_without_spaces_become_overlapping_pairs(
    analyzer: Analyzer, text: str, expected: list[str]
) -> None:
    assert names(analyzer, text) == expected


def test_a_long_text_without_spaces_is_kept_whole(analyzer: Analyzer) -> None:
    text = "".join(chr(0x4E00 + at) for at in range(500))
    assert len(names(analyzer, text)) == 499


def test_words_of_indic_scripts_are_not_torn_at_vowel_signs(analyzer: Analyzer) -> None:
    assert names(analyzer, "हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_encoded_data_is_no_term(analyzer: Analyzer) -> None:
    assert names(analyzer, "Ab3" * 60) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("==", ["=="]),
        ("a => b", ["=>"]),
        ("x=>y", ["=>"]),
        ("`'`", ["'"]),
        ("What is this? No.", []),
        ("don't", []),
        ("A → B", ["→"]),
        ("==========", []),
    ],
)
def test_operators_are_runs_that_stand_for_themselves(text: str, expected: list[str]) -> None:
    assert operators(text) == expected


@given(st.text(max_size=80))
def test_terms_depend_on_nothing_but_the_text(text: str) -> None:
    assert Analyzer().names(text) == Analyzer().names(text)


@given(st.text(st.characters(), max_size=80))
def test_any_text_gives_terms_the_engine_can_store(text: str) -> None:
    analyzer = Analyzer()
    positions = 0
    for term, position in analyzer.names(text) + analyzer.prose(text):
        assert term
        assert len(term) <= analysis.MAX_TERM_CHARS + 20  # folding can lengthen a word
        term.encode("utf-8")
        positions = max(positions, position)
    assert positions <= len(text)


@given(st.text(max_size=60))
def test_case_of_plain_words_does_not_matter(text: str) -> None:
    plain = "".join(char for char in text if char.isascii() and (char.islower() or char == " "))
    analyzer = Analyzer()
    assert analyzer.names(plain) == analyzer.names(plain.upper())


def test_memory_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "CACHED_WORDS", 10)
    analyzer = Analyzer()
    tracemalloc.start()
    try:
        sizes = []
        for batch in range(2):
            for number in range(3_000):
                analyzer.prose(f"word{number}of{batch}")
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert sizes[1] - sizes[0] < 100_000


def test_accents_tell_a_query_in_a_language_that_is_not_known() -> None:
    analyzer = Analyzer(("en", "und-Latn"))
    assert analyzer.language_of(["how", "to", "open", "the", "café"]) == "en"
    query = ["jak", "otevřít", "připojení", "to"]
    assert analyzer.language_of(query) == "und-Latn"
    assert (
        analyzer.language_of([unicodedata.normalize("NFD", word) for word in query]) == "und-Latn"
    )
    assert Analyzer(("und-Latn",)).prose("připojení connections") == [
        ("pripojeni", 0),
        ("connections", 1),
    ]


def test_accents_tell_no_language_from_those_that_have_them_too() -> None:
    """A few pages in an unknown language must not leave the German query `Schlüssel löschen` unstemmed."""
    analyzer = Analyzer(("de", "und-Latn"))
    assert analyzer.language_of(["Schlüssel", "löschen"]) == "de"
    assert analyzer.prose("löschen", analyzer.language_of(["löschen"])) == [("losch", 0)]
    assert Analyzer(("und-Latn", "it")).language_of(["là", "của", "các"]) == "und-Latn"


def test_letters_of_others_add_no_language_to_those_of_the_pages() -> None:
    analyzer = Analyzer(("en", "de"))
    analyzer.prose("как")
    assert analyzer.with_function_word("как") == []
    assert analyzer.with_function_word("und") == ["de"]
