"""Test cases that people write in Markdown."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import only, read

from kb_runtime.records.case_files import parse
from kb_runtime.records.cases import Step

PAGE = """# Test Case: Pump starts

## Test Case ID
TC_PUMP_007

## Objective
The pump starts at once.

## Preconditions
- The tank is full.
- The lid is closed.

## Priority
High 🔴

## Test Steps
1. Press start.
2. Wait:
   - for a hum
   - for the lamp

## Expected Result
- It hums.
- The lamp is lit.

## Status
Failed

## Actual Result
No hum.

## Environment
Linux
"""


def test_a_page_is_a_test_case() -> None:
    case = only("tests/pump/start.md", PAGE)
    assert (case.uid, case.test_case_id, case.title) == (
        "TC_PUMP_007",
        "TC_PUMP_007",
        "Pump starts",
    )
    assert (case.folder, case.test_path) == ("tests/pump", "tests/pump/start.md:1")
    assert case.preconditions == ("The tank is full.", "The lid is closed.")
    assert case.priority == "High"
    assert case.steps == (
        Step(1, "Press start."),
        Step(2, "Wait:\n- for a hum\n- for the lamp", "", ("It hums.\nThe lamp is lit.",)),
    )
    assert case.expected_results == "last outcome: failed, No hum."
    assert case.description == "The pump starts at once."


LIST = """# Tests of the pump

Run them by hand.

## TC-1 – Starts [smoke]

* **Module:** Motor
* **Priority:** Low
* **Tags:** smoke, motor

**Steps:**
1. Press start.

**Expected:** It hums.

**Note:** loud

## TC-2: Stops

**Test Execution**

| Step # | Test Step | Test Data (if any) | Expected Result |
|---|:---:|---|---|
| 1 | Press `stop` | now | It is silent.<br> The lamp is out. |
| 2 | Wait \\| look | | |

### PAY-3 paid

## Of everything

### Steps
- Look.

### Expected result
Nothing.
"""


def test_headings_are_test_cases() -> None:
    starts, stops, other = read("pump.md", LIST).cases
    assert [case.uid for case in (starts, stops, other)] == ["TC-1", "TC-2", "pump: Of everything"]
    assert (starts.title, starts.folder, starts.priority) == ("Starts [smoke]", "Motor", "Low")
    assert starts.tags == ("smoke", "motor")
    assert starts.steps == (Step(1, "Press start.", "", ("It hums.",)),)
    assert (stops.title, stops.folder) == ("Stops", "Tests of the pump")
    assert stops.steps == (
        Step(1, "Press stop", "now", ("It is silent.\nThe lamp is out.",)),
        Step(2, "Wait | look"),
    )
    assert stops.test_path.startswith("pump.md:")
    assert other.steps == (Step(1, "Look.", "", ("Nothing.",)),)


@pytest.mark.parametrize(
    ("heading", "uid", "title"),
    [
        ("TC001-N: Starts", "TC001-N", "Starts"),
        ("TC_PUMP_1-NEG - Starts", "TC_PUMP_1-NEG", "Starts"),
        ("TC 1.2b – Starts", "TC 1.2b", "Starts"),
        ("[TC01-A] Starts", "TC01-A", "Starts"),
        ("TC01-Starts", "TC01", "Starts"),
        ("TC01-START the pump", "TC01", "START the pump"),
    ],
)
def test_letters_behind_a_number_are_part_of_an_identifier(
    heading: str, uid: str, title: str
) -> None:
    (case,) = read("a.md", f"# {heading}\n## Steps\n1. Press.\n").cases
    assert (case.uid, case.title) == (uid, title)


def test_a_bold_line_names_a_test_whose_heading_is_only_its_identifier() -> None:
    text = """# Pump

### TC-PUMP-1
**The pump starts as soon as the lid is closed and the button is pressed**

Run daily.

**Steps**
1. Press.

**Expected result**
A hum.

### TC-PUMP-2: Stops
**Careful**

**Steps**
1. Press.

**Expected result**
Silence.

### TC-PUMP-3
Looks **wet**.

**Steps**
1. Look.

**Expected result**
Water.
"""
    starts, stops, leaks = read("pump.md", text).cases
    assert starts.uid == "TC-PUMP-1"
    assert starts.title == (
        "The pump starts as soon as the lid is closed and the button is pressed"
    )
    assert (starts.description, starts.steps) == (
        "Run daily.",
        (Step(1, "Press.", "", ("A hum.",)),),
    )
    assert (stops.title, stops.description) == ("Stops", "**Careful**")
    assert (leaks.title, leaks.description) == ("TC-PUMP-3", "Looks **wet**.")


def test_a_heading_below_one_that_is_only_an_identifier_is_the_name_of_its_test() -> None:
    text = """# Pump

