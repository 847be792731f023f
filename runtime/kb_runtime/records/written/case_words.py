"""What people call the parts of a test case in other languages than English, and how they say that it ended.

Words are in lower case. Of each field the more telling one comes first.
"""

from __future__ import annotations

from collections.abc import Mapping

FIELDS: Mapping[str, str] = {
    "testCaseId": (
        "testfall-id; testfall id; test-id; testfall nr; testfallnummer; testfall-nr; id del caso;"
        " id do caso; caso id; identifiant du test; id du test;"
        " identifiant; id du cas de test; id caso de prueba; id del caso de prueba; id de caso de prueba;"
        " identificador; id do caso de teste; id caso de teste; id del caso di test; id caso di test;"
        " testgeval-id; testgeval id; id przypadku testowego; идентификатор; номер теста; id тест-кейса;"
        " номер тест-кейса; ідентифікатор; id тест-кейсу; 用例编号; 用例id; 测试用例编号; 测试用例id;"
        " 編號; 编号; テストケースid; テストid; テスト番号; 테스트 케이스 id; 테스트케이스 id; test durumu no"
    ),
    "title": (
        "testfall; titel; testname; bezeichnung; cas de test; titre; titre du test; nom du test;"
        " intitulé; caso de prueba; título; titulo; nombre del caso de prueba; nombre;"
        " caso de teste; nome do caso de teste; nome; caso di test; titolo; testgeval; naam;"
        " przypadek testowy; tytuł; nazwa; название; заголовок; тест-кейс; наименование; назва;"
        " 用例标题; 用例名称; 测试用例; 测试标题; 标题; 用例標題; テストケース; テスト名; テスト項目;"
        " タイトル; 테스트 케이스; 제목; 테스트명; test senaryosu; başlık"
    ),
    "description": (
        "beschreibung; testbeschreibung; ziel; testziel; description du test; objectif;"
        " objectif du test; descripción; descripcion; objetivo; descrição; descricao;"
        " descrizione; obiettivo; beschrijving; doel; opis; cel; описание; цель; опис; мета;"
        " 描述; 用例描述; 测试描述; 测试目的; 目的; 説明; テスト目的; 概要; 설명; 목적; açıklama; amaç"
    ),
    "priority": (
        "priorität; prioritaet; priorité; priorite; prioridad; prioridade; priorità; prioriteit;"
        " priorytet; приоритет; пріоритет; 优先级; 優先級; 用例等级; 重要级别; 優先度; 우선순위; öncelik"
    ),
    "testType": (
        "testart; testtyp; type de test; tipo de prueba; tipo de teste; tipo di test; testsoort;"
        " typ testu; тип теста; вид тестирования; 测试类型; 用例类型; テスト種別; 테스트 유형"
    ),
    "labels": "schlagwörter; étiquettes; etiquetas; etichette; etykiety; теги; метки; 标签; タグ; 태그",
    "folderStructure": (
        "modul; testsuite; bereich; komponente; module de test; módulo; modulo; moduł; модуль;"
        " раздел; 模块; 所属模块; 功能模块; モジュール; 機能; 모듈; modül"
    ),
    "preconditions": (
        "vorbedingungen; vorbedingung; voraussetzungen; voraussetzung; préconditions; précondition;"
        " pré-conditions; pré-condition; prérequis; pré-requis; precondiciones; precondición;"
        " precondicion; prerrequisitos; pré-condições; pré-condição; pré-requisitos; précondições;"
        " precondizioni; precondizione; prerequisiti; precondities; preconditie; voorwaarden;"
        " warunki wstępne; warunek wstępny; предусловия; предусловие; передумови; передумова;"
        " 前置条件; 前提条件; 预置条件; 前置條件; 事前条件; 사전 조건; 사전조건; 전제 조건;"
        " ön koşullar; önkoşullar"
    ),
    "relatedIssues": (
        "anforderung; anforderungen; exigence; exigences; requisito; requisitos; requisiti;"
        " требование; требования; 关联需求; 需求编号; 要件; 요구사항"
    ),
    "action": (
        "schritte; testschritte; aktionen; acción; accion; acciones; ação; ações; azione; actie; akcja;"
        " дія; 动作; 操作内容;"
        " testschritt; schritt; vorgehen; aktion; étapes; étape; etapes;"
        " étapes du test; étapes de test; étapes à suivre; pasos; paso; pasos de prueba;"
        " pasos a seguir; pasos de ejecución; passos; passo; passos do teste; passos para execução;"
        " procedimento; passaggi; passi; stappen; teststappen; stap; kroki; kroki testowe; krok;"
        " шаги; шаг; шаги теста; шаги воспроизведения; шаги выполнения; действие; действия;"
        " кроки; крок; 步骤; 测试步骤; 操作步骤; 执行步骤; 用例步骤; 測試步驟; 步驟; 手順;"
        " テスト手順; 操作手順; 操作; 테스트 단계; 단계; 테스트 절차; 절차; adımlar; test adımları"
    ),
    "data": (
        "testdaten; daten; données de test; données; jeu de données; datos de prueba; datos;"
        " dados de teste; dados; massa de dados; dati di test; dati; testgegevens; dane testowe; dane;"
        " тестовые данные; данные; входные данные; тестові дані; 测试数据; 输入数据; 測試數據;"
        " テストデータ; 入力データ; 테스트 데이터; 입력 데이터; test verileri"
    ),
    "expected": (
        "erwartet; erwartete reaktion; reaktion; attendu; esperado; atteso; verwacht; oczekiwane; ожидается;"
        " erwartetes ergebnis; erwartete ergebnisse; erwartetes resultat; erwartung; soll-ergebnis;"
        " sollergebnis; résultat attendu; résultats attendus; resultat attendu; resultado esperado;"
        " resultados esperados; risultato atteso; risultati attesi; verwacht resultaat;"
        " verwachte resultaten; oczekiwany rezultat; oczekiwany wynik; rezultat oczekiwany;"
        " ожидаемый результат; ожидаемые результаты; ожидаемый итог; очікуваний результат;"
        " очікувані результати; 预期结果; 期望结果; 预期; 預期結果; 期待結果; 期待される結果; 期待値;"
        " 예상 결과; 기대 결과; 기대결과; beklenen sonuç"
    ),
    "outcome": (
        "ergebnis; teststatus; bestanden; statut; résultat; resultado; estado; esito; stato;"
        " uitkomst; wynik; статус; результат; стан; 测试结果; 执行结果; 是否通过; 状态; 結果; 判定;"
        " テスト結果; 결과; 상태; sonuç; durum"
    ),
    "actual": (
        "tatsächlich; obtenu; obtenido; obtido; ottenuto;"
        " tatsächliches ergebnis; ist-ergebnis; istergebnis; résultat obtenu; résultat réel;"
        " résultats obtenus; resultado obtenido; resultado real; resultado actual; resultado obtido;"
        " risultato ottenuto; risultato effettivo; werkelijk resultaat; rzeczywisty rezultat;"
        " rzeczywisty wynik; фактический результат; фактичний результат; 实际结果; 實際結果;"
        " 実際の結果; 実結果; 실제 결과; gerçekleşen sonuç"
    ),
}
"""Field of `case_tables` -> names of it, which `; ` separates."""

