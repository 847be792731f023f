"""The progress bar of a build on a terminal."""

from __future__ import annotations

import pytest

from kbc.cli import reporting
from kbc.cli.reporting import BarProgress


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
