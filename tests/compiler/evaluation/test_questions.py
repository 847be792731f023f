from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kbc.evaluation import questions
from kbc.evaluation.questions import (
    EvaluationError,
    Question,
    read_beir,
    read_questions,
)


def test_questions_are_read_with_their_scope(tmp_path: Path) -> None:
    file = tmp_path / "questions.toml"
    file.write_text(
        '[[question]]\nquery = "maps?"\nexpect = ["builtin:mapBy", "doc:m.md"]\n'
        '[[question]]\nquery = "sets?"\nexpect = ["doc:s.md"]\nscope = "docs"\n'
    )
    assert read_questions(file) == [
        Question("maps?", {"builtin:mapBy": 1.0, "doc:m.md": 1.0}),
        Question("sets?", {"doc:s.md": 1.0}, "docs"),
    ]


def test_questions_name_records_by_the_addresses_that_a_search_shows(tmp_path: Path) -> None:
    file = tmp_path / "questions.toml"
    expect = '"kb://demo/guide/a%2Fb%20c.md", "doc:m.md", "kb://demo"'
    file.write_text(f'[[question]]\nquery = "maps?"\nexpect = [{expect}]\n')
    (question,) = read_questions(file)
    assert list(question.gains) == ["guide:a/b c.md", "doc:m.md", "kb://demo"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "question = 3",
        'question = ["a"]',
        '[[question]]\nquery = "a"\n',
        '[[question]]\nexpect = ["a"]\n',
        "[[",
    ],
)
def test_questions_that_cannot_be_asked_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "questions.toml"
    file.write_text(text)
    with pytest.raises(EvaluationError, match=r"questions\.toml"):
        read_questions(file)


FIRST = '# Asked by readers.\n[[question]]\nquery = "a"\nexpect = ["b"]\n\n'


@pytest.mark.parametrize(
    ("second", "line", "said"),
    [
        ('[[question]]\nquery = "c"\n', 6, "a list `expect` of record names"),
        ('[[question]]\nquery = "c"\nexpect = [3]\n', 6, "a list `expect` of record names"),
        ('[[question]]\nquery = " "\nexpect = ["d"]\n', 6, "needs a `query`"),
        ('[[question]]\nquery = "c"\nexpect = ["d"]\nscope = 1\n', 6, "name of a scope, not 1"),
        ('\n[[question]]\nquery = "c"\nexpect = ["d"]\nscpoe = "x"\n', 7, "'scpoe' is no key"),
        ('[[question]]\nquery = "c\n', 7, r"Illegal character .*line 7"),
    ],
)
def test_a_mistake_in_a_question_is_reported_with_its_line(
    tmp_path: Path, second: str, line: int, said: str
) -> None:
    file = tmp_path / "questions.toml"
    file.write_text(FIRST + second)
    with pytest.raises(EvaluationError, match=said) as caught:
        read_questions(file)
    assert f"{file}:{line}: " in caught.value.message or f"line {line}" in caught.value.message


def test_questions_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "questions.toml"
    file.write_text(f"\ufeff{FIRST}")
    assert [each.query for each in read_questions(file)] == ["a"]


def test_beir_folders_are_read_without_unjudged_queries(tmp_path: Path) -> None:
    queries = [{"_id": "1", "text": "wings"}, {"_id": "2", "text": "unjudged"}]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\td9\t3\n1\td8\t0\n")
    assert read_beir(tmp_path) == [Question("wings", {"d9": 3.0})]


@pytest.mark.parametrize("entry", ['{"_id": "2", "text": "unjudged"}', '{"_id": "1", "text": 5}'])
def test_a_folder_that_judges_nothing_is_refused(tmp_path: Path, entry: str) -> None:
    (tmp_path / "queries.jsonl").write_text(entry)
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\td9\t3\n")
    with pytest.raises(EvaluationError, match="judges none of the queries"):
        read_beir(tmp_path)


def test_a_folder_without_judgements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"qrels\.tsv"):
        read_beir(tmp_path)


def test_a_record_that_is_not_there_is_compared_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["doc:structs.rst", "code:structs.py", "doc:usage.rst"]
    known = {("docs", place): name for place, name in enumerate(names)}
    monkeypatch.setattr(questions, "records", lambda _: known)
    artifact: Any = SimpleNamespace(manifest={"scopes": {}, "name": "shed"}, build_id="1")
    with pytest.raises(EvaluationError, match=r"similar: doc:structs\.rst, code:structs\.py$"):
        questions.check_questions(artifact, [Question("q", {"docs/structs.rst": 1.0})])
    placed = Question("q", {"docs/structs.rst": 1.0}, place="asked.toml:7")
    with pytest.raises(EvaluationError, match=r"^asked\.toml:7: 'q' expects 'docs/structs\.rst'"):
        questions.check_questions(artifact, [placed])
    with pytest.raises(EvaluationError, match=r"^asked\.toml:7: .* unknown scope 'all'"):
        questions.check_questions(artifact, [replace(placed, scope="all")])
