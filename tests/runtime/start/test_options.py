"""The server's own command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kb_runtime.errors import exit_codes
from kb_runtime.options.serve import OPTIONS
from kb_runtime.start import main as server


def test_defaults_serve_what_the_knowledge_base_offers_over_stdio() -> None:
    options = server.parse(["kb"])
    assert (options.artifacts, options.tools, options.http) == (["kb"], "", None)


def test_values_may_follow_or_be_joined_with_an_equals_sign() -> None:
    options = server.parse(
        ["--http", "--port", "0", "--host=::1", "kb", "--allow-host=a", "--allow-host", "b"]
    )
    assert options.http is not None
    assert (options.http.port, options.http.host) == (0, "::1")
    assert options.http.allowed_hosts == ["a", "b"]


def test_several_artifacts_are_served_in_the_order_given() -> None:
    assert server.parse(["b", "--tools", "tests", "a"]).artifacts == ["b", "a"]


def test_a_server_reads_files_of_tests_unless_it_is_told_not_to() -> None:
    assert server.parse(["kb"]).read_only is False
    assert server.parse(["--read-only", "kb"]).read_only is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "ARTIFACT"),
        (["a", "--nope"], "--nope"),
        (["a", "--tools"], "--tools needs a value"),
        (["a", "--port", "1"], "--port needs --http"),
        (["a", "--http", "--runs", "b"], "--runs and --report need --explorer"),
        (["a", "--http", "--port", "x"], "'x'"),
        (["a", "--http", "--port", "65536"], "65536"),
        (["a", "--http", "--port", "1" * 5_000], "--port must be a whole number up to 65535"),
        (
            ["a", "--http", "--port", "\N{ARABIC-INDIC DIGIT THREE}"],
            "--port must be a whole number",
        ),
        (["a", "--http", "--rate-limit", "1" * 5_000 + "/s"], "--rate-limit must be like 5/s"),
        (["a", "--http=yes"], "--http"),
        (["a", "--read-only=yes"], "--read-only"),
        (["a", "--model", "."], "--model needs --workspace"),
        (["a", "--http", "--workers", "2", "--workspace", "ws"], "leave out --workers"),
        (["a", "--workspace", "ws", "--model", "no-such-folder"], "is not a folder"),
    ],
)
def test_a_wrong_command_line_is_refused_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert server.main(arguments) == exit_codes.USAGE
    told = capsys.readouterr()
    assert message in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_every_option(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert server.main(["out/kb", option]) == exit_codes.OK
    usage = capsys.readouterr().out
    for each in OPTIONS:
        assert each.flag in usage


def test_what_is_no_artifact_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert server.main([str(tmp_path / "nothing")]) == exit_codes.ARTIFACT
    told = capsys.readouterr()
    assert "nothing" in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


def test_a_folder_of_tests_that_is_not_there_is_named_and_the_rest_served(
    quint_artifact: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kb_runtime", str(quint_artifact), "--data", "nope"],
        input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert "--data 'nope' is not a folder yet" in done.stderr
    assert '"id":1' in done.stdout
