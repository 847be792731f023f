"""How serving over HTTP begins and ends: what workers share, and what is closed."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from kb_runtime.errors import UsageError
from kb_runtime.http import service
from kb_runtime.http.service import serve_alone
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher, ServerContext
from kb_runtime.options.http import HttpSettings
from kbc.pipeline.build import BuildOptions, build

SEARCHING = """
import sys
from kb_runtime.http import service
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.options.http import HttpSettings

LiveArtifact(sys.argv[1]).close()  # as the parent does, to find out whether it can be served
service.import_before_fork()
before = set(sys.modules)
from kb_runtime.http.app import build_app
from kb_runtime.http.tokens import Access
from kb_runtime.mcp.prefetch import prepare

live = LiveArtifact(sys.argv[1])
prepare(live)
dispatcher = Dispatcher(live)
nobody = Access([])
build_app(dispatcher, HttpSettings(), nobody)
call = {"name": "demo_hybrid_search", "arguments": {"query": "anchors"}}
assert not dispatcher.handle("tools/call", call, "2025-11-25")["isError"]
print(*sorted(set(sys.modules) - before))
"""


def demo(folder: Path, *, embed: bool) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (folder / "kb.toml").write_text('[kb]\nname = "demo"\n')
    return build(folder, BuildOptions(out=folder / "out", embed=embed)).path


def test_a_server_that_cannot_listen_closes_what_it_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveArtifact(demo(tmp_path, embed=False))
    closed: list[bool] = []
    close = live.close
    monkeypatch.setattr(live, "close", lambda: closed.append(True))
    settings = HttpSettings()
    with socket.socket() as taken:
        taken.bind((settings.host, 0))
        taken.listen()
        settings.port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="cannot listen on"):
            serve_alone(settings, lambda: ServerContext(live, Dispatcher(live), None))
    close()
    assert closed == [True]


def test_a_host_that_cannot_be_listened_on_is_named_in_one_sentence() -> None:
    settings = HttpSettings()
    settings.host = "no-such-host.invalid"
    with pytest.raises(UsageError, match="cannot listen on no-such-host") as caught:
        service._listen(settings)
    assert "while" not in str(caught.value)


def test_nothing_is_opened_for_settings_that_are_refused(tmp_path: Path) -> None:
    def fail() -> ServerContext:
        raise AssertionError("opened")

    settings = HttpSettings()
    settings.token_file = str(tmp_path / "absent")
    with pytest.raises(UsageError, match="absent"):
        serve_alone(settings, fail)


@pytest.mark.slow
def test_a_search_imports_nothing_that_was_not_imported_before_the_fork(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SEARCHING, str(demo(tmp_path, embed=True))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) <= {"kb_runtime.mcp.prefetch"}
