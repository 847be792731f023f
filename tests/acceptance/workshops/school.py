"""Three workshops, how their tools must fail, and how the parts of an answer are put together."""

from __future__ import annotations

import json
from typing import Any

from tests.acceptance.served import Server

REACT = "workshops/react"
STEP = f"{REACT}/exercises/01.state"
TREE = {
    "kb.toml": '[kb]\nname = "school"\n',
    f"{REACT}/package.json": json.dumps(
        {"epicshop": {"title": "React", "product": {"displayNameShort": "Web Team"}}}
    ),
    f"{REACT}/exercises/README.mdx": "# React workshop\n\nWelcome to the workshop.\n",
    f"{STEP}/README.mdx": "# State\n\nState is what a component remembers between renders.\n",
    f"{STEP}/01.problem.counter/README.mdx": "# Counter\n\nCount the clicks on a button.\n",
    f"{STEP}/01.problem.counter/src/SCHEMA.ts": "export const a = 1\n",
    f"{STEP}/01.problem.counter/app.tsx": "export function App() { return <b>0</b> }\n",
    f"{STEP}/01.solution.counter/README.mdx": "# Counted\n\nThe hook keeps the count 👩‍👩‍👧.\n",
    f"{STEP}/01.solution.counter/src/SCHEMA.ts": "export const a = 2\n",
    f"{STEP}/01.solution.counter/app.tsx": (
        "export function App() { const [n, setN] = useState(0); return <b>{n}</b> }\n"
    ),
    f"{STEP}/01.solution.counter/empty.ts": "",
    f"{STEP}/02.problem.reset/README.mdx": "# Reset\n\nA key throws the state away.\n",
    f"{STEP}/02.solution.reset/README.mdx": "# Reset done\n",
    f"{REACT}/exercises/02.effects/README.mdx": (
        "# Effects\n\nAn effect synchronises a component with the outside world, such as a socket.\n"
        "The separator is === here.\n"
    ),
    "workshops/databases.json": json.dumps(
        {
            "workshop": {"title": "Databases"},
            "exercises": [
                {
                    "exerciseNumber": 1,
                    "title": "Indexes",
                    "instructions": {
                        "content": "# Indexes\n\nAn index makes look-ups in a table fast.\n"
                    },
                    "steps": [{"stepNumber": 1, "title": "Create", "problem": {}, "solution": {}}],
                }
            ],
        }
    ),
    "workshops/bare.json": json.dumps(
        {"workshop": {"title": "Bare"}, "exercises": [{"exerciseNumber": 1, "title": "Empty"}]}
    ),
}


def failed(school: Server, name: str, kind: str, /, **arguments: Any) -> dict[str, Any]:
    """The error of a call that must fail, whose text must say what its structure says."""
    result = school.result(name, **arguments)
    assert result["isError"], result
    error: dict[str, Any] = result["structuredContent"]["error"]
    assert error["kind"] == kind
    text = result["content"][0]["text"]
    heading, empty, sentence = text.split("\n")[:3]
    assert heading.startswith("## ❌ ")
    assert heading.endswith(" failed")
    assert (empty, sentence) == ("", f"Error: {error['message']}")
    for step in error.get("next", ()):
        assert f"- {step}" in text
    return error


def joined(
    school: Server, name: str, field: str, arguments: dict[str, Any]
) -> list[dict[str, Any]]:
    """The sections of all pages; the parts of a cut section are put together."""
    whole: list[dict[str, Any]] = []
    cursor = None
    cut = False
    while True:
        part = school.call(name, **arguments, cursor=cursor)
        sections = part[field]
        assert sections
        assert sum(len(each["content"]) for each in sections) <= max(arguments["maxChars"], 5)
        if cut and {**sections[0], "content": ""} == {**whole[-1], "content": ""}:
            whole[-1]["content"] += sections.pop(0)["content"]
        whole += sections
        cursor = part.get("nextCursor")
        assert part["truncated"] == (cursor is not None)
        cut = part["truncated"]
        if cursor is None:
            return whole
