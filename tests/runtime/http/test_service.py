"""What workers share: modules that the parent has imported before it forks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.slow
def test_a_search_imports_nothing_that_was_not_imported_before_the_fork(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "anchors.md").write_text("# Anchors\n\nAn anchor holds the ship.\n")
    (tmp_path / "kb.toml").write_text('[kb]\nname = "demo"\n')
    built = build(tmp_path, BuildOptions(out=tmp_path / "out"))
    run = subprocess.run(
        [sys.executable, "-c", SEARCHING, str(built.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert set(run.stdout.split()) <= {"kb_runtime.mcp.prefetch"}
