"""Workshops of exercises and their solutions: in order, what is asked, what solves it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.compiler.frontends.courses.school import course, outline, told
from tests.compiler.recognition.trees import read, write_tree

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
        f"{TRACK}/near-by/.approaches/introduction.md": "Glide or dive.\n",
        f"{TRACK}/near-by/.approaches/glide/content.md": "# Glide\n",
        f"{TRACK}/near-by/.articles/speed/content.md": "# Speed\n",
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
        ("solution-instructions", "Glide or dive.\n"),
        ("solution-instructions", "# Glide\n"),
        ("solution-instructions", "# Speed\n"),
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
    [
        ("exercises", "solutions"),
        ("src/exercise", "src/final"),
        ("src/__tests__/exercise", "src/__tests__/final"),
        ("challenges", "answers"),
    ],
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


def test_pictures_in_notebooks_do_not_count_as_their_size(tmp_path: Path) -> None:
    drawn = {"output_type": "display_data", "data": {"image/png": "A" * 300_000}}
    files = {}
    for n in (1, 2, 3):
        files[f"exercises/0{n}.ipynb"] = notebook("Do it.")
        book = json.loads(notebook("Done."))
        book["cells"].append({"cell_type": "code", "source": "draw()", "outputs": [drawn]})
        files[f"solutions/0{n}.ipynb"] = json.dumps(book)
    _, sections = course(tmp_path, files)
    assert "draw()" in told(sections, 2, 1)[1][1]


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


def test_numbered_exercises_hold_their_own_solution(tmp_path: Path) -> None:
    files = {}
    for topic, names in {"basics": ("01_nest", "02_eggs"), "flight": ("1-wings",)}.items():
        for name in names:
            files |= {
                f"{topic}/{name}/README.md": f"# Build {name}\n",
                f"{topic}/{name}/bird.js": "let n\n",
                f"{topic}/{name}/bird.spec.js": "test.skip(n)\n",
                f"{topic}/{name}/solution/bird-solution.js": "let n = 1\n",
                f"{topic}/{name}/solution/bird-solution.spec.js": "test(n)\n",
            }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [
        (1, "basics", ["Build 01_nest", "Build 02_eggs"]),
        (2, "flight", ["Build 1-wings"]),
    ]
    assert told(sections, 1, 2) == [
        ("problem-instructions", "# Build 02_eggs\n"),
        ("problem-code", "let n\n"),
        ("solution-code", "let n = 1\n"),
        ("problem-code", "test.skip(n)\n"),
        ("solution-code", "test(n)\n"),
    ]


def test_named_exercises_hold_their_task_and_solution(tmp_path: Path) -> None:
    files = {"README.md": "# Pumps\n"}
    for name in ("first_io", "old_pump", "time_server"):
        folder = f"exercises/{name}"
        files |= {
            f"{folder}/problem.md": f"Write {name}.\n\n## HINTS\n\nUse a timer.\n",
            f"{folder}/problem.pt-br.md": "Escreva.\n",
            f"{folder}/start.js": "run()\n",
            f"{folder}/solution/start.js": "run(1)\n",
        }
    workshop, sections = course(tmp_path, files)
    assert [each[:2] for each in outline(workshop)] == [
        *((1, "first io"), (2, "old pump"), (3, "time server"))
    ]
    assert told(sections, 2, 1) == [
        ("problem-instructions", "Write old_pump.\n\n## HINTS\n\nUse a timer.\n"),
        ("problem-code", "run()\n"),
        ("solution-code", "run(1)\n"),
    ]


def test_what_is_called_solution_stands_for_the_file_with_its_ending(tmp_path: Path) -> None:
    files = {}
    for name in ("01-nest", "02-eggs", "03-wings"):
        files |= {
            f"css/{name}/index.html": "<p>\n",
            f"css/{name}/style.css": "p {}\n",
            f"css/{name}/solution/solution.css": "p { margin: 0 }\n",
        }
    _, sections = course(tmp_path, files)
    (hunk,) = (
        each
        for each in sections
        if each.kind == "diff-hunk" and "-p {}" in each.text and each.exercise == 1
    )
    assert hunk.label.endswith("diff of style.css")


def test_code_beside_marked_files_stays_code(tmp_path: Path) -> None:
    files = {
        f"src/0{n}-bird.{side}.ts": f"let {side} = {n}\n"
        for n in (1, 2, 3)
        for side in ("problem", "solution")
    }
    files |= {"src/fly.ts": "export const fly = 1\n", "package.json": '{"name": "birds"}'}
    records = read(write_tree(tmp_path / "birds", files))[0].records
    assert [each.id for each in records["code"]] == ["package.json", "src/fly.ts"]


def cell(source: str, **metadata: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}


def test_solutions_in_cells_of_assignments_stand_apart(tmp_path: Path) -> None:
    marked = "def eggs():\n    ### BEGIN SOLUTION\n    return 3\n    ### END SOLUTION\n"
    cells = [
        cell(marked, nbgrader={"solution": True}),
        cell("nest = 7\n", nbgrader={"solution": True}),
        cell("moss = 1\n", tags=["solution"]),
        cell("print(eggs())\n"),
    ]
    files = {
        "nbgrader_config.py": "c = get_config()\n",
        "source/ps1/eggs.ipynb": json.dumps({"cells": cells}),
    }
    workshop, sections = course(tmp_path, files)
    assert outline(workshop) == [(1, "ps1", ["eggs"])]
    (asked, solved) = told(sections, 1, 1)
    assert asked[0] == "problem-code"
    assert [
        word for word in ("def eggs", "return 3", "nest", "moss", "print") if word in asked[1]
    ] == [
        "def eggs",
        "print",
    ]
    assert all(word in solved[1] for word in ("return 3", "nest = 7", "moss = 1", "print"))
