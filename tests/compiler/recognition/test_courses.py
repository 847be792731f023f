"""Courses: workshops in numbered folders, and pages with the programs that they teach."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.recognition.trees import page, read, recognised, write_tree

from kbc.recognition import code

STEPS = {
    "exercises/01.nests/README.mdx": page("Nests"),
    "exercises/01.nests/01.problem.twigs/README.mdx": page("Twigs"),
    "exercises/01.nests/01.problem.twigs/nest.ts": "export const twigs = 0\n",
    "exercises/01.nests/01.solution.twigs/nest.ts": "export const twigs = 7\n",
}
LESSONS = {f"lessons/{n:02}-bird/README.md": page(f"Bird {n}") for n in range(25)}
PROGRAMS = {f"lessons/{n:02}-bird/bird{n}.py": f"def bird{n}(): ...\n" for n in range(25)}


@pytest.mark.parametrize("manifest", ['{"name": "heron-school"}', ""])
def test_exercises_with_problems_and_solutions_are_a_workshop(
    tmp_path: Path, manifest: str
) -> None:
    files = {"README.md": page("School"), "tools/setup.py": "def set_up(): ...\n", **STEPS}
    files |= {"package.json": manifest} if manifest else {}
    tree = write_tree(tmp_path / "school", files)
    assert "with a workshop" in recognised(tree).what
    records = read(tree)[0].records
    name = "heron-school" if manifest else "school"
    assert f"{name}/01/01/diff-hunk/nest.ts" in [record.id for record in records[name]]
    assert [record.id for record in records["readme"]] == ["README.md"]
    others = {record.id for kind in ("code", "docs") for record in records.get(kind, ())}
    assert "tools/setup.py" in others
    assert not [each for each in others if each.startswith("exercises/")]


def test_pages_of_exercises_are_read_once(tmp_path: Path) -> None:
    pages = {
        f"exercises/{n:02}.bird/{step}/README.mdx": page(f"Bird {n}")
        for n in range(1, 9)
        for step in ("01.problem.nest", "01.solution.nest")
    }
    tree = write_tree(tmp_path / "school", {"package.json": "{}", "README.md": page("S"), **pages})
    found = {each.name: each.paths for each in recognised(tree).project.collections}
    assert found == {"school": (".",), "readme": ("README.md",), "code": (".",)}


def test_exercises_without_steps_are_no_workshop(tmp_path: Path) -> None:
    files = {"package.json": "{}", "exercises/01.nests/nest.ts": "export const twigs = 0\n"}
    assert "workshop" not in recognised(write_tree(tmp_path / "school", files)).what


def test_programs_among_the_pages_of_a_project_are_code(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "heron", {"package.json": "{}", **LESSONS, **PROGRAMS})
    records = read(tree)[0].records
    assert len(records["docs"]) == len(LESSONS)
    assert set(PROGRAMS) <= {record.id for record in records["code"]}
    assert not [record.id for record in records["code"] if record.id.endswith(".md")]


def test_too_many_programs_among_pages_do_not_cost_the_code_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "MAX_CODE_FILES", 20)
    own = {"package.json": "{}", "src/heron.py": "def wade(): ...\n"}
    tree = write_tree(tmp_path / "heron", {**own, **LESSONS, **PROGRAMS})
    assert {"src/heron.py", "package.json"} == {r.id for r in read(tree)[0].records["code"]}
    assert "are left out" in " ".join(recognised(tree).notes)


def test_solutions_are_no_pages_beside_the_course(tmp_path: Path) -> None:
    books = ("Exercises", "Solutions", "Exercises_with_solutions_and_code")
    text = '{"cells": [{"cell_type": "markdown", "source": "# Nests", "metadata": {}}]}'
    files = {f"0{n}_Nests/{book}.ipynb": text for n in range(1, 5) for book in books}
    pages = {f"0{n}_Nests/notes/part{at}.md": page(f"{n}.{at}") for n in (1, 2) for at in range(9)}
    tree = write_tree(tmp_path / "school", {"README.md": page("School"), **files, **pages})
    records = read(tree)[0].records
    assert "with a workshop" in recognised(tree).what
    own = {record.id for record in records["docs"]}
    assert len(own) == len(pages)
    assert not [each for each in own if each.endswith(".ipynb")]
    assert "notebooks" not in records
