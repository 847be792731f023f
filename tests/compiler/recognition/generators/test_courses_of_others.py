"""Lessons of the Carpentries, scenarios of Killercoda, courses of GitHub Skills."""

from __future__ import annotations

import json
from pathlib import Path

from tests.compiler.recognition.trees import addresses, page, read, recognised, titles, write_tree

from kbc.languages.includes.dialects.katacoda import without_actions


def test_a_lesson_of_the_carpentries_has_its_pages_in_order_and_not_its_data(
    tmp_path: Path,
) -> None:
    config = "carpentry: 'swc'\ntitle: 'Kites'\nurl: https://kites.example/\nepisodes:\n- wind.md\n"
    files = {
        "config.yaml": config,
        "index.md": "---\nsite: sandpaper::sandpaper_site\n---\n\nWelcome.\n",
        "README.md": page("How to build this"),
        "episodes/first.md": page("First"),
        "episodes/wind.md": "---\ntitle: Wind\n---\n\nIt blows.\n",
        "episodes/data/poem.txt": "Who has seen the wind?\n",
        "learners/setup.md": page("Setup"),
        "data/measured.txt": "1 2 3\n",
    }
    root = write_tree(tmp_path / "tree", files)
    assert "Carpentries lesson 'Kites' (config.yaml)" in recognised(root).what
    inputs, _ = read(root)
    assert addresses(inputs) == {
        "index.md": "https://kites.example/index.html",
        "episodes/wind.md": "https://kites.example/wind.html",
        "episodes/first.md": "https://kites.example/first.html",
        "learners/setup.md": "https://kites.example/setup.html",
    }
    assert list(addresses(inputs)) == [
        "index.md",
        "episodes/wind.md",
        "episodes/first.md",
        "learners/setup.md",
    ]


def scenario(title: str) -> str:
    steps = [{"title": "Let it fly", "text": "step1.md"}, {"text": "land/text.md"}]
    details = {"intro": {"text": "intro.md"}, "steps": steps, "finish": {"text": "finish.md"}}
    return json.dumps({"title": title, "details": details})


def test_scenarios_have_their_order_and_titles(tmp_path: Path) -> None:
    files = {
        f"{place}/{name}": content
        for place in ("kites", "course/more")
        for name, content in {
            "index.json": scenario(place.title()),
            "intro.md": "Welcome.\n",
            "step1.md": "Run it.\n",
            "land/text.md": "Now land.\n",
            "land/verify.sh": "true\n",
            "finish.md": "# Landed\n\nDone.\n",
        }.items()
    }
    root = write_tree(tmp_path / "tree", files)
    assert "course of Killercoda" in recognised(root).what
    inputs, _ = read(root)
    expected = ["", ": Let it fly", ": step 2"]
    assert list(titles(inputs.records["docs"]).values()) == [
        *(f"Course/More{each}" for each in expected),
        "Landed",
        *(f"Kites{each}" for each in expected),
        "Landed",
    ]
    one, _ = read(root / "kites")
    assert list(titles(one.records["docs"]).values()) == [
        *(f"Kites{each}" for each in expected),
        "Landed",
    ]


def test_other_index_files_are_no_scenarios(tmp_path: Path) -> None:
    files = {"a/index.json": '{"details": {"steps": 3}}', "a/x.md": page("X"), "b/index.json": "["}
    assert recognised(write_tree(tmp_path / "tree", files)).what == "folder of pages"


def test_actions_behind_code_are_left_out() -> None:
    text = "```bash\nls\n```{{exec interrupt}}\n\n> ~~~\n> a\n> ~~~{{execute HOST1}}{{copy}}\n"
    text += "`ls`{{copy}} {{x}}\n"
    shown = "```bash\nls\n```\n\n> ~~~\n> a\n> ~~~\n`ls` {{x}}\n"
    assert without_actions(text) == shown
    assert without_actions(text.replace("\n", "\r\n")) == shown.replace("\n", "\r\n")
    assert without_actions("```{{code}}\nx\n```\n") == "```{{code}}\nx\n```\n"


def test_the_steps_of_a_course_of_github_skills_are_read(tmp_path: Path) -> None:
    files = {
        "README.md": page("Kites"),
        ".github/steps/1-fly.md": "## Step 1: Fly\n\nLet go.\n",
        ".github/steps/-step.txt": "1",
        ".github/workflows/1-fly.yml": "on: push\n",
    }
    root = write_tree(tmp_path / "tree", files)
    inputs, _ = read(root)
    assert [record.title for record in inputs.records["steps"]] == ["Step 1: Fly"]
    one, _ = read(root / "README.md")
    assert "steps" not in one.records
