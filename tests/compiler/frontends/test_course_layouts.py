"""Workshops in the usual public layouts: exercises and steps in order, what is asked, what solves it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.records import WorkshopRecord, WorkshopSection


def course(root: Path, files: Mapping[str, str]) -> tuple[WorkshopRecord, list[WorkshopSection]]:
    """The only workshop that is recognised in a tree of `files`, and its sections."""
    records = [
        record
        for found in read(write_tree(root / "nests", files))[0].records.values()
        for record in found
    ]
    (workshop,) = (record for record in records if isinstance(record, WorkshopRecord))
    return workshop, [record for record in records if isinstance(record, WorkshopSection)]


def outline(workshop: WorkshopRecord) -> list[tuple[int, str, list[str]]]:
    return [
        (each["number"], each["title"], [step.get("title", "") for step in each["steps"]])
        for each in workshop.exercises
    ]


def told(sections: list[WorkshopSection], exercise: int, step: int) -> list[tuple[str, str]]:
    """Kind and text of the sections of a step."""
    return [
        (each.kind, each.text)
        for each in sections
        if (each.exercise, each.step) == (exercise, step) and not each.is_diff
    ]


TRACK = "exercises/practice"


def test_a_track_lists_exercises_by_concept_and_difficulty(tmp_path: Path) -> None:
    listed = {
        "concept": [{"slug": "eggs", "name": "Count Eggs"}],
        "practice": [
            {"slug": "far", "name": "Fly Far", "difficulty": 7},
            {"slug": "old", "name": "Old", "difficulty": 1, "status": "deprecated"},
            {"slug": "near-by", "name": "Fly Near", "difficulty": 2},
            {"slug": "hello-world", "name": "Hello", "difficulty": 3},
        ],
    }
    stated = {
        "solution": ["src/%{snake_slug}.py"],
        "example": [".meta/example.py"],
        "test": ["t.py"],
    }
    meta = json.dumps({"files": stated})
    files = {
        "config.json": json.dumps({"language": "Heron", "slug": "heron", "exercises": listed}),
        f"{TRACK}/near-by/.docs/hints.md": "# Hints\n\nFlap.\n",
        f"{TRACK}/near-by/.meta/config.json": meta,
        f"{TRACK}/near-by/.meta/example.py": "fly = 'near'\n",
        f"{TRACK}/near-by/src/near_by.py": "fly = None\n",
        f"{TRACK}/near-by/t.py": "assert fly\n",
        "exercises/concept/eggs/.docs/instructions.md": "# Count\n",
    }
    slugs = ("far", "old", "near-by", "hello-world")
    files |= {f"{TRACK}/{slug}/.docs/instructions.md": f"Fly {slug}.\n" for slug in slugs}
    workshop, sections = course(tmp_path, files)
    titles = ["Count Eggs", "Hello", "Fly Near", "Fly Far"]
    assert [each["title"] for each in workshop.exercises] == titles
    assert workshop.title == "Heron"
    assert told(sections, 3, 1) == [
        ("problem-instructions", "Fly near-by.\n"),
        ("problem-instructions", "# Hints\n\nFlap.\n"),
        ("problem-code", "assert fly\n"),
        ("problem-code", "fly = None\n"),
        ("solution-code", "fly = 'near'\n"),
    ]
    assert [each.label for each in sections if each.label.endswith("hints")]
    (diff,) = (each for each in sections if each.kind == "diff-hunk")
    assert "-fly = None\n+fly = 'near'\n" in diff.text


def test_a_list_of_exercises_states_their_order_and_hints(tmp_path: Path) -> None:
    files = {
        "info.toml": """
[[exercises]]
name = "twigs2"
dir = "01_twigs"
hint = "Bend it."

[[exercises]]
name = "twigs1"
dir = "01_twigs"

