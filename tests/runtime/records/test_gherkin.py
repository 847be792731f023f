"""Features as Cucumber reads them: steps with what they expect, outlines, doc strings, tables."""

from __future__ import annotations

from kb_runtime.records.case_files import parse
from kb_runtime.records.cases import Case, normalise, suite_of


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
    assert starts.description == "It starts at once."
    assert starts.preconditions == ("Given a full tank",)
    assert [(step.action, step.data, step.expected) for step in starts.steps] == [
        ("When I press start", "Scenario: not this one", ("it hums", "the lamp is green")),
        ("When I press it again", "", ("it stops",)),
    ]
    assert (outline.uid, outline.folder) == ("pump: Starts at <degrees>", "Pump/Cold")
    assert outline.test_data == "| degrees | does   |\n| -5      | starts |"
    assert starts.test_path == "features/pump.feature:10"


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
