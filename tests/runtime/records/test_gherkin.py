"""Features as Cucumber reads them: steps with what they expect, outlines, doc strings, tables."""

from __future__ import annotations

import pytest

from kb_runtime.records.case_files import parse
from kb_runtime.records.cases import Case, Step, normalise, suite_of
from kb_runtime.records.gherkin_languages import KEYWORDS


def read(name: str, content: str) -> list[Case]:
    parsed = parse(name, content.encode())
    found = normalise(parsed, suite_of(name, parsed), name)
    assert found is not None
    return list(found.cases)


FEATURE = '''# language: en
@pump
Feature: Pump
  Words about it.

  Background:
    Given a full tank

  @TEST_PUMP-6 @smoke
  Scenario: Starts
    It starts at once.
    When I press start
      """
      Scenario: not this one
      """
    Then it hums
    And the lamp is green
    When I press it again
    Then it stops

  Rule: Cold
    Scenario Outline: Starts at <degrees>
      When it has <degrees>
      Then it <does>

      Examples:
        | degrees | does   |
        | -5      | starts |
'''


def test_gherkin() -> None:
    starts, outline = read("features/pump.feature", FEATURE)
    assert (starts.uid, starts.jira_key, starts.title) == ("PUMP-6", "PUMP-6", "Starts")
    assert starts.tags == ("pump", "TEST_PUMP-6", "smoke")
    assert starts.description == "It starts at once.\n\nWords about it."
    assert outline.description == "Words about it."
    assert starts.preconditions == ("Given a full tank",)
    assert [(step.action, step.data, step.expected) for step in starts.steps] == [
        ("When I press start", "Scenario: not this one", ("it hums", "the lamp is green")),
        ("When I press it again", "", ("it stops",)),
    ]
    assert (outline.uid, outline.folder) == ("pump: Starts at <degrees>", "Pump/Cold")
    assert outline.test_data == "| degrees | does   |\n| -5      | starts |"
    assert starts.test_path == "features/pump.feature:10"


RULES = """Feature: Pump
  Background:
    Given a tank
  Scenario: Starts
    * I press start
    * I wait
    Then it hums
  Rule: Cold
    When it freezes.
    Background: in the yard
      Given ice
    @winter
    Scenario Outline: Heats
      Given <degrees>
      @mild @PUMP-9
      Examples: mild days
        | degrees |
        | 5 |
      @hard
      Examples:
        | degrees |
        | -20 |
  Rule: Hot
    Scenario: Cools
      When it is hot
"""


def test_what_is_said_of_a_rule_and_of_examples_is_kept() -> None:
    starts, heats, cools = read("pump.feature", RULES)
    assert [step.action for step in starts.steps] == ["I press start", "I wait"]
    assert [each.preconditions for each in (starts, heats, cools)] == [
        ("Given a tank",), ("Given a tank", "Given ice"), ("Given a tank",),
    ]  # fmt: skip
    assert (heats.description, cools.description) == ("When it freezes.", "")
    assert heats.tags == ("winter", "mild", "PUMP-9", "hard")
    assert heats.jira_key == ""  # some rows of a scenario are not the scenario
    assert heats.test_data == "mild days:\n| degrees |\n| 5 |\n| degrees |\n| -20 |"


DATA = '''Feature: Pump
  Scenario: Prints
    Given a script:
      """python
      if ready:
          pump()

      """
    When I run it
    Then it prints:
      """
      humming
        loudly
      """
    And the lamps are
      | red | green |
'''


def test_doc_strings_and_tables_stay_with_their_step() -> None:
    (case,) = read("pump.feature", DATA)
    given, when = case.steps
    assert (given.data, given.expected) == ("if ready:\n    pump()", ())
    expected = ("it prints:\nhumming\n  loudly", "the lamps are\n| red | green |")
    assert (when.data, when.expected) == ("", expected)


