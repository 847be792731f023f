"""The knowledge base checker's reading of sources, and its verdicts; the tool itself is not needed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.kb.scripts import load


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    return load("check_kb")


def page(*blocks: str) -> str:
    return "# A page\n\n" + "\n\n".join(blocks) + "\n"


def answer(**fields: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"errors": [], "modules": [], "unused": [], "tests": [], "probes": []}
    return empty | {"simulations": [], "executions": []} | fields


def test_each_expression_becomes_a_job_with_its_line(checker: ModuleType) -> None:
    text = page("```quint\n1 + 1\n// == 2\n\n[1].head()\n// == 1\n```")

    jobs = list(checker.quint_sources.snippets(Path("p.md"), text))

    assert [job.line for job in jobs] == [4, 7]
    assert "assert(subject == (2))" in jobs[0].source
    assert "1 + 1" in jobs[0].source
    assert "head" not in jobs[0].source


def test_an_expression_that_fails_names_its_code(checker: ModuleType) -> None:
    text = page("```quint fails\n1 / 0\n// fails: QNT503\n```")

    (job,) = checker.quint_sources.snippets(Path("p.md"), text)

    assert job.codes == ("QNT503",)
    assert job.probes == ("subject",)


def test_definitions_are_wrapped_into_a_module(checker: ModuleType) -> None:
    (job,) = checker.quint_sources.snippets(
        Path("p.md"), page("```quint\nvar x: int\nval y = x\n```")
    )

    assert job.source.startswith("module snippet {")
    assert job.codes == ()


def test_whole_modules_are_taken_as_they_are(checker: ModuleType) -> None:
    (job,) = checker.quint_sources.snippets(
        Path("p.md"), page("```quint\nmodule a { val x = 1 }\n// end\n```")
    )

    assert job.source == "module a { val x = 1 }\n// end\n"  # the tool wants a final line break


def test_continues_puts_the_previous_definitions_in_front(checker: ModuleType) -> None:
    text = page("```quint\nval a = 1\n```", "```quint continues\nval b = a\n```")

    jobs = list(checker.quint_sources.snippets(Path("p.md"), text))

    assert "val a = 1" in jobs[1].source
    assert "val b = a" in jobs[1].source


def test_blocks_in_other_languages_are_no_snippets(checker: ModuleType) -> None:
    text = page("```text\n1 +\n```", "```sh\nquint test x.qnt\n```", "~~~quint\n1\n~~~")

    assert [
        job.source.count("1\n") for job in checker.quint_sources.snippets(Path("p.md"), text)
    ] == [1]


def test_a_command_in_a_comment_becomes_a_simulation(checker: ModuleType) -> None:
    options = checker.quint_sources.simulation(
        ["--main=m", "--invariants", "a", "b", "--witnesses", "w", "--max-steps=7"], "f", ""
    )

    assert options["main"] == "m"
    assert options["invariants"] == ["a", "b"]
    assert options["witnesses"] == ["w"]
    assert options["steps"] == 7
    assert options["samples"] == checker.quint_sources.SAMPLES


def test_a_command_for_another_file_is_a_miss(checker: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "this.qnt"
    file.write_text("// A model.\n//   quint run --invariant=i other.qnt\nmodule this {}\n")

    job, misses = checker.quint_sources.quint_file(file)

    assert job.simulations == []
    assert [miss.line for miss in misses] == [2]


def test_unknown_commands_and_options_in_shell_blocks_are_misses(checker: ModuleType) -> None:
    text = page("```sh\nquint run --invariant=x s.qnt\nquint run --samples=3 s.qnt\nquint fly\n```")

    misses = list(checker.quint_sources.shell_misses("p.md", text, {"run": {"invariant"}}))

    assert [(miss.line, miss.message) for miss in misses] == [
        (5, "quint run has no option '--samples=3'"),
        (6, "quint has no command 'fly'"),
    ]


def test_a_block_must_say_that_it_fails_and_how(checker: ModuleType) -> None:
    text = page("```quint\n1 / 0\n// fails: QNT503\n```", "```quint fails\n1 / 0\n```")

    assert [miss.line for miss in checker.quint_sources.label_misses("p.md", text)] == [4, 9]


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
    for page in ("README.mdx", "FINISHED.mdx", f"01.{side}.name/README.mdx"):
        (exercise / page).write_text("# A page\n")
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


def test_signatures_of_variadic_builtins_show_it(checker: ModuleType) -> None:
    assert (
        checker.kb_references.expected_signature("Set", "(a, a) => Set[a]", True)
        == "Set: (a, a, ...) => Set[a]"
    )
    assert (
        checker.kb_references.expected_signature("not", "(bool) => bool", False)
        == "not: (bool) => bool"
    )


def test_front_matter_of_strings_and_lists(checker: ModuleType) -> None:
    text = '---\nname: "q::debug"\ntags: [a, "b, c"]\nrelated:\n  - x\n  - y\n---\nbody: no\n'

    assert checker.kb_references.front_matter(text) == {
        "name": "q::debug",
        "tags": ["a", "b, c"],
        "related": ["x", "y"],
    }


def test_a_comment_on_the_truth_of_a_formula_becomes_an_execution(checker: ModuleType) -> None:
    text = page(
        "```quint\nvar x: int\ntemporal up = always(next(x) >= x)\n"
        "// up is true of x = 0, then 1 for ever\n"
        "// up is false of x = 0, 1 for ever\n```"
    )

    (job,) = checker.quint_sources.snippets(Path("p.md"), text)

    assert [(e["before"], e["loop"], e["expect"], e["line"]) for e in job.executions] == [
        ("0", "1", True, 6),
        ("", "0, 1", False, 7),
    ]
    assert job.request()["executions"] == job.executions


def test_an_execution_over_several_variables_names_them(checker: ModuleType) -> None:
    text = page("```quint\nvar a: int\n// p is true of (a, b) = (0, 1), then (2, 3) for ever\n```")

    (job,) = checker.quint_sources.snippets(Path("p.md"), text)

    (execution,) = job.executions
    assert execution["variables"] == ["a", "b"]
    assert (execution["before"], execution["loop"]) == ("(0, 1)", "(2, 3)")


def test_a_comment_on_truth_in_another_form_is_a_miss(checker: ModuleType) -> None:
    text = page("```quint\nvar x: int\n// up is true of x = 0, 1\n```")

    assert [miss.line for miss in checker.quint_sources.label_misses("p.md", text)] == [5]


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


def test_files_and_commands_of_transcripts_are_checked_elsewhere(checker: ModuleType) -> None:
    text = page(
        "```quint file=a.qnt\nmodule a { val x = nowhere }\n```",
        "```console tried\n$ quint fly --high\nUnknown argument: high\n```",
    )

    assert list(checker.quint_sources.snippets(Path("p.md"), text)) == []
    assert list(checker.quint_sources.label_misses("p.md", text)) == []
    assert list(checker.quint_sources.shell_misses("p.md", text, {"run": set()})) == []


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
