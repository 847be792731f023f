"""Test cases that people write in other languages than English."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import only

from kb_runtime.records.case_tables import field_of
from kb_runtime.records.cases import PRIORITIES, Step
from kb_runtime.records.outcomes import PASSED, stated
from kb_runtime.records.written import case_words

PAGES = {
    "de": """# Testfall TC-07: Pumpe startet

**Vorbedingungen:** Der Tank ist voll.
**Priorität:** Hoch

## Schritte
1. Start drücken.
2. Warten.

## Erwartetes Ergebnis
Sie summt.

**Status:** Nicht bestanden
**Tatsächliches Ergebnis:** Stille.
""",
    "fr": """# Cas de test TC-07 : Pumpe startet

Préconditions : Der Tank ist voll.
Priorité : Haute

Étapes :
1. Start drücken.
2. Warten.

Résultat attendu : Sie summt.

Statut : Échoué
Résultat obtenu : Stille.
""",
    "es": """## TC-07: Pumpe startet

### Precondiciones
Der Tank ist voll.

**Prioridad**: Alta

### Pasos
1. Start drücken.
2. Warten.

### Resultado esperado
Sie summt.

**Estado**: Fallido
**Resultado obtenido**: Stille.
""",
    "ru": """## TC-07: Pumpe startet

**Предусловия:** Der Tank ist voll.
**Приоритет:** Высокий

**Шаги:**
1. Start drücken.
2. Warten.

**Ожидаемый результат:** Sie summt.

**Статус:** Провален
**Фактический результат:** Stille.
""",
    "zh": """## 测试用例 TC-07：Pumpe startet

前置条件：Der Tank ist voll.
优先级：高

测试步骤：
1. Start drücken.
2. Warten.

预期结果：Sie summt.

测试结果：失败
实际结果：Stille.
""",
    "pt": """## Caso de teste TC-07 - Pumpe startet

**Pré-condições:** Der Tank ist voll.
**Prioridade:** Alta

**Passos:**
1. Start drücken.
2. Warten.

**Resultado esperado:** Sie summt.

**Estado:** Reprovado
**Resultado obtido:** Stille.
""",
}


@pytest.mark.parametrize("language", PAGES)
def test_labels_are_known_in_many_languages(language: str) -> None:
    case = only("tests/pumpe.md", PAGES[language])
    assert (case.uid, case.title, case.priority) == ("TC-07", "Pumpe startet", "High")
    assert case.preconditions == ("Der Tank ist voll.",)
    assert case.steps == (
        Step(1, "Start drücken."),
        Step(2, "Warten.", "", ("Sie summt.",)),
    )
    assert case.expected_results == "last outcome: failed, Stille."


@pytest.mark.parametrize(
    "table",
    [
        "Testfall-ID;Titel;Testschritte;Erwartetes Ergebnis;Priorität\nT1;Pumpe;Drücken;Summt;Hoch\n",
        "用例编号,用例标题,操作步骤,预期结果,优先级\nT1,Pumpe,Drücken,Summt,高\n",
        "ID caso de prueba,Título,Pasos,Resultado esperado,Prioridad\nT1,Pumpe,Drücken,Summt,Alta\n",
        "テストケースID,テスト項目,手順,期待結果,優先度\nT1,Pumpe,Drücken,Summt,高\n",
    ],
)
def test_columns_of_tables_are_known_in_many_languages(table: str) -> None:
    case = only("cases.csv", table)
    assert (case.uid, case.title, case.priority) == ("T1", "Pumpe", "High")
    assert case.steps == (Step(1, "Drücken", "", ("Summt",)),)


def test_words_stand_for_fields_that_there_are() -> None:
    for field, names in case_words.FIELDS.items():
        for name in names.split("; "):
            assert field_of(name) is not None, (field, name)
    assert set(case_words.PRIORITIES.values()) == {*PRIORITIES}


@pytest.mark.parametrize("word", ["bestanden", "Réussi", "✅ 通过", "Пройден", "Aprobado"])
def test_outcomes_are_known_in_many_languages(word: str) -> None:
    assert stated(word) == PASSED