SHARED_KEY = """@PUMP-1
Feature: Pump
  Scenario: Starts
    When I press start
  Scenario: Starts
    When I pull the rope
  @PUMP-2
  Scenario: Stops
    When I press stop
"""


def test_scenarios_that_share_a_key_or_a_name_are_all_kept() -> None:
    found = read("pump.feature", SHARED_KEY)
    assert [(case.uid, case.jira_key) for case in found] == [
        ("pump: Starts", "PUMP-1"),
        ("pump: Starts #2", "PUMP-1"),
        ("PUMP-2", "PUMP-2"),
    ]


GERMAN = """# language: de
Funktionalität: Pumpe
  Grundlage:
    Angenommen ein voller Tank
  Regel: Kälte
    Szenariogrundriss: Startet bei <Grad>
      Wenn ich den Knopf drücke
      Dann summt sie
      Und die Lampe ist grün
      Beispiele:
        | Grad |
        | -5   |
"""

FRENCH = """Fonctionnalité: Pompe
  Scénario: Démarre
    Étant donné qu'elle est pleine
    Lorsqu'on appuie
    Alors elle ronronne
"""

JAPANESE = """# language: ja
機能: ポンプ
  シナリオアウトライン: 始動する
    前提タンクが満杯である
    もしボタンを押す
    ならば音がする
    かつランプが緑になる
"""


def test_keywords_are_those_of_the_stated_language() -> None:
    (case,) = read("pumpe.feature", GERMAN)
    assert (case.uid, case.folder) == ("pumpe: Startet bei <Grad>", "Pumpe/Kälte")
    assert case.preconditions == ("Angenommen ein voller Tank",)
    assert [(step.action, step.expected) for step in case.steps] == [
        ("Wenn ich den Knopf drücke", ("summt sie", "die Lampe ist grün"))
    ]
    assert case.test_data == "| Grad |\n| -5   |"


def test_keywords_without_a_space_behind_them() -> None:
    (case,) = read("pompe.feature", "#language : fr\n" + FRENCH)
    assert [(step.action, step.expected) for step in case.steps] == [
        ("Étant donné qu'elle est pleine", ()),
        ("Lorsqu'on appuie", ("elle ronronne",)),
    ]
    (case,) = read("pump.feature", JAPANESE)
    assert [(step.action, step.expected) for step in case.steps] == [
        ("前提タンクが満杯である", ()),
        ("もしボタンを押す", ("音がする", "ランプが緑になる")),
    ]


def test_a_feature_that_states_no_language_has_that_of_its_keywords() -> None:
    (case,) = read("pompe.feature", FRENCH)
    assert case.title == "Démarre"
    # The keywords of features are the same in Swedish and Norwegian.
    (case,) = read(
        "p.feature", "Egenskap: P\n  Scenario: Starter\n    Når jeg trykker\n    Så går den\n"
    )
    assert [(step.action, step.expected) for step in case.steps] == [
        ("Når jeg trykker", ("går den",))
    ]


def test_what_looks_like_a_keyword_of_another_language_is_none() -> None:
    (case,) = read("p.feature", "Feature: P\n  Scenario: S\n    A pump\n    When I press\n")
    assert (case.description, len(case.steps)) == ("A pump", 1)


@pytest.mark.parametrize("language", KEYWORDS)
def test_every_language_has_its_words(language: str) -> None:
    feature, _, background, scenario, _, given, when, then, *_ = (
        words.split("|")[-1].strip() for words in KEYWORDS[language].split(";")
    )
    space = "" if language in ("ja", "ml", "zh-CN", "zh-TW") else " "
    text = (
        f"# language: {language}\n{feature}: Pump\n  {background}:\n    {given}{space}tank\n"
        f"  {scenario}: Starts\n    {when}{space}press\n    {then}{space}hum\n"
    )
    (case,) = read("pump.feature", text)
    assert (case.title, case.preconditions) == ("Starts", (f"{given}{space}tank",))
    assert case.steps == (Step(1, f"{when}{space}press", "", ("hum",)),)
