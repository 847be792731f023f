"""The command line: results, JSON, exit codes, and errors of one sentence without a traceback."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.knowledge import FILES, write_knowledge

from kb_runtime.errors import exit_codes
from kb_runtime.options.serve import usage
from kbc.__main__ import main
from kbc.cli.main import cli, run
from kbc.project.starter import STARTERS

RUN = "import sys; from kbc.cli.main import run; sys.exit(run())"
"""The command line without the way around it that `kbc serve` takes."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the knowledge base `kb` and its build in `out`."""
    folder = tmp_path_factory.mktemp("cli")
    write_knowledge(folder / "kb")
    arguments = ["build", f"{folder}/kb", "--out", f"{folder}/out", "--cache", f"{folder}/cache"]
    assert run([*arguments, "--quiet"]) == exit_codes.OK
    return folder


def ask(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run([str(each) for each in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def ask_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    code, out, _ = ask(capsys, *arguments, "--json")
    assert code == exit_codes.OK
    return json.loads(out)


def test_a_new_starter_checks_clean_and_builds(
    tmp_path: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = ask(capsys, "init", tmp_path / "My KB", "--sample")
    assert code == exit_codes.OK
    assert shlex.split(out.splitlines()[-1])[-1] == str(tmp_path / "My KB")
    code, _, err = ask(capsys, "check", tmp_path / "My KB", "--strict")
    assert code == exit_codes.OK
    assert err.splitlines()[-1] == "no problems found"
    report = ask_json(
        capsys, "build", tmp_path / "My KB", "--out", tmp_path / "out", "--cache", built / "cache"
    )
    assert report["name"] == "my-kb"
    assert report["records"] == 1


@pytest.mark.parametrize(
    "arguments", [["serve", "--help"], ["serve", "-h"], ["--debug", "serve", "out/kb", "--help"]]
)
def test_help_on_serving_shows_its_options_however_it_is_asked(arguments: list[str]) -> None:
    for command in ([sys.executable, "-m", "kbc"], [sys.executable, "-c", RUN]):
        shown = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
        assert shown.stdout == usage()


def test_the_documentation_lists_the_options_of_serving() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    assert f"```text\n{usage().strip()}\n```" in page


@pytest.mark.parametrize("kind", list(STARTERS))
def test_the_starter_of_every_kind_checks_clean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    assert ask(capsys, "init", tmp_path / "kb", "--kind", kind)[0] == exit_codes.OK
    code, _, err = ask(capsys, "check", tmp_path / "kb", "--strict")
    assert code == exit_codes.OK
    assert err.splitlines()[-1] == "no problems found"


def test_init_offers_every_starter() -> None:
    (option,) = (each for each in cli.commands["init"].params if each.name == "kind")
    assert list(option.type.to_info_dict()["choices"]) == list(STARTERS)


def test_init_never_overwrites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kb.toml").write_text("mine")
    code, _, err = ask(capsys, "init", tmp_path)
    assert code == exit_codes.OUTPUT
    assert "nothing was changed" in err
    assert "Edit that file" in err
    assert (tmp_path / "kb.toml").read_text() == "mine"


def test_check_reports_all_errors_with_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_knowledge(tmp_path, **{"docs/a.md": "\0", "docs/b.md": "# T\n\n```\nopen\n"})
    code, _, err = ask(capsys, "check", tmp_path)
    assert code == exit_codes.INPUT
    assert "docs/a.md:1: error[file-binary]" in err
    assert "docs/b.md:3: warning[markdown-unclosed-fence]" in err
    assert "1 error, 2 warnings" in err


def test_build_shows_where_the_time_goes(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ask(
        capsys, "build", built / "kb", "--out", built / "again", "--cache", built / "cache"
    )
    assert code == exit_codes.OK
    phases = [line.split()[0] for line in out.splitlines() if line][1:]
    assert phases[:6] == ["read", "model", "chunk", "catalog", "lexical", "embed"]
    assert "is live" in out


def test_a_build_says_whether_it_changed_what_is_live(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for text in ("one", "two", "one", "one"):
        write_knowledge(tmp_path / "kb", **{"docs/a.md": f"# A\n\n{text}\n"})
        out = ask(capsys, "build", tmp_path / "kb", "--out", tmp_path / "out", "--lexical-only")[1]
        said += re.findall(r"is live again|is live|was up to date", out)
    assert said == ["is live", "is live", "is live again", "was up to date"]


def test_a_search_is_restricted_to_paths(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for more in ((), ("--path", "nowhere/**")):
        code, out, _ = ask(capsys, "search", built / "out", "lantern", "--json", *more)
        assert code == exit_codes.OK
        found.append(len(json.loads(out)["hits"]))
    assert found[0] > 0
    assert found[1] == 0


def test_an_error_leaves_one_sentence_and_a_code(
    tmp_path: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, code, sentence in (
        (("build", tmp_path), exit_codes.INPUT, "not a knowledge base"),
        (("build", tmp_path / "no", "--name", "x"), exit_codes.INPUT, "no such folder"),
        (("verify", tmp_path), exit_codes.ARTIFACT, "is not a compiled knowledge base"),
        (("search", tmp_path / "no", "x"), exit_codes.ARTIFACT, "no such folder"),
        (("get", built / "out", "toSset"), exit_codes.NOT_FOUND, "toSet"),
        (("get", built / "out", "zqzq"), exit_codes.NOT_FOUND, "hint: Look for it with `search`"),
        (("search", built / "out", "x", "--scope", "dox"), exit_codes.USAGE, '"dox"'),
        (("search", built / "out", "x", "--path", "../y"), exit_codes.USAGE, "Invalid --path"),
        (("serch",), exit_codes.USAGE, "No such command"),
        (
            ("build", built / "kb", "--model", tmp_path),
            exit_codes.MODEL,
            "has no config.json",
        ),
        (("build", built / "kb", "--model", tmp_path / "no"), exit_codes.MODEL, "no model folder"),
        (("eval", built / "out"), exit_codes.USAGE, "hint: Give a TOML file with [[question]]"),
    ):
        found, _, err = ask(capsys, *arguments)
        assert found == code, arguments
        assert sentence in err
        assert "Traceback" not in err


def test_a_failure_as_json_has_the_error_and_the_diagnostics(
    tmp_path: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_knowledge(tmp_path, **{"docs/a.md": "# A\n\n\0\n"})
    code, out, _ = ask(capsys, "build", tmp_path, "--out", tmp_path / "out", "--json")
    told = json.loads(out)
    assert told["error"]["exit_code"] == code == exit_codes.INPUT
    assert [found["code"] for found in told["diagnostics"]] == ["file-binary"]
    code, out, _ = ask(capsys, "get", built / "out", "toSset", "--json")
    assert json.loads(out)["error"]["exit_code"] == code == exit_codes.NOT_FOUND


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without space")
@pytest.mark.parametrize("is_full", [True, False])
def test_a_failure_as_json_that_cannot_be_printed_is_told_on_stderr(is_full: bool) -> None:
    command = [sys.executable, "-c", RUN, "build", "/no such folder", "--json"]
    reader, writer = os.pipe()
    os.close(reader)
    if is_full:
        os.close(writer)
        writer = os.open("/dev/full", os.O_WRONLY)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == exit_codes.INPUT
    assert "there is no such folder" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_an_interrupt_while_the_command_line_is_imported_leaves_one_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["kbc", "version"])
    monkeypatch.setattr("kbc.cli.main.run", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == exit_codes.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_check_knows_what_tools_an_alias_can_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml = FILES["kb.toml"] + '[[tools.alias]]\nname = "x"\ntool = "demo_nothing"\n'
    write_knowledge(tmp_path, **{"kb.toml": toml})
    code, _, err = ask(capsys, "check", tmp_path)
    assert code == exit_codes.INPUT
    assert (
        "kb.toml: error[unknown-alias-target]: this knowledge base has no tool 'demo_nothing'"
        in err
    )


def test_a_damaged_artifact_is_refused(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = ask_json(
        capsys, "build", built / "kb", "--out", built / "bad", "--cache", built / "cache"
    )
    chunks = Path(report["path"]) / "catalog" / "chunks.bin"
    data = bytearray(chunks.read_bytes())
    data[len(data) // 2] ^= 1
    chunks.write_bytes(data)
    code, _, err = ask(capsys, "verify", built / "bad")
    assert code == exit_codes.ARTIFACT
    assert "chunks.bin" in err
    code, _, err = ask(capsys, "search", built / "bad", "lantern")
    assert code == exit_codes.ARTIFACT
    assert "was altered" in err


def test_search_and_get_answer_as_json(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask_json(capsys, "search", built / "out", "put", "out", "a", "flame", "--limit", 2)
    assert found["mode"] == "hybrid"
    assert found["hits"][0]["address"] == "kb://demo/docs/docs/lanterns.md"
    record = ask_json(capsys, "get", built / "out", found["hits"][0]["address"])
    first, last = found["hits"][0]["lines"]
    assert "flame" in "\n".join(record["text"].splitlines()[first - 1 : last])


def test_search_and_get_answer_as_text(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ask(capsys, "search", built / "out", "asSet", "--mode", "lexical")
    assert code == exit_codes.OK
    assert out.startswith("1. ")
    assert "toSet" in out.splitlines()[0]
    assert "# toSet" in ask(capsys, "get", built / "out", "asSet")[1]


def test_inspect_and_diff_tell_what_is_there_and_what_changed(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Demo knowledge" in ask(capsys, "inspect", built / "out")[1]
    facts = ask_json(capsys, "inspect", built / "out")
    assert facts["counts"]["records"] == 23
    write_knowledge(built / "kb2", **{"docs/new.md": "# New\n\nA new page about anchors.\n"})
    ask_json(capsys, "build", built / "kb2", "--out", built / "out2", "--cache", built / "cache")
    changes = ask_json(capsys, "diff", built / "out", built / "out2")
    assert changes["collections"]["docs"]["added"] == ["docs/new.md"]
    assert "+ docs/docs/new.md" in ask(capsys, "diff", built / "out", built / "out2")[1]


def test_version_is_quick_to_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask_json(capsys, "version") == {"kbc": "0.1.0", "format": 2}


def test_every_command_that_prints_a_result_has_json() -> None:
    commands = {
        f"{name} {below}".rstrip(): each
        for name, command in cli.commands.items()
        for below, each in getattr(command, "commands", {"": command}).items()
    }
    without = {
        name
        for name, command in commands.items()
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    assert without == {"explore", "serve"}


def test_a_compile_command_without_the_extra_names_the_remedy() -> None:
    """The compiler's own dependencies are hidden from the process, as in a runtime installation."""
    script = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('markdown_it', 'onnx', 'yaml'):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "from kbc.cli.main import run\n"
        "sys.exit(run(['build', '.']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == exit_codes.EXTRA, done.stderr
    assert 'pip install "kb-compiler[compiler]"' in done.stderr


def test_a_search_whose_every_side_is_damaged_is_an_artifact_error(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(built / "out", tmp_path / "copy")
    for pattern in ("*/*/lexical/*.idx", "*/*/vectors/rows.f32"):
        (path,) = copy.glob(pattern)
        path.chmod(0o644)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    code, _, err = ask(capsys, "search", copy, "lantern")
    assert code == exit_codes.ARTIFACT
    assert "altered" in err


def test_questions_are_measured_and_bounds_are_kept(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "questions.toml"
    questions.write_text(
        '[[question]]\nquery = "how is a lantern lit"\nexpect = ["doc:docs/lanterns.md"]\n'
    )
    arguments = ("eval", built / "out", "--questions", questions)
    facts = ask_json(capsys, *arguments, "--suggest", "--compare", built / "out")
    assert facts["questions"] == 1
    assert facts["measures"]["success@1"]["mean"] == 1
    assert facts["tokens_per_answer"] > 0
    assert facts["moved"] == []
    assert facts["suggestions"]["unanswered"] == []
    (tmp_path / "other.md").write_text("# Lanterns\n\nLit with oil.\n")
    built_other = ("build", tmp_path / "other.md", "--out", tmp_path / "o", "--lexical-only")
    assert ask(capsys, *built_other)[0] == exit_codes.OK
    (other,) = (tmp_path / "o").iterdir()
    _, _, err = ask(capsys, *arguments, "--compare", other)
    assert f"note: {other} is a build of {other.name!r}, {built / 'out'} of 'demo'" in err
    code, _, err = ask(capsys, *arguments, "--fail-under", "recall@100=1", "--mode", "lexical")
    assert (code, err) == (exit_codes.OK, "")
    questions.write_text('[[question]]\nquery = "anything"\nexpect = ["doc:absent.md"]\n')
    code, _, err = ask(capsys, *arguments)
    assert code == exit_codes.USAGE
    assert "'doc:absent.md'" in err


def test_a_measure_below_its_bound_ends_with_its_own_code(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "questions.toml"
    questions.write_text('[[question]]\nquery = "Lanterns"\nexpect = ["builtin:toSet"]\n')
    code, _, err = ask(
        capsys, "eval", built / "out", "--questions", questions, "--fail-under", "success@1=1"
    )
    assert code == exit_codes.BELOW
    assert "success@1 is 0.0000, below 1" in err


def test_nothing_found_tells_what_to_try(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = built / "out"
    found = ask_json(capsys, "search", out, "zzzlanterm", "--mode", "lexical", "--scope", "docs")
    assert found["hits"] == []
    assert any("zzzlanterm" in hint for hint in found["hints"])
    assert any("--mode hybrid" in hint for hint in found["hints"])
    assert any("builtins" in hint for hint in found["hints"])  # a scope that was not searched
    found = ask_json(capsys, "search", out, "toSett", "--mode", "lexical", "--scope", "docs")
    assert any("toSet" in hint for hint in found["hints"])
    for elsewhere in ("the", "set"):  # words of so few letters are in no vocabulary
        found = ask_json(capsys, "search", out, elsewhere, "--mode", "lexical", "--scope", "docs")
        assert found["hits"] == []
        assert not any("does not occur" in hint for hint in found["hints"])
    code, text, _ = ask(capsys, "search", out, "")
    assert code == 0
    assert "nothing to search for" in text
    assert "hints" not in ask_json(capsys, "search", out, "lanterns")
    found = ask_json(capsys, "search", out, "lanterns", "--path", "nowhere/**")
    assert found["hints"] == ['No record\'s id matches "nowhere/**".']


def test_explained_hits_tell_ranks_and_words(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ask_json(capsys, "search", built / "out", "trimming lanterns", "--explain")
    best = found["hits"][0]["explanation"]
    assert best["lexicalRank"] >= 1
    assert best["semanticRank"] >= 1
    assert best["matched"]
    assert best["fusedRank"] >= 1
    assert 0 <= best["fused"] <= 1
    _, out, _ = ask(capsys, "search", built / "out", "trimming lanterns", "--explain")
    assert "lexical: rank" in out
    assert "fusion: rank" in out


def test_a_search_without_a_scope_finds_source_beside_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "heron"
    (tree / "heron").mkdir(parents=True)
    (tree / "pyproject.toml").write_text('[project]\nname = "heron"\n')
    (tree / "README.md").write_text("# Heron\n\nIt catches fish.\n")
    (tree / "heron" / "bird.py").write_text("def spread_wings():\n    return 2\n")
    (tree / "heron" / "__init__.py").write_text("")
    arguments = ("build", tree, "--out", tmp_path / "out", "--lexical-only")
    assert "note[files-left-out]" in ask(capsys, *arguments)[2]
    assert ask(capsys, *arguments, "--quiet") == (exit_codes.OK, "", "")
    found = ask_json(capsys, "search", tmp_path / "out", "spread_wings")
    assert found["hits"][0]["address"] == "kb://heron/code/heron/bird.py"
    found = ask_json(capsys, "search", tmp_path / "out", "spread_wings", "--scope", "all")
    assert not found["hits"]
