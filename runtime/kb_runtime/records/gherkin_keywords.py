"""The keywords of Gherkin in the languages in which features are written most."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

ENGLISH = "en"
FEATURE, RULE, BACKGROUND = "Feature", "Rule", "Background"
SCENARIO, EXAMPLES = "Scenario", "Examples"
THEN, AND, BUT = "Then", "And", "But"

_BLOCKS = (FEATURE, RULE, BACKGROUND, SCENARIO, EXAMPLES)
_STEPS = ("Given", "When", THEN, AND, BUT)

_KEYWORDS: Mapping[str, str] = {
    "en": (
        "Feature|Ability|Business Need; Rule; Background; Scenario Outline|Scenario "
        "Template|Scenario|Example; Scenarios|Examples; Given; When; Then; And; But"
    ),
    "ar": "خاصية; ; الخلفية; سيناريو مخطط|مثال|سيناريو; امثلة; بفرض; متى|عندما; اذاً|ثم; و; لكن",
    "bg": (
        "Функционалност; Правило; Предистория; Рамка на сценарий|Пример|Сценарий; Примери; Дадено; "
        "Когато; То; И; Но"
    ),
    "ca": (
        "Característica|Funcionalitat; ; Rerefons|Antecedents; Esquema de "
        "l'escenari|Exemple|Escenari; Exemples; Donat|Donada|Atès|Atesa; Quan; Aleshores|Cal; I; "
        "Però"
    ),
    "cs": (
        "Požadavek; Pravidlo; Pozadí|Kontext; Náčrt Scénáře|Osnova scénáře|Příklad|Scénář; "
        "Příklady; Pokud|Za předpokladu; Když; Pak; A také|A; Ale"
    ),
    "da": (
        "Egenskab; Regel; Baggrund; Abstrakt Scenario|Eksempel|Scenarie; Eksempler; Givet; Når; "
        "Så; Og; Men"
    ),
    "de": (
        "Funktionalität|Funktion; Regel; Grundlage|Hintergrund|Voraussetzungen|Vorbedingungen; "
        "Szenariogrundriss|Szenarien|Beispiel|Szenario; Beispiele; Angenommen|Gegeben sei|Gegeben "
        "seien; Wenn; Dann; Und; Aber"
    ),
    "el": (
        "Δυνατότητα|Λειτουργία; ; Υπόβαθρο; Περιγραφή Σεναρίου|Περίγραμμα "
        "Σεναρίου|Παράδειγμα|Σενάριο; Παραδείγματα|Σενάρια; Δεδομένου; Όταν; Τότε; Και; Αλλά"
    ),
    "es": (
        "Característica|Necesidad del negocio|Requisito; Regla|Regla de negocio; Antecedentes; "
        "Esquema del escenario|Ejemplo|Escenario; Ejemplos; Dado|Dada|Dados|Dadas; Cuando; "
        "Entonces; Y|E; Pero"
    ),
    "fi": "Ominaisuus; ; Tausta; Tapausaihio|Tapaus; Tapaukset; Oletetaan; Kun; Niin; Ja; Mutta",
    "fr": (
        "Fonctionnalité; Règle; Contexte; Plan du scénario|Plan du Scénario|Exemple|Scénario; "
        "Exemples; Soit|Sachant que|Sachant qu'|Sachant|Etant donné que|Etant donné qu'|Etant "
        "donné|Etant donnée|Etant donnés|Etant données|Étant donné que|Étant donné qu'|Étant "
        "donné|Étant donnée|Étant donnés|Étant données; Quand|Lorsque|Lorsqu'; Alors|Donc; Et "
        "que|Et qu'|Et; Mais que|Mais qu'|Mais"
    ),
    "he": "תכונה; כלל; רקע; תבנית תרחיש|דוגמא|תרחיש; דוגמאות; בהינתן; כאשר; אז|אזי; וגם; אבל",
    "hr": (
        "Osobina|Mogućnost|Mogucnost; ; Pozadina; Skica|Koncept|Primjer|Scenarij; "
        "Primjeri|Scenariji; Zadan|Zadani|Zadano|Ukoliko; Kada|Kad; Onda; I; Ali"
    ),
    "hu": (
        "Jellemző; Szabály; Háttér; Forgatókönyv vázlat|Példa|Forgatókönyv; Példák; "
        "Amennyiben|Adott; Majd|Ha|Amikor; Akkor; És; De"
    ),
    "id": (
        "Fitur; Aturan; Dasar|Latar Belakang; Skenario konsep|Garis-Besar Skenario|Skenario; "
        "Contoh|Misal; Dengan|Diketahui|Diasumsikan|Bila|Jika; Ketika; Maka|Kemudian; Dan; "
        "Tapi|Tetapi"
    ),
    "it": (
        "Funzionalità|Esigenza di Business|Abilità; Regola; Contesto; Schema dello "
        "scenario|Esempio|Scenario; Esempi; Dato|Data|Dati|Date; Quando; Allora; E|Ed; Ma"
    ),
    "ja": (
        "フィーチャ|機能; ルール; 背景; シナリオアウトライン|シナリオテンプレート|テンプレ|"
        "シナリオテンプレ|シナリオ; 例|サンプル; 前提; もし; ならば; 且つ|かつ; 然し|しかし|但し|"
        "ただし"
    ),
    "ko": (
        "기능; 규칙; 배경; 시나리오 개요|시나리오; 예; 조건|먼저; 만일|만약; 그러면; 그리고; "
        "하지만|단"
    ),
    "nl": (
        "Functionaliteit; Regel; Achtergrond; Abstract Scenario|Voorbeeld|Scenario; Voorbeelden; "
        "Gegeven|Stel; Als|Wanneer; Dan; En; Maar"
    ),
    "no": (
        "Egenskap; Regel; Bakgrunn; Scenariomal|Abstrakt Scenario|Eksempel|Scenario; Eksempler; "
        "Gitt; Når; Så; Og; Men"
    ),
    "pl": (
        "Właściwość|Funkcja|Aspekt|Potrzeba biznesowa; Zasada|Reguła; Założenia; Szablon "
        "scenariusza|Przykład|Scenariusz; Przykłady; Zakładając|Mając|Zakładając, że; "
        "Jeżeli|Jeśli|Gdy|Kiedy; Wtedy; Oraz|I; Ale"
    ),
    "pt": (
        "Funcionalidade|Característica|Caracteristica; Regra; Contexto|Cenário de Fundo|Cenario de "
        "Fundo|Fundo; Esquema do Cenário|Esquema do Cenario|Delineação do Cenário|Delineacao do "
        "Cenario|Exemplo|Cenário|Cenario; Exemplos|Cenários|Cenarios; Dado|Dada|Dados|Dadas; "
        "Quando; Então|Entao; E; Mas"
    ),
    "ro": (
        "Functionalitate|Funcționalitate|Funcţionalitate; ; Context; Structura scenariu|Structură "
        "scenariu|Exemplu|Scenariu; Exemple; Date fiind|Dat fiind|Dată fiind|Dati fiind|Dați "
        "fiind|Daţi fiind; Cand|Când; Atunci; Si|Și|Şi; Dar"
    ),
    "ru": (
        "Функция|Функциональность|Функционал|Свойство|Фича; Правило; Предыстория|Контекст; "
        "Структура сценария|Шаблон сценария|Пример|Сценарий; Примеры|Значения; "
        "Допустим|Дано|Пусть; Когда|Если; То|Затем|Тогда; И|К тому же|Также; Но|А|Иначе"
    ),
    "sk": (
        "Požiadavka|Funkcia|Vlastnosť; ; Pozadie; Náčrt Scenáru|Náčrt Scenára|Osnova "
        "Scenára|Príklad|Scenár; Príklady; Pokiaľ|Za predpokladu; Keď|Ak; Tak|Potom; A|A tiež|A "
        "taktiež|A zároveň; Ale"
    ),
    "sl": (
        "Funkcionalnost|Funkcija|Možnosti|Moznosti|Lastnost|Značilnost; ; Kontekst|Osnova|Ozadje; "
        "Struktura scenarija|Skica|Koncept|Oris scenarija|Osnutek|Primer|Scenarij; "
        "Primeri|Scenariji; Dano|Podano|Zaradi|Privzeto; Ko|Ce|Če|Kadar; Nato|Potem|Takrat; "
        "In|Ter; Toda|Ampak|Vendar"
    ),
    "sr-Latn": (
        "Funkcionalnost|Mogućnost|Mogucnost|Osobina; Pravilo; Kontekst|Osnova|Pozadina; Struktura "
        "scenarija|Skica|Koncept|Scenario|Primer; Primeri|Scenariji; Za dato|Za date|Za dati; "
        "Kada|Kad; Onda; I; Ali"
    ),
    "sv": (
        "Egenskap; Regel; Bakgrund; Abstrakt Scenario|Scenariomall|Scenario; Exempel; Givet; När; "
        "Så; Och; Men"
    ),
    "tr": (
        "Özellik|İş Gereksinimi|Gereksinim|İşlev|Kullanıcı Hikayesi|Yetenek|Teknik Gereksinim; "
        "Kural|İş Kuralı|Kaide|Hüküm|Madde; Geçmiş|Arka Plan|Ön Koşul|Önkoşul|Önceki "
        "Durum|Giriş|Mukaddime|Mevcut Durum; Senaryo taslağı|Senaryo "
        "şablonu|Örnek|Senaryo|Durum|Vaka; Örnekler|Değerler; Mevcut|Önceden|Geçmişte|Daha "
        "önce|Halihazırda|Zaten|Sistemde|Diyelim ki|Varsayalım ki|Farz edelim ki|Kabul edelim "
        "ki|Başlangıçta|Varsayılan olarak|Biliniyor ki; Eğer|Eğer ki|Ne zaman|Ne zaman ki|Şayet; "
        "Beklenen|O zaman|Sonuç olarak|Böylece|Bunun üzerine|Bu durumda|O takdirde|Şu halde|Netice "
        "itibariyle|Buna binaen; Ve|Hem de|Bir de|Ayrıca|İlaveten|Buna ek olarak; "
        "Fakat|Ama|Ancak|Yalnız|Lakin|Meğer ki|Buna mukabil|Aksi halde"
    ),
    "uk": (
        "Функціонал; ; Передумова; Структура сценарію|Приклад|Сценарій; Приклади; "
        "Припустимо|Припустимо, що|Нехай|Дано; Якщо|Коли; То|Тоді; І|А також|Та; Але"
    ),
    "vi": (
        "Tính năng; Quy tắc; Bối cảnh; Khung tình huống|Khung kịch bản|Tình huống|Kịch bản; Dữ "
        "liệu; Biết|Cho; Khi; Thì; Và; Nhưng"
    ),
    "zh-CN": (
        "功能; 规则; 背景; 场景大纲|剧本大纲|场景|剧本; 例子; 假如|假设|假定; 当; 那么; "
        "而且|并且|同时; 但是"
    ),
    "zh-TW": (
        "功能; ; 背景; 場景大綱|劇本大綱|場景|劇本; 例子; 假如|假設|假定; 當; 那麼; "
        "而且|並且|同時; 但是"
    ),
}
"""Those of blocks (a feature, rule, background, scenario, examples), then those of steps (given, when, then,
and, but), in this order; between alternatives is a bar."""

_UNSPACED = ("ja", "zh-CN", "zh-TW")
"""Languages in which a step goes on right behind its keyword."""


class Keywords(NamedTuple):
    """The keywords of one language with the English ones that they stand for (`Scenario Outline` is a
    `Scenario`), and what finds them at the start of a line."""

    blocks: Mapping[str, str]
    steps: Mapping[str, str]
    block: re.Pattern[str]
    step: re.Pattern[str]


def keywords_of(language: str) -> Keywords | None:
    """Those of a language by its tag, such as `de`, `zh-CN` or `pt-BR`; None where it is not known."""
    tags = {tag.lower(): tag for tag in _KEYWORDS}
    wanted = language.lower()
    found = tags.get(wanted) or tags.get(wanted.partition("-")[0])
    return _keywords(found) if found else None


def guessed(lines: Sequence[str]) -> Keywords:
    """Those of the language in which most of these lines begin as steps, of the languages in which one of
    them begins a feature, or else of all; the English ones where that tells nothing."""
    stripped = [text for line in lines if (text := line.strip())]
    titles = {line.partition(":")[0] for line in stripped if ":" in line}
    named = [language for language in _KEYWORDS if not titles.isdisjoint(_features(language))]
    english = _keywords(ENGLISH)
    if named == [ENGLISH] or (not named and all(map(english.step.match, stripped))):
        return english  # nearly always, and the patterns of all the others need not be made
    return max(
        map(_keywords, named or _KEYWORDS),
        key=lambda words: sum(words.step.match(line) is not None for line in stripped),
    )


@cache
def steps_in_any_language() -> Mapping[str, str]:
    """English keyword of a step by the keyword in any language. `Dan` is "then", which it is in Dutch, and
    not "and", as in Indonesian."""
    found: dict[str, str] = {}
    for language in _KEYWORDS:
        for keyword, kind in _keywords(language).steps.items():
            if kind == THEN or keyword not in found:
                found[keyword] = kind
    return found


def _features(language: str) -> list[str]:
    """The keywords of features, the first of those of blocks."""
    return _KEYWORDS[language].partition(";")[0].split("|")


@cache
def _keywords(language: str) -> Keywords:
    stated = _KEYWORDS[language].split(";")
    blocks = {**_by_keyword(_BLOCKS, stated[: len(_BLOCKS)]), RULE: RULE}
    steps = {**_by_keyword(_STEPS, stated[len(_BLOCKS) :]), "*": AND}
    space = r"\s*" if language in _UNSPACED else r"\s+"
    # Of those that end with an apostrophe nothing follows but what they are joined to.
    written = (
        re.escape(each) + ("" if each.endswith("'") else space) for each in _longest_first(steps)
    )
    return Keywords(
        blocks,
        steps,
        re.compile(rf"({'|'.join(map(re.escape, _longest_first(blocks)))}):\s*(.*)"),
        re.compile(rf"({'|'.join(written)})(.*)"),
    )


def _by_keyword(kinds: Sequence[str], stated: Sequence[str]) -> dict[str, str]:
    """Kind by keyword, of a part of a row of `_KEYWORDS`."""
    return {
        keyword.strip(): kind
        for kind, keywords in zip(kinds, stated, strict=True)
        for keyword in keywords.split("|")
        if keyword.strip()
    }


def _longest_first(keywords: Mapping[str, str]) -> list[str]:
    return sorted(keywords, key=len, reverse=True)
