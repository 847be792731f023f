"""Five test cases, the catalogue compiled from them, and calls whose answers fit their schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.answer_schemas import check_structure

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.pipeline.build import BuildOptions, build

REVISION = "2025-11-25"
FILTERS = (
    "tags",
    "priority",
    "platforms",
    "folderStructure",
    "testType",
    "relatedIssues",
    "testPath",
)
CASES: list[dict[str, Any]] = [
    {
        "uid": "t-login",
        "jiraKey": "DEMO-10",
        "title": "User can log in",
        "summary": "Sign in with a valid account. " + "It matters. " * 30,
        "description": "Covers the lock after wrong passwords.",
        "testType": "API",
        "priority": "High",
        "tags": ["login", "Web"],
        "platforms": ["iOS", "Web"],
        "folderStructure": "API Tests/Auth/Login",
        "relatedIssues": ["DEMO-7"],
        "testPath": "tests/api/auth/test_login.py:12",
        "source": "exported.json",
        "ingested_at": "2026-01-02T03:04:05Z",
        "steps": [
            {"index": 1, "action": "Open the sign-in page", "expected": ["form shown"]},
            {
                "index": 2,
                "action": "Enter a wrong password three times",
                "expected": ["account locked", "mail sent"],
            },
            {"index": 3, "action": "Wait fifteen minutes", "expected": ["the lock is gone"]},
            {"index": 4, "action": "Enter the right one", "data": "s3cret", "expected": []},
        ],
    },
    {
        "uid": "t-delete",
        "jiraKey": "DEMO-11",
        "title": "Delete account & confirm",
        "priority": "Medium",
        "tags": ["account"],
        "steps": ["Press delete", "Confirm the mail"],
    },
    {
        "uid": "t-nokey",
        "testCaseId": "API-900",
        "title": "Rate limit is told",
        "tags": ["limits"],
        "steps": [{"action": "Send a hundred requests", "result": "429"}],
    },
    {
        "uid": "t-authors",
        "jiraKey": "DEMO-12",
        "title": "List the authors of a book",
        "folderStructure": "API Tests/Authors",
        "tags": ["books"],
        "priority": "Low",
    },
    {"uid": "t-twin", "jiraKey": "DEMO-12", "title": "Sort the authors", "tags": ["books"]},
]
STEPS = 7


class Reply(NamedTuple):
    text: str
    structured: dict[str, Any]
    is_error: bool

    @property
    def uids(self) -> list[str]:
        return [result["test"]["uid"] for result in self.structured["results"]]


Call = Callable[..., Reply]


def client(folder: Path, data: Path, *, read_only: bool = False) -> Call:
    """Calls tools through the dispatch core; a successful answer must fit its output schema."""
    live = LiveArtifact(folder)
    dispatcher = Dispatcher(live, data_folder=str(data), read_only=read_only)
    listed = dispatcher.handle("tools/list", {}, REVISION)["tools"]
    tools = {tool["name"]: tool for tool in listed}

    def call(tool: str, /, **arguments: Any) -> Reply:
        params = {"name": tool, "arguments": arguments}
        result = dispatcher.handle("tools/call", params, REVISION)
        json.dumps(result)  # nothing but JSON goes over the wire
        (content,) = result["content"]
        check_structure(tools[tool], result["structuredContent"])
        return Reply(content["text"], result["structuredContent"], result["isError"])

    return call


def compiled(folder: Path, cases: list[dict[str, Any]], cache: Path, *, embed: bool = True) -> Path:
    (folder / "kb" / "tests").mkdir(parents=True)
    (folder / "kb" / "kb.toml").write_text('[kb]\nname = "catalogue"\n')
    (folder / "kb" / "tests" / "functional.json").write_text(json.dumps(cases))
    options = BuildOptions(out=folder / "out", cache=cache, embed=embed)
    return build(folder / "kb", options).path


def compiled_twice(folder: Path, cases: list[dict[str, Any]]) -> Path:
    """The cases as collections `one` and `two`."""
    config = '[kb]\nname = "catalogue"\n'
    for name in ("one", "two"):
        (folder / "kb" / name).mkdir(parents=True)
        (folder / "kb" / name / "functional.json").write_text(json.dumps(cases))
        config += f'[[collection]]\nname = "{name}"\nkind = "tests"\npaths = ["{name}"]\n'
    (folder / "kb" / "kb.toml").write_text(config)
    options = BuildOptions(out=folder / "out", cache=folder / "cache", embed=False)
    return build(folder / "kb", options).path


def refused(reply: Reply, status: int) -> str:
    """The message of a flagged error with its status."""
    assert reply.is_error
    assert reply.text.startswith(f"API Error ({status}): ")
    assert reply.structured["error"]["status"] == status
    message: str = reply.structured["error"]["message"]
    assert message in reply.text
    return message
