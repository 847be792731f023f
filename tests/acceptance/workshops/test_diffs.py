"""`retrieve_diff_context`: its focus, its text, and parts that join."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.acceptance.served import Server
from tests.acceptance.workshops.school import failed, joined


@settings(max_examples=15)
@given(limit=st.integers(1, 300), focus=st.sampled_from([None, "SCHEMA", "modified"]))
def test_parts_of_diffs_joined_are_the_diffs(school: Server, limit: int, focus: str | None) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1, "focus": focus}
    whole = school.call("retrieve_diff_context", **scope)["diffSections"]
    arguments = {**scope, "maxChars": limit}
    assert joined(school, "retrieve_diff_context", "diffSections", arguments) == whole


def test_focus_finds_by_path_label_kind_and_content(school: Server) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1}

    def labels(focus: str | None) -> list[str]:
        found = school.call("retrieve_diff_context", **scope, focus=focus)["diffSections"]
        return [each["label"].rpartition(" ")[2] for each in found]

    everything = ["files", "app.tsx", "empty.ts", "src/SCHEMA.ts"]
    assert labels(None) == labels("   ") == labels("EXERCISE 1") == everything
    assert labels("schema.TS") == ["files", "src/SCHEMA.ts"]
    assert labels("usestate") == ["app.tsx"]
    assert labels("diff-hunk") == everything[1:]


def test_no_diffs_and_no_match_of_the_focus(school: Server) -> None:
    step = {"workshop": "react", "exerciseNumber": 1, "stepNumber": 2}
    message = failed(school, "retrieve_diff_context", "NO_MATCH", **step)["message"]
    assert ("react" in message, "exercise 1, step 2" in message) == (True, True)
    none = {"workshop": "databases", "exerciseNumber": 1}
    assert "databases" in failed(school, "retrieve_diff_context", "NO_MATCH", **none)["message"]
    scope = {"workshop": "react", "exerciseNumber": 1, "stepNumber": 1, "focus": " zzz "}
    error = failed(school, "retrieve_diff_context", "NO_MATCH", **scope)
    assert ('"zzz"' in error["message"], "step 1" in error["message"]) == (True, True)
    assert "exercises/01.state/01.solution.counter/app.tsx" in error["details"]["sourcePaths"]
    failed(school, "retrieve_diff_context", "BAD_INPUT", workshop="react")


def test_the_text_of_diffs_is_fenced_and_repeats_the_focus(school: Server) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1}
    text = school.text("retrieve_diff_context", **scope, focus="SCHEMA", maxChars=150)
    assert text.startswith("## ✅ Diff context\n\nScope:\n- workshop: `react`\n")
    assert "- focus: `SCHEMA`" in text
    assert "```diff\ndiff --git a/src/SCHEMA.ts b/src/SCHEMA.ts\n" in text
    assert '"focus":"SCHEMA"' in text
