"""Specifications of Gauge."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import only, read

from kb_runtime.records.cases import Step

SPECIFICATION = """# Cold pump
Tags: pump, PUMP-7,
      slow

It is winter.

|litres|
|------|
|3     |

* Fill the tank

## Starts at once
tags: smoke

Within a second.

* Press "start"
* The levels are
   |tank|level|
   |----|-----|
   |a   |3    |

Stops
-----
* Press "stop"

____________________
* Empty the tank
"""


def test_scenarios_are_test_cases_with_tags_contexts_and_tables() -> None:
    starts, stops = read("specs/pump.spec", SPECIFICATION).cases
    assert (starts.uid, stops.uid) == ("pump: Starts at once", "pump: Stops")
    assert (starts.folder, starts.test_path) == ("Cold pump", "specs/pump.spec:13")
    assert starts.tags == ("pump", "PUMP-7", "slow", "smoke")
    assert starts.jira_key == "PUMP-7"
    assert starts.description == "Within a second.\n\nIt is winter."
    assert starts.preconditions == ("Fill the tank",)
    assert starts.test_data == "|litres|\n|------|\n|3     |"
    assert starts.steps == (
        Step(1, 'Press "start"'),
        Step(2, "The levels are", "|tank|level|\n|----|-----|\n|a   |3    |"),
    )
    assert stops.steps == (Step(1, 'Press "stop"'),)


def test_underlined_headings_are_headings() -> None:
    case = only("a.spec", "Pump\n====\n\nStarts\n------\n* Press it\n")
    assert (case.uid, case.folder) == ("a: Starts", "Pump")


@pytest.mark.parametrize(
    "text",
    [
        "Name: heron\nVersion: 1\n\n%description\nA tool.\n\n%prep\n%setup -q\n* Mon Jan 1 2024\n",
        "# Heron\n## unpack\n%prep\n%setup -q\n%changelog\n* Mon Jan 1 2024 A <a@heron.example>\n",
        "# -*- mode: python -*-\na = Analysis(['heron.py'])\npyz = PYZ(a.pure)\n",
    ],
)
def test_other_files_of_that_ending_have_no_tests(text: str) -> None:
    assert read("heron.spec", text).cases == ()