## Preconditions
A tank.

##### TC001

### Starts at once

**Preparation:**
- Close the lid.

**Steps:**
- Press.

**Expected behavior:**
- A hum.

----

##### TC002

### Stops

#### Steps
1. Press again.

#### Expected behaviour
Silence.

##### TC003

**Needs:**
- A bucket.

**Steps:**
- Pour.

**Expected behavior:**
- Wet.
"""
    starts, stops, pours = read("pump.md", text).cases
    assert [(each.uid, each.title) for each in (starts, stops, pours)] == [
        ("TC001", "Starts at once"),
        ("TC002", "Stops"),
        ("TC003", "TC003"),
    ]
    assert starts.steps == (Step(1, "Press.", "", ("A hum.",)),)
    assert starts.preconditions == ("Close the lid.",)
    assert stops.steps == (Step(1, "Press again.", "", ("Silence.",)),)
    assert (starts.folder, stops.test_path) == ("Pump", "pump.md:21")


def test_identifiers_below_one_another_name_no_tests() -> None:
    text = "# Pump\n## TC-1\n## TC-2: Starts\n**Steps**\n1. Press.\n**Expected**\nA hum.\n"
    assert [(each.uid, each.title) for each in read("a.md", text).cases] == [("TC-2", "Starts")]


def test_rows_of_tables_are_test_cases() -> None:
    text = """# Pump
## Motor
| TC ID | Scenario | Steps | Expected Result | Status |
|---|---|---|---|---|
| TC_1 | Starts | 1. Press<br>2. Wait | It hums | ✅ Pass |
| TC_2 | Stops | Press | Silence | Not run |
"""
    starts, stops = read("pump.md", text).cases
    assert (starts.uid, starts.title, starts.folder) == ("TC_1", "Starts", "Pump/Motor")
    assert starts.steps == (Step(1, "Press"), Step(2, "Wait", "", ("It hums",)))
    assert (starts.expected_results, stops.expected_results) == (
        "last outcome: passed",
        "last outcome: not run",
    )


def test_fields_may_be_a_table_of_two_columns_or_plain_lines() -> None:
    text = """---
priority: high
---
# Starts

| Field | Value |
|---|---|
| **Test Case ID** | TC-9 |
| Preconditions | A tank |

Test Steps:
1. Press.
2. Wait.

Expected Result: It hums.
"""
    case = only("a.md", text)
    assert (case.uid, case.title, case.preconditions) == ("TC-9", "Starts", ("A tank",))
    assert case.priority == "High"
    assert case.steps == (Step(1, "Press."), Step(2, "Wait.", "", ("It hums.",)))


def test_what_is_said_of_several_tests_makes_no_test_of_them() -> None:
    one = "### TC-{0}: Starts\n#### Steps\n1. Press {0}.\n#### Expected\nhum\n"
    text = f"# Pump\nPriority: High\n## Motor\n{''.join(map(one.format, range(1, 4)))}"
    assert [case.uid for case in read("a.md", text).cases] == ["TC-1", "TC-2", "TC-3"]


def test_steps_may_be_headings_or_gherkin() -> None:
    steps = "# TC-1: Starts\n## Steps\n### 1. Press\n### 2. Wait\n## Expected Result\nhum\n"
    assert [step.action for step in only("a.md", steps).steps] == ["Press", "Wait"]
    fence = "```gherkin\nGiven a tank\nWhen I press\nThen it hums\n```\n"
    case = only("a.md", f"# TC-1: Starts\n## Steps\n{fence}")
    assert case.steps == (Step(1, "Given a tank"), Step(2, "When I press", "", ("it hums",)))


def test_a_test_that_only_says_what_is_expected_has_an_identifier() -> None:
    text = "# Empty search\n## Test Case ID\nTC_4\n## Expected Result\nNo crash.\n"
    case = only("a.md", text)
    assert (case.uid, case.steps, case.expected_results) == ("TC_4", (), "No crash.")


@pytest.mark.parametrize(
    "text",
    [
        "# BUG-7: No hum\n## Steps to Reproduce\n1. Press\n## Expected Result\nhum\n## Actual Result\n-\n",
        "# Install\n## Steps\n1. Run it.\n",
        "# Fields\n| Field | Type | Description |\n|---|---|---|\n| id | text | a name |\n",
        "# Scenarios\n| Scenario | Result |\n|---|---|\n| Warm-up | fast |\n",
        "```md\n# TC-1\n## Steps\n1. a\n## Expected\nb\n```\n",
        "",
        "|\n|-",
    ],
)
def test_other_pages_hold_no_test_cases(text: str) -> None:
    assert parse("a.md", text.encode()) == {"tests": []}


def test_many_sections_and_long_lines_take_no_time() -> None:
    front = f"---\nname: a{' #' * 200_000}'\n---\n# TC-1: a\n## Steps\n1. b\n"
    assert only("a.md", front).title == "a"
    text = "# All\n" + "## Part\nwords\n" * 20_000 + "## TC-1: a\n### Steps\n1. b\n" * 5_000
    assert len(read("a.md", text).cases) == 5_000
    names = ("# TC-" + "1A-" * 100_000, "# TC1" + "-A1" * 100_000, "# TC1-" + "A" * 300_000)
    for line in (
        *names,
        "# " + " #" * 200_000 + "x",
        "**" * 200_000,
        "a " * 200_000 + ":",
        "|" * 300_000,
    ):
        assert parse("a.md", f"{line}\n|-\n{line}\n".encode()) == {"tests": []}


def test_rows_without_a_name_go_on_with_the_field_above() -> None:
    text = """## Pump starts

