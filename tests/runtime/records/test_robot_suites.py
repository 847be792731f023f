"""Suites as Robot Framework reads them: settings, tests, templates, control structures, both separators."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_gherkin import read

from kb_runtime.records.case_files import CaseFileError, parse

SUITE = r"""A comment above the sections.
*** Settings ***
Documentation    How the pump
...              behaves.
...
...              In winter, too.
Library          Pumps.py    # a comment
Suite Setup      Fill The Tank    full    slowly
Test Setup       Unlock
Force Tags       pump    slow
Default Tags     daily

*** Variables ***
${START}         Not A Test

*** Test Cases ***
Starts
    [Documentation]    It starts
    ...    at once.
    [Tags]    TEST_PUMP-6    smoke    -slow
    [Setup]    NONE
    Given a full tank
    When I press    start
    ...    twice
    Then it hums    loudly
    And the lamp is green
    ${level} =    Read Level    \#1
    [Teardown]    Stop
Runs
    FOR    ${hour}    IN    1    2
        Wait    ${hour} h    # not a cell
        IF    ${hour} > 1    BREAK
    END
    VAR    ${done}    yes

*** Keywords ***
Fill The Tank
    [Tags]    hidden
    Log    Filling
"""


def test_a_suite() -> None:
    starts, runs = read("tests/01__cold_pump.robot", SUITE)
    assert (starts.uid, starts.jira_key, starts.title) == ("Cold Pump::Starts", "PUMP-6", "Starts")
    assert starts.tags == ("TEST_PUMP-6", "smoke", "pump")
    assert runs.tags == ("daily", "pump", "slow")
    assert starts.description == (
        "It starts\nat once.\n\nHow the pump\nbehaves.\n\nIn winter, too."
    )
    assert (starts.folder, starts.test_type) == ("Tests/Cold Pump", "Automated")
    assert starts.preconditions == ("Fill The Tank full, slowly",)
    assert runs.preconditions == ("Fill The Tank full, slowly", "Unlock")
    assert [(step.action, step.data, step.expected) for step in starts.steps] == [
        ("Given a full tank", "", ()),
        ("When I press", "start, twice", ("it hums\nloudly", "the lamp is green")),
        ("${level} = Read Level", r"\#1", ()),
    ]
    assert [step.instruction for step in runs.steps] == [
        "FOR ${hour} IN 1 2",
        "Wait (Data: ${hour} h)",
        "IF ${hour} > 1 BREAK",
        "VAR ${done} yes",
    ]
    assert starts.test_path == "tests/01__cold_pump.robot:17"


def test_rows_of_a_template_are_steps() -> None:
    text = """*** Settings ***
Test Template    Should Start At
*** Test Cases ***    degrees    after
Cold          -5    10 s
              -9    20 s
Warm
    [Template]    NONE
    Press    start
"""
    cold, warm = read("pump.robot", text)
    assert [(step.action, step.data) for step in cold.steps] == [
        ("Should Start At", "-5, 10 s"),
        ("Should Start At", "-9, 20 s"),
    ]
    assert [step.instruction for step in warm.steps] == ["Press (Data: start)"]


def test_cells_between_pipes_and_tasks() -> None:
    text = (
        "| *Settings* |\n| Name | The pump |\n"
        "| *** Tasks *** |\n| Start | Press | on  and | off |\n|  | Wait | |\n| Start |\n"
    )
    first, second = read("robots/pump.robot", text)
    assert [step.instruction for step in first.steps] == ["Press (Data: on  and, off)", "Wait"]
    assert [first.uid, second.uid] == ["The pump::Start", "The pump::Start #2"]
    assert first.folder == "Robots/The pump"


def test_a_file_of_keywords_has_no_test() -> None:
    assert parse("pump.robot", b"*** Keywords ***\nPress\n    Log    x\n") == {"tests": []}
    assert parse("pump.robot", b"") == {"tests": []}


def test_a_suite_in_another_language_is_named() -> None:
    text = "language: Deutsch\n\n*** Testfälle ***\nStart\n    Warten\n"
    with pytest.raises(CaseFileError, match="in the language 'Deutsch' are not read") as caught:
        parse("pump.robot", text.encode())
    assert caught.value.line == 1
    english = text.replace("Testfälle", "Test Cases")
    assert [case.title for case in read("pump.robot", english)] == ["Start"]
