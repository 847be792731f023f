"""Workshops that are pages: what of them is a step, and what solves it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.frontends.courses.school import course, outline, told
from tests.compiler.recognition.trees import page, recognised, write_tree

from kbc.diagnostics import Diagnostics
from kbc.project.loading import load_project
from kbc.recognition.described import kb_toml

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


@pytest.mark.parametrize("place", ["../../secret.md", "{root}/secret.md", "x" * 5_000])
def test_scenarios_read_no_files_elsewhere(tmp_path: Path, place: str) -> None:
    (tmp_path / "secret.md").write_text("Elsewhere.\n")
    step = {"text": place.format(root=tmp_path), "verify": place.format(root=tmp_path)}
    files = {
        "index.json": json.dumps({"details": {"steps": [step, {"text": "./a.md"}]}}),
        "eggs/index.json": json.dumps({"details": {"steps": [step]}}),
        "a.md": "Build.\n",
    }
    for folder in ("", "eggs"):
        tree = {name: text for name, text in files.items() if name.startswith(folder)}
        _, sections = course(tmp_path / f"in{folder}", tree)
        assert "Elsewhere" not in "".join(each.text for each in sections)
    assert told(course(tmp_path, files)[1], 1, 2) == [("problem-instructions", "Build.\n")]


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


def test_pages_come_before_their_copies_in_a_workshop(tmp_path: Path) -> None:
    files = {
        "config.yaml": "carpentry: 'swc'\ntitle: 'Birds'\nepisodes:\n- eggs.md\n",
        "episodes/eggs.md": EPISODE.format(title="Eggs"),
    }
    tree = write_tree(tmp_path / "nests", files)
    found = recognised(tree)
    assert [each.kind for each in found.project.collections] == ["docs", "workshops"]
    assert found.project.search.weights == {"nests": 0.3}
    (tree / "kb.toml").write_text(kb_toml(found))
    project = load_project(tree, Diagnostics())
    assert project is not None
    assert project.search.weights == {"nests": 0.3}
