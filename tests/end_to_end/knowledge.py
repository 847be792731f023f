"""A small knowledge base with something for every front end, written into a folder by tests."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "kb.toml": """\
[kb]
name = "demo"
title = "Demo knowledge"
version = "1.0"
prefix = "demo"
description = "A knowledge base for tests."
license = "Apache-2.0"

[tools]
offer = "all"
""",
    "builtins/toSet.md": """\
---
name: toSet
signature: "pure def toSet: (List[a]) => Set[a]"
category: list
aliases: [asSet]
---

The set of the elements of a list; repeated elements count once.

### Examples

```quint
[1, 1, 2].toSet() == Set(1, 2)
```
""",
    "docs/lanterns.md": """\
---
title: Lanterns
summary: How lanterns are lit and put out.
tags: [light]
---

# Lanterns

A lantern burns oil. This page says how to light one.

## Lighting a lantern

Open the glass, trim the wick and hold a match to it.

## Putting it out

Close the vent and wait until the flame is gone.
""",
    "docs/compass.mdx": """\
import { Needle } from './needle'

# Compass

A compass shows where north is. <Needle>The needle is magnetic.</Needle>
""",
    "posts/voyage.md": "# A voyage\n\nWe sailed west for nine days with a broken rudder.\n",
    "guidelines/packing.md": "# Packing\n\nPack the heavy things at the bottom of the boat.\n",
    "examples/harbour/ferry.qnt": """\
// A ferry that carries one passenger at a time.
module ferry {
  var aboard: int
  action init = aboard' = 0
  action board = all { aboard < 1, aboard' = aboard + 1 }
  run boardTest = init.then(board)
}
""",
    "patterns/one-at-a-time.md": """\
---
id: one-at-a-time
name: One at a time
category: core
when_to_use: [a resource has one user]
---

# One at a time

A guard that admits one user of a resource.

## Key Principles

- Test before you take.
""",
    "templates/templates.toml": """\
[[template]]
id = "boat"
name = "Boat"
description = "A module with one variable."
framework = "standard"
filename = "boat.qnt"
""",
    "templates/boat.qnt": "module boat {\n  var speed: int\n}\n",
    "code/pump/pump.py": """\
def start_pump(pressure):
    \"\"\"Starts the bilge pump and returns the litres a minute.\"\"\"
    if pressure <= 0:
        raise ValueError("no pressure")
    return pressure * 3


def prime():
    return start_pump(1)
""",
    "sources/almanac/source.toml": 'id = "almanac"\nname = "Almanac"\nurl = "https://example.org/"\n',
    "sources/almanac/tides.md": "# Tides\n\nSpring tides follow the full moon.\n",
    "tests/cases.json": """\
{"tests": [
  {"uid": "t-1", "jiraKey": "SEA-1", "title": "Anchor holds in a gale", "priority": "High",
   "tags": ["anchor"], "steps": [{"action": "Drop the anchor", "expected": ["The boat stops"]}]},
  {"uid": "t-2", "jiraKey": "SEA-2", "title": "Anchor comes up again", "priority": "Low",
   "tags": ["anchor"], "steps": [{"action": "Raise the anchor", "expected": ["The boat moves"]}]}
]}
""",
    "workshops/knots/package.json": '{"epicshop": {"title": "Knots"}}\n',
    "workshops/knots/exercises/01.bowline/README.mdx": "# Bowline\n\nTie a loop that holds.\n",
    "workshops/knots/exercises/01.bowline/01.problem.loop/README.mdx": "# Loop\n\nMake one.\n",
    "workshops/knots/exercises/01.bowline/01.problem.loop/knot.py": "def tie():\n    pass\n",
    "workshops/knots/exercises/01.bowline/01.solution.loop/README.mdx": "# Loop\n\nDone.\n",
    "workshops/knots/exercises/01.bowline/01.solution.loop/knot.py": (
        "def tie():\n    return 'bowline'\n"
    ),
    "routing.toml": """\
[[label]]
name = "fleet"
keywords = ["consensus", "fleet"]
base = 0.7
step = 0.1
docs = ["docs/lanterns.md"]

[[label]]
name = "single"
keywords = ["boat"]
base = 0.8
default = true
default_confidence = 0.5
""",
}


MORE_FILES = {
    "sources/almanac/moon.md": "# Moon\n\nThe moon is full once a month.\n",
    "workshops/ropes/package.json": '{"epicshop": {"title": "Ropes"}}\n',
    "workshops/ropes/exercises/01.coil/README.mdx": "# Coil\n\nCoil a rope.\n",
    "tests/more.json": """\
[{"uid": "t-3", "jiraKey": "SEA-3", "title": "Sail", "summary": "It sails.", "platforms": ["Web"],
  "description": "In short.", "folderStructure": "Sea", "preconditions": "Wind", "testPath": "a.py:1",
  "expectedResults": "Speed", "testData": "x", "relatedIssues": ["SEA-1"], "testId": 7},
 {"uid": "t-4", "jiraKey": "SEA-3", "title": "Sail again"},
 {"uid": "t-5", "testCaseId": "CASE-7", "title": "Row"}]
""",
}
"""A second page, a second workshop, and tests with every field: what the tools' refusals and rarer
answers need besides."""

EXPORTS = {
    "functional_tests_normalized.json": '[{"uid": "t-9", "title": "New"}]',
    "api.json": '[{"testCaseId": "API-1"}, {"title": "Nameless"}]',
    "broken.json": '[{"uid": 1',
}


def write_exports(folder: Path) -> Path:
    """Makes a folder that `ingest_tests` may read, with a file where it looks by default."""
    folder.mkdir()
    for name, text in EXPORTS.items():
        (folder / name).write_text(text)
    return folder


def write_knowledge(root: Path, **changes: str) -> Path:
    """Writes the files below `root`. `changes` maps a path to other content."""
    for name, text in {**FILES, **changes}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
