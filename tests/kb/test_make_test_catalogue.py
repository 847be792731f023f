"""The catalogue of test cases: what it reads from Quint sources, and that its keys stay."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.kb.scripts import load

DOOR = """// A door with a lock. It opens when it is unlocked.
//
//   quint run --invariants closedWhenLocked --max-steps=9 door.qnt

module door {
  var open: bool
  // Turn the key.
  action lock(times: int): bool = all { not(open), open' = open }
  action init = open' = false
  val closedWhenLocked = not(open)
  run helper = init

  // A key turns in a closed door only.
  run lockTwiceTest = init.then(lock(2)).expect(not(open) and closedWhenLocked).then(lock(1)).fail()
  run brokenTest = init.then(3.reps(i => lock(i))).expect(not(closedWhenLocked))
  run lawTest = all {
    assert(1 + 1 == 2), // "comments, and brackets ) count for nothing"
    assert(Set(1).forall(x => x == 1 and x > 0)),
  }
  run localTest = {
    val times = 2
    init.then(lock(times))
  }
}
"""


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    return load("make_test_catalogue")


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    write(tmp_path, "examples/house/front-door.qnt", DOOR)
    return tmp_path


def write(kb: Path, path: str, text: str) -> None:
    (kb / path).parent.mkdir(parents=True, exist_ok=True)
    (kb / path).write_text(text)


def cases(kb: Path) -> dict[str, dict[str, Any]]:
    tests = json.loads((kb / "tests" / "examples.json").read_text())["tests"]
    return {case["uid"].rpartition("#")[2]: case for case in tests}


def test_the_links_of_a_chain_are_steps_with_expectations(maker: ModuleType, kb: Path) -> None:
    assert maker.main([str(kb)]) == 0

    assert cases(kb)["lockTwiceTest"]["steps"] == [
        {"index": 1, "action": "Start with `init`", "expected": []},
        {
            "index": 2,
            "action": "Do `lock(2)` (Turn the key)",
            "expected": ["`open` does not hold.", "`closedWhenLocked` holds."],
        },
        {
            "index": 3,
            "action": "Do `lock(1)` (Turn the key)",
            "expected": ["The action is impossible."],
        },
    ]


def test_a_case_says_what_it_is_about_and_where(maker: ModuleType, kb: Path) -> None:
    maker.main([str(kb)])

    case = cases(kb)["lockTwiceTest"]
    assert case["title"] == "Front door: lock twice"
    assert case["description"] == "A key turns in a closed door only."
    assert case["folderStructure"] == "Examples/House/Front door"
    assert case["priority"] == "Critical"
    assert case["tags"] == ["house", "front-door", "invariant", "negative"]
    line = DOOR.split("\n").index("  // A key turns in a closed door only.") + 2
    assert case["testPath"] == f"examples/house/front-door.qnt:{line}"
    assert case["testData"] == (
        "quint test --backend=typescript --main=door --match='^lockTwiceTest$' front-door.qnt"
    )


def test_repetitions_assertions_and_local_definitions_are_read(maker: ModuleType, kb: Path) -> None:
    maker.main([str(kb)])

    found = cases(kb)
    assert set(found) == {"lockTwiceTest", "brokenTest", "lawTest", "localTest"}
    assert found["brokenTest"]["title"] == "Front door: broken, against closed when locked"
    assert found["brokenTest"]["steps"][1]["action"] == (
        "Repeat 3 times, for i = 0, 1, ...: `lock(i)`"
    )
    assert found["lawTest"]["testType"] == "Unit"
    assert [(step["action"], step["expected"]) for step in found["lawTest"]["steps"]] == [
        ("Evaluate `1 + 1`", ["It equals `2`."]),
        ("Evaluate the property", ["`Set(1).forall(x => x == 1 and x > 0)`"]),
    ]
    assert [step["action"] for step in found["localTest"]["steps"]] == [
        "Start with `init`",
        "Do `lock(times)` (Turn the key)",
    ]


def test_keys_stay_when_tests_come_and_go(maker: ModuleType, kb: Path) -> None:
    maker.main([str(kb)])
    before = cases(kb)

    write(kb, "examples/a.qnt", "module a { run firstTest = assert(1 == 1) }")
    write(kb, "examples/house/front-door.qnt", DOOR.replace("localTest", "otherTest"))
    maker.main([str(kb)])

    after = cases(kb)
    for name in ("lockTwiceTest", "brokenTest", "lawTest"):
        assert after[name]["jiraKey"] == before[name]["jiraKey"]
    keys = [case["jiraKey"] for case in after.values()]
    assert keys == ["QK-1", "QK-2", "QK-3", "QK-5", "QK-6"]


def test_runs_of_one_name_are_told_apart_by_their_module(maker: ModuleType, kb: Path) -> None:
    write(
        kb,
        "examples/two.qnt",
        "module one { run sameTest = assert(1 == 1) }\nmodule two { run sameTest = assert(2 == 2) }",
    )

    maker.main([str(kb)])

    found = cases(kb)
    assert found["one::sameTest"]["title"] == "Two: same (one)"
    assert found["two::sameTest"]["title"] == "Two: same (two)"


def test_a_stale_catalogue_is_told(
    maker: ModuleType, kb: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert maker.main([str(kb), "--check"]) == 1
    assert "stale" in capsys.readouterr().out

    maker.main([str(kb)])

    assert maker.main([str(kb), "--check"]) == 0


def test_solutions_of_workshops_are_in_and_problems_are_not(maker: ModuleType, kb: Path) -> None:
    exercise = "workshops/first-steps/exercises/01.doors"
    for side in ("problem", "solution"):
        write(kb, f"{exercise}/01.{side}.lock/door.qnt", f"module {side} {{ run aTest = init }}")

    maker.main([str(kb)])

    (case,) = [case for case in cases(kb).values() if case["uid"].startswith("workshops")]
    assert case["testPath"] == f"{exercise}/01.solution.lock/door.qnt:1"
    assert case["title"] == "Doors, lock: a"
    assert case["folderStructure"] == "Workshops/First steps/Doors/Lock"
