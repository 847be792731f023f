"""Test cases and source files that go into workspaces, and the titles that a search finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.end_to_end.talk import Talk

SHIPPED = [
    {
        "uid": "S-1",
        "jiraKey": "SEA-1",
        "title": "Hoist the sail",
        "tags": ["deck"],
        "steps": ["Pull the rope"],
    }
]
NEW = [
    {
        "uid": "N-1",
        "jiraKey": "SEA-7",
        "title": "Light the lantern at dusk",
        "tags": ["night"],
        "steps": [{"action": "Strike a match", "expected": "the lantern burns"}],
    },
    {"uid": "S-1", "jiraKey": "SEA-1", "title": "Lower the sail", "tags": [], "steps": []},
]
TREE = {
    "src/retry.py": (
        "def with_retries(action):\n"
        '    """Calls an action again after a pause when it fails."""\n'
        "    return action()\n"
    ),
    "src/queue.rs": "/// Drops the oldest entry when it is full.\npub struct RingQueue {}\n",
}


def titles(facts: dict[str, Any]) -> list[str]:
    return [found["test"]["title"] for found in facts["results"]]


Serve = Callable[..., Talk]
