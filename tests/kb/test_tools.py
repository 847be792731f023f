"""What a server lists for the knowledge base in `kb/`: all tools, in lists that clients can afford."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb_runtime.mcp.answers import TOOLS_FILE, load_answers
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.search.compact import TOOLS as COMPACT_TOOLS
from kbc.diagnostics import Diagnostics
from kbc.pipeline import sections
from kbc.pipeline.checking import read_checked

KB = Path(__file__).parents[2] / "kb"
BUILT_AT = "2026-01-02T03:04:05Z"
BUILD_ID = "0123456789abcdef"
MAX_BYTES = {"all": 54_000, "compact": 8_000}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """`tools.json` as a build writes it; what takes long in a build has no part in it."""
    inputs = read_checked(KB, Diagnostics(), False)
    assert inputs is not None
    folder = tmp_path_factory.mktemp("answers")
    sections.emit_answers(inputs, {"built_at": BUILT_AT}, BUILD_ID, folder)
    return (folder / TOOLS_FILE).read_bytes()


@pytest.mark.parametrize(("profile", "tools"), [("all", TOOLS), ("compact", COMPACT_TOOLS)])
def test_one_artifact_offers_every_tool_in_a_list_of_bounded_size(
    document: bytes, profile: str, tools: tuple[object, ...]
) -> None:
    offered = load_answers(BUILD_ID, document, profile).tools
    assert len(offered["tools"]) == len(tools)
    text = json.dumps(offered, ensure_ascii=False, separators=(",", ":"))
    assert len(text.encode()) < MAX_BYTES[profile]
