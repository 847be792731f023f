"""Workshops whose solved programs say which parts of them learners are to write."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.frontends.courses.school import course, outline, told

from kbc.sources.courses.blanks import Blank, blanked, marked

NEST = "// 𝒩ests\nval twigs = 7 + 2\nval eggs = 3\n"
BLANK = (
    f"{{offset: {len('// xxests') + len('val twigs = ') + 1}, length: 5, placeholder_text: TODO()}}"
)
ACADEMY = {
    "course-info.yaml": "title: Bird School\ncontent: [First, Trees, Away]\n",
    "First/lesson-info.yaml": "content:\n- Look\n- Nests\n- Choose\n",
    "First/Look/task-info.yaml": "type: theory\nfiles:\n- name: see.kt\n  visible: true\n",
    "First/Look/task.html": "<h2>Look</h2><p>Birds <b>sit</b>.</p>",
    "First/Look/see.kt": "val seen = 1\n",
    "First/Nests/task-info.yaml": f"""
type: edu
custom_name: Build a nest
files:
- name: src/nest.kt
  placeholders:
  - {BLANK}
  - {{offset: 40, length: 1, placeholder_text: '?', dependency: {{task: Look}}}}
  - {{offset: 9000, length: 2}}
- {{name: src/tree.kt, visible: true}}
- {{name: test/check.kt, visible: false}}
- {{name: ../../secret.kt}}
""",
    "First/Nests/task.md": "## Nests\n\nHow many twigs?\n",
    "First/Nests/src/nest.kt": NEST.replace("\n", "\r\n"),
    "First/Nests/src/tree.kt": "val tree = 1\n",
    "First/Nests/test/check.kt": "check(twigs)\n",
    "First/Choose/task-info.yaml": """
type: choice
quiz_header: "Which fly?"
options:
- {text: Herons, is_correct: true}
- {text: Moles, is_correct: false}
""",
    "Trees/section-info.yaml": "custom_name: High up\ncontent: [Oak]\n",
    "Trees/Oak/lesson-info.yaml": "content: [Climb]\n",
    "Trees/Oak/Climb/task-info.yaml": "type: edu\nfiles: [{name: climb.kt}]\n",
    "Trees/Oak/Climb/climb.kt": "fun climb() = 0\n",
    "secret.kt": "val secret = 1\n",
}


def test_a_course_of_jetbrains_academy_lists_lessons_and_tasks(tmp_path: Path) -> None:
    workshop, sections = course(tmp_path, ACADEMY)
    assert workshop.title == "Bird School"
    assert outline(workshop) == [
        (1, "First", ["Look", "Build a nest", "Choose"]),
        (2, "High up: Oak", ["Climb"]),
    ]
    assert told(sections, 1, 1) == [
        ("problem-instructions", "## Look\n\nBirds **sit**.\n"),
        ("problem-code", "val seen = 1\n"),
    ]
    assert told(sections, 2, 1) == [("problem-code", "fun climb() = 0\n")]
    assert not [each for each in sections if "secret" in each.text]


def test_learners_find_what_they_are_to_write_blank(tmp_path: Path) -> None:
    _, sections = course(tmp_path, ACADEMY)
    assert told(sections, 1, 2) == [
        ("problem-instructions", "## Nests\n\nHow many twigs?\n"),
        ("problem-code", "val tree = 1\n"),
        ("problem-code", "check(twigs)\n"),
        ("problem-code", NEST.replace("7 + 2", "TODO()")),
        ("solution-code", NEST),
    ]
    (diff,) = (each for each in sections if each.kind == "diff-hunk")
    assert "-val twigs = TODO()\n+val twigs = 7 + 2\n" in diff.text


def test_the_right_choices_are_apart_from_the_question(tmp_path: Path) -> None:
    _, sections = course(tmp_path, ACADEMY)
    assert told(sections, 1, 3) == [
        ("problem-instructions", "Which fly?\n\n- Herons\n- Moles\n"),
        ("solution-instructions", "- Herons\n"),
    ]


def test_tasks_of_one_project_begin_with_the_solution_before(tmp_path: Path) -> None:
    task = "type: edu\nfiles: [{name: a.kt}, {name: t.kt, visible: false}]\n"
    files = {
        "course-info.yaml": "content: [Nest]\n",
        "Nest/lesson-info.yaml": "type: framework\nis_template_based: false\ncontent: [a, b, c]\n",
        "Nest/a/task-info.yaml": task.replace("edu", "theory"),
        "Nest/b/task-info.yaml": task.replace("{name: t", "{name: b.kt}, {name: t"),
        "Nest/c/task-info.yaml": task,
        "Nest/c/task.md": (
            'Fly.\n\n<div class="hint" title="See the solution">\n\nFlap `twice`.\n</div>\n\n'
            '<div class="hint" title="Where?">\n\nFar.\n</div>\n'
        ),
        "Nest/b/b.kt": "new\n",
    }
    files |= {f"Nest/{each}/a.kt": f"nest {each}\n" for each in "abc"}
    files |= {f"Nest/{each}/t.kt": f"check {each}\n" for each in "abc"}
    _, sections = course(tmp_path, files)
    assert told(sections, 1, 1) == [("problem-code", "nest a\n"), ("problem-code", "check a\n")]
    assert told(sections, 1, 2) == [
        ("problem-code", "check b\n"),
        ("problem-code", "nest a\n"),
        ("solution-code", "nest b\n"),
        ("solution-code", "new\n"),
    ]
    asked, solved, *code = told(sections, 1, 3)
    assert asked == (
        "problem-instructions",
        'Fly.\n\n\n<div class="hint" title="Where?">\n\nFar.\n</div>\n',
    )
    assert (solved[0], "Flap `twice`." in solved[1]) == ("solution-instructions", True)
    assert [text for kind, text in code if kind == "problem-code"] == ["check c\n", "nest b\n"]


LESSON = "modules/10-nests/20-twigs"
HEXLET = {
    "spec.yml": "language: {exercise_filename: nest.js, exercise_test_filename: test.js, name: Birds}",
    "modules/10-nests/description.en.yml": "name: Nests\n",
    f"{LESSON}/nest.js": "let twigs = 0;\n\n// BEGIN\ntwigs = 7;\n// END\n\nexport twigs;\n",
    f"{LESSON}/test.js": "check(twigs);\n",
    f"{LESSON}/en/README.md": "Twigs are counted.\n",
    f"{LESSON}/en/EXERCISE.md": "Count the twigs.\n",
    f"{LESSON}/en/data.yml": """
