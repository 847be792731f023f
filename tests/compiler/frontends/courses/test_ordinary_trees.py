"""What is no workshop, and workshops beside each other; lines made to harm."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.compiler.frontends.courses.school import course
from tests.compiler.recognition.trees import page, read, write_tree

from kbc.diagnostics import Diagnostics
from kbc.pipeline.reading import read_inputs
from kbc.records import WorkshopRecord


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