[[exercises]]
name = "moss"
path = "exercises/moss/moss/main.go"
""",
        "exercises/01_twigs/README.md": "# Twigs\n",
        "exercises/01_twigs/twigs1.rs": "1\n",
        "exercises/01_twigs/twigs2.rs": "2\n",
        "exercises/moss/moss/main.go": "3\n",
        "solutions/01_twigs/twigs2.rs": "two\n",
    }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(1, "twigs", ["twigs2", "twigs1"]), (2, "moss", ["moss"])]
    assert told(sections, 1, 1) == [
        ("problem-instructions", "Bend it."),
        ("problem-code", "2\n"),
        ("solution-code", "two\n"),
    ]
    assert told(sections, 2, 1) == [("problem-code", "3\n")]


@pytest.mark.parametrize(
    ("exercises", "solutions"),
    [("exercises", "solutions"), ("src/exercise", "src/final"), ("challenges", "answers")],
)
def test_exercises_stand_beside_their_solutions(
    tmp_path: Path, exercises: str, solutions: str
) -> None:
    files = {
        f"{exercises}/01.md": "# Build a nest\n\nTake twigs.\n",
        f"{exercises}/01.js": "nest = 0\n",
        f"{exercises}/02.js": "eggs = 0\n",
        f"{exercises}/02-classes.js": "class Egg {}\n",
        f"{exercises}/10.js": "same\n",
        f"{solutions}/01.js": "nest = 1\n",
        f"{solutions}/01.extra-1.js": "nest = 2\n",
        f"{solutions}/02.js": "eggs = 3\n",
        f"{solutions}/10.js": "same\n",
    }
    workshop, sections = course(tmp_path, files)
    assert [each[:2] for each in outline(workshop)] == [(1, "Build a nest"), (2, "02"), (10, "10")]
    assert told(sections, 1, 1) == [
        ("problem-instructions", "# Build a nest\n\nTake twigs.\n"),
        ("solution-code", "nest = 2\n"),
        ("problem-code", "nest = 0\n"),
        ("solution-code", "nest = 1\n"),
    ]
    assert told(sections, 10, 1) == [("problem-code", "same\n")]


def test_topics_hold_numbered_exercises_without_solutions(tmp_path: Path) -> None:
    places = ("01_nest/00_twigs", "01_nest/01_moss", "02_eggs/01_count", "03_fly/01_far")
    files = {f"exercises/{place}/src/lib.rs": f"// {place}\n" for place in places}
    files |= {f"exercises/{place}/Cargo.toml": "[package]\n" for place in places}
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [
        (1, "nest", ["twigs", "moss"]),
        (2, "eggs", ["count"]),
        (3, "fly", ["far"]),
    ]
    assert ("problem-code", "// 02_eggs/01_count\n") in told(sections, 2, 1)


def test_patches_are_the_diffs_of_exercises(tmp_path: Path) -> None:
    files = {f"exercises/00{n}_bird.zig": f"const n = {n};\n" for n in (1, 2, 3)}
    files["patches/patches/002_bird.patch"] = "-const n = 2;\n+const n = 4;\n"
    workshop, sections = course(tmp_path, files)
    assert [each["steps"][0]["has_diff"] for each in workshop.exercises] == [False, True, False]
    assert [each.text for each in sections if each.kind == "diff-hunk"] == [
        "-const n = 2;\n+const n = 4;\n"
    ]


@pytest.mark.parametrize(
    ("start", "finish"), [("start", "finish"), ("problem", "solution"), ("begin", "end")]
)
def test_numbered_folders_have_a_start_and_a_finish(
    tmp_path: Path, start: str, finish: str
) -> None:
    files = {
        f"{n:02}-{name}/{side}/app.js": f"{name} {side}\n"
        for n, name in enumerate(("twigs", "eggs"), 1)
        for side in (start, finish)
    }
    files["02-eggs/README.md"] = "# Count eggs\n"
    workshop, sections = course(tmp_path, files)
    assert [each[:2] for each in outline(workshop)] == [(1, "twigs"), (2, "Count eggs")]
    assert told(sections, 2, 1) == [
        ("problem-instructions", "# Count eggs\n"),
        ("problem-code", f"eggs {start}\n"),
        ("solution-code", f"eggs {finish}\n"),
    ]


def test_names_of_files_tell_their_side(tmp_path: Path) -> None:
    files = {f"src/0{n}-bird.problem.ts": f"let n = {n}\n" for n in (1, 2, 3)}
    files |= {f"src/0{n}-bird.solution.ts": "let n = 0\n" for n in (1, 2)}
    files |= {"src/03-bird.solution.1.ts": "a\n", "src/03-bird.solution.2.ts": "b\n"}
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(n, "bird", ["bird"]) for n in (1, 2, 3)]
    assert sorted(told(sections, 3, 1)) == [
        ("problem-code", "let n = 3\n"),
        ("solution-code", "a\n"),
        ("solution-code", "b\n"),
    ]


def notebook(*cells: str) -> str:
    return json.dumps(
        {"cells": [{"cell_type": "markdown", "source": cell, "metadata": {}} for cell in cells]}
    )


def test_notebooks_are_shown_as_they_are_read(tmp_path: Path) -> None:
    files = {}
    for n, name in enumerate(("Nests", "Eggs", "Wings"), 1):
        files[f"0{n}_{name}/Exercises.ipynb"] = notebook(f"# {name}", "Do it.")
        files[f"0{n}_{name}/Solutions.ipynb"] = notebook(f"# {name}", "Done.")
        files[f"0{n}_{name}/Exercises_with_solutions.ipynb"] = notebook("# Both")
    workshop, sections = course(tmp_path, files)
    assert [each[1] for each in outline(workshop)] == ["Nests", "Eggs", "Wings"]
    assert told(sections, 2, 1) == [
        ("problem-code", "# Eggs\n\nDo it.\n"),
        ("solution-code", "# Eggs\n\nDone.\n"),
    ]


def test_a_guide_leads_from_initial_to_complete(tmp_path: Path) -> None:
    files = {
        "README.md": "# Build a nest\n",
        "pom.xml": "<project/>\n",
        "initial/Nest.java": "class Nest {}\n",
        "complete/Nest.java": "class Nest { int twigs; }\n",
    }
    workshop, sections = course(tmp_path, files)
    assert [each[:2] for each in outline(workshop)] == [(1, "Build a nest")]
    assert [kind for kind, _ in told(sections, 1, 1)] == ["problem-code", "solution-code"]


EPISODE = """---
title: {title}
---

