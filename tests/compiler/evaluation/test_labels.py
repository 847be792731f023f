from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kbc.evaluation.labels import add_label
from kbc.evaluation.questions import EvaluationError, read_questions

TEXT = """\
# Questions of the team.

[[question]]
query = "one"   # asked often
expect = [
  "doc:a",  # the page
]

[[question]]
query = "two"
expect = ["doc:b"]
scope = "docs"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "questions.toml"
    path.write_text(TEXT)
    return path


def test_a_new_question_is_added_at_the_end(file: Path) -> None:
    add_label(file, 'what is "x" \\ \u202e?', "docs:c", "docs")
    assert file.read_text().startswith(TEXT)
    (*_, last) = read_questions(file)
    assert (last.query, dict(last.gains), last.scope) == (
        'what is "x" \\ \u202e?',
        {"docs:c": 1.0},
        "docs",
    )


def test_a_known_question_gets_another_answer(file: Path) -> None:
    add_label(file, "one", "docs:c")
    add_label(file, "one", "docs:c")
    entries = tomllib.loads(file.read_text())["question"]
    assert entries[0] == {"query": "one", "expect": ["doc:a", "docs:c"]}
    assert entries[1] == tomllib.loads(TEXT)["question"][1]
    assert file.read_text().startswith("# Questions of the team.")


def test_the_scope_tells_questions_apart(file: Path) -> None:
    add_label(file, "two", "docs:c")
    assert [each.scope for each in read_questions(file)] == ["", "docs", ""]


def test_a_file_is_begun(tmp_path: Path) -> None:
    add_label(tmp_path / "new.toml", "one", "docs:a")
    assert [each.query for each in read_questions(tmp_path / "new.toml")] == ["one"]


def test_a_broken_file_stays_as_it_is(file: Path) -> None:
    file.write_text("[[question]\n")
    with pytest.raises(EvaluationError, match="cannot be labelled"):
        add_label(file, "one", "docs:a")
    assert file.read_text() == "[[question]\n"
    assert sorted(path.name for path in file.parent.iterdir()) == ["questions.toml"]
