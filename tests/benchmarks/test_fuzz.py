"""A fixed part of `benchmarks.fuzz` and `benchmarks.resealed`, with the inputs that once failed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from benchmarks.fuzz import KINDS, Fuzzer
from benchmarks.resealed import (
    REFUSED,
    SOUND,
    json_mutated,
    numbers_mutated,
    outcomes,
    small_artifact,
)

from kb_runtime.cli.self_questions import verify_served

EXAMPLES = {"artifact": 10, "request": 100}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_inputs_that_are_nearly_right_do_no_harm(kind: str) -> None:
    fuzzer = Fuzzer(kind, None)
    try:
        fuzzer.corpus()
        fuzzer.round(1, EXAMPLES.get(kind, 15))
    finally:
        fuzzer.close()
    print(f"{kind}: {fuzzer.tried} tried, {len(fuzzer.failures)} failed")
    assert fuzzer.failures == []
    assert fuzzer.tried >= EXAMPLES.get(kind, 15)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_artifact(tmp_path_factory.mktemp("small"))


@pytest.mark.slow
def test_what_verifies_is_served(build: Path) -> None:
    found = list(outcomes(build, range(25), 1))
    assert len(found) > 20
    assert [each for each in found if each[2] not in (REFUSED, SOUND)] == []
    assert {outcome for _, _, outcome, _ in found} == {REFUSED, SOUND}
    report = verify_served(build)  # everything was put back
    assert (report.ok, report.checks[-1]) == (True, "tools")


def test_mutations_are_the_same_in_every_run_and_change_something() -> None:
    value = {"a": [1, {"b": "c"}], "d": None}
    mutated = [json.dumps(json_mutated(value, random.Random(seed))) for seed in range(20)]
    assert mutated == [json.dumps(json_mutated(value, random.Random(seed))) for seed in range(20)]
    assert len(set(mutated)) > 10
    assert len({numbers_mutated(bytes(16), 4, random.Random(seed)) for seed in range(20)}) > 5