::: objectives
- Count.
:::

Text before.

::::: challenge

## Count the eggs

How many?

::: hint
Look.
:::

::: solution
```
::: challenge
```
Three.
:::

:::::

Text behind.
"""


def test_challenges_of_lessons_are_steps_without_their_solutions(tmp_path: Path) -> None:
    files = {
        "config.yaml": "carpentry: 'swc'\ntitle: 'Birds'\nepisodes:\n- wings.md\n- eggs.md\n",
        "episodes/eggs.md": EPISODE.format(title="Eggs"),
        "episodes/wings.md": "---\ntitle: Wings\n---\n\nFlap.\n",
    }
    workshop, sections = course(tmp_path, files)
    assert workshop.title == "Birds"
    assert outline(workshop) == [(1, "Wings", []), (2, "Eggs", ["Count the eggs"])]
    asked, solved = told(sections, 2, 1)
    assert asked[0] == "problem-instructions"
    assert "How many?" in asked[1]
    assert "Look." in asked[1]
    assert solved == (
        "solution-instructions",
        "::: solution\n```\n::: challenge\n```\nThree.\n:::\n",
    )
    (around,) = (each.text for each in sections if each.exercise == 2 and not each.step)
    assert "Text before." in around
    assert "Text behind." in around
    assert "Three." not in around + asked[1]


def test_sections_of_codelabs_are_steps(tmp_path: Path) -> None:
    text = "summary: Nests\nid: nests\nstatus: Published\n\n# Nests\n\n## Twigs\nDuration: 0:05:00\n\nBend.\n"
    files = {
        "markdown/nests/nests.md": f"{text}\n## Moss\nDuration: 2\n\n```\n## no step\n```\n",
        "markdown/nests/notes.md": page("Notes"),
    }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(1, "Nests", ["Twigs", "Moss"])]
    ((kind, twigs),) = told(sections, 1, 1)
    assert (kind, twigs) == ("problem-instructions", "## Twigs\nDuration: 0:05:00\n\nBend.\n")


def scenario(title: str) -> str:
    steps = [{"title": "Build", "text": "step1.md", "verify": "check.sh"}]
    details = {"intro": {"text": "intro.md"}, "steps": steps, "finish": {"text": "end.md"}}
    return json.dumps({"title": title, "details": details})


def test_scenarios_are_exercises_in_the_order_of_their_course(tmp_path: Path) -> None:
    files = {"structure.json": json.dumps({"items": [{"path": "wings"}, {"path": "eggs"}]})}
    for name in ("eggs", "wings"):
        files |= {
            f"{name}/index.json": scenario(name.title()),
            f"{name}/intro.md": f"About {name}.\n",
            f"{name}/step1.md": "Do.\n\n<details><summary>Solution</summary>\n\nDone.\n</details>\n",
            f"{name}/check.sh": "test -e nest\n",
            f"{name}/end.md": "Well done.\n",
        }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(1, "Wings", ["Build"]), (2, "Eggs", ["Build"])]
    assert told(sections, 1, 0) == [
        ("exercise-instructions", "About wings.\n"),
        ("exercise-finished", "Well done.\n"),
    ]
    assert told(sections, 1, 1) == [
        ("problem-instructions", "Do.\n"),
        ("solution-instructions", "<details><summary>Solution</summary>\n\nDone.\n</details>\n"),
        ("solution-code", "test -e nest\n"),
    ]


def test_activities_of_a_course_in_a_repository_are_steps(tmp_path: Path) -> None:
    files = {
        "README.md": page("Nests"),
        ".github/steps/1-twigs.md": "## Step 1: Twigs\n\nHello.\n\n### :wrench: Activity: Bend\n\nBend.\n",
        ".github/steps/x-review.md": "## Review\n",
    }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(1, "Twigs", ["Activity: Bend"])]
    assert [each.kind for each in sections if not each.exercise] == [
        "workshop-instructions",
        "workshop-finished",
    ]


def test_units_of_modules_are_steps_and_their_answers_stand_apart(tmp_path: Path) -> None:
    files = {
        "index.yml": "### YamlMime:Module\nuid: n\ntitle: Nests\nunits:\n- n.intro\n- n.quiz\n",
        "1-intro.yml": "### YamlMime:ModuleUnit\nuid: n.intro\ntitle: Intro\n"
        "content: |\n  [!include[](includes/1-intro.md)]\n",
        "2-quiz.yml": """### YamlMime:ModuleUnit
