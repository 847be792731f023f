"""What the tools of workshops promise, call by call, through the dispatch core."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.acceptance.served import REVISION, Server, compiled, explosion

from kb_runtime.errors import ArtifactError, ProtocolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.text.cursors import write_cursor
from kb_runtime.tools.session import Session
from kb_runtime.tools.workshops import context as family
from kb_runtime.tools.workshops import overview

REACT = "workshops/react"
STEP = f"{REACT}/exercises/01.state"

TREE = {
    "kb.toml": '[kb]\nname = "school"\n',
    f"{REACT}/package.json": json.dumps(
        {"epicshop": {"title": "React", "product": {"displayNameShort": "Web Team"}}}
    ),
    f"{REACT}/exercises/README.mdx": "# React workshop\n\nWelcome to the workshop.\n",
    f"{STEP}/README.mdx": "# State\n\nState is what a component remembers between renders.\n",
    f"{STEP}/01.problem.counter/README.mdx": "# Counter\n\nCount the clicks on a button.\n",
    f"{STEP}/01.problem.counter/src/SCHEMA.ts": "export const a = 1\n",
    f"{STEP}/01.problem.counter/app.tsx": "export function App() { return <b>0</b> }\n",
    f"{STEP}/01.solution.counter/README.mdx": "# Counted\n\nThe hook keeps the count 👩‍👩‍👧.\n",
    f"{STEP}/01.solution.counter/src/SCHEMA.ts": "export const a = 2\n",
    f"{STEP}/01.solution.counter/app.tsx": (
        "export function App() { const [n, setN] = useState(0); return <b>{n}</b> }\n"
    ),
    f"{STEP}/01.solution.counter/empty.ts": "",
    f"{STEP}/02.problem.reset/README.mdx": "# Reset\n\nA key throws the state away.\n",
    f"{STEP}/02.solution.reset/README.mdx": "# Reset done\n",
    f"{REACT}/exercises/02.effects/README.mdx": (
        "# Effects\n\nAn effect synchronises a component with the outside world, such as a socket.\n"
        "The separator is === here.\n"
    ),
    "workshops/databases.json": json.dumps(
        {
            "workshop": {"title": "Databases"},
            "exercises": [
                {
                    "exerciseNumber": 1,
                    "title": "Indexes",
                    "instructions": {
                        "content": "# Indexes\n\nAn index makes look-ups in a table fast.\n"
                    },
                    "steps": [{"stepNumber": 1, "title": "Create", "problem": {}, "solution": {}}],
                }
            ],
        }
    ),
    "workshops/bare.json": json.dumps(
        {"workshop": {"title": "Bare"}, "exercises": [{"exerciseNumber": 1, "title": "Empty"}]}
    ),
}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return compiled(tmp_path_factory.mktemp("school"), TREE, pytestconfig)


def failed(school: Server, name: str, kind: str, /, **arguments: Any) -> dict[str, Any]:
    """The error of a call that must fail, whose text must say what its structure says."""
    result = school.result(name, **arguments)
    assert result["isError"], result
    error: dict[str, Any] = result["structuredContent"]["error"]
    assert error["kind"] == kind
    text = result["content"][0]["text"]
    heading, empty, sentence = text.split("\n")[:3]
    assert heading.startswith("## ❌ ")
    assert heading.endswith(" failed")
    assert (empty, sentence) == ("", f"Error: {error['message']}")
    for step in error.get("next", ()):
        assert f"- {step}" in text
    return error


# list_workshops and list_exercises


def test_workshops_are_listed_by_slug(school: Server) -> None:
    found = school.call("list_workshops")
    assert [each["workshop"] for each in found["workshops"]] == ["bare", "databases", "react"]
    react = found["workshops"][2]
    built_at = react.pop("lastIndexedAt")
    assert built_at.endswith("Z")
    assert react == {
        "workshop": "react",
        "title": "React",
        "exerciseCount": 2,
        "hasDiffs": True,
        "stepCount": 2,
        "sectionCount": 16,
        "product": "Web Team",
    }
    assert "product" not in found["workshops"][0]
    assert "nextCursor" not in found
    assert found["totals"]["workshops"] == 3
    assert found["totals"]["exercises"] == 4


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"product": "Web Team"}, ["react"]),
        ({"product": "web team"}, []),
        ({"hasDiffs": False}, ["bare", "databases"]),
        ({"hasDiffs": "true"}, ["react"]),
        ({"product": "Web Team", "hasDiffs": False}, []),
    ],
)
def test_filters_of_the_list(school: Server, filters: dict[str, Any], expected: list[str]) -> None:
    found = school.call("list_workshops", **filters)
    assert [each["workshop"] for each in found["workshops"]] == expected


def test_limit_is_the_page_size_and_does_not_cap_everything(school: Server) -> None:
    assert len(school.call("list_workshops", limit=1)["workshops"]) == 3
    assert school.call("list_workshops", limit=999)["limit"] == 100
    assert school.call("list_workshops", limit=0)["limit"] == 1
    page = school.call("list_workshops", limit=2, all=False)
    assert len(page["workshops"]) == 2
    rest = school.call("list_workshops", limit=2, all=False, cursor=page["nextCursor"])
    assert [each["workshop"] for each in rest["workshops"]] == ["react"]
    assert "nextCursor" not in rest


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    """More workshops than a page has, each with one exercise of six characters."""
    exercise = {"exerciseNumber": 1, "title": "One", "instructions": {"content": "abcdef"}}
    tree = {"kb.toml": '[kb]\nname = "campus"\n'}
    for number in range(103):
        context = {"workshop": {"title": f"Workshop {number}"}, "exercises": [exercise]}
        tree[f"workshops/w{number:03}.json"] = json.dumps(context)
    return compiled(tmp_path_factory.mktemp("campus"), tree, pytestconfig, embed=False)


def test_a_page_has_at_most_a_hundred_workshops(campus: Server) -> None:
    page = campus.call("list_workshops", limit=999, all=False)
    assert (page["limit"], len(page["workshops"])) == (100, 100)
    rest = campus.call("list_workshops", limit=999, all=False, cursor=page["nextCursor"])
    assert [each["workshop"] for each in rest["workshops"]] == ["w100", "w101", "w102"]
    assert "nextCursor" not in rest
    everything = campus.call("list_workshops", limit=7)
    assert len(everything["workshops"]) == everything["totals"]["workshops"] == 103
    text = campus.text("list_workshops")
    assert "Returned: **103**" in text
    assert "Showing: **50** of **103** workshop(s)" in text
    assert text.count("\n- `w") == 50
    assert "_53 more are not shown here._" in text


def test_five_of_six_characters_and_then_the_sixth(campus: Server) -> None:
    scope = {"workshop": "w007", "exerciseNumber": 1}
    first = campus.call("retrieve_learning_context", **scope, maxChars=5)
    (section,) = first["sections"]
    assert (section["content"], first["truncated"], first["maxChars"]) == ("abcde", True, 5)
    rest = campus.call("retrieve_learning_context", **scope, cursor=first["nextCursor"])
    assert rest["sections"] == [{**section, "content": "f"}]
    assert (rest["truncated"], "nextCursor" in rest) == (False, False)


def test_everything_is_bounded(school: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "MAX_PAGES", 2)
    assert "2 pages" in failed(school, "list_workshops", "BAD_INPUT", limit=1)["message"]
    monkeypatch.setattr(overview, "MAX_PAGES", 500)
    monkeypatch.setattr(overview, "MAX_WORKSHOPS", 2)
    first = school.call("list_workshops")
    assert len(first["workshops"]) == 2
    assert len(school.call("list_workshops", cursor=first["nextCursor"])["workshops"]) == 1


@pytest.mark.parametrize("arguments", [{"limit": "many"}, {"cursor": "zzz"}, {"hasDiffs": 3}])
def test_a_list_that_fails_comes_with_how_to_ask_for_less(
    school: Server, arguments: dict[str, Any]
) -> None:
    error = failed(school, "list_workshops", "BAD_INPUT", **arguments)
    assert "`all: false` and a smaller `limit`" in error["next"][-1]


def test_the_text_of_the_list(school: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "MAX_BULLETS", 1)
    text = school.text("list_workshops", limit=2, all=False, product=None)
    assert text.startswith("## ✅ Indexed workshops\n\nReturned: **2**\nNext cursor: `")
    assert "- product: _any_\n- hasDiffs: _any_\n- all: `false`" in text
    assert (
        "Showing: **1** of **2** workshop(s)\n\n- `bare` Bare, exercises: 1, steps: 0, diffs: no"
        in text
    )
    assert "_1 more are not shown here._" in text
    assert 'Next:\n- Call `list_workshops` with `all: false` and `cursor: "' in text
    assert "last page" in school.text("list_workshops", all=False)
    assert "- all: _default_" in school.text("list_workshops")


def test_exercises_and_steps_are_listed(school: Server) -> None:
    found = school.call("list_exercises", workshop="REACT", exerciseNumber=1)
    (exercise,) = found["exercises"]
    assert (exercise["title"], exercise["stepCount"]) == ("state", 2)
    assert exercise["steps"] == [
        {
            "number": 1,
            "title": "Counter",
            "hasDiff": True,
            "problemDir": "exercises/01.state/01.problem.counter",
            "solutionDir": "exercises/01.state/01.solution.counter",
        },
        {
            "number": 2,
            "title": "Reset",
            "hasDiff": False,
            "problemDir": "exercises/01.state/02.problem.reset",
            "solutionDir": "exercises/01.state/02.solution.reset",
        },
    ]
    assert "step 2: Reset (no diff)" in school.text("list_exercises", workshop="react")
    assert "react" in failed(school, "list_exercises", "NOT_FOUND", workshop="reakt")["suggestions"]
    failed(school, "list_exercises", "NOT_FOUND", workshop="react", exerciseNumber=9)
    failed(school, "list_exercises", "BAD_INPUT")


# retrieve_learning_context


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


def joined(
    school: Server, name: str, field: str, arguments: dict[str, Any]
) -> list[dict[str, Any]]:
    """The sections of all pages; the parts of a cut section are put together."""
    whole: list[dict[str, Any]] = []
    cursor = None
    cut = False
    while True:
        part = school.call(name, **arguments, cursor=cursor)
        sections = part[field]
        assert sections
        assert sum(len(each["content"]) for each in sections) <= max(arguments["maxChars"], 5)
        if cut and {**sections[0], "content": ""} == {**whole[-1], "content": ""}:
            whole[-1]["content"] += sections.pop(0)["content"]
        whole += sections
        cursor = part.get("nextCursor")
        assert part["truncated"] == (cursor is not None)
        cut = part["truncated"]
        if cursor is None:
            return whole


@settings(max_examples=20)
@given(limit=st.integers(1, 600), step=st.sampled_from([None, 1, 2]))
def test_parts_of_a_context_joined_are_the_context(
    school: Server, limit: int, step: int | None
) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1, "stepNumber": step}
    whole = school.call("retrieve_learning_context", **scope)["sections"]
    arguments = {**scope, "maxChars": limit}
    assert joined(school, "retrieve_learning_context", "sections", arguments) == whole


@settings(max_examples=15)
@given(limit=st.integers(1, 300), focus=st.sampled_from([None, "SCHEMA", "modified"]))
def test_parts_of_diffs_joined_are_the_diffs(school: Server, limit: int, focus: str | None) -> None:
    scope = {"workshop": "react", "exerciseNumber": 1, "focus": focus}
    whole = school.call("retrieve_diff_context", **scope)["diffSections"]
    arguments = {**scope, "maxChars": limit}
    assert joined(school, "retrieve_diff_context", "diffSections", arguments) == whole


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


# retrieve_diff_context


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


# search_topic_context


def test_a_topic_is_found_by_meaning(school: Server) -> None:
    found = school.call("search_topic_context", query=" what does a component remember ")
    best = found["matches"][0]
    assert (best["workshop"], best["exerciseNumber"]) == ("react", 1)
    assert found["query"] == "what does a component remember"
    assert (found["mode"], found["vectorSearchAvailable"]) == ("vector", True)
    assert (found["keywordSource"], found["limit"]) == (None, 8)
    assert all(0 <= match["score"] <= 1 for match in found["matches"])
    assert len({match["vectorId"] for match in found["matches"]}) == len(found["matches"])
    text = school.text("search_topic_context", query="what does a component remember")
    assert "#### 1) `react` exercise 1" in text
    assert f"— score: {best['score']:.3f}\n" in text
    assert "`retrieve_learning_context`" in text


def test_scope_filters_are_strict(school: Server) -> None:
    query = "workshop state counter index"
    for scope in (
        {"workshop": "react"},
        {"exerciseNumber": 1},
        {"workshop": "react", "exerciseNumber": 1},
        {"exerciseNumber": 1, "stepNumber": 1},
    ):
        matches = school.call("search_topic_context", query=query, limit=20, **scope)["matches"]
        assert matches
        for match in matches:
            assert {key: match.get(key) for key in scope} == scope
    slugs = {
        match["workshop"]
        for match in school.call("search_topic_context", query=query, exerciseNumber=1)["matches"]
    }
    assert slugs == {"react", "databases"}


def test_limit_of_matches_is_clamped(school: Server) -> None:
    assert school.call("search_topic_context", query="state", limit=99)["limit"] == 20
    found = school.call("search_topic_context", query="state", limit=0)
    assert (found["limit"], len(found["matches"])) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({}, "BAD_INPUT", "query"),
        ({"query": "a b"}, "BAD_INPUT", "3"),
        ({"query": "a b", "stepNumber": 1}, "BAD_INPUT", "3"),
        ({"query": "abc", "stepNumber": 1}, "BAD_INPUT", "exerciseNumber is required"),
        (
            {"query": "abc", "stepNumber": 1, "workshop": "nope"},
            "BAD_INPUT",
            "exerciseNumber is required",
        ),
        ({"query": "abc", "workshop": "nope", "exerciseNumber": 9}, "NOT_FOUND", '"nope"'),
        ({"query": "abc", "exerciseNumber": 9}, "NOT_FOUND", "no exercise 9. "),
        ({"query": "abc", "exerciseNumber": 1, "stepNumber": 9}, "NOT_FOUND", "exercise 1. "),
        (
            {"query": "abc", "workshop": "react", "exerciseNumber": 2, "stepNumber": 1},
            "NOT_FOUND",
            'of the workshop "react"',
        ),
    ],
)
def test_scope_is_checked_before_anything_is_searched(
    school: Server,
    monkeypatch: pytest.MonkeyPatch,
    arguments: dict[str, Any],
    kind: str,
    told: str,
) -> None:
    monkeypatch.setattr(
        "kb_runtime.search.searcher.Searcher.search", explosion(RuntimeError("too early"))
    )
    assert told in failed(school, "search_topic_context", kind, **arguments)["message"]


@pytest.fixture(scope="module")
def wordy(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    """The same workshops in a knowledge base without vectors and encoder."""
    return compiled(tmp_path_factory.mktemp("wordy"), TREE, pytestconfig, embed=False)


def test_without_an_encoder_terms_are_ranked(wordy: Server) -> None:
    found = wordy.call("search_topic_context", query="socket effects components")
    assert (found["mode"], found["keywordSource"]) == ("keyword", "chunks")
    assert found["vectorSearchAvailable"] is False
    assert found["matches"][0]["exerciseNumber"] == 2
    why, how = found["warnings"]
    assert "not configured" in why
    assert "--lexical-only" in how
    phrase = wordy.call("search_topic_context", query="a component")["matches"]
    assert "a component" in phrase[0]["chunk"]


def test_an_encoder_that_fails_is_told_as_that(
    school: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = "kb_runtime.search.encoder.QueryEncoder.encode"
    monkeypatch.setattr(target, explosion(RuntimeError("no memory at /opt/secret")))
    found = school.call("search_topic_context", query="socket effects components")
    assert (found["mode"], found["keywordSource"]) == ("keyword", "chunks")
    assert found["vectorSearchAvailable"] is False
    (why,) = found["warnings"]
    assert why.startswith("Semantic search is unavailable (it failed;")
    assert "secret" not in json.dumps(found)
    monkeypatch.undo()
    assert school.call("search_topic_context", query="socket")["vectorSearchAvailable"] is True


@pytest.mark.parametrize(
    ("query", "source", "exercise"), [("===", "chunks", 2), ("👩‍👩‍👧.", "sections", 1)]
)
def test_a_query_without_words_is_told_as_that(
    school: Server, query: str, source: str, exercise: int
) -> None:
    found = school.call("search_topic_context", query=query)
    assert (found["mode"], found["keywordSource"]) == ("keyword", source)
    assert found["vectorSearchAvailable"] is True
    (why,) = found["warnings"]
    assert "no words for vector search" in why
    assert found["matches"][0]["exerciseNumber"] == exercise


def test_a_scope_without_passages_is_told_as_that(school: Server) -> None:
    found = school.call("search_topic_context", query="indexes", workshop="bare")
    assert (found["mode"], found["matches"]) == ("keyword", [])
    assert found["vectorSearchAvailable"] is True
    assert "nothing in this scope" in found["warnings"][0]
    assert "Nothing was found" in found["warnings"][-1]


def test_what_no_word_can_find_is_looked_for_as_it_is(wordy: Server) -> None:
    found = wordy.call("search_topic_context", query="👩‍👩‍👧.")
    assert found["keywordSource"] == "sections"
    (match,) = found["matches"]
    assert match["vectorId"] == "section:react/01/01/solution-instructions"
    assert "👩‍👩‍👧." in match["chunk"]
    assert 0 < match["score"] < 1
    found = wordy.call("search_topic_context", query="zzyzx qqq")
    assert (found["matches"], found["keywordSource"]) == ([], "sections")
    assert "Nothing was found" in found["warnings"][-1]


def test_passages_that_have_no_word_of_the_query_are_told_apart(school: Server) -> None:
    found = school.call("search_topic_context", query="zzyzx qqq")
    assert found["mode"] == "vector"
    assert found["matches"]
    assert "No word of the query occurs" in found["warnings"][0]
    assert "warnings" not in school.call("search_topic_context", query="component state")


# retrieve_quiz_instructions and prompts


def test_the_quiz_protocol(school: Server) -> None:
    plain = school.send({"name": "retrieve_quiz_instructions"})["structuredContent"]
    assert (plain["topic"], plain["learnerGoal"], plain["targetQuestionCount"]) == (None, None, 8)
    found = school.call(
        "retrieve_quiz_instructions", topic=" Hooks ", learnerGoal="a job", questionCount=50
    )
    assert (found["tool"], found["version"]) == ("retrieve_quiz_instructions", "1")
    assert (found["topic"], found["targetQuestionCount"]) == ("Hooks", 20)
    for token in (
        "Quiz facilitation protocol",
        "Topic: Hooks",
        "Target: 20 questions",
        "Ask exactly one question at a time",
        "immediately after the attempt",
        "spaced retrieval",
        "retrieve_learning_context",
        "retrieve_diff_context",
    ):
        assert token in found["instructionsMarkdown"]
    assert (len(found["checklist"]), len(found["closingSteps"])) == (6, 3)
    assert [each["id"] for each in found["questionTypes"]] == [
        "free-recall",
        "apply-to-scenario",
        "compare-contrast",
        "debug-explain",
        "teach-back",
    ]
    for each in found["questionTypes"]:
        assert "<" in each["promptTemplate"]
        assert each["whatToListenFor"]
        assert each["followUps"]
    assert school.text("retrieve_quiz_instructions").startswith("## ✅ Quiz protocol")


def prompt(school: Server, name: str, **arguments: str) -> str:
    params = {"name": name, "arguments": arguments}
    answer = school.dispatcher.handle("prompts/get", params, REVISION)
    text: str = answer["messages"][0]["content"]["text"]
    return text


def test_prompts_name_calls_that_work(school: Server) -> None:
    listed = school.dispatcher.handle("prompts/list", {}, REVISION)["prompts"]
    assert {"quiz_me", "find_where_topic_is_taught"} <= {each["name"] for each in listed}
    scoped = prompt(school, "quiz_me", workshop="react", exerciseNumber="1", questionCount="99")
    assert 'retrieve_learning_context` with `{"workshop":"react","exerciseNumber":1}`' in scoped
    assert '`{"questionCount":20}`' in scoped
    assert '`{"query":"hooks"}`' in prompt(school, "quiz_me", topic="hooks")
    assert '`{"random":true}`' in prompt(school, "quiz_me")
    assert "list_exercises" in prompt(school, "quiz_me", workshop="react")
    found = prompt(school, "find_where_topic_is_taught", query="hooks", limit="3")
    assert '`{"query":"hooks","limit":3}`' in found
    for name, arguments in (
        ("find_where_topic_is_taught", {}),
        ("find_where_topic_is_taught", {"query": "a b"}),
        ("quiz_me", {"exerciseNumber": "zero"}),
        ("quiz_me", {"questionCount": "0"}),
    ):
        with pytest.raises(ProtocolError) as caught:
            prompt(school, name, **arguments)
        assert caught.value.rpc_code == -32602


# All of them

SCOPE = {"workshop": "react", "exerciseNumber": 1}
CALLS = (
    {"name": "list_workshops"},
    {"name": "list_exercises", "arguments": {"workshop": "react"}},
    {"name": "retrieve_learning_context", "arguments": SCOPE},
    {"name": "retrieve_diff_context", "arguments": SCOPE},
    {"name": "search_topic_context", "arguments": {"query": "state"}},
    {"name": "retrieve_quiz_instructions"},
)


@pytest.mark.parametrize("params", CALLS[:-1], ids=lambda params: params["name"])
@pytest.mark.parametrize(
    "error",
    [RuntimeError("secret of /etc/shadow"), ArtifactError("altered", "secret in /srv/kb")],
    ids=lambda error: type(error).__name__,
)
def test_a_defect_tells_nothing(
    school: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    params: dict[str, Any],
    error: Exception,
) -> None:
    monkeypatch.setattr(Artifact, "catalog", explosion(error))
    result = school.send(params)
    assert result["isError"]
    kind = "INTERNAL" if isinstance(error, RuntimeError) else "UNAVAILABLE"
    assert result["structuredContent"]["error"]["kind"] == kind
    told = json.dumps(result)
    for leak in ("secret", "/etc", "/srv", "RuntimeError"):
        assert leak not in told
    assert "secret" in capsys.readouterr().err


def test_a_defect_of_the_quiz_protocol_tells_nothing(
    school: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It reads nothing, so the defect has to be in itself."""
    target = "kb_runtime.tools.workshops.quiz.instructions_markdown"
    monkeypatch.setattr(target, explosion(RuntimeError("secret of /etc/shadow")))
    result = school.send({"name": "retrieve_quiz_instructions"})
    assert result["structuredContent"]["error"]["kind"] == "INTERNAL"
    assert "secret" not in json.dumps(result)
    assert "secret" in capsys.readouterr().err


@pytest.mark.parametrize("params", CALLS, ids=lambda params: params["name"])
def test_the_same_call_gives_the_same_structure(school: Server, params: dict[str, Any]) -> None:
    first = school.send(params)["structuredContent"]
    assert school.send(params)["structuredContent"] == first


def test_only_the_drawing_tool_is_not_idempotent(school: Server) -> None:
    idempotent = {
        name: tool["annotations"]["idempotentHint"] for name, tool in school.tools.items()
    }
    assert idempotent["retrieve_learning_context"] is False
    assert all(idempotent[params["name"]] for params in CALLS if params is not CALLS[2])


def test_workshop_tools_have_titles(school: Server) -> None:
    titles = {name: tool.get("title") for name, tool in school.tools.items()}
    assert titles["list_workshops"] == "List Workshops"
    assert titles["retrieve_learning_context"] == "Retrieve Learning Context"
    assert titles["retrieve_diff_context"] == "Retrieve Diff Context"
    assert titles["search_topic_context"] == "Search Topic Context"
    assert titles["retrieve_quiz_instructions"] == "Retrieve Quiz Instructions"


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
