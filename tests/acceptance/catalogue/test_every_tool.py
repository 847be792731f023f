"""What all tools over test cases share: each is covered, and internal errors leak nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.catalogue.cases import Call, client, refused

from kb_runtime.mcp import calls
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.session import Session

ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "search_tests": {"query": "log in"},
    "find_similar_tests": {"jira_key": "DEMO-11"},
    "get_test_by_jira": {"jira_key": "DEMO-11"},
    "check_health": {},
    "ingest_tests": {"api_path": "api.json"},
}


def test_every_tool_of_the_family_is_offered_and_covered(call: Call) -> None:
    assert {tool.name for tool in TOOLS if tool.family == "tests"} == set(ARGUMENTS)


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_defect_leaks_nothing(
    artifact: Path, data: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = client(artifact, data)

    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(f"secret at /opt/private: {name}")

    def session(*_: Any) -> Session:
        return Broken()  # type: ignore[return-value]

    monkeypatch.setattr(calls, "Session", session)
    reply = ask(tool, **ARGUMENTS[tool])
    refused(reply, 500)
    assert "secret" not in json.dumps(reply.structured) + reply.text
    assert "/opt" not in reply.text