| Field    | Content         |
| -------- | --------------- |
| Test ID  | TC-1            |
| Steps    | 1. Press start. |
|          | 2. Wait.        |
| Expected | It hums.        |
"""
    case = only("tests/pump.md", text)
    assert case.steps == (Step(1, "Press start."), Step(2, "Wait.", "", ("It hums.",)))


def test_reports_of_bugs_are_no_test_cases() -> None:
    text = "# BUG-7: No hum\n\n**ID:** BUG-7\n\n## Steps\n1. Start.\n\n## Expected\nIt hums.\n"
    assert read("tests/bugs.md", text).cases == ()


def test_steps_may_have_labels_of_their_own() -> None:
    text = """# TC-1: Starts

**Step 1**

Press start.

**Test Data**

key: red

**Expected**

It hums.

---

**Step 2:** Wait.
**Step 3:** Look.
**Expected Result:**
- The lamp is lit.

## Notes
Only when it is dry.
"""
    case = only("tests/pump.md", text)
    assert case.steps == (
        Step(1, "Press start.", "key: red", ("It hums.",)),
        Step(2, "Wait."),
        Step(3, "Look.", "", ("The lamp is lit.",)),
    )
    assert "Only when it is dry." in case.description
    german = "# TC-1: Start\n**Schritt 1**\nDrücken.\n**Erwartetes Ergebnis**\nEs brummt.\n"
    assert only("a.md", german).steps == (Step(1, "Drücken.", "", ("Es brummt.",)),)


def test_front_matter_states_fields() -> None:
    text = """---
# What everybody fills in
name: "Starts: at once"
test_type: Automated # or Manual
key: PUMP-T7
priority: 'High'
module: null
tags: [motor, smoke]
changed: 2026-01-02
preconditions:
  - The tank is full.
---

## PUMP-T7: Starts

### Steps
1. Press start.

### Expected
It hums.
"""
    case = only("tests/pump.md", text)
    assert (case.uid, case.title, case.jira_key) == ("PUMP-T7", "Starts: at once", "PUMP-T7")
    assert (case.priority, case.test_type, case.tags) == ("High", "Automated", ("motor", "smoke"))
    assert (case.preconditions, case.folder) == (("The tank is full.",), "tests")
    assert (case.test_path, case.description) == ("tests/pump.md:14", "")
    unclosed = "---\n# TC-1: Starts\n## Steps\n1. Press.\n"
    assert only("a.md", unclosed).uid == "TC-1"


@pytest.mark.parametrize(
    ("stated", "read_as"), [("P0", "Critical"), ("P1", "Critical"), ("P2", "High"), ("-", "Medium")]
)
def test_what_is_most_urgent_may_count_from_zero(stated: str, read_as: str) -> None:
    page = f"# TC-1: Starts\n**Priority**: {stated}\n## Steps\n1. Press.\n"
    assert only("a.md", page).priority == read_as
    assert only("a.csv", f"ID,Title,Priority\nTC-1,Starts,{stated}\n").priority == read_as
