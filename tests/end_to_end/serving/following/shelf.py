"""Two knowledge bases for one server: a project with a MkDocs site, without a kb.toml, and one with a
collection of every kind. Both have a page, a file, a test, a source and a workshop of the same name."""

from __future__ import annotations

from tests.end_to_end.knowledge import FILES, MORE_FILES

SITE = {
    "pyproject.toml": '[project]\nname = "beacon"\nversion = "2.0"\ndescription = "Lights."\n',
    "README.md": "# Beacon\n\nBeacon keeps the lights of a coast.\n\n## Install\n\nRun the installer.\n",
    "mkdocs.yml": """\
site_name: Beacon
site_url: https://beacon.example.org/
nav:
  - Home: index.md
  - Guide:
      - Lamps: guide/lamps.md
      - "The lens: an overview": guide/lens.md
      - "C#": guide/C#.md
markdown_extensions: [attr_list, admonition, toc, pymdownx.tabbed]
""",
    "docs/index.md": "# Welcome\n\nThe coast has [lamps](guide/lamps.md#trim).\n\n## Next\n\nRead on.\n",
    "docs/lanterns.md": "# Lanterns\n\nThe lanterns of the beacon are electric.\n",
    "docs/copy.md": "# Transcript\n\nWhat the keeper has said.\n",
    "docs/guide/lamps.md": """\
---
title: Lamps
tags: [light, oil]
---

# Lamps

A lamp burns colza oil.

## Trimming the wick { #trim }

Cut the wick straight across.

### Example

```python
# not a heading
lamp.trim(2)
```

## Cleaning { #care }

Wipe the glass.

## Storing { #care }

Keep the spare wick dry.

### Example

Use a chamois and spirits of wine.

## `Lamp.light()` & its "options": a/b

Lights the lamp; é and 灯 are letters, too.

## 日本語の見出し

A heading without a letter of the alphabet.
""",
    "docs/guide/lens.md": "# The lens: an overview\n\nSetext\n------\n\nA lens bends light.\n\n"
    "!!! note\n    Never touch it.\n"
    + "".join(
        f"\n## Panel {number}\n\n"
        + f'Panel {number} of the "lens" has a prism, which throws \\ the beam far out. ' * 12
        + "\n"
        for number in range(14)
    ),
    "docs/guide/C#.md": "# C#\n\nThe client for C# lights lamps.\n\n## Usage of C#\n\nCall `Light`.\n",
    "openapi.yaml": """\
openapi: 3.0.3
info:
  title: Beacon API
  version: "2"
paths:
  /lamps:
    get:
      operationId: listLamps
      summary: List the lamps
      responses: {"200": {description: All lamps of the coast}}
  /lamps/{id}:
    get:
      operationId: getLamp
      summary: Read one lamp
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: One lamp}}
    delete:
      summary: Put a lamp out for good
      responses: {"204": {description: Gone}}
components:
  schemas:
    Lamp:
      type: object
      description: What burns in a tower.
      properties: {id: {type: string}, oil: {type: integer}}
""",
    "src/beacon/lamp.py": """\
\"\"\"Lamps and what lights them.\"\"\"


class Lamp:
    \"\"\"A lamp of a tower.\"\"\"

    def light(self) -> int:
        return trim(self) + 1

    def douse(self) -> int:
        return -trim(self)


def trim(lamp: Lamp) -> int:
    \"\"\"Cuts the wick of a lamp.\"\"\"
    return 2
""",
    "src/beacon/tower.py": "from beacon.lamp import Lamp, trim\n\n\ndef watch():\n    lamp = Lamp()\n"
    + "    trim(lamp)\n" * 12
    + "    return lamp.light()\n",
    "pump/pump.py": "def start_pump(pressure):\n    return pressure * 5  # the pump of the beacon\n",
    **{
        f"features/{name}.feature": f"Feature: {name.title()}\n\n"
        + "".join(
            f"  @{name} @SEA-{number}{order}\n  Scenario: The {name} {verb}\n    Given a {name}\n"
            f'    When the keeper {verb} the {name}\n    Then the {name} is "{verb}"\n\n'
            for order, verb in enumerate(("lights", "cleans", "inspects"))
        )
        for number, name in enumerate(("lamp", "lens", "tower"), 1)
    },
    "exercises/README.mdx": "# Keeping a light\n\nWelcome to the tower.\n",
    "exercises/01.wick/README.mdx": "# Wick\n\nA wick draws oil.\n",
    "exercises/01.wick/01.problem.cut/README.mdx": "# Cut\n\nCut the wick.\n",
    "exercises/01.wick/01.problem.cut/wick.py": "def cut():\n    pass\n",
    "exercises/01.wick/01.solution.cut/README.mdx": "# Cut\n\nIt is cut.\n",
    "exercises/01.wick/01.solution.cut/wick.py": "def cut():\n    return 'straight'\n",
    "exercises/01.wick/02.problem.light/README.mdx": "# Light\n\nLight it.\n",
    "exercises/01.wick/02.problem.light/wick.py": "def light():\n    pass\n",
    "exercises/01.wick/02.solution.light/README.mdx": "# Light\n\nIt burns.\n",
    "exercises/01.wick/02.solution.light/wick.py": "def light():\n    return 'flame'\n",
}

