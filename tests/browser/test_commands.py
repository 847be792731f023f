"""`kbc explore`, and the same pages beside an MCP server."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.browser.conftest import ROOT
from tests.end_to_end.knowledge import write_knowledge
from tests.waiting import PATIENCE_S

import kbc
from kbc.cli.main import run
from kbc.shipping.signing import generate, sign

TOKEN = "correct-horse-battery-staple"
Started = tuple[str, "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[object]:
    """`start(arguments)` runs kbc until the test ends and gives the address that it names."""
    processes: list[subprocess.Popen[str]] = []

    def begin(*arguments: str | Path) -> Started:
        process = subprocess.Popen(
            [sys.executable, "-m", "kbc", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        processes.append(process)
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        return found[0], process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def get(url: str, **headers: str) -> httpx2.Response:
    return httpx2.get(url, headers=headers, timeout=PATIENCE_S)


def test_explore_serves_pages_until_it_is_interrupted(start: object, everything: Path) -> None:
    url, process = start("explore", everything, "--port", "0", "--no-open")  # type: ignore[operator]
    answer = get(f"{url}?q=lantern")
    assert answer.status_code == 200
    assert "<mark>" in answer.text
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) in (0, 130)


def test_explore_refuses_what_is_no_artifact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explore", str(tmp_path), "--no-open"]) == 4
    assert "not a compiled knowledge base" in capsys.readouterr().err
    bad = tmp_path / "report.json"
    bad.write_text("{")
    assert run(["explore", str(tmp_path), "--report", str(bad)]) == 2


def test_a_port_that_is_taken_is_explained(
    start: object, everything: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url, _ = start("explore", everything, "--port", "0", "--no-open")  # type: ignore[operator]
    port = url.rstrip("/").rpartition(":")[2]
    assert run(["explore", str(everything), "--port", port, "--no-open"]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_server_offers_the_pages_behind_its_token(
    start: object, everything: Path, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    url, _ = start(  # type: ignore[operator]
        "serve", everything, "--http", "--port", "0", "--token-file", file, "--explorer"
    )
    pages = url.replace("/mcp", "/explorer")
    assert get(f"{pages}/").status_code == 401
    assert get(f"{pages}/", accept="text/html").headers["location"] == "/explorer/login"
    answer = get(f"{pages}/?q=lantern", authorization=f"Bearer {TOKEN}")
    assert 'href="/explorer/record?' in answer.text
    assert 'href="/explorer/static/explorer.css"' in answer.text
    assert get(f"{pages}/static/explorer.css").status_code == 200
    assert get(f"{pages}/", host="evil.example").status_code == 421
    tool = get(f"{pages}/tools/demo_get_builtin", authorization=f"Bearer {TOKEN}")
    assert f"{url}" in tool.text


def test_a_server_shows_runs_and_a_report_but_asks_no_questions(
    start: object, everything: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.toml"
    questions.write_text('[[question]]\nquery = "lantern"\nexpect = ["toSet"]\n')
    command = ["eval", str(everything), "--questions", str(questions), "--json"]
    evaluated = subprocess.run(
        [sys.executable, "-m", "kbc", *command], capture_output=True, check=True
    )
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "monday.json").write_bytes(evaluated.stdout)
    (tmp_path / "token").write_text(TOKEN)
    arguments = ["--explorer", "--runs", tmp_path / "runs", "--token-file", tmp_path / "token"]
    url, _ = start("serve", everything, "--http", "--port", "0", *arguments)  # type: ignore[operator]
    quality = url.replace("/mcp", "/explorer/quality")
    assert get(quality).status_code == 401
    page = get(quality, authorization=f"Bearer {TOKEN}").text
    assert "monday" in page
    assert "Measure this build" not in page


def test_versions_that_the_key_did_not_sign_are_not_opened(start: object, tmp_path: Path) -> None:
    root = write_knowledge(tmp_path / "kb")
    options = kbc.BuildOptions(out=tmp_path / "out", embed=False)
    kbc.build(root, options)
    (root / "docs" / "lanterns.md").write_text("# Lanterns\n\nThey burn candles now.\n")
    live = kbc.build(root, options)
    generate(tmp_path / "key", None)
    sign(live.path, tmp_path / "key", None)
    url, _ = start(  # type: ignore[operator]
        *("serve", live.path.parent, "--http", "--port", "0", "--explorer"),
        *("--key", tmp_path / "key.pub"),
    )
    pages = url.replace("/mcp", "/explorer")
    assert "They burn candles now" in get(f"{pages}/record?name=lanterns.md").text
    versions = get(f"{pages}/versions")
    assert versions.status_code == 200
    assert "This build is not opened" in versions.text
    assert "is not signed" in versions.text


def test_a_server_refuses_a_report_that_is_none(
    everything: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text("[]")
    more = ["--explorer", "--report", str(tmp_path / "report.json")]
    assert run(["serve", str(everything), "--http", "--port", "0", *more]) == 2
    assert "does not hold what `kbc build --json` prints" in capsys.readouterr().err


def test_a_server_has_no_pages_unless_it_is_asked(start: object, everything: Path) -> None:
    url, _ = start("serve", everything, "--http", "--port", "0")  # type: ignore[operator]
    assert get(url.replace("/mcp", "/explorer/")).status_code == 404
