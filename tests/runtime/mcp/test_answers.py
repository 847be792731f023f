"""`tools.json` of an artifact, whatever it holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kb_runtime.errors import ArtifactError
from kb_runtime.mcp.answers import ALL, TOOLS_FILE, load_answers

BUILD_ID = "0123456789abcdef"


@pytest.fixture
def document(corpus: Any) -> dict[str, Any]:
    (build,) = corpus.path.glob(f"*/{TOOLS_FILE}")
    found: dict[str, Any] = json.loads(build.read_bytes())
    return found


@pytest.mark.parametrize("content", [b"[" * 100_000, b"[]", b"7", b"\xff", b"{}", b'{"format": 1}'])
def test_what_holds_no_answers_is_refused(content: bytes) -> None:
    with pytest.raises(ArtifactError, match="does not hold the answers"):
        load_answers(BUILD_ID, content, ALL)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("default", 7),
        ("families", []),
        ("families.reference", []),
        ("families.reference.tools", {}),
        ("families.reference.tools", [7]),
        ("families.reference.tools", [{"name": "x"}]),
        ("families.reference.prompts", [{}]),
        ("initialize.serverInfo", {"name": "x"}),
        ("initialize.capabilities.tools", 7),
        ("instructions.families", []),
        ("names", {}),
        ("names", []),
        ("templates", []),
    ],
)
def test_answers_of_another_shape_are_refused(
    document: dict[str, Any], path: str, value: object
) -> None:
    load_answers(BUILD_ID, json.dumps(document).encode(), ALL)
    *above, last = path.split(".")
    inner = document
    for name in above:
        inner = inner[name]
    assert last in inner
    inner[last] = value
    with pytest.raises(ArtifactError, match="does not hold the answers"):
        load_answers(BUILD_ID, json.dumps(document).encode(), ALL)