KINDS = {
    "builtins": ["builtins", "docs/operators.md"],
    "docs": ["docs"],
    "examples": ["examples"],
    "patterns": ["patterns"],
    "templates": ["templates"],
    "code": ["code"],
    "pages": ["sources"],
    "tests": ["tests"],
    "workshops": ["workshops"],
    "routing": ["routing.toml"],
}
GROUPS = ("posts", "guidelines")
COLLECTIONS = "".join(
    [
        f'\n[[collection]]\nname = "{kind}"\nkind = "{kind}"\npaths = {KINDS[kind]}\n'
        for kind in KINDS
    ]
    + [
        f'\n[[collection]]\nname = "{group}"\nkind = "docs"\npaths = ["{group}"]\ngroup = "{group}"\n'
        for group in GROUPS
    ]
)
OPERATORS = """\
# Operators

## `fold`

Signature: `fold: (List[a], b, (b, a) => b) => b`

Joins the elements of a list. See also `toSet`.

## `span`

Signature: `span: (List[a]) => int`

How long a list is.
"""
PATTERN = """\
---
id: keep-a-log
name: Keep a log
category: testing
related: [one-at-a-time]
required_builtins: [fold, toSet]
examples: [harbour/ferry.qnt]
---

# Keep a log

Write down who was aboard.
"""
SAILS = "\n".join(
    f"## Sail {number}\n\n" + f"The sail {number} is reefed when the wind blows up. " * 9 + "\n"
    for number in range(12)
)


TYPES = "  type Berth = int\n  const QUAYS: int\n  pure def moored(at) = at + QUAYS\n"


def harbour(name: str, verb: str) -> dict[str, str]:
    """A knowledge base that has something of every kind; one with another verb has other texts."""
    log = {f"examples/log/l{number}.qnt": f"module l{number} {{ }}\n" for number in range(30)}
    long = "".join(f"  // line {number} of a comment that {verb}s\n" for number in range(60))
    cases = ",".join(
        f'{{"uid": "SEA-{number}", "jiraKey": "SEA-{number}", "title": "Rope {number} {verb}s",'
        f' "testCaseId": "CASE-{number}", "relatedIssues": ["SEA-3"], "testPath": "a/{number}.py",'
        f' "steps": ["Pull rope {number}", "It {verb}s"]}}'
        for number in range(10, 34)
    )
    files = {
        **FILES,
        **MORE_FILES,
        "docs/operators.md": OPERATORS,
        f"docs/{name}.md": f"# The {name}\n\nWho {verb}s here.\n\n## Berths\n\nNine.\n",
        "builtins/toSet.md": FILES["builtins/toSet.md"].replace(
            "aliases:", "related: [fold]\naliases:"
        ),
        "routing.toml": FILES["routing.toml"].replace(
            'docs = ["docs/lanterns.md"]',
            'docs = ["docs/lanterns.md"]\nexamples = ["harbour/ferry.qnt"]',
        ),
        "docs/anchors.md": f"# Anchors\n\nAn anchor {verb}s.\n\n## Chain\n\nHeavy.\n",
        "docs/sails.md": f"# Sails\n\n{SAILS}",
        "code/signals.py": "".join(
            f"def {verb}_signal_{number}(flag, mast):\n    return mast.{verb}(flag, {number})\n\n\n"
            for number in range(24)
        ),
        "docs/copy.md": "# Double\n\nA lantern burns oil. This page says how to light one.\n",
        "patterns/keep-a-log.md": PATTERN,
        "templates/boat.qnt": f"module boat {{\n  var speed: int\n{long}}}\n",
        "examples/harbour/long.qnt": f"module long {{\n{TYPES}{long}}}\n",
        **log,
        "code/pump/valve.py": f"from pump.pump import prime\n\n\nclass Valve:\n    def turn(self):\n"
        f"        return {verb}()\n\n\ndef {verb}():\n    return prime()\n",
        "sources/almanac/sails.md": f"# Sails\n\n```go\nreef()\n```\n\n{SAILS}",
        "sources/atlas/source.toml": 'id = "atlas"\nname = "Atlas"\nurl = "https://example.net/"\n',
        "sources/atlas/coast.md": f"# Coast\n\nThe coast {verb}s.\n",
        "tests/ropes.json": f"[{cases}]",
        f"tests/{name}.json": f'[{{"uid": "{name}-a", "jiraKey": "{name.upper()}-1", "title": "Bell"}},'
        f' {{"uid": "{name}-b", "jiraKey": "{name.upper()}-1", "title": "Bell again"}}]',
        "workshops/beacon/package.json": '{"epicshop": {"title": "Beacons", "product": {"slug": "lights"}}}',
        "workshops/beacon/exercises/01.fire/README.mdx": f"# Fire\n\nA fire {verb}s.\n",
    }
    texts = {path: text.replace("burn", verb).replace("mov", verb) for path, text in files.items()}
    settings = FILES["kb.toml"].replace('"demo"', f'"{name}"').replace("Demo", name.title())
    return {**texts, "kb.toml": settings + COLLECTIONS}
