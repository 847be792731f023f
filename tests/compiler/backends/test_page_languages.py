"""The language of pages, and what the index makes of it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.knowledge.composition.numbering import Numbering
from kb_runtime.knowledge.federation.lexical import FederatedLexical, LexicalPart
from kb_runtime.search.analysis import EARLIER, Analyzer
from kb_runtime.search.lexical import LexicalIndex, LexicalRequest
from kb_runtime.search.query import analyse
from kb_runtime.text.languages import UNKNOWN_IN_LATIN
from kb_runtime.text.words.compounds import verb_within
from kbc.backends import lexical
from kbc.backends.lexical import write_lexical
from kbc.backends.page_languages import by_frequency, page_languages
from kbc.languages.front_matter import stated_language
from kbc.records import CompiledChunk

GERMAN = (
    "Wenn eine Anfrage nicht beantwortet werden kann, dann gibt der Dienst einen Fehler zurück, und die"
    " Anwendung muss entscheiden, ob sie es später noch einmal versucht oder ob das ohne Folgen ist.\n"
)
ENGLISH = (
    "When a request cannot be answered, the service returns an error, and it is up to the application"
    " whether it tries again later or whether there is nothing that it would have to do about this.\n"
)


def chunk(collection: str, record: str, text: str, type: str = "prose") -> CompiledChunk:
    return CompiledChunk(
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
    assert by_frequency({"en": 1, "de": 2, "es": 1}) == ["de", "en", "es"]


VIETNAMESE = (
    "Khi một yêu cầu không thể được trả lời, dịch vụ trả về một lỗi, và ứng dụng phải quyết định là sẽ thử"
    " lại sau hay là bỏ qua, vì dữ liệu đã được lưu và không có gì bị mất.\n"
)
CZECH = (
    "Když na požadavek nelze odpovědět, služba vrátí chybu a aplikace se musí rozhodnout, zda jej později"
    " zopakuje, nebo zda to zůstane bez následků, protože všechna data už jsou uložena.\n"
)


POLISH = (
    "Jeśli na żądanie nie można odpowiedzieć, usługa zwraca błąd, a aplikacja musi zdecydować, czy powtórzy"
    " je później, czy pozostanie to bez skutków, ponieważ wszystkie dane są już zapisane.\n"
)
CROATIAN = (
    "Ako na zahtjev nije moguće odgovoriti, usluga vraća pogrešku, a aplikacija mora odlučiti hoće li ga"
    " kasnije ponoviti ili će to ostati bez posljedica, jer su svi podaci već spremljeni.\n"
)
LITHUANIAN = (
    "Jei į užklausą atsakyti neįmanoma, paslauga grąžina klaidą, o programa turi nuspręsti, ar ją pakartoti"
    " vėliau, ar tai liks be pasekmių, nes visi duomenys jau išsaugoti.\n"
)


def test_czech_and_polish_are_not_taken_for_each_other_nor_others_for_them() -> None:
    texts = {"cs": CZECH, "pl": POLISH, "hr": CROATIAN}
    told = page_languages([chunk(name, "a", 4 * text) for name, text in texts.items()], {})
    assert told == {("cs", "a"): "cs", ("pl", "a"): "pl", ("hr", "a"): UNKNOWN_IN_LATIN}


def test_a_language_that_is_not_known_is_not_taken_for_another_one() -> None:
    """`là`, `một` and `đã` are function words of Italian, Norwegian and German without their accents."""
    chunks = [
        chunk("vi", "a", VIETNAMESE),
        chunk("lt", "b", LITHUANIAN * 2),
        chunk("vi", "c", "GET, POST"),
    ]
    chunks += [chunk("en", "d", ENGLISH), chunk("en", "e", LITHUANIAN * 2)]
    chunks += [chunk("en", "f", "Dvořák Škoda Čapek"), chunk("en", "g", ENGLISH + ENGLISH)]
    chunks += [chunk("nfd", "h", unicodedata.normalize("NFD", VIETNAMESE * 2))]
    told = page_languages(chunks, {})
    assert told == {
        ("nfd", "h"): UNKNOWN_IN_LATIN,
        ("vi", "a"): UNKNOWN_IN_LATIN,
        ("vi", "c"): UNKNOWN_IN_LATIN,
        ("lt", "b"): UNKNOWN_IN_LATIN,
        ("en", "d"): "en",
        ("en", "e"): UNKNOWN_IN_LATIN,
        ("en", "f"): "en",  # some names
        ("en", "g"): "en",
    }


def test_words_of_a_language_that_is_not_known_are_found_as_they_are(tmp_path: Path) -> None:
    """An Italian stemmer takes `sạch` and `sách`, an English one `process` and `processes` for one word."""
    chunks = [chunk("docs", "a", "Sách cũ. Un processes.\n"), chunk("docs", "b", "Sau cùng.\n")]
    told = {("docs", "a"): UNKNOWN_IN_LATIN, ("docs", "b"): UNKNOWN_IN_LATIN}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), [UNKNOWN_IN_LATIN])
    assert index.frequency("body", "processes") == 1
    assert index.search(LexicalRequest(analyse("sách", index.analyzer), 5)).rows == [0]


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
    ("front_matter", "code"),
    [
        ({"lang": "de"}, "de"),
        ({"language": "fr-CA"}, "fr"),
        ({"lang": "PT_br"}, "pt"),
        ({"lang": "markdown", "language": "nl"}, "nl"),
        ({"locale": "vi-VN"}, UNKNOWN_IN_LATIN),
        ({"lang": "nb"}, "no"),
        ({"lang": False}, "no"),  # `lang: no`, as YAML reads it
        ({"lang": "ja"}, ""),
        ({"lang": "python", "language": "de"}, "de"),
        ({"lang": "nb-NO"}, "no"),
        ({"lang": "und-Latn"}, UNKNOWN_IN_LATIN),
        ({"lang": "xx"}, ""),
        ({"lang": True}, ""),
        ({"lang": None}, ""),
        ({}, ""),
    ],
)
def test_front_matter_states_a_language(front_matter: dict[str, Any], code: str) -> None:
    assert stated_language(front_matter) == code


def test_what_a_page_states_comes_before_its_words_and_its_collection() -> None:
    chunks = [chunk("docs", "a", ENGLISH), chunk("docs", "b", GERMAN)]
    stated = {("docs", "a"): "nl", ("docs", "gone"): "nl"}
    told = page_languages(chunks, {"docs": "fr"}, stated=stated)
    assert told == {("docs", "a"): "nl", ("docs", "b"): "fr"}


def test_what_a_page_states_counts_unless_its_words_are_of_another_language() -> None:
    few = "Tinh chinh mo hinh ngon ngu.\n"
    chunks = [chunk("docs", "a", ENGLISH * 3), chunk("docs", "b", few), chunk("docs", "c", few)]
    stated = dict.fromkeys((("docs", "a"), ("docs", "b")), UNKNOWN_IN_LATIN)
    told = page_languages(chunks, {}, stated=stated)
    assert told == {
        ("docs", "a"): "en",
        ("docs", "b"): UNKNOWN_IN_LATIN,
        ("docs", "c"): "en",
    }


COMPOUNDS = (
    "Die Datenbank speichert. Jede Datenbank hat ein Protokoll.\n",
    "Die Sitzung endet. Eine Sitzung dauert lange.\n",
    "Die Datenbanksitzung wird beendet.\n",
    "Der Statusbericht kommt.\n",
    "Netzsperre um Netzsperre, noch eine Netzsperre.\n",
    "Eine Sperre im Netz, noch eine Sperre, noch ein Netz.\n",
)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("Sitzungen", {1, 2}),
        ("Datenbanksitzung", {0, 1, 2}),
        ("Sitzungsdatenbank", {0, 1, 2}),  # occurs nowhere
        ("Sperren", {4, 5}),  # more frequent than its parts
        ("Bericht", set()),  # no word of the pages, so that no compound has it as a part
    ],
)
def test_compounds_and_their_parts_find_each_other(
    query: str, rows: set[int], tmp_path: Path
) -> None:
    chunks = [chunk("docs", str(at), text) for at, text in enumerate(COMPOUNDS)]
    told = {("docs", str(at)): "de" for at in range(len(chunks))}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), ["de"])
    found = index.search(LexicalRequest(analyse(query, index.analyzer), 5)).rows
    assert set(found) == rows
    if query == "Datenbanksitzung":
        assert found[0] == 2


VERBS = (
    "Sie können Skripte ausführen. Vor dem Ausführen speichern.\n",
    "Das Skript wurde ausgeführt.\n",
    "Um das Skript auszuführen, genügt ein Klick.\n",
    "Die Ausfuhr wurde gestrichen, alles andere wird zugeordnet.\n",
)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("ausführen", {0, 1, 2, 3}),
        ("ausgeführt", {0, 1, 2, 3}),
        ("auszuführende", {0, 1, 2, 3}),
        ("zuordnen", set()),  # no word of the pages
    ],
)
def test_forms_of_a_verb_find_each_other(query: str, rows: set[int], tmp_path: Path) -> None:
    chunks = [chunk("docs", str(at), text) for at, text in enumerate(VERBS)]
    told = {("docs", str(at)): "de" for at in range(len(chunks))}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), ["de"])
    assert set(index.search(LexicalRequest(analyse(query, index.analyzer), 5)).rows) == rows


@pytest.mark.parametrize(
    ("query", "language", "texts"),
    [
        ("Wie richte ich den Hafen ein?", "de", ("Der Hafen.", "Häfen einrichten.")),
        ("Segel loeschen", "de", ("Segel setzen.", "Segel löschen.")),
        ("fuer Segel", "de", ("Feuer und Fuder.", "Segel.")),
        ("Segel konfigurieren", "de", ("Segel setzen.", "Konfiguration der Segel.")),
        ("удалить парус", "ru", ("Парус и мачта.", "Удаление паруса.")),
        ("كيف أسجل القارب", "ar", ("القارب والبحر.", "تسجيل القارب.")),
        ("Kennwort vom Segel", "de", ("Das Segel. Segel.", "Passwort für Segel.")),
        ("Wie begrenze ich den Hafen?", "de", ("Der Hafen. Häfen.", "Einschränkung von Häfen.")),
        ("отключить парус", "ru", ("Парус и парус.", "Выключение паруса.")),
        ("إزالة القارب", "ar", ("القارب والبحر.", "حذف القارب.")),
        ("لنگر قایق", "ar", ("لنگر و دریا.", "قایق\u200cهای لنگر. قایق\u200cهای دریا.")),
    ],
)
def test_questions_find_pages_by_other_forms(
    query: str, language: str, texts: tuple[str, str], tmp_path: Path
) -> None:
    chunks = [chunk("docs", str(at), f"{text}\n") for at, text in enumerate(texts)]
    told = {("docs", str(at)): language for at in range(len(chunks))}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), [language])
    found = index.search(LexicalRequest(analyse(query, index.analyzer), 5)).rows
    assert found[0] == 1


def test_a_word_stands_for_itself_where_pages_have_it_more_often(tmp_path: Path) -> None:
    texts = ("Ein Ordner.\n", "Der Ordner.\n", "Ein Verzeichnis.\n")
    chunks = [chunk("docs", str(at), text) for at, text in enumerate(texts)]
    told = {("docs", str(at)): "de" for at in range(len(chunks))}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), ["de"])
    for query, rows in (("Ordner", {0, 1}), ("Verzeichnis", {0, 1, 2})):
        found = index.search(LexicalRequest(analyse(query, index.analyzer), 5)).rows
        assert set(found) == rows


@pytest.mark.parametrize("languages", [["de", "en"], ["en", "de"]])
def test_a_form_is_found_where_its_verb_is_a_word_of_another_language_only(
    languages: list[str], tmp_path: Path
) -> None:
    texts = ("Der Dienst wird gestartet.\n", "The start of the tide.\n", "Start again.\n")
    chunks = [chunk("docs", str(at), text) for at, text in enumerate(texts)]
    told = {("docs", str(at)): code for at, code in enumerate(("de", "en", "en"))}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), languages)
    found = index.search(LexicalRequest(analyse("gestartet", index.analyzer), 5)).rows
    assert found[0] == 0


def together(indexes: Sequence[LexicalIndex]) -> FederatedLexical:
    """Indexes of one collection each, as one."""
    numbering = Numbering.consecutive([each.documents for each in indexes], [None] * len(indexes))
    parts = zip(indexes, numbering.parts, strict=True)
    return FederatedLexical(
        [LexicalPart(each, numbers, range(at, at + 1)) for at, (each, numbers) in enumerate(parts)]
    )


def test_a_form_is_found_where_its_verb_is_a_word_of_another_part_only(tmp_path: Path) -> None:
    parts = []
    for name, text in (("a", "Das Skript wurde ausgeführt.\n"), ("b", VERBS[0])):
        told = {("docs", name): "de"}
        chunks = [chunk("docs", name, text)] * 2
        write_lexical(tmp_path / name, chunks, {"docs": 0}, {}, languages=told)
        parts.append(LexicalIndex(str(tmp_path / name), ["de"]))
    index = together(parts)
    found = index.search(LexicalRequest(analyse("ausgeführt", index.analyzer), 5)).rows
    assert set(found) == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("stem", "language", "verb"),
    [
        ("gestart", "de", "start"),  # `gestartet`
        ("hinzuzufug", "de", "hinzufug"),
        ("zuordn", "de", ""),  # not of `Ordner`
        ("geschenk", "de", ""),
        ("uitgevoerd", "nl", "uitvoer"),
        ("ausgefuhrt", "sv", ""),
    ],
)
def test_a_verb_is_one_of_the_collection(stem: str, language: str, verb: str) -> None:
    known = {
        "start": 3,
        "star": 2,
        "hinzufug": 2,
        "ordn": 9,
        "schenk": 1,
        "uitvoer": 2,
        "ausfuhr": 2,
    }
    assert verb_within(stem, language, lambda each: known.get(each, 0)) == verb


def test_pages_without_compounds_have_the_terms_that_they_had(tmp_path: Path) -> None:
    """English `database` stays whole although `data` and `base` are words."""
    text = "data base data base database\n"
    chunks = [chunk("docs", "a", text), chunk("docs", "b", GERMAN)]
    told = {("docs", "a"): "en", ("docs", "b"): "de"}
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {}, languages=told)
    index = LexicalIndex(str(tmp_path / "lexical"), ["en", "de"])
    assert index.frequency("body", "databas") == 1
    assert index.frequency("body", "data") == 1
    assert index.analyzer.parts("database", "en", lambda _stem: 2) == ()


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("de", "Die Abhängigkeiten werden geladen.\n", "Abhängigkeit"),
        ("fr", "Les paramètres sont validés.\n", "paramètre"),
        ("en", "Зависимости внедряются в обработчики.\n", "зависимость обработчика"),
        ("en", "تعيد المكونات رسم الصفحة.\n", "مكون"),
        ("en", "تعيد الكائنات رسم الصفحة.\n", "كائن"),
        ("en", "نبدأ بتأخير التنفيذ.\n", "تأخير"),
        ("en", "Створення екземплярів компонентів.\n", "що таке компонент"),
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


@pytest.mark.parametrize("word", ["الكائن", "компонентів"])
def test_an_index_of_the_earlier_recipe_is_searched_in_its_terms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    chunks = [chunk("docs", "a", f"{word}\n"), chunk("docs", "b", "Something else.\n")]
    write_lexical(tmp_path / "later", chunks, {"docs": 0}, {})
    monkeypatch.setattr(lexical, "Analyzer", partial(Analyzer, recipe=EARLIER))
    monkeypatch.setattr(lexical, "RECIPE", EARLIER)
    write_lexical(tmp_path / "lexical", chunks, {"docs": 0}, {})
    index = LexicalIndex(str(tmp_path / "lexical"))
    query = analyse(word, Analyzer())
    assert not index.frequency("body", query.terms[0].prose[0])
    assert index.search(LexicalRequest(query, 5)).rows == [0]
    assert together([index, index]).search(LexicalRequest(query, 5)).rows == [0, 2]
    later = LexicalIndex(str(tmp_path / "later"))
    found = together([index, index, later]).search(LexicalRequest(query, 5))
    assert sorted(found.rows) == [0, 2, 4]


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
