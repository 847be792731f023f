"""`retrieve_learning_context`: sections, kinds, random exercises, parts and cursors."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.acceptance.served import Server, compiled
from tests.acceptance.workshops.school import TREE, failed, joined

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.text.cursors import write_cursor
from kb_runtime.tools.session import Session
from kb_runtime.tools.workshops import context as family


def test_a_step_comes_with_what_it_is_part_of(school: Server) -> None:
    found = school.call(
        "retrieve_learning_context", workshop="react", exerciseNumber=1, stepNumber=1
    )
    assert [each["kind"] for each in found["sections"]] == [
        "workshop-instructions",
        "exercise-instructions",
        "problem-instructions",
        "solution-instructions",
        "problem-code",
        "solution-code",
        "solution-code",
        "problem-code",
        "solution-code",
        "diff-summary",
        "diff-hunk",
        "diff-hunk",
        "diff-hunk",
    ]
    assert "exerciseNumber" not in found["sections"][0]
    assert "stepNumber" not in found["sections"][1]
    assert (found["truncated"], found["maxChars"], "nextCursor" in found) == (False, 50_000, False)
    by_path = {each.get("sourcePath"): each for each in found["sections"]}
    empty = by_path["exercises/01.state/01.solution.counter/empty.ts"]
    assert empty["kind"] == "diff-hunk"
    assert "new file mode" in empty["content"]


def test_an_exercise_is_all_of_its_steps(school: Server) -> None:
    found = school.call("retrieve_learning_context", workshop="react", exerciseNumber=1)
    steps = {each.get("stepNumber") for each in found["sections"]}
    assert steps == {None, 1, 2}
    assert {each.get("exerciseNumber") for each in found["sections"]} == {None, 1}


def test_max_chars(school: Server) -> None:
    scope = {"workshop": "react", "exerciseNumber": 2}
    found = school.call("retrieve_learning_context", maxChars=5, **scope)
    assert [each["content"] for each in found["sections"]] == ["# Rea"]
    assert found["truncated"]
    assert found["nextCursor"]
    general = school.call("retrieve_learning_context", max_chars=1000, **scope)
    assert general["maxChars"] == 1000
    assert sum(len(each["content"]) for each in general["sections"]) <= 1000
    clamped = school.call("retrieve_learning_context", maxChars=100_000, **scope)
    assert clamped["maxChars"] == 80_000
    assert "80000" in clamped["warnings"][0]
    for bad in (0, -1, 1.5, "x"):
        failed(school, "retrieve_learning_context", "BAD_INPUT", maxChars=bad, **scope)


def test_max_chars_is_a_setting(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> None:
    tree = {
        **TREE,
        "kb.toml": '[kb]\nname = "school"\n[tools]\ncontext_chars = 9\nmax_context_chars = 7\n',
    }
    other = compiled(tmp_path_factory.mktemp("limits"), tree, pytestconfig)
    found = other.call("retrieve_learning_context", workshop="react", exerciseNumber=1)
    assert found["maxChars"] == 7
    assert sum(len(each["content"]) for each in found["sections"]) <= 7
    for tool in ("retrieve_learning_context", "retrieve_diff_context"):
        argument = other.tools[tool]["inputSchema"]["properties"]["maxChars"]
        assert "default 7, at most 7" in argument["description"]
    result = other.result("retrieve_learning_context", maxChars="x")
    assert "default 7, at most 7" in result["content"][0]["text"]


@pytest.mark.slow
@settings(max_examples=20)
@given(limit=st.integers(1, 600), step=st.sampled_from([None, 1, 2]))
def test_parts_of_a_context_joined_are_the_context(
    school: Server, limit: int, step: int | None
) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1, "stepNumber": step}
    whole = school.call("retrieve_learning_context", **scope)["sections"]
    arguments = {**scope, "maxChars": limit}
    assert joined(school, "retrieve_learning_context", "sections", arguments) == whole


def test_a_random_exercise_has_the_chance_of_any_other(school: Server) -> None:
    drawn = Counter()
    for seed in range(400):
        call = {"random": True, "seed": seed}
        result = school.result("retrieve_learning_context", **call)
        structured = result["structuredContent"]
        if result["isError"]:  # the exercise without sections
            drawn["bare", 1] += 1
        else:
            drawn[structured["workshop"], structured["exerciseNumber"]] += 1
            assert "stepNumber" not in structured
    assert set(drawn) == {("bare", 1), ("databases", 1), ("react", 1), ("react", 2)}
    assert min(drawn.values()) > 60
    first = school.call("retrieve_learning_context", random=True, seed=5)
    assert school.call("retrieve_learning_context", random=True, seed=5) == first


def test_what_was_drawn_can_be_continued(school: Server) -> None:
    seed = next(
        seed
        for seed in range(50)
        if school.result("retrieve_learning_context", random=True, seed=seed)[
            "structuredContent"
        ].get("workshop")
        == "react"
    )
    text = school.text("retrieve_learning_context", random=True, seed=seed, maxChars=9)
    first = school.call("retrieve_learning_context", random=True, seed=seed, maxChars=9)
    cursor = first["nextCursor"]
    scope = {"workshop": "react", "exerciseNumber": first["exerciseNumber"]}
    assert json.dumps({**scope, "cursor": cursor, "maxChars": 9}, separators=(",", ":")) in text
    by_scope = school.call("retrieve_learning_context", cursor=cursor, **scope)
    for _ in range(3):
        again = school.call("retrieve_learning_context", random=True, cursor=cursor)
        assert again == by_scope
    drawn = school.call("retrieve_learning_context", random=True, workshop="bare", cursor=cursor)
    assert drawn["sections"] == by_scope["sections"]
    assert "workshop ignored: the cursor" in drawn["warnings"][0]


def test_a_draw_can_be_kept_to_one_workshop(school: Server) -> None:
    drawn = set()
    for seed in range(40):
        call = {"random": True, "seed": seed, "workshop": "REACT"}
        structured = school.call("retrieve_learning_context", **call)
        assert "warnings" not in structured
        drawn.add((structured["workshop"], structured["exerciseNumber"]))
    assert drawn == {("react", 1), ("react", 2)}


def test_what_a_draw_cannot_honour_is_told(school: Server) -> None:
    call = {"random": True, "workshop": "databases"}
    plain = school.call("retrieve_learning_context", **call)
    numbered = school.call("retrieve_learning_context", **call, exerciseNumber=9, stepNumber=1)
    assert numbered.pop("warnings") == [
        "exerciseNumber, stepNumber ignored: random draws an exercise"
    ]
    assert numbered == plain
    elsewhere = school.result("retrieve_learning_context", random=True, workshop="nope", seed=5)
    (warning,) = elsewhere["structuredContent"]["warnings"]
    assert warning.startswith('workshop ignored: there is no workshop "nope"')
    assert warning in elsewhere["content"][0]["text"]


def test_a_seed_without_a_draw_is_told(school: Server) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1}
    plain = school.call("retrieve_learning_context", **scope)
    seeded = school.call("retrieve_learning_context", **scope, seed=5)
    assert seeded.pop("warnings") == ["seed ignored: it needs random: true"]
    assert seeded == plain


def test_cursors_belong_to_their_request(school: Server) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1}
    name, other = "retrieve_learning_context", "retrieve_diff_context"
    cursor = school.call(name, **scope, maxChars=5)["nextCursor"]
    diff_cursor = school.call(other, **scope, maxChars=5)["nextCursor"]
    with Artifact.open(school.folder) as artifact:
        build = artifact.build_id
    forged = write_cursor(build, name, {}, [2, 1, 0, 999, 5])
    behind = write_cursor(build, name, {}, [2, 1, 0, 0, 10_000])
    nowhere = write_cursor(build, name, {}, [99, 1, 0, 0, 0])
    for tool, arguments in (
        (name, {**scope, "stepNumber": 1, "cursor": cursor}),
        (name, {"workshop": "react", "exerciseNumber": 2, "cursor": cursor}),
        (name, {**scope, "cursor": diff_cursor}),
        (name, {**scope, "cursor": cursor[:-2]}),
        (name, {**scope, "cursor": forged}),
        (name, {**scope, "cursor": behind}),
        (name, {"random": True, "cursor": nowhere}),
        (name, {"random": True, "cursor": "nonsense"}),
        (other, {**scope, "focus": "schema", "cursor": diff_cursor}),
        (other, {**scope, "cursor": cursor}),
        ("list_workshops", {"cursor": cursor}),
        ("list_workshops", {"cursor": "!"}),
    ):
        error = failed(school, tool, "BAD_INPUT", **arguments)
        assert "cursor is invalid or belongs to another request" in error["message"]
        assert "without `cursor`" in error["next"][0]


def test_a_scope_must_be_given(school: Server) -> None:
    for arguments in ({}, {"workshop": "react"}, {"exerciseNumber": 1}, {"random": False}):
        error = failed(school, "retrieve_learning_context", "BAD_INPUT", **arguments)
        assert "random: true" in error["message"]
        assert "exerciseNumber" in error["message"]


@pytest.mark.parametrize("tool", ["retrieve_learning_context", "retrieve_diff_context"])
def test_an_unknown_scope_is_named(school: Server, tool: str) -> None:
    error = failed(school, tool, "NOT_FOUND", workshop="reac", exerciseNumber=9)
    assert ('"reac"' in error["message"], error["suggestions"]) == (True, ["react"])
    message = failed(school, tool, "NOT_FOUND", workshop="react", exerciseNumber=9)["message"]
    assert ("9" in message, '"react"' in message) == (True, True)
    scope = {"workshop": "react", "exerciseNumber": 1, "stepNumber": 7}
    message = failed(school, tool, "NOT_FOUND", **scope)["message"]
    assert "step 7 in exercise 1 of the workshop" in message
    failed(school, tool, "BAD_INPUT", workshop="react", exerciseNumber=0)


def test_an_exercise_without_sections_is_no_match(school: Server) -> None:
    scope = {"workshop": "bare", "exerciseNumber": 1}
    message = failed(school, "retrieve_learning_context", "NO_MATCH", **scope)["message"]
    assert "bare" in message
    assert "exercise 1" in message


def test_no_exercises_at_all() -> None:
    class Empty:
        collections = ()

    arguments = dict.fromkeys(
        ("workshop", "exerciseNumber", "stepNumber", "kinds", "seed", "maxChars", "cursor")
    )
    with pytest.raises(Exception, match="no indexed exercises") as caught:
        family.learning_context(Session(Empty(), {}), {**arguments, "random": True})  # type: ignore[arg-type]
    assert caught.value.kind == "UNAVAILABLE"  # type: ignore[attr-defined]


def test_the_text_of_a_context(school: Server) -> None:
    text = school.text(
        "retrieve_learning_context", workshop="react", exerciseNumber=1, stepNumber=1
    )
    assert "- stepNumber: `1`\n- random: `false`" in text
    assert "- maxChars: _default_\n- truncated: `false`\n- nextCursor: _none_" in text
    assert "### 1) Workshop: instructions\n_kind_: `workshop-instructions`\n_Source_: `" in text
    assert "_This section is empty._" in text
    assert "\n\n---\n\n### 2) " in text
    assert "Next:" not in text


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (
            ["instructions"],
            {
                "workshop-instructions",
                "exercise-instructions",
                "problem-instructions",
                "solution-instructions",
            },
        ),
        (["CODE"], {"problem-code", "solution-code"}),
        (["diffs"], {"diff-summary", "diff-hunk"}),
        (
            ["problem"],
            {
                "workshop-instructions",
                "exercise-instructions",
                "problem-instructions",
                "problem-code",
            },
        ),
        (["solution"], {"solution-instructions", "solution-code", "diff-summary", "diff-hunk"}),
        (["problem-code", "Diff-Summary"], {"problem-code", "diff-summary"}),
        ([], None),
    ],
)
def test_learning_context_of_some_kinds(
    school: Server, kinds: list[str], expected: set[str] | None
) -> None:
    found = school.call(
        "retrieve_learning_context", workshop="react", exerciseNumber=1, kinds=kinds
    )
    present = {section["kind"] for section in found["sections"]}
    assert present == expected if expected else {"problem-code", "diff-hunk"} <= present
    assert found.get("kinds", []) == [kind.lower() for kind in kinds]


def test_kinds_may_be_separated_by_commas(school: Server) -> None:
    scope: dict[str, Any] = {"workshop": "react", "exerciseNumber": 1}
    found = school.call("retrieve_learning_context", **scope, kinds="diffs, code")
    assert found["kinds"] == ["diffs", "code"]


def test_a_cursor_goes_on_with_its_kinds(school: Server) -> None:
    scope: dict[str, Any] = {"workshop": "react", "exerciseNumber": 1, "kinds": ["instructions"]}
    whole = school.call("retrieve_learning_context", **scope)["sections"]
    parts, cursor = "", None
    while True:
        found = school.call("retrieve_learning_context", **scope, maxChars=30, cursor=cursor)
        parts += "".join(section["content"] for section in found["sections"])
        cursor = found.get("nextCursor")
        if cursor is None:
            break
        other = {**scope, "kinds": ["code"]}
        assert school.result("retrieve_learning_context", **other, cursor=cursor)["isError"]
    assert parts == "".join(section["content"] for section in whole)


def test_kinds_that_do_not_exist_or_are_missing(school: Server) -> None:
    scope: dict[str, Any] = {"workshop": "react", "exerciseNumber": 1}
    wrong = school.result("retrieve_learning_context", **scope, kinds=["videos"])
    assert "instructions, transcripts, diffs, code, tests" in wrong["content"][0]["text"]
    none = school.result("retrieve_learning_context", **scope, kinds=["transcripts"])
    assert none["structuredContent"]["error"]["kind"] == "NO_MATCH"
    near = school.result("retrieve_learning_context", **scope, kinds=["solutions", "code", "hints"])
    assert '"hints", "solutions", but takes only: ' in near["content"][0]["text"]
    assert near["structuredContent"]["error"]["suggestions"] == ["solution"]
    assert none["structuredContent"]["error"]["next"] == ["Leave kinds out for all sections."]


def test_only_exercises_with_sections_of_the_kinds_are_drawn(school: Server) -> None:
    for seed in range(8):
        drawn = school.call("retrieve_learning_context", random=True, seed=seed, kinds=["diffs"])
        assert (drawn["workshop"], drawn["exerciseNumber"]) == ("react", 1)
    error = failed(
        school, "retrieve_learning_context", "NO_MATCH", random=True, kinds=["transcripts"]
    )
    assert error["message"] == "no exercise has sections of the kinds transcripts"
