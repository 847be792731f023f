"""`kbc tune` on a knowledge base whose settings hide the answers."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors import exit_codes
from kb_runtime.knowledge.artifact import Artifact
from kbc.cli.main import run
from kbc.evaluation.answers import evaluate
from kbc.evaluation.questions import EvaluationError, Question
from kbc.evaluation.tuning import tune
from kbc.pipeline.build import BuildOptions, build

THINGS = [
    f"{first}{last}"
    for first in ("lan", "kes", "mor", "pul")
    for last in ("dor", "vig", "tam", "nub", "rek", "sil")
]

KB_TOML = """[kb]
name = "shed"

[[collection]]
name = "guide"
kind = "docs"
paths = ["guide"]

[[collection]]
name = "notes"
kind = "docs"
paths = ["notes"]

[search]
weights = { guide = 0.2 }  # too little
"""


@pytest.fixture
def shed(tmp_path: Path) -> Path:
    """Every question is answered in the guide, of which the notes have some words."""
    kb = tmp_path / "kb"
    for folder in ("guide", "notes"):
        (kb / folder).mkdir(parents=True)
    questions = []
    for thing in THINGS:
        guide = (
            f"# Care of the {thing}\n\nClean a {thing} with warm water, then polish the {thing}.\n"
        )
        (kb / "guide" / f"{thing}.md").write_text(guide)
        (kb / "notes" / f"{thing}.md").write_text(
            f"# Bought\n\nOne {thing}, used, with warm greetings.\n"
        )
        questions.append(
            f'[[question]]\nquery = "warm {thing} polish"\nexpect = ["doc:guide/{thing}.md"]\n'
        )
    (kb / "kb.toml").write_text(KB_TOML)
    (kb / "questions.toml").write_text("\n".join(questions))
    built = ["build", str(kb), "--out", str(tmp_path / "out"), "--lexical-only", "--quiet"]
    assert run([*built, "--cache", str(tmp_path / "cache")]) == exit_codes.OK
    return kb


def tuned(kb: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    capsys.readouterr()
    artifact = str(kb.parent / "out" / "shed")
    assert run(["tune", str(kb), "--artifact", artifact, *arguments]) == exit_codes.OK
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.slow
def test_a_weight_that_hides_the_answers_is_found(
    shed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts: Any = json.loads(tuned(shed, capsys, "--json")[0])
    assert facts["proposed"]
    assert facts["unseen"]["gain"] > 0.3
    assert facts["unseen"]["p"] < 0.01
    assert {"guide", "notes"} & {each["setting"].partition(".")[2] for each in facts["changes"]}
    assert facts["mrr@10"]["after"] == 1.0
    assert "-weights = { guide = 0.2 }  # too little\n" in facts["diff"]
    assert (shed / "kb.toml").read_text() == KB_TOML


@pytest.mark.slow
def test_questions_are_asked_of_a_scope(shed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = tuned(shed, capsys, "--scope", "guide")  # without the notes, the weight hides nothing
    assert "MRR@10 1.0000" in out


@pytest.mark.slow
def test_the_change_is_written_when_asked_and_then_there_is_no_other(
    shed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = tuned(shed, capsys, "--apply")
    assert "weights." in out
    assert "wrote" in err
    written = tomllib.loads((shed / "kb.toml").read_text())
    assert written["search"]["weights"] != {"guide": 0.2}
    assert written["collection"] == tomllib.loads(KB_TOML)["collection"]
    again, _ = tuned(shed, capsys)
    assert "keep them" in again


@pytest.mark.slow
def test_what_was_found_is_shown_also_where_it_cannot_be_written(
    shed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inline = "search = { weights = { guide = 0.2 } }\n" + KB_TOML.partition("\n[search]")[0]
    (shed / "kb.toml").write_text(inline)
    capsys.readouterr()
    tune_it = ["tune", str(shed), "--artifact", str(shed.parent / "out" / "shed")]
    assert run(tune_it) != exit_codes.OK
    captured = capsys.readouterr()
    assert "on held-out questions" in captured.out
    assert "set by hand: weights = " in captured.err
    assert (shed / "kb.toml").read_text() == inline


@pytest.mark.slow
def test_without_questions_easy_ones_are_made_and_called_easy(
    shed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shed / "questions.toml").unlink()
    _, err = tuned(shed, capsys)
    assert "they are easy" in err
    facts: Any = json.loads(tuned(shed, capsys, "--json")[0])
    assert facts["easy"]
    assert facts["questions"] == len(THINGS)  # "Bought" is the title of many


def test_a_folder_without_a_kb_toml_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tune", str(tmp_path)]) == exit_codes.USAGE
    assert "kbc init" in capsys.readouterr().err


def test_what_cannot_be_tuned_is_refused_before_a_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kb.toml").write_text('[kb]\nname = "shed"\n[[collection]]\nname = "?"\n')
    (tmp_path / "questions.toml").write_text('[[question]]\nquery = "wick"\n')
    assert run(["tune", str(tmp_path)]) == exit_codes.USAGE
    assert "questions.toml:1: a question needs" in capsys.readouterr().err


def test_the_build_of_another_knowledge_base_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("shed", "barn"):
        (tmp_path / name / "docs").mkdir(parents=True)
        (tmp_path / name / "docs/page.md").write_text("# Page\n\nA page.\n")
        (tmp_path / name / "kb.toml").write_text(f'[kb]\nname = "{name}"\n')
    options = BuildOptions(out=tmp_path / "out", embed=False)
    barn = build(tmp_path / "barn", options).path
    assert run(["tune", str(tmp_path / "shed"), "--artifact", str(barn)]) == exit_codes.USAGE
    assert "is a build of 'barn'" in capsys.readouterr().err


LAMP = {
    "wash": "Clean the lamp with warm water and soap, then dry it.",
    "oil": "Pour oil into the lamp up to the mark. The lamp takes a cup of oil.",
    "light": "Open the shutter and hold a match to the wick until it burns.",
    "out": "Close the shutter. Without air the flame dies down.",
    "price": "A lamp costs ten crowns, a lamp with a brass foot twelve.",
}
ASKED = {
    "how do I ignite the lamp": "light",
    "extinguish the lamp": "out",
    "polish a dirty lamp": "wash",
    "refuel the lamp": "oil",
    "what must I pay for a lamp": "price",
    "soap": "wash",  # one word, which is asked differently
}


@pytest.mark.slow
@pytest.mark.parametrize("search", ["", "rrf_k = 1", "alpha = 0.3", "boosts = { title = 99 }"])
def test_the_first_measure_is_that_of_an_evaluation(
    search: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in LAMP.items():
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n")
    (tmp_path / "kb.toml").write_text(f'[kb]\nname = "lamp"\n[search]\n{search}\n')
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    folder = build(tmp_path, BuildOptions(out=tmp_path / "out", cache=cache)).path
    questions = [Question(query, {f"doc:docs/{name}.md": 1.0}) for query, name in ASKED.items()]
    with Artifact.open(folder) as artifact:
        expected = evaluate(artifact, questions).means()["mrr@10"].mean
        assert tune(artifact, questions, tomllib.loads(search)).before == pytest.approx(expected)
        with pytest.raises(EvaluationError, match="there is no scope 'shop'"):
            tune(artifact, questions, tomllib.loads(search), "shop")
        with pytest.raises(EvaluationError, match="`kbc check` names the line"):
            tune(artifact, questions, {"boosts": {"title": -1}})
