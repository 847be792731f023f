"""What the command line shows: findings, a progress bar, and why it ended."""

from __future__ import annotations

import errno

import pytest

from kbc.cli import failures, main, reporting
from kbc.cli.reporting import BarProgress, show_diagnostics
from kbc.diagnostics import Diagnostics


def test_the_bar_redraws_one_line_and_clears_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "REDRAW_S", 0)
    monkeypatch.setenv("COLUMNS", "80")
    bar = BarProgress()
    bar.begin("embed", 2_000, "chunks")
    bar.advance(1_000)
    bar.begin("link", 0, "")
    bar.close()
    out, err = capsys.readouterr()
    assert (out, "\n" in err) == ("", False)
    begun, half, uncounted, cleared = err.split("\r")[1:]
    assert begun.endswith(" 0/2,000 chunks")
    assert half.count("━") == 15
    assert half.endswith(" 1,000/2,000 chunks")
    assert (uncounted.strip(), cleared) == ("link", "")


def test_the_bar_never_fills_the_last_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    BarProgress().begin("embed", 2_000, "chunks")
    assert len(capsys.readouterr().err.strip("\r")) == 19


def test_many_findings_of_a_code_do_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    diagnostics = Diagnostics()
    for line in range(1, 6):
        diagnostics.warning("dead-link", "gone", "a.md", line, hint="Remove it.")
        diagnostics.error("toml-syntax", "bad", "kb.toml", line)
    diagnostics.warning("empty-file", "empty", "z.md")
    show_diagnostics(diagnostics, 2)
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "dead-link" in line] == [
        "a.md:1: warning[dead-link]: gone",
        "a.md:2: warning[dead-link]: gone",
        "... and 3 more [dead-link]; `kbc check` shows all",
    ]
    assert sum("error[toml-syntax]" in line for line in lines) == 5
    assert "z.md: warning[empty-file]: empty" in lines
    assert lines[-1] == "5 errors, 6 warnings"


def test_what_is_denied_says_what_to_do() -> None:
    told = failures.explain(PermissionError(errno.EACCES, "Permission denied", "out"))
    assert told is not None
    assert str(told) == "out: Permission denied"
    assert told.hint == "Choose another folder, or change its permissions."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "kb"], failures.INTERRUPTED),
        (["--debug", "watch", "kb"], failures.INTERRUPTED),
        (["explore", "out/kb"], "interrupted"),
    ],
)
def test_only_what_publishes_speaks_of_the_live_version(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []
    monkeypatch.setattr("kb_runtime.cli.runner.run", lambda *rest: given.extend(rest) or 0)
    assert main.run(arguments) == 0
    assert given[-1] == said
