"""Workshops: what is read, in which order it is taught, and what of it differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kbc.diagnostics import Diagnostics
from kbc.frontends import workshops
from kbc.languages import diffs
from kbc.pipeline.reading import read_inputs
from kbc.project.loading import load_project
from kbc.records import WorkshopRecord, WorkshopSection
from kbc.sources.courses.text_files import is_text_name
from kbc.sources.discovery import discover

PROBLEM, SOLUTION = (
    "exercises/01.first-steps/01.problem.hello",
    "exercises/01.first-steps/01.solution.hello",
)

REPOSITORY = {
    "package.json": json.dumps(
        {
            "epicshop": {
                "title": "Learning X",
                "subtitle": "All of X",
                "githubRepo": "https://github.com/some-team/learning-x",
                "product": {"host": "www.example.org", "displayNameShort": "Example"},
            }
        }
    ),
    "epicshop/.diffignore": "# comment\n*.test.*\n\nnotes/*\n",
    "epicshop/run.js": "not read",
    "exercises/README.mdx": "# Intro\n",
    "exercises/FINISHED.mdx": "# Done\n",
    "exercises/01.first-steps/README.mdx": "# First\n",
    "exercises/01.first-steps/FINISHED.mdx": "# First done\n",
    f"{PROBLEM}/README.mdx": "# Say hello\n\nDo it.\n",
    f"{SOLUTION}/README.mdx": "# Hello said\n",
    f"{PROBLEM}/src/index.ts": "export const x = 1\nexport const y = 2\n",
    f"{SOLUTION}/src/index.ts": "export const x = 1\nexport const y = 3\n",
    f"{PROBLEM}/same.ts": "same\n",
    f"{SOLUTION}/same.ts": "same\n",
    f"{SOLUTION}/src/new.ts": "",
    f"{PROBLEM}/old.ts": "gone\n",
    f"{PROBLEM}/src/a.TEST.ts": "1\n",
    f"{SOLUTION}/src/a.TEST.ts": "2\n",
    f"{SOLUTION}/notes/deep/x.md": "ignored\n",
    f"{SOLUTION}/package-lock.json": "{}\n",
    f"{SOLUTION}/node_modules/dep/index.js": "dependency\n",
    f"{SOLUTION}/logo.png": "not text",
    "exercises/02.more/README.md": "# More\n",
    "exercises/02.more/1.problem/README.mdx": "Without a heading.\n",
    "exercises/10.last/01.solution.only/README.mdx": "# Only a solution\n",
    "playground/src/index.ts": "a copy\n",
}


def read(
    root: Path, files: dict[str, str | bytes], collection: str = ""
) -> tuple[list[WorkshopRecord], list[WorkshopSection], Diagnostics]:
    settings = '[kb]\nname = "kb"\n'
    if collection:
        settings += f'[[collection]]\nname = "workshops"\nkind = "workshops"\n{collection}\n'
    for name, content in {"kb.toml": settings, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    diagnostics = Diagnostics()
    project = load_project(root, diagnostics)
    assert project is not None
    found = discover(project, diagnostics)["workshops"]
    records = workshops.read(project.collections[0], found, diagnostics)
    return (
        [record for record in records if isinstance(record, WorkshopRecord)],
        [record for record in records if isinstance(record, WorkshopSection)],
        diagnostics,
    )


@pytest.fixture
def learning_x(tmp_path: Path) -> tuple[WorkshopRecord, list[WorkshopSection]]:
    files = {f"workshops/learning-x/{name}": text for name, text in REPOSITORY.items()}
    (workshop,), sections, diagnostics = read(tmp_path, files)
    assert not diagnostics
    return workshop, sections


def test_what_a_workshop_says_about_itself(
    learning_x: tuple[WorkshopRecord, list[WorkshopSection]],
) -> None:
    workshop, _ = learning_x
    assert (workshop.id, workshop.title, workshop.product) == (
        "learning-x",
        "Learning X",
        "Example",
    )
    assert (workshop.repository_owner, workshop.repository_name) == ("some-team", "learning-x")
    assert [(each["number"], each["title"]) for each in workshop.exercises] == [
        (1, "first-steps"),
        (2, "more"),
        (10, "last"),
    ]
    assert workshop.exercises[0]["steps"] == [
        {
            "number": 1,
            "title": "Say hello",
            "problem_dir": PROBLEM,
            "solution_dir": SOLUTION,
            "has_diff": True,
        }
    ]
    assert workshop.exercises[1]["steps"] == [
        {"number": 1, "problem_dir": "exercises/02.more/1.problem", "has_diff": False}
    ]
    assert workshop.exercises[2]["steps"][0]["title"] == "Only a solution"


def test_sections_are_in_the_order_of_teaching(
    learning_x: tuple[WorkshopRecord, list[WorkshopSection]],
) -> None:
    workshop, sections = learning_x
    places = [
        (each.exercise, each.step, each.kind, each.id.partition(each.kind)[2]) for each in sections
    ]
    assert places == [
        (0, 0, "workshop-instructions", ""),
        (0, 0, "workshop-finished", ""),
        (1, 0, "exercise-instructions", ""),
        (1, 0, "exercise-finished", ""),
        (1, 1, "problem-instructions", ""),
        (1, 1, "solution-instructions", ""),
        (1, 1, "problem-code", "/old.ts"),
        (1, 1, "problem-code", "/src/index.ts"),
        (1, 1, "solution-code", "/src/index.ts"),
        (1, 1, "solution-code", "/src/new.ts"),
        (1, 1, "diff-summary", ""),
        (1, 1, "diff-hunk", "/old.ts"),
        (1, 1, "diff-hunk", "/src/index.ts"),
        (1, 1, "diff-hunk", "/src/new.ts"),
        (2, 0, "exercise-instructions", ""),
        (2, 1, "problem-instructions", ""),
        (10, 1, "solution-instructions", ""),
    ]
    assert [each.order for each in sections] == list(range(len(sections)))
    assert [each["kind"] for each in workshop.sections] == [each.kind for each in sections]
    assert [each["chars"] for each in workshop.sections] == [len(each.text) for each in sections]
    assert len({each.id for each in sections}) == len(sections)


def test_diffs_are_real_and_tell_an_empty_file_from_a_missing_one(
    learning_x: tuple[WorkshopRecord, list[WorkshopSection]],
) -> None:
    _, sections = learning_x
    by_id = {each.id.removeprefix("learning-x/01/01/"): each for each in sections}
    assert by_id["diff-summary"].text == (
        "- removed: old.ts\n- modified: src/index.ts\n- added: src/new.ts\n"
    )
    changed = by_id["diff-hunk/src/index.ts"]
    assert changed.text == diffs.unified_diff(
        "src/index.ts",
        REPOSITORY[f"{PROBLEM}/src/index.ts"],
        REPOSITORY[f"{SOLUTION}/src/index.ts"],
    )
    assert changed.source_path == f"{SOLUTION}/src/index.ts"
    assert by_id["diff-hunk/src/new.ts"].text == diffs.unified_diff("src/new.ts", None, "")
    assert by_id["diff-hunk/old.ts"].source_path == f"{PROBLEM}/old.ts"
    assert {each.kind for each in sections if each.is_diff} == {"diff-summary", "diff-hunk"}


def test_sections_are_stored_whole(tmp_path: Path) -> None:
    text = "# Long\r\n\r\n" + "word " * 10_000
    _, sections, _ = read(tmp_path, {"workshops/w/exercises/01.a/README.mdx": text})
    assert sections[0].text == text


def test_context_of_diffs_is_a_setting(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "w/exercises/1.a/1.problem/x.ts": "1\n2\n3\n",
        "w/exercises/1.a/1.solution/x.ts": "1\ntwo\n3\n",
    }
    _, sections, _ = read(tmp_path, files, 'paths = ["w"]\ndiff_context = 0')
    assert sections[-1].text.endswith("@@ -2 +2 @@\n-2\n+two\n")
    _, _, diagnostics = read(tmp_path, files, 'paths = ["w"]\ndiff_context = -1')
    assert [each.code for each in diagnostics.errors] == ["toml-bad-value"]


EXPORT: dict[str, Any] = {
    "workshop": {"title": "Exported", "subtitle": "S"},
    "instructions": {"content": "# Welcome\n"},
    "finishedInstructions": None,
    "exercises": [
        {
            "exerciseNumber": 2,
            "title": "Second",
            "instructions": {"content": "# Second\n"},
            "steps": [
                {
                    "stepNumber": 1,
                    "title": "Only",
                    "problem": {
                        "instructions": {"content": "# Problem\n"},
                        "transcripts": [
                            {"embed": "v/1", "transcript": "Hello there."},
                            {"embed": "v/2", "status": "error"},
                            {"embed": "v/3", "transcript": "Transcripts not available"},
                        ],
                    },
                    "solution": {"instructions": "# Solution\n", "transcripts": []},
                    "diff": "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n",
                }
            ],
        },
        {"exerciseNumber": 1, "title": "First", "steps": []},
    ],
}


@pytest.mark.parametrize("name", ["workshops/exported.json", "workshops/exported/context.json"])
def test_an_exported_context_is_a_workshop(tmp_path: Path, name: str) -> None:
    (workshop,), sections, diagnostics = read(tmp_path, {name: json.dumps(EXPORT)})
    assert not diagnostics
    assert (workshop.id, workshop.title, workshop.has_diffs) == ("exported", "Exported", True)
    assert [each["number"] for each in workshop.exercises] == [1, 2]
    assert [(each.kind, each.text) for each in sections[2:]] == [
        ("problem-instructions", "# Problem\n"),
        ("problem-transcript", "Hello there."),
        ("solution-instructions", "# Solution\n"),
        ("diff-summary", "- x.ts\n"),
        ("diff-hunk", EXPORT["exercises"][0]["steps"][0]["diff"]),
    ]


def test_a_video_without_transcript_is_a_state_and_no_content(tmp_path: Path) -> None:
    (workshop,), sections, _ = read(tmp_path, {"workshops/x.json": json.dumps(EXPORT)})
    (step,) = workshop.exercises[1]["steps"]
    assert [(each["embed"], each["status"], each["has_transcript"]) for each in step["videos"]] == [
        ("v/1", "unknown", True),
        ("v/2", "error", False),
        ("v/3", "unknown", False),
    ]
    assert not any("available" in each.text for each in sections)


def test_a_clone_and_its_export_are_one_workshop(tmp_path: Path) -> None:
    base = "workshops/rf/exercises/02.second"
    files: dict[str, str | bytes] = {
        "workshops/rf/package.json": '{"epicshop": {"title": "Forms"}}',
        f"{base}/README.mdx": "# Second, as cloned\n",
        f"{base}/01.problem.only/README.mdx": "# Problem, as cloned\n",
        f"{base}/01.problem.only/x.ts": "a\n",
        f"{base}/01.problem.only/x.test.ts": "t\n",
        f"{base}/01.solution.only/README.mdx": "# Solution, as cloned\n",
        f"{base}/01.solution.only/x.ts": "b\n",
        f"{base}/01.solution.only/x.test.ts": "u\n",
        "workshops/rf/context.json": json.dumps(EXPORT),
    }
    (workshop,), sections, diagnostics = read(tmp_path, files)
    assert not diagnostics.errors
    assert (workshop.title, workshop.summary) == ("Forms", "S")
    assert [each["number"] for each in workshop.exercises] == [1, 2]
    assert [(each.kind, each.text.split("\n")[0]) for each in sections] == [
        ("workshop-instructions", "# Welcome"),
        ("exercise-instructions", "# Second, as cloned"),
        ("problem-instructions", "# Problem, as cloned"),
        ("problem-transcript", "Hello there."),
        ("solution-instructions", "# Solution, as cloned"),
        ("problem-code", "t"),
        ("solution-code", "u"),
        ("problem-code", "a"),
        ("solution-code", "b"),
        ("diff-summary", "- modified: x.test.ts"),
        ("diff-hunk", "diff --git a/x.test.ts b/x.test.ts"),
        ("diff-hunk", "diff --git a/x.ts b/x.ts"),
    ]
    tests = [
        each.get("is_test", False) for each in workshop.sections if each["kind"].endswith("code")
    ]
    assert tests == [True, True, False, False]


@pytest.mark.parametrize(
    "settings",
    [
        {"githubRepo": "https://github.com/o/rf"},
        {"githubRoot": "https://github.com/o/rf/blob/main"},
    ],
)
def test_a_package_json_beside_an_export_is_one_workshop(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    files: dict[str, str | bytes] = {
        "workshops/rf/package.json": json.dumps({"epicshop": settings}),
        "workshops/rf/context.json": json.dumps(EXPORT),
    }
    (workshop,), _, diagnostics = read(tmp_path, files)
    assert not diagnostics
    assert (workshop.title, workshop.repository_owner) == ("Exported", "o")


def test_a_manifest_lists_workshops_to_compile_together(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "lists/all.txt": "# ours\n../clones/forms\n\n../clones/routes\n",
        "clones/forms/exercises/01.a/README.mdx": "# A\n",
        "clones/routes/exercises/01.b/README.mdx": "# B\n",
        "clones/other/exercises/01.c/README.mdx": "# C\n",
    }
    found, _, diagnostics = read(tmp_path, files, 'manifest = "lists/all.txt"')
    assert not diagnostics
    assert [workshop.id for workshop in found] == ["forms", "routes"]


def test_a_line_of_a_manifest_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    files = {"lists/all.txt": "# ours\n../forms\n\n../fromage\n../../away\n"}
    (tmp_path / "forms" / "exercises" / "01.a").mkdir(parents=True)
    _, _, diagnostics = read(tmp_path, {**files}, 'manifest = "lists/all.txt"')
    missing, outside = diagnostics.errors
    assert (missing.path, missing.line) == ("lists/all.txt", 4)
    assert "the line" in missing.hint
    assert (outside.code, outside.line) == ("path-outside", 5)
    assert "--allow-outside" in outside.hint


def test_a_folder_of_another_layout_among_workshops_is_named(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "workshops/w/exercises/1.a/1.problem/x.ts": "x\n",
        "workshops/mine/step-1/README.md": "# One\n",
        "workshops/node_modules/a/README.md": "# A\n",
    }
    found, _, diagnostics = read(tmp_path, files)
    assert [workshop.id for workshop in found] == ["w"]
    (warning,) = diagnostics
    assert (warning.code, warning.path) == ("workshop-without-exercises", "workshops/mine")
    assert "exercises/01.name/01.problem.name" in warning.hint


@pytest.mark.parametrize(
    ("name", "shown"), [("all.txt", "'all.txt'"), (r"all\u0000.txt", r"'all\x00.txt'")]
)
def test_a_manifest_that_names_nothing_is_an_error(tmp_path: Path, name: str, shown: str) -> None:
    text = f'[[collection]]\nname = "w"\nkind = "workshops"\nmanifest = "{name}"\n'
    (tmp_path / "kb.toml").write_text(text)
    diagnostics = Diagnostics()
    assert load_project(tmp_path, diagnostics) is None
    (error,) = diagnostics.errors
    assert (error.code, error.line) == ("path-missing", 4)
    assert shown in error.message


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"workshops/a.json": "{"}, "json-syntax"),
        ({"workshops/a.json": "{}"}, "workshop-context-invalid"),
        (
            {"workshops/a.json": '{"exercises": [{"exerciseNumber": 0}]}'},
            "workshop-context-invalid",
        ),
        (
            {
                "workshops/a.json": '{"exercises": []}',
                "workshops/a/context.json": '{"exercises": []}',
            },
            "workshop-duplicate",
        ),
        ({"workshops/a/package.json": "{}"}, "workshop-without-exercises"),
        (
            {
                "workshops/a/exercises/1.x/README.md": "# X\n",
                "workshops/a/exercises/01.y/README.md": "# Y\n",
            },
            "workshop-number-taken",
        ),
        (
            {
                "workshops/a/exercises/1.x/1.problem.a/x.ts": "1\n",
                "workshops/a/exercises/1.x/1.problem.b/x.ts": "2\n",
            },
            "workshop-number-taken",
        ),
    ],
)
def test_what_is_doubtful_is_told(tmp_path: Path, files: dict[str, str | bytes], code: str) -> None:
    _, _, diagnostics = read(tmp_path, files)
    assert code in [each.code for each in diagnostics]


def test_what_is_in_no_exercise_and_no_step_is_named(tmp_path: Path) -> None:
    course = "workshops/w/exercises"
    lost = ("1.a/2.checkpoint/README.md", "1.a/3-problem-b/README.md", "1.a/notes.md", "hints.md")
    files = dict.fromkeys((f"{course}/{name}" for name in lost), "# Lost\n")
    _, sections, diagnostics = read(tmp_path, {f"{course}/1.a/1.problem/x.ts": "1\n", **files})
    (found,) = diagnostics
    assert found.code == "workshop-unplaced"
    assert "left out: 4 (exercises/1.a/2.checkpoint/README.md, " in found.message
    assert found.path == f"{course}/1.a/2.checkpoint/README.md"
    assert [each.source_path for each in sections] == ["exercises/1.a/1.problem/x.ts"]
    accounted = {each.path: each.reason for each in read_inputs(tmp_path, Diagnostics()).accounting}
    assert {accounted[name] for name in files} == {"in no exercise and no step"}


def test_the_code_of_a_step_with_one_side_is_kept(tmp_path: Path) -> None:
    inside = {
        "1.problem.draft/README.md": "# Draft\n",
        "1.problem.draft/src/x.ts": "1\n",
        "2.solution.shown/y.ts": "2\n",
        "2.solution.shown/package-lock.json": "{}\n",
    }
    files = {f"workshops/w/exercises/1.a/{name}": text for name, text in inside.items()}
    _, sections, diagnostics = read(tmp_path, {**files})
    assert not diagnostics
    assert [(each.step, each.kind, each.text) for each in sections] == [
        (1, "problem-instructions", "# Draft\n"),
        (1, "problem-code", "1\n"),
        (2, "solution-code", "2\n"),
    ]


def test_what_is_no_text_is_left_out(tmp_path: Path) -> None:
    step = "workshops/w/exercises/1.a/1.problem"
    files: dict[str, str | bytes] = {
        f"{step}/binary.dat": b"\0\1",
        f"{step}/latin.txt": "ä".encode("latin-1"),
        f"{step}/large.ts": "x" * 250_001,
        f"{step}/good.ts": "x\n",
        "workshops/w/exercises/1.a/1.solution/good.ts": "y\n",
    }
    _, sections, diagnostics = read(tmp_path, files)
    assert not diagnostics
    assert {each.source_path.rpartition("/")[2] for each in sections} == {"good.ts", ""}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.ts", True),
        ("Makefile", True),
        ("a.abcd", True),
        ("a.abcde", False),
        ("a.svelte", True),
        ("A.PNG", False),
        ("a.woff", False),
    ],
)
def test_text_is_known_by_its_name(name: str, expected: bool) -> None:
    assert is_text_name(name) is expected