uid: n.quiz
title: Check
quiz:
  questions:
  - content: How many?
    choices:
    - content: Three
      isCorrect: true
      explanation: Count them.
    - content: Four
      isCorrect: false
""",
        "includes/1-intro.md": "Welcome.\n",
    }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(1, "Nests", ["Intro", "Check"])]
    assert told(sections, 1, 1) == [("problem-instructions", "Welcome.\n")]
    assert told(sections, 1, 2) == [
        ("problem-instructions", "1. How many?\n   - Three\n   - Four\n"),
        ("solution-instructions", "1. Three: Count them.\n"),
    ]


def test_labs_state_themselves_in_their_front_matter(tmp_path: Path) -> None:
    lab = "---\nlab:\n    title: 'Nests'\n---\n\n# Build\n\n## Twigs\n\nBend.\n"
    files = {"Instructions/Labs/01-nests.md": lab, "Instructions/Labs/notes.md": page("Notes")}
    workshop, _ = course(tmp_path, files)
    assert outline(workshop) == [(1, "Nests", ["Twigs"])]


@pytest.mark.parametrize(
    "files",
    [
        {f"examples/0{n}_bird/main.py": "fly()\n" for n in range(1, 6)},
        {"src/problem.py": "class Problem: ...\n", "src/solution.py": "class Solution: ...\n"},
        {f"src/{name}_{side}.py": "x = 1\n" for name in "abcd" for side in ("problem", "solution")},
        {f"fixtures/{side}/a.js": "1\n" for side in ("before", "after")},
        {"start/a.py": "1\n", "end/a.py": "2\n", "README.md": "# Tool\n"},
        {f"tasks/00{n}-fix.md": "# Fix\n" for n in range(1, 6)},
        {f"migrations/000{n}_add/up.sql": "select 1;\n" for n in range(1, 6)},
        {"config.json": '{"exercises": []}', "exercises/a.py": "1\n"},
        {"index.json": '{"details": {}}', "index.yml": "title: x\n"},
    ],
)
def test_ordinary_projects_are_no_workshops(tmp_path: Path, files: Mapping[str, str]) -> None:
    tree = write_tree(tmp_path / "heron", {"pyproject.toml": "[project]\nname='heron'\n", **files})
    kinds = {record.collection for found in read(tree)[0].records.values() for record in found}
    assert "heron" not in kinds


def test_a_folder_of_workshops_may_hold_any_layout(tmp_path: Path) -> None:
    files = {
        "kb.toml": '[kb]\nname = "kb"\n',
        "workshops/guide/README.md": "# Guide\n",
        "workshops/guide/start/a.js": "1\n",
        "workshops/guide/finished/a.js": "2\n",
        "workshops/steps/exercises/01.a/01.problem/x.ts": "1\n",
    }
    root = write_tree(tmp_path / "kb", files)
    inputs = read_inputs(root, Diagnostics())
    assert inputs is not None
    slugs = [each.id for each in inputs.records["workshops"] if isinstance(each, WorkshopRecord)]
    assert slugs == ["guide", "steps"]


def test_a_numbered_workshop_is_in_no_other_layout(tmp_path: Path) -> None:
    folder = "exercises/01.nests"
    files = {
        "README.md": page("Nests"),
        "exercises/README.mdx": "# All\n",
        **{
            f"{folder}/{n:02}.{side}/a.ts": f"{n} {side}\n"
            for n in (1, 2)
            for side in ("problem", "solution")
        },
        "exercises/02.eggs/01.problem/a.ts": "1\n",
    }
    workshop, sections = course(tmp_path, files)
    assert (workshop.id, [each["number"] for each in workshop.exercises]) == ("nests", [1, 2])
    assert [each.kind for each in sections if not each.exercise] == ["workshop-instructions"]


@pytest.mark.parametrize(
    "line",
    [
        ":::a" + " " * 60_000 + "x:y",
        "<details>" + "<summary" * 20_000,
        "<h1 " * 40_000,
        "##" + " " * 60_000 + "x",
        ":" * 100_000 + "!",
        "### " + ":" * 60_000,
    ],
)
def test_hostile_lines_take_no_time(tmp_path: Path, line: str) -> None:
    text = f"id: nests\n\n# Nests\n\n## Twigs\nDuration: 1\n\n{line}\n"
    files = {
        "codelabs/nests/nests.md": text,
        ".github/steps/1-a.md": f"{line}\n\n## A\n{line}\n",
    }
    workshop, _ = course(tmp_path, files)
    assert len(workshop.exercises) == 1
