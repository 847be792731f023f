"""The commands of docs/migrating.md, on input of our own in the shape of each original, and the tools that
its tables name."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import pytest
from tests.end_to_end.installed import ROOT
from tests.end_to_end.serving.test_stdio import ask
from tests.end_to_end.talk import Talk
from tests.end_to_end.test_documented_commands import without_comment
from tests.waiting import PATIENCE_S

from kbc.cli.main import run

PAGE = (ROOT / "docs" / "migrating.md").read_text()
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
NOT_OFFERED = {
    *("index_workspace", "clear_index", "enhance_prompt"),
    *("trace_symbol", "find_callers", "find_callees"),
}
"""What the tables name to say what stands in its place."""

TEMPLATE = {
    "name": "Plain",
    "description": "A specification with one variable.",
    "filename": "plain.qnt",
    "framework": "standard",
    "use_for": ["Lamps"],
}
RELAY = {
    "name": "Relay",
    "description": "Lamps that signal to each other.",
    "filename": "relay.qnt",
    "framework": "choreo",
    "use_for": ["Signal protocols"],
}
BUILTINS = """# Documentation for builtin

## size

Signature: `pure def size: (Set[a]) => int`

The number of elements.

## head

Signature: `pure def head: (List[a]) => a`

The first element.

## length

Signature: `pure def length: (List[a]) => int`

The number of elements of a list.
"""
PATTERN = """---
id: one-lamp
name: One lamp
category: best-practice
---

# One lamp

Light one lamp only.
"""
TEMPLATES = """# Templates

## plain

**Name:** Plain

**Description:** A specification with one variable.

**Filename:** plain.qnt

**Framework:** standard

**Use for:**
- Lamps

---

## relay

**Name:** Relay

**Description:** Lamps that signal to each other.

**Filename:** relay.qnt

**Framework:** choreo

**Use for:**
- Signal protocols
"""
FILES = {
    "path/to/quint-llm-kit/mcp-servers/kb/kb": {
        "docs/builtin.md": BUILTINS,
        "docs/lamps.md": "# Lamps\n\nA lamp burns oil.\n",
        "examples/lamp.qnt": "module lamp {\n  var oil: int\n  action init = oil' = 3\n}\n",
        "patterns/one-lamp.md": PATTERN,
        "templates/plain.qnt": "module plain {\n  var x: int\n}\n",
        "templates/relay.qnt": "module relay {\n  var y: int\n}\n",
        "templates/templates.json": json.dumps({"plain": TEMPLATE, "relay": RELAY}),
        "templates/templates.md": TEMPLATES,
    },
    "my-tests": {
        "kb.toml": '[kb]\nname = "my-tests"\n',
        "tests/functional.json": '[{"uid": "T-1", "title": "Lamp burns", "steps": ["Light it"]}]',
    },
    "exports": {"functional_tests_normalized.json": '[{"uid": "T-2", "title": "Lamp goes out"}]'},
    "docs.example.org": {
        "guide/index.html": "<html><body><main><h1>Guide</h1><p>Trim the wick.</p></main></body></html>",
        "guide/oil.html": "<html><body><main><h1>Oil</h1><p>Buy oil first.</p></main></body></html>",
    },
    "clone": {
        "package.json": '{"name": "lamps", "epicshop": {"title": "Lamps"}}',
        "exercises/01.light/README.mdx": "# Light\n",
        "exercises/01.light/01.problem.wick/README.mdx": "# Wick\n",
        "exercises/01.light/01.problem.wick/index.ts": "export const lit = false\n",
        "exercises/01.light/01.solution.wick/README.mdx": "# Wick\n",
        "exercises/01.light/01.solution.wick/index.ts": "export const lit = true\n",
    },
    "my-workshops": {"workshops.txt": "../clone\n"},
    "my-code": {
        "kb.toml": '[kb]\nname = "my-code"\n',
        "code/lamp.py": "def light(lamp):\n    return lamp.oil\n",
    },
    "path/to/tree": {"lamp.py": "def light(lamp):\n    return lamp.oil\n"},
}


def sections() -> dict[str, str]:
    """The text of each original's section by its heading."""
    parts = re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(section: str) -> list[list[str]]:
    blocks = re.findall(r"^```console\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [shlex.split(without_comment(line)) for line in lines]


def tools_of(section: str) -> set[str]:
    """The tools in the first column of the table of tools."""
    table = section.partition("| Tool |")[2]
    cells = [row.split(" | ")[0] for row in table.splitlines() if row.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder, files in FILES.items():
        for name, text in files.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (toml,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "my-workshops" / "kb.toml").write_text(f'[kb]\nname = "my-workshops"\n\n{toml}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KBC_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("original", sections())
def test_the_commands_work_and_offer_the_tools_of_the_tables(
    original: str, inputs: Path, environment: dict[str, str]
) -> None:
    section = sections()[original]
    served = 0
    for program, *arguments in commands(section):
        if program == "wget":
            continue  # what it would have fetched is there
        assert program == "kbc"
        if arguments[0] == "build":
            assert run([*arguments, "--lexical-only", "--quiet"]) == 0
            continue
        assert arguments[0] == "serve"
        command = [sys.executable, "-m", "kb_runtime", *arguments[1:]]
        own = {**environment, "KBC_CACHE": str(inputs / "cache")}
        with Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=own) as process:
            listed = ask(Talk(process).process, LIST)["result"]["tools"]
            assert process.stdin is not None
            process.stdin.close()
            process.wait(PATIENCE_S)
        offered = {tool["name"] for tool in listed}
        assert tools_of(section) - NOT_OFFERED <= offered
        assert not offered & NOT_OFFERED
        served += 1
    assert served
    assert len(tools_of(section)) >= 4
