"""The checker's reading of pages: which snippets, commands and claims it will run."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from tests.kb.checked_pages import page


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


def test_signatures_of_variadic_builtins_show_it(checker: ModuleType) -> None:
    assert (
        checker.kb_references.expected_signature("Set", "(a, a) => Set[a]", True)
        == "Set: (a, a, ...) => Set[a]"
    )
    assert (
        checker.kb_references.expected_signature("not", "(bool) => bool", False)
        == "not: (bool) => bool"
    )


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


def test_files_and_commands_of_transcripts_are_checked_elsewhere(checker: ModuleType) -> None:
    text = page(
        "```quint file=a.qnt\nmodule a { val x = nowhere }\n```",
        "```console tried\n$ quint fly --high\nUnknown argument: high\n```",
    )

    assert list(checker.quint_sources.snippets(Path("p.md"), text)) == []
    assert list(checker.quint_sources.label_misses("p.md", text)) == []
    assert list(checker.quint_sources.shell_misses("p.md", text, {"run": set()})) == []
