"""The Test Anything Protocol, as its producers write it."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import read

from kb_runtime.records.case_files import CaseFileError, parse

NESTED = """TAP version 14
# Subtest: test/tank.js
    # Subtest: fills
        ok 1 - opens the lid # time=3ms
        not ok 2 - counts litres
          ---
          message: "expected 3 to be 4"
          at:
            line: 7
            file: test/tank.js
          ...
        1..2
    not ok 1 - fills
    ok 2 - drains # SKIP no water
    1..2
not ok 1 - test/tank.js
not ok 2 waits for \\# signs # TODO not written
1..2
# failed 1 of 2
"""

GROUPED = """TAP version 13
# sums numbers
ok 1 adds
not ok 2 subtracts
  ---
    operator: equal
    expected: 1
    actual:   2
    at: Test.<anonymous> (/src/test/sum.js:9:5)
  ...
# waits
ok 3 should be equal

1..3
# tests 3
# pass  2
"""

PLAIN = """1..4
ok 1 starts the pump
not ok 2 stops the pump
# (in test file pump.bats, line 8)
#   `[ 1 -eq 2 ]' failed
ok 3 waits # skip no timer
ok 4
"""


def told(text: str) -> list[tuple[str, str, str]]:
    """Uid, path and outcome of each test."""
    cases = read("log/pump.tap", text).cases
    return [(each.uid, each.test_path, each.expected_results) for each in cases]


def test_subtests_are_tests_in_the_folders_of_those_around_them() -> None:
    assert told(NESTED) == [
        ("pump::test/tank.js::fills::opens the lid", "", "last outcome: passed"),
        (
            "pump::test/tank.js::fills::counts litres",
            "test/tank.js:7",
            "last outcome: failed, expected 3 to be 4",
        ),
        ("pump::test/tank.js::drains", "", "last outcome: skipped, no water"),
        ("pump::waits for # signs", "", "last outcome: todo, not written"),
    ]
    folders = {case.folder for case in read("pump.tap", NESTED).cases}
    assert folders == {"pump", "pump/test tank.js", "pump/test tank.js/fills"}


def test_comments_above_tests_name_what_they_are_assertions_of() -> None:
    assert told(GROUPED) == [
        ("pump::sums numbers::adds", "", "last outcome: passed"),
        (
            "pump::sums numbers::subtracts",
            "/src/test/sum.js:9",
            "last outcome: failed, expected: 1, actual: 2",
        ),
        ("pump::waits::should be equal", "", "last outcome: passed"),
    ]


def test_comments_behind_a_failure_say_why() -> None:
    assert told(PLAIN) == [
        ("pump::starts the pump", "", "last outcome: passed"),
        (
            "pump::stops the pump",
            "",
            "last outcome: failed, (in test file pump.bats, line 8) `[ 1 -eq 2 ]' failed",
        ),
        ("pump::waits", "", "last outcome: skipped, no timer"),
        ("pump::test 4", "", "last outcome: passed"),
    ]


def test_tests_of_one_name_are_numbered() -> None:
    assert [uid for uid, *_ in told("ok 1 - a\nok 2 - a\n")] == ["pump::a", "pump::a #2"]


@pytest.mark.parametrize("text", ["", "hello\n", "okay, that is all\n"])
def test_another_text_is_no_report(text: str) -> None:
    with pytest.raises(CaseFileError, match="no line of TAP") as caught:
        parse("x.tap", text.encode())
    assert caught.value.is_other


@pytest.mark.parametrize(
    "line", [f"ok{' ' * 3_000}#\u00a0skip", f"ok 1 - a{' ' * 200_000}b"], ids=["mark", "title"]
)
def test_hostile_lines_take_no_time(line: str) -> None:
    assert len(told(f"{line}\n")) == 1
