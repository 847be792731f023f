"""What is no workshop, and workshops beside each other; lines made to harm."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.compiler.frontends.courses.school import course
from tests.compiler.recognition.trees import page, read, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.records import WorkshopRecord, WorkshopSection


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
        {"config.json": '{"exercises": {"practice": []}}', "exercises/a.py": "1\n"},
        {"index.json": '{"details": {}}', "index.yml": "title: x\n"},
        {f"exercises/{name}/solution/a.py": "x = 1\n" for name in "abcd"},
        {
            f"guides/{name}/{file}": "x\n"
            for name in "abcd"
            for file in ("README.md", "solution/a.py")
        },
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
        "## x" + " " * 3_000 + "y",
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


@pytest.mark.parametrize(
    ("sides", "beside"),
    [
        (("0{}/start/a.py", "0{}/end/a.py"), ("01/slides/deck.md", "04/b.py")),
        (("exercises/0{}/a.py", "solutions/0{}/a.py"), ("exercises/b.py", "solutions/09/b.py")),
        (("0{}/problem.py", "0{}/solution.py"), ("01/slides/deck.md", "02/b.py")),
    ],
)
def test_what_lies_beside_exercises_is_read_as_ever(
    tmp_path: Path, sides: tuple[str, str], beside: tuple[str, str]
) -> None:
    own = {side.format(n): f"{side}\n" for side in sides for n in (1, 2, 3)}
    files = {**own, "README.md": "# Nests\n", **dict.fromkeys(beside, "fly()\n")}
    tree = write_tree(tmp_path / "nests", files)
    records = [each for found in read(tree)[0].records.values() for each in found]
    assert any(isinstance(each, WorkshopRecord) for each in records)
    others = {each.path for each in records if not isinstance(each, WorkshopSection)}
    assert set(beside) <= others
    assert others.isdisjoint(own)


def test_helpers_beside_assignments_are_read_as_ever(tmp_path: Path) -> None:
    files = {"nbgrader_config.py": "c = 1\n", "source/one/helper.py": "fly()\n"}
    files["source/one/a.ipynb"] = '{"cells": [{"cell_type": "markdown", "source": "Do it."}]}'
    records = read(write_tree(tmp_path / "nests", files))[0].records.values()
    paths = [getattr(each, "path", "") for found in records for each in found]
    assert "source/one/helper.py" in paths
