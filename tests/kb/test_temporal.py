"""What temporal formulas are true and false of, decided by the checker with the real tool."""

from __future__ import annotations

import subprocess
from types import ModuleType
from typing import Any

import pytest
from tests.kb.scripts import load
from tests.required import NPM, give_up

pytestmark = pytest.mark.slow  # npm fetches Quint

SOURCE = """module m {
  var x: int
  action up = x' = x + 1
  action hit = all { x == 3, x' = 0 }
  action any_ = any { all { x > 0, x' = x - 1 }, { nondet d = Set(7, 8).oneOf() x' = d } }
  action by(n) = if (x > 5) x' = 0 else x' = x + n
  def isSmall(n) = n < 3
  temporal small = always(isSmall(x))
  temporal reaches = eventually(x == 3)
  temporal drains = x > 0 leadsTo x == 0
  temporal grows = always(next(x) >= x)
  temporal counts = always(orKeep(up, x))
  temporal moves = always(eventually(mustChange(up, x)))
  temporal canHit = always(enabled(hit))
  temporal weak = weakFair(hit, x)
  temporal strong = strongFair(hit, x)
  temporal chooses = always(any_.orKeep(x))
  temporal strides = always(by(2).orKeep(x))
  temporal nowhere = always(x / 0 == 1)
}
"""
# formula, states before the loop, states of the loop, whether it holds
CASES = (
    ("small", "0, 1", "2", True),
    ("small", "0", "1, 3", False),
    ("reaches", "0, 3", "1", True),
    ("reaches", "0, 1", "2", False),
    ("drains", "2, 1", "0", True),
    ("drains", "0", "1", False),
    ("drains", "", "1, 0", True),
    ("grows", "0, 1", "2", True),
    ("grows", "", "1, 2", False),  # the loop leads from 2 back to 1
    ("counts", "0, 1", "2", True),
    ("counts", "0", "2", False),
    ("moves", "0", "1, 2", True),
    ("moves", "0, 1", "2", False),
    ("canHit", "", "3", True),
    ("canHit", "3", "0", False),
    ("weak", "", "3", False),
    ("weak", "", "3, 2", True),  # not possible at 2
    ("strong", "", "3, 2", False),
    ("strong", "", "3, 0", True),
    ("chooses", "5, 4, 8", "7", True),
    ("chooses", "5", "6", False),
    ("strides", "4, 6", "0", True),
    ("strides", "4", "5", False),
)


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    checker: ModuleType = load("check_kb")
    if checker.shutil.which("npm") is None:
        give_up("npm is not installed", NPM)
    try:
        package = checker.quint_tool.install()
    except subprocess.CalledProcessError:
        give_up("npm cannot fetch Quint", NPM)
    asked = [*CASES, ("nowhere", "", "0", True), ("missing", "", "0", True)]
    executions = [
        {"name": name, "variables": ["x"], "before": before, "loop": loop}
        for name, before, loop, _ in asked
    ]
    empty: dict[str, Any] = {"tests": False, "probes": [], "simulations": []}
    request = {"path": "/m.qnt", "source": SOURCE, "executions": executions} | empty
    (answer,) = checker.quint_tool.ask(package, [request])
    assert answer["errors"] == []
    return dict(zip(asked, answer["executions"], strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} of {case[1]}({case[2]})")
def test_a_formula_holds_of_an_execution(
    answers: dict[Any, Any], case: tuple[str, str, str, bool]
) -> None:
    assert answers[case] == {"holds": case[3]}


def test_what_cannot_be_decided_is_told(answers: dict[Any, Any]) -> None:
    assert "Division by zero" in answers["nowhere", "", "0", True]["message"]
    assert "missing" in answers["missing", "", "0", True]["message"]
