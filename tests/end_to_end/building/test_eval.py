"""`kbc eval` on a checkout, whose source the scope `all` leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kbc.cli.main import run

QUESTIONS = """
[[question]]
query = "wind the winch"
expect = ["boat/winch.py"]

[[question]]
query = "wind the winch"
expect = ["boat/winch.py"]
scope = "docs"

[[question]]
query = "wind the winch"
expect = ["doc:rope.md"]

[[question]]
query = "wind the winch"
expect = ["doc:rope.md", "boat/winch.py"]
"""


def test_a_question_that_only_source_answers_is_asked_of_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = tmp_path / "boat"
    for name, text in {
        "pyproject.toml": '[project]\nname = "boat"\n',
        "docs/rope.md": "# Rope\n\nWind and rain wear a rope.\n",
        "boat/winch.py": "def wind_the_winch(turns):\n    return turns * 2\n",
    }.items():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(text)
    (tmp_path / "questions.toml").write_text(QUESTIONS)
    out, cache = str(tmp_path / "out"), str(tmp_path / "cache")
    built = ["build", str(checkout), "--out", out, "--cache", cache, "--lexical-only", "--quiet"]
    assert run(built) == exit_codes.OK
    capsys.readouterr()
    questions = ["--questions", str(tmp_path / "questions.toml"), "--json"]
    assert run(["eval", f"{out}/boat", *questions]) == exit_codes.OK
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [each["rank"] for each in answers] == [1, None, 1, 1]
    # What a scope does not hold cannot be missing from its answers.
    assert [each["recall@100"] for each in answers] == [1, 0, 1, 1]
    assert run(["eval", f"{out}/boat", *questions, "--scope", "everything"]) == exit_codes.OK
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert [each["rank"] for each in answers] == [1, None, 2, 1]
    assert [each["scope"] for each in answers] == ["everything", "docs", "everything", "everything"]
    assert run(["eval", f"{out}/boat", *questions, "--scope", "sails"]) == exit_codes.USAGE
    assert "there is no scope 'sails'; there are all, " in capsys.readouterr().err
    # What it prints as found is a name that reads the record.
    assert {name.partition(":")[0] for name in answers[0]["first"]} == {"code", "doc"}
    for name in answers[0]["first"]:
        assert run(["get", f"{out}/boat", name]) == exit_codes.OK