OUTCOMES: Mapping[str, str] = {
    word: outcome
    for outcome, words in {
        "passed": (
            "bestanden erfolgreich réussi réussie passé ok aprobado aprobada exitoso pasó paso aprovado"
            " aprovada passou superato geslaagd zaliczony пройден пройдено успешно успех пройдений"
            " 通过 成功 合格 通過 성공 통과 başarılı geçti"
        ),
        "failed": (
            "fehlgeschlagen nichtbestanden échoué échouée échec fallido fallida falló fallo fallado"
            " reprovado reprovada falhou fallito mislukt niezaliczony провален провалено неуспешно"
            " непройден ошибка 失败 不通过 未通过 不合格 失敗 실패 başarısız kaldı"
        ),
        "skipped": (
            "übersprungen ignoré omitido ignorado saltato overgeslagen pominięty пропущен 跳过 スキップ"
            " 건너뜀"
        ),
        "blocked": "blockiert bloqué bloqueado bloccato geblokkeerd zablokowany заблокирован 阻塞 保留 차단",
    }.items()
    for word in words.split()
}
"""Word without blanks -> what the outcome is called here."""

PRIORITIES: Mapping[str, str] = {
    word: name
    for name, words in {
        "Critical": (
            "kritisch critique crítica crítico critica critico kritiek krytyczny критический критичный"
            " критична 紧急 严重 緊急 긴급 kritik"
        ),
        "High": (
            "hoch haute élevée élevé alta alto hoog wysoki wysoka высокий высокая високий 高 높음 yüksek"
        ),
        "Medium": (
            "mittel moyenne moyen media medio média médio gemiddeld średni średnia средний средняя"
            " середній 中 중간 보통 orta"
        ),
        "Low": (
            "niedrig gering basse faible baja bajo baixa baixo bassa basso laag niski niska низкий"
            " низкая низький 低 낮음 düşük"
        ),
    }.items()
    for word in words.split()
}
"""Word -> the priority, as `cases` calls it."""

CASE_NAMES = (
    "Testfall", "Cas de test", "Caso de prueba", "Caso de teste", "Caso di test", "Testgeval",
    "Przypadek testowy", "Тест-кейс", "Тестовый случай", "Тестовий випадок", "测试用例", "用例",
    "テストケース", "테스트 케이스", "테스트케이스",
)  # fmt: skip
"""What headings of test cases begin with."""
