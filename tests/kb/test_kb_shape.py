"""What the knowledge base promises by number and form: each breach is told with its file."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from tests.kb.scripts import load

ENTRY = """---
name: "size"
signature: "pure def size: (Set[a]) => int"
category: set
aliases: ["count"]
related: ["map"]
---

The number of elements.

### Examples

```quint
Set(1, 1).size()
// == 1
```

```quint fails
Int.size()
// fails: QNT514
```

### Common mistakes

- Lists have `length`.
"""

EXAMPLE = (
    """// A lamp.
//
//   quint run --invariants known --witnesses lit lamp.qnt

module lamp {
  type Lamp = bool
  pure def other(l: Lamp): Lamp = not(l)
  action init = lamp' = false
  run initTest = init
}
"""
    + "// more\n" * 30
)

ERROR = """---
title: Errors
summary: Errors.
tags: [error]
---

# Errors

## QNT503: Division by zero

```quint fails
1 / 0
// fails: QNT503
```

The right side is zero. Put the condition that it is not zero in front of the division.
"""


@pytest.fixture(scope="module")
def shape() -> ModuleType:
    return load("kb_shape")


def write(kb: Path, path: str, text: str = "") -> None:
    (kb / path).parent.mkdir(parents=True, exist_ok=True)
    (kb / path).write_text(text, encoding="utf-8")


def test_a_whole_entry_is_no_miss(shape: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "builtins/size.md", ENTRY)

    assert list(shape.builtin_misses(tmp_path)) == []


@pytest.mark.parametrize(
    ("gone", "sentence"),
    [
        ('aliases: ["count"]\n', "the front matter has no 'aliases'"),
        ("### Common mistakes\n", "there is no section '### Common mistakes'"),
        ("The number of elements.\n", "what the builtin does is not described"),
        ("// == 1\n", "1 examples with results, but 2 are promised"),
    ],
)
def test_an_entry_without_one_of_its_parts_is_a_miss(
    shape: ModuleType, tmp_path: Path, gone: str, sentence: str
) -> None:
    write(tmp_path, "builtins/size.md", ENTRY.replace(gone, ""))

    ((path, _, message),) = shape.builtin_misses(tmp_path)

    assert path == "builtins/size.md"
    assert message.startswith(sentence)


def test_pages_need_their_front_matter(shape: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "---\ntitle: A\nsummary: A.\ntags: [a]\n---\n\n# A\n")

    assert list(shape.doc_misses(tmp_path)) == [
        ("docs", 1, "1 docs, but at least 40 are promised"),
        ("docs/a.md", 1, "the front matter has no 'related'"),
    ]


def test_a_whole_example_is_no_miss_beside_the_numbers(shape: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "examples/home/lamp.qnt", EXAMPLE)

    assert [message for _, _, message in shape.example_misses(tmp_path)] == [
        "1 examples, but at least 60 are promised",
        "1 categories, but at least 10 are promised",
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("// A lamp.\n", "\n", "an example begins with a comment that says what it is about"),
        ("  type Lamp = bool\n", "", "an example has a type"),
        ("pure def", "def", "an example has a pure function"),
        ("--invariants known ", "", "an example has a `quint run` command with --invariants"),
        ("--witnesses lit ", "", "an example has a `quint run` command with --witnesses"),
        ("initTest", "start", "an example has a run whose name ends with Test"),
        ("// more\n", "", "10 lines, but 30 to 300 are promised"),
        ("// more\n", "// more\n" * 10, "310 lines, but 30 to 300 are promised"),
    ],
)
def test_an_example_without_one_of_its_parts_is_a_miss(
    shape: ModuleType, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    write(tmp_path, "examples/home/lamp.qnt", EXAMPLE.replace(old, new))

    found = [(path, text) for path, _, text in shape.example_misses(tmp_path) if path != "examples"]

    assert found == [("examples/home/lamp.qnt", sentence)]


def test_numbers_of_guides_are_counted(shape: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "templates/templates.toml", "[[template]]\nid = 'a'\n")

    messages = [message for _, _, message in shape.guide_misses(tmp_path)]

    assert messages == [
        "0 patterns, but at least 15 are promised",
        "0 guidelines, but at least 1 are promised",
        "0 lessons, but at least 1 are promised",
        "1 templates, but at least 6 are promised",
        "0 routing labels, but at least 2 are promised",
        "0 questions, but at least 100 are promised",
    ]


def course(kb: Path) -> str:
    exercise = "workshops/first/exercises/01.doors"
    for page in ("package.json", "exercises/README.mdx", "exercises/FINISHED.mdx"):
        write(kb, f"workshops/first/{page}")
    for page in ("README.mdx", "FINISHED.mdx"):
        write(kb, f"{exercise}/{page}")
    for step in ("01.problem.a", "01.solution.a", "02.problem", "02.solution"):
        write(kb, f"{exercise}/{step}/door.qnt")
    return exercise


def test_a_whole_course_is_no_miss_beside_the_numbers(shape: ModuleType, tmp_path: Path) -> None:
    course(tmp_path)

    assert [message for _, _, message in shape.workshop_misses(tmp_path)] == [
        "1 courses, but at least 3 are promised",
        "1 exercises, but at least 12 are promised",
    ]


def test_what_a_course_lacks_is_told_with_its_folder(shape: ModuleType, tmp_path: Path) -> None:
    exercise = course(tmp_path)
    (tmp_path / "workshops/first/package.json").unlink()
    (tmp_path / exercise / "FINISHED.mdx").unlink()
    (tmp_path / exercise / "02.problem/door.qnt").unlink()
    (tmp_path / exercise / "02.solution/door.qnt").unlink()
    (tmp_path / exercise / "02.solution").rmdir()

    found = [(path, text) for path, _, text in shape.workshop_misses(tmp_path)][2:]

    assert found == [
        ("workshops/first", "the course has no package.json"),
        (exercise, "the exercise has no FINISHED.mdx"),
        (f"{exercise}/02.problem", "the step has no .qnt file"),
        (exercise, "step 2 has no solution"),
    ]


def test_an_exercise_of_one_step_is_a_miss(shape: ModuleType, tmp_path: Path) -> None:
    exercise = course(tmp_path)
    for side in ("problem", "solution"):
        (tmp_path / exercise / f"02.{side}/door.qnt").unlink()
        (tmp_path / exercise / f"02.{side}").rmdir()

    assert (exercise, 1, "1 steps, but at least 2 are promised") in list(
        shape.workshop_misses(tmp_path)
    )


def test_a_case_has_its_fields_an_expectation_and_its_line(
    shape: ModuleType, tmp_path: Path
) -> None:
    write(tmp_path, "examples/a.qnt", "module a {\n  run goodTest = init\n}\n")
    case = {
        "uid": "examples/a.qnt#goodTest",
        "title": "Good",
        "description": "It is good.",
        "priority": "High",
        "tags": ["a"],
        "platforms": ["Quint"],
        "folderStructure": "A",
        "steps": [{"index": 1, "action": "Start", "expected": ["It works."]}],
        "testPath": "examples/a.qnt:2",
    }
    cases = [
        case | {"jiraKey": "K-1"},
        case | {"jiraKey": "K-2", "priority": ""},
        case | {"jiraKey": "K-3", "steps": [{"index": 1, "action": "Start", "expected": []}]},
        case | {"jiraKey": "K-4", "testPath": "examples/a.qnt:1"},
        case | {"jiraKey": "K-5", "testPath": "examples/b.qnt:2"},
    ]
    write(tmp_path, "tests/examples.json", json.dumps({"tests": cases}))

    assert [message for _, _, message in shape.case_misses(tmp_path)] == [
        "5 test cases, but at least 150 are promised",
        "K-2 has no 'priority'",
        "K-3 expects nothing",
        "K-4 is not on line 1 of examples/a.qnt",
        "K-5 is in no file: its testPath is 'examples/b.qnt:2'",
    ]


def test_errors_are_counted_when_they_are_reproduced(shape: ModuleType, tmp_path: Path) -> None:
    told_only = (
        "\n## QNT601: Overflow\n\nA number became too large for sixty-four bits. Not tried.\n"
    )
    shown = "\n## file a.qnt does not exist\n\n```console tried\n$ quint run a.qnt\nerror: no file\n```\n"
    write(tmp_path, "sources/errors/all.md", ERROR + told_only + shown)

    assert list(shape.page_misses(tmp_path)) == [
        (
            "sources/errors/all.md",
            22,
            "'file a.qnt does not exist': 0 words beside the code, but an error has its cause and "
            "its cure (at least 12 words)",
        ),
        ("sources/errors", 1, "2 error messages, but at least 80 are promised"),
    ]


def test_an_error_that_is_described_twice_counts_once(shape: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "sources/errors/a.md", ERROR)
    write(tmp_path, "sources/errors/b.md", ERROR)

    assert [message for _, _, message in shape.page_misses(tmp_path)] == [
        "'QNT503: Division by zero' is described 2 times",
        "1 error messages, but at least 80 are promised",
    ]


def test_the_exit_code_0_of_a_transcript_is_no_message(shape: ModuleType) -> None:
    quiet = "```console tried\n$ quint typecheck a.qnt\n$ echo $?\n0\n```\n"

    assert not shape.is_reproduced(quiet)
    assert shape.is_reproduced(quiet.replace("0\n", "0\nerror: no\n"))


def test_the_shipped_knowledge_base_keeps_its_promises(shape: ModuleType) -> None:
    assert list(shape.misses_of(Path(__file__).resolve().parents[2] / "kb")) == []
