"""Chunks of test cases: one for what a case is about, one for each step."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.records.cases import normalise
from kbc.chunking import TokenBudget, chunk
from kbc.diagnostics import Diagnostics
from kbc.frontends import cases
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.records import CompiledChunk, TestRecord


def record_of(case: dict[str, Any]) -> TestRecord:
    import json

    collection = Collection("tests", "tests", ("tests",))
    file = SourceFile("tests/x.json", json.dumps([{"uid": "u", **case}]).encode())
    (record,) = cases.read(collection, [file], Diagnostics())
    assert isinstance(record, TestRecord)
    return record


def chunks_of(case: dict[str, Any], budget: TokenBudget) -> list[CompiledChunk]:
    return chunk(record_of(case), budget)


def test_parts_and_what_stands_above_them(words_budget: TokenBudget) -> None:
    head, first, second = chunks_of(
        {"title": "Log in", "jiraKey": "DEMO-1", "steps": ["Open", {"action": "Send", "index": 7}]},
        words_budget,
    )
    assert [part.type for part in (head, first, second)] == ["test", "step", "step"]
    assert head.identifiers == ("u", "DEMO-1")
    assert (first.title, first.anchor) == ("Log in › Step 1", "step-1")
    assert (second.title, second.anchor) == ("Log in › Step 7", "step-7")
    assert first.embedded_text == "Log in\n1. Open"
    assert head.embedded_text.endswith("1. Open\n7. Send")
    assert not first.identifiers


def test_steps_that_do_not_fit_are_left_to_their_own_vectors(words_budget: TokenBudget) -> None:
    head, *steps = chunks_of(
        {"title": "Log in", "steps": ["word " * 20, "word " * 30]}, words_budget
    )
    assert "1. word" in head.embedded_text
    assert "2. word" not in head.embedded_text
    assert len(steps) == 2


def test_a_long_step_is_cut_into_chunks_of_its_own(words_budget: TokenBudget) -> None:
    parts = chunks_of({"title": "Log in", "steps": ["Open", "word " * 200]}, words_budget)
    long = [part for part in parts if part.anchor == "step-2"]
    assert len(long) > 2
    assert all(part.embedded_text.startswith("Log in\n") for part in long)


TEXT = st.text(st.characters(), max_size=120)
CASES = st.fixed_dictionaries(
    {
        "title": TEXT,
        "summary": TEXT,
        "description": st.text(st.sampled_from("word \n.#`|-"), max_size=2000),
        "steps": st.lists(
            st.fixed_dictionaries(
                {"action": TEXT, "data": TEXT, "expected": st.lists(TEXT, max_size=3)}
            ),
            max_size=5,
        ),
    }
)


@given(CASES)
def test_nothing_is_lost_and_every_chunk_fits(budget: TokenBudget, case: dict[str, Any]) -> None:
    record = record_of(case)
    found = chunk(record, budget)
    assert "".join(part.text for part in found) == record.text
    assert all(budget.fits(part.embedded_text) for part in found)
    found_case = normalise([{"uid": "u", **case}], "functional", "x")
    assert found_case is not None
    anchors = list(dict.fromkeys(part.anchor for part in found if part.type == "step"))
    assert anchors == [f"step-{step.index}" for step in found_case.cases[0].steps]