name: Twigs
tips: [Use a loop]
definitions: [{name: Twig, description: wood}]
""",
    f"{LESSON}/es/README.md": "Se cuentan las ramas.\n",
    f"{LESSON}/es/EXERCISE.md": "Cuenta las ramas.\n",
    f"{LESSON}/es/data.yml": "name: Ramas\n",
    "modules/10-nests/30-eggs/nest.js": "lay(3);\n",
    "modules/10-nests/30-eggs/es/EXERCISE.md": "Pon tres huevos.\n",
    "src/check.js": "export const check = 1;\n",
}


def test_a_course_of_hexlet_is_read_in_one_language(tmp_path: Path) -> None:
    workshop, sections = course(tmp_path, HEXLET)
    assert (workshop.title, outline(workshop)) == ("Birds", [(10, "Nests", ["Twigs", "eggs"])])
    assert told(sections, 10, 20) == [
        ("problem-instructions", "Twigs are counted.\n"),
        ("problem-instructions", "Count the twigs.\n"),
        ("problem-instructions", "- Use a loop\n"),
        ("problem-instructions", "- Twig: wood\n"),
        ("problem-code", "check(twigs);\n"),
        ("problem-code", "let twigs = 0;\n\n// BEGIN\n// END\n\nexport twigs;\n"),
        ("solution-code", HEXLET[f"{LESSON}/nest.js"]),
    ]
    assert told(sections, 10, 30) == [
        ("problem-instructions", "Pon tres huevos.\n"),
        ("solution-code", "lay(3);\n"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\n# BEGIN\nb\n# END\nc\n", "a\n# BEGIN\n# END\nc\n"),
        ("/* BEGIN (write here) */\nb\n/* END */\n", "/* BEGIN (write here) */\n/* END */\n"),
        ("### BEGIN SOLUTION\nb\n### END SOLUTION\n", "### BEGIN SOLUTION\n### END SOLUTION\n"),
        ("-- BEGIN\nb\n", "-- BEGIN\nb\n"),
        ("BEGIN_WORK()\nb\nEND_WORK()\n", "BEGIN_WORK()\nb\nEND_WORK()\n"),
        ("// BEGIN the nest\nb\n// END of it\n", "// BEGIN the nest\nb\n// END of it\n"),
    ],
)
def test_what_comments_mark_is_blank(text: str, shown: str) -> None:
    assert blanked(text, [*marked(text)]) == shown


def test_blanks_beyond_the_text_or_in_another_blank_are_left() -> None:
    blanks = [Blank(6, 2, "x"), Blank(1, 3, "-"), Blank(2, 1, "?"), Blank(-1, 2, "!")]
    assert blanked("abcdefg", blanks) == "a-efg"
