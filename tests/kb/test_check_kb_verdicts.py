"""The checker's verdicts on what was run: misses, steps, questions and projects."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.kb.checked_pages import answer, page


def test_a_snippet_that_passes_but_should_fail_is_a_miss(checker: ModuleType) -> None:
    job = checker.quint_tool.Job(Path("/kb/p.md"), 3, "", "snippets", codes=("QNT101",))

    (miss,) = checker.quint_verdicts.judge(job, answer(), Path("/kb"))

    assert miss == checker.quint_tool.Miss("p.md", 3, "must fail with QNT101, got no error")


def test_words_after_a_code_must_be_in_its_message(checker: ModuleType) -> None:
    text = page("```quint fails\npure val a = b\n// fails: QNT404 Name 'b' not found\n```")
    (job,) = checker.quint_sources.snippets(Path("/kb/p.md"), text)
    errors = [{"code": "QNT404", "message": "Name 'b' not found", "line": 1}]
    others = [{"code": "QNT404", "message": "Name 'c' not found", "line": 1}]

    assert not list(checker.quint_verdicts.judge(job, answer(errors=errors), Path("/kb")))
    assert [
        miss.message
        for miss in checker.quint_verdicts.judge(job, answer(errors=others), Path("/kb"))
    ] == ["must fail with QNT404 Name 'b' not found, got [\"QNT404 Name 'c' not found\"]"]


def test_a_witness_that_is_never_reached_is_a_miss(checker: ModuleType) -> None:
    command = {"expect": "ok", "witnesses": ["full", "empty"], "line": 4}
    job = checker.quint_tool.Job(Path("/kb/a.qnt"), 1, "", "files", simulations=[command])
    outcome = answer(simulations=[{"status": "ok", "witnesses": [12, 0]}])

    (miss,) = checker.quint_verdicts.judge(job, outcome, Path("/kb"))

    assert miss == checker.quint_tool.Miss("a.qnt", 4, "witness empty was never reached")


def test_a_deliberate_bug_that_is_not_found_is_a_miss(checker: ModuleType) -> None:
    command = {"expect": "violation", "witnesses": [], "line": 5}
    job = checker.quint_tool.Job(Path("/kb/a.qnt"), 1, "", "files", simulations=[command])
    outcome = answer(simulations=[{"status": "ok", "witnesses": []}])

    assert [miss.line for miss in checker.quint_verdicts.judge(job, outcome, Path("/kb"))] == [5]


def test_a_witness_that_must_stay_unreached_is_a_miss_when_reached(checker: ModuleType) -> None:
    command = {"expect": "unreached", "witnesses": ["open", "shut"], "line": 4}
    job = checker.quint_tool.Job(Path("/kb/a.qnt"), 1, "", "files", simulations=[command])
    outcome = answer(simulations=[{"status": "ok", "witnesses": [0, 3]}])

    assert list(checker.quint_verdicts.judge(job, outcome, Path("/kb"))) == [
        checker.quint_tool.Miss("a.qnt", 4, "witness shut was reached")
    ]


def test_the_runs_that_a_file_lists_must_fail_and_no_others(
    checker: ModuleType, tmp_path: Path
) -> None:
    file = tmp_path / "a.qnt"
    file.write_text("// To do.\n// fails: aTest, bTest\n//   fails: cTest\nmodule a {}\n")
    job, _ = checker.quint_sources.quint_file(file)
    tests = [
        {"name": name, "status": status}
        for name, status in (("aTest", "failed"), ("bTest", "passed"), ("dTest", "failed"))
    ]

    messages = [
        miss.message for miss in checker.quint_verdicts.judge(job, answer(tests=tests), tmp_path)
    ]

    assert job.failing == ("aTest", "bTest", "cTest")
    assert [message.strip(": ") for message in messages] == [
        "run dTest failed",
        "run bTest must fail, it is passed",
        "run cTest must fail, it is missing",
    ]


def step_file(kb: Path, side: str, source: str) -> Path:
    exercise = kb / "workshops" / "course" / "exercises" / "01.name"
    file = exercise / f"01.{side}.name" / "a.qnt"
    file.parent.mkdir(parents=True)
    file.write_text(source)
    for name in ("README.mdx", "FINISHED.mdx", f"01.{side}.name/README.mdx"):
        (exercise / name).write_text("# A page\n")
    return file


def test_a_problem_that_fails_with_a_solution_of_the_same_runs_is_no_miss(
    checker: ModuleType, tmp_path: Path
) -> None:
    problem = step_file(tmp_path, "problem", "// fails: t\nmodule a {\n  run t = x\n}\n")
    solution = step_file(tmp_path, "solution", "module a {\n  run t = y\n}\n")

    for file in (problem, solution):
        assert (
            list(
                checker.quint_verdicts.workshop_misses(
                    checker.quint_sources.quint_file(file)[0], tmp_path
                )
            )
            == []
        )


def test_a_problem_without_a_failure_or_a_solution_is_a_miss(
    checker: ModuleType, tmp_path: Path
) -> None:
    job, _ = checker.quint_sources.quint_file(step_file(tmp_path, "problem", "module a {}\n"))

    assert [miss.message for miss in checker.quint_verdicts.workshop_misses(job, tmp_path)] == [
        "a problem in which nothing fails",
        "no solution has a file of this name",
    ]


def test_a_solution_that_drops_a_run_or_lists_failures_is_a_miss(
    checker: ModuleType, tmp_path: Path
) -> None:
    problem = step_file(tmp_path, "problem", "// fails: t\nmodule a {\n  run t = x\n}\n")
    solution = step_file(tmp_path, "solution", "// fails: u\nmodule a {\n  run u = x\n}\n")

    misses = [
        miss.message
        for file in (problem, solution)
        for miss in checker.quint_verdicts.workshop_misses(
            checker.quint_sources.quint_file(file)[0], tmp_path
        )
    ]

    assert misses == ["the solution has no run t", "a solution lists runs that fail"]


def test_a_step_without_its_pages_is_a_miss(checker: ModuleType, tmp_path: Path) -> None:
    file = step_file(tmp_path, "solution", "module a {}\n")
    (file.parent / "README.mdx").unlink()

    (miss,) = checker.quint_verdicts.workshop_misses(
        checker.quint_sources.quint_file(file)[0], tmp_path
    )

    assert miss.message.endswith("01.solution.name/README.mdx is missing")


def test_failed_runs_and_compile_errors_are_misses(checker: ModuleType) -> None:
    job = checker.quint_tool.Job(Path("/kb/a.qnt"), 1, "", "files")
    failed = {"name": "t", "status": "failed", "code": "QNT508", "message": "no\nmore"}
    error = {"code": "QNT404", "message": "Name 'x' not found", "line": 9}

    misses = list(
        checker.quint_verdicts.judge(job, answer(tests=[failed], errors=[error]), Path("/kb"))
    )

    assert [(miss.line, miss.message) for miss in misses] == [
        (9, "QNT404 Name 'x' not found"),
        (1, "run t failed: QNT508 no"),
    ]


def test_a_helper_run_that_nothing_uses_is_a_miss(checker: ModuleType) -> None:
    job = checker.quint_tool.Job(Path("/kb/a.qnt"), 1, "", "files")

    (miss,) = checker.quint_verdicts.judge(job, answer(unused=["funded"]), Path("/kb"))

    assert miss.message == "run funded does not end with Test, and nothing uses it"


def test_a_formula_that_is_not_what_the_page_says_is_a_miss(checker: ModuleType) -> None:
    asked = [
        {"name": name, "expect": True, "line": line}
        for line, name in enumerate(("right", "wrong", "unknown"), 4)
    ]
    job = checker.quint_tool.Job(Path("/kb/p.md"), 3, "", "snippets", executions=asked)
    outcomes = [{"holds": True}, {"holds": False}, {"message": "Name 'unknown' not found"}]

    misses = list(checker.quint_verdicts.judge(job, answer(executions=outcomes), Path("/kb")))

    assert [(miss.line, miss.message) for miss in misses] == [
        (5, "wrong is false of this execution"),
        (6, "unknown is not decided: Name 'unknown' not found"),
    ]


def test_a_folder_that_is_no_knowledge_base_is_refused(
    checker: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["check_kb.py", str(tmp_path)])
    monkeypatch.setattr(checker.shutil, "which", lambda name: f"/usr/bin/{name}")

    assert checker.main() == 2
    assert "holds no kb.toml" in capsys.readouterr().err


def test_records_that_questions_expect_must_exist_whatever_their_kind(
    checker: ModuleType, tmp_path: Path
) -> None:
    for name in (
        "docs/a.md",
        "code/reader/itf.py",
        "sources/errors/a.md",
        "workshops/first/exercises/01.one/02.problem.b/README.mdx",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    there = [
        "doc:docs/a.md",
        "code:reader/itf.py",
        "page:errors/a.md",
        "builtin:map",
        "pattern:p",
        "template:t",
        "workshop:first",
        "workshop:first/01/02/problem-instructions",
    ]
    gone = ["doc:docs/b.md", "code:reader", "workshop:first/02/instructions", "song:a", "builtin:x"]
    (tmp_path / "q.toml").write_text(
        f"[[question]]\nquery = 'q'\nexpect = {there + gone}\n", encoding="utf-8"
    )

    misses = list(
        checker.kb_references.question_misses(tmp_path, "q.toml", {"map"}, {"p"}, [{"id": "t"}])
    )

    assert [miss.message.partition(" expects ")[2] for miss in misses] == [
        "'doc:docs/b.md', which does not exist",
        "'code:reader', which does not exist",
        "'workshop:first/02/instructions', which does not exist",
        "the unknown kind 'song'",
        "'builtin:x', which does not exist",
    ]


def test_a_project_whose_tests_fail_is_a_miss(checker: ModuleType, tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "@informalsystems" / "quint"
    for name, wanted in (("good", 4), ("bad", 5), ("untested", 6)):
        project = tmp_path / "code" / name
        project.mkdir(parents=True)
        test = (
            "import unittest\n\n"
            "class Sums(unittest.TestCase):\n"
            f"    def test_sum(self):\n        self.assertEqual(2 + 2, {wanted})\n"
        )
        file = "sums.py" if name == "untested" else "test_sums.py"
        (project / file).write_text(test, encoding="utf-8")

    (miss,), checked = checker.code_misses(tmp_path, package, 2)

    assert checked == 2
    assert miss.path == "code/bad"
    assert "AssertionError: 4 != 5" in miss.message
    assert not list(tmp_path.glob("**/__pycache__"))


def test_projects_find_the_pinned_tool(
    checker: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUINT", "another")
    package = tmp_path / "node_modules" / "@informalsystems" / "quint"
    tool = package.parent.parent / ".bin" / "quint"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\n", encoding="utf-8")
    tool.chmod(0o755)
    project = tmp_path / "code" / "traces"
    project.mkdir(parents=True)
    (project / "make_traces.py").write_text(
        "import os, shutil, sys\n"
        "print(sys.argv[1:], os.environ.get('QUINT'), shutil.which('quint'))\n"
        "sys.exit(1)\n",
        encoding="utf-8",
    )

    (miss,), _ = checker.code_misses(tmp_path, package, 1)

    assert miss.message.endswith(f"['--check'] None {tool}")
