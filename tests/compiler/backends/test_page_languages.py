"""The language of pages, and what the index makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb_runtime.search.lexical import LexicalIndex, LexicalRequest
from kb_runtime.search.query import analyse
from kbc.backends.lexical import write_lexical
from kbc.backends.page_languages import by_frequency, page_languages
from kbc.records import Chunk

GERMAN = (
    "Wenn eine Anfrage nicht beantwortet werden kann, dann gibt der Dienst einen Fehler zurück, und die"
    " Anwendung muss entscheiden, ob sie es später noch einmal versucht oder ob das ohne Folgen ist.\n"
)
ENGLISH = (
    "When a request cannot be answered, the service returns an error, and it is up to the application"
    " whether it tries again later or whether there is nothing that it would have to do about this.\n"
)


def chunk(collection: str, record: str, text: str, type: str = "prose") -> Chunk:
    return Chunk(
        collection=collection,
        record_id=record,
        index=0,
        text=text,
        start_line=1,
        end_line=1,
        type=type,
    )


def test_pages_have_the_language_of_their_function_words() -> None:
    chunks = [chunk("docs", "a", GERMAN), chunk("docs", "b", ENGLISH), chunk("docs", "c", GERMAN)]
    told = page_languages(chunks, {})
    assert told == {("docs", "a"): "de", ("docs", "b"): "en", ("docs", "c"): "de"}
    assert by_frequency(told, chunks) == ["de", "en"]


def test_a_page_without_enough_words_has_the_language_of_its_collection() -> None:
    chunks = [chunk("docs", "a", GERMAN), chunk("docs", "b", "| GET | POST |\n")]
    assert page_languages(chunks, {})["docs", "b"] == "de"
    assert page_languages(chunks[1:], {}) == {("docs", "b"): "en"}


def test_code_and_collections_of_source_tell_nothing() -> None:
    chunks = [chunk("docs", "a", GERMAN, "code"), chunk("src", "b", GERMAN)]
    assert set(page_languages(chunks, {}, undetected=["src"]).values()) == {"en"}


def test_what_the_author_says_holds() -> None:
    chunks = [chunk("docs", "a", ENGLISH), chunk("src", "b", ENGLISH)]
    told = page_languages(chunks, {"docs": "fr", "src": "de"}, undetected=["src"])
    assert told == {("docs", "a"): "fr", ("src", "b"): "de"}


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("de", "Die Abhängigkeiten werden geladen.\n", "Abhängigkeit"),
        ("fr", "Les paramètres sont validés.\n", "paramètre"),
        ("en", "Зависимости внедряются в обработчики.\n", "зависимость обработчика"),
        ("en", "تعيد المكونات رسم الصفحة.\n", "مكون"),
        ("en", "Οι παράμετροι ελέγχονται.\n", "παράμετρος"),
    ],
)
def test_words_are_found_in_another_form(
    tmp_path: Path, language: str, text: str, query: str
) -> None:
    chunks = [chunk("docs", "a", text), chunk("docs", "b", "Etwas anderes.\n")]
    folder = tmp_path / "lexical"
    languages = dict.fromkeys([("docs", "a"), ("docs", "b")], language)
    write_lexical(folder, chunks, {"docs": 0}, {}, languages=languages)
    index = LexicalIndex(str(folder), [language])
    assert index.search(LexicalRequest(analyse(query, index.analyzer), 5)).rows == [0]


def test_a_query_finds_the_pages_of_every_language(tmp_path: Path) -> None:
    chunks = [
        chunk("docs", "a", "Es lädt die Abhängigkeiten.\n"),
        chunk("docs", "b", "It loads dependencies.\n"),
    ]
    folder = tmp_path / "lexical"
    told = {("docs", "a"): "de", ("docs", "b"): "en"}
    write_lexical(folder, chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(folder), ["en", "de"])

    def found(query: str) -> list[int]:
        return index.search(LexicalRequest(analyse(query, index.analyzer), 5)).rows

    assert found("Abhängigkeit") == [0]
    assert found("dependency") == [1]
    # Function words of the query's language ask for nothing.
    assert [term.typed for term in analyse("wie ist die Abhängigkeit", index.analyzer).terms] == [
        "Abhängigkeit"
    ]
