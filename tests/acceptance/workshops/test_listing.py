"""`list_workshops` and `list_exercises`: order, filters, pages and text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.served import Server, compiled
from tests.acceptance.workshops.school import failed

from kb_runtime.tools.workshops import overview


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


@pytest.mark.parametrize("all", [True, False])
def test_workshops_that_do_not_fit_are_on_the_next_page(
    tmp_path: Path, pytestconfig: pytest.Config, all: bool
) -> None:
    slugs = [f"w{number}" for number in range(9)]
    exercises = [
        {"exerciseNumber": 1, "title": "One", "instructions": {"content": "# One\n\nRead it.\n"}}
    ]
    tree = {"kb.toml": '[kb]\nname = "long"\n'} | {
        f"workshops/{slug}.json": json.dumps(
            {"workshop": {"title": f"All about {slug} " * 20}, "exercises": exercises}
        )
        for slug in slugs
    }
    server = compiled(tmp_path, tree, pytestconfig, embed=False)
    met, cursor = [], None
    while True:
        page = server.call("list_workshops", all=all, max_chars=2000, cursor=cursor)
        assert "truncated" not in page
        met += [each["workshop"] for each in page["workshops"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert met == slugs


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
    assert 'Next:\n- Call `list_workshops` with `{"limit":2,"all":false,"cursor":"' in text
    assert "last page" in school.text("list_workshops", all=False)
    assert "- all: _default_" in school.text("list_workshops")


def test_the_call_for_the_next_page_works_as_it_is_written(school: Server) -> None:
    text = school.text("list_workshops", limit=1, all=False, hasDiffs=False)
    (call,) = re.findall(r"Call `list_workshops` with `(.*)`", text)
    assert [
        each["workshop"] for each in school.call("list_workshops", **json.loads(call))["workshops"]
    ] == ["databases"]


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


def test_a_product_that_no_workshop_has_is_told_with_those_there_are(school: Server) -> None:
    told = 'no workshop has the product "web team"; there is Web Team'
    assert school.call("list_workshops", product="web team")["warnings"] == [told]
    assert told in school.text("list_workshops", product="web team")
    assert "warnings" not in school.call("list_workshops", product="Web Team", hasDiffs=False)
