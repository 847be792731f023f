#!/usr/bin/env python3
"""Writes docs/cli.md and docs/tools.md from the code that they describe, and the tools of a workspace
as a server lists them before there is an artifact that has them; a test keeps them equal.

python scripts/generate_docs.py           # writes
python scripts/generate_docs.py --check   # exits 1 when a page is out of date
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import answer_fields
import click
from tool_examples import EXAMPLES
from tool_refusals import Refused, refused

from kb_runtime.mcp import workspace_answers
from kb_runtime.start.options import usage
from kb_runtime.tools import TOOLS
from kb_runtime.tools.arguments import MAX_ITEMS, check
from kb_runtime.tools.declaration import Argument, Tool
from kb_runtime.tools.schemas import describe
from kb_runtime.tools.search.compact import COMPACT_TOOLS
from kbc.backends.tools import CollectionSummary, ServerFacts, tools_document
from kbc.cli.main import cli

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WORKSPACE_TOOLS = Path(workspace_answers.__file__).with_name(workspace_answers.FILE)

CLI_HEAD = """\
# The command line

Generated from the commands themselves by `scripts/generate_docs.py`.

Every command that prints a result takes `--json`; on failure that prints `error` (and the `diagnostics` of a build) in place of the result. Colour and progress bars appear on terminals only. `kbc --debug
COMMAND ...` shows the traceback of an error.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | `install`, `doctor`: the server does not work in a client |
| 2 | a wrong option or argument |
| 3 | the knowledge base has errors; nothing was published (with `check --strict`: or warnings) |
| 4 | not an artifact, damaged, or of another format version |
| 5 | the output or a client's configuration cannot be written, is full, or another build holds it |
| 6 | the encoder's model is missing, is not the pinned one, or gave unusable vectors |
| 7 | `get`: there is no record of that name; `install`: no client was found |
| 8 | the compiler's dependencies are not installed |
| 70 | a defect of kbc |
| 130 | interrupted; the last published version stays live |
"""

TOOLS_HEAD = """\
# The MCP tools

Generated from the tools' declarations by `scripts/generate_docs.py`. `{prefix}` stands for the knowledge base's prefix
(`quint_get_builtin`). A tool is offered when the artifact has a collection that it reads; `kbc serve --tools` narrows
that to families, or to the five general tools of the profile `compact`.

Common to all tools:

- A call without arguments equals one with `{}`; `null` equals an omitted argument; unknown arguments are ignored with a
  warning. Texts are trimmed. Whole numbers may come as `5`, `5.0` or `"5"`.
- An answer has one text and, unless said otherwise, `structuredContent` with the same facts: the fields in the second table
  of each tool, in which `[]` stands for the items of a list, `{}` for the values of an object whose keys are data, and `?`
  for a field that is left out without a value. Any structure may have `warnings`, a list of sentences, and the text has
  them too.
- `{prefix}_hybrid_search` always gives `resultsByScope`; with one scope also `results`, the same list, which the text leaves
  out. The more hits an answer has, the less each tells: ten take about 4 kB of text and 7 kB of structure, where up to
  five (ten over several scopes) have longer snippets, tags and the lines of the passage as well.
- A call that cannot be answered is a result with `isError`; its text starts with `Error:` (in the
  family `tests` with `API Error (<status>):`, in `workshops` with a heading before it) and says what to do, and
  `structuredContent.error` has `kind` (`BAD_INPUT`, `NOT_FOUND`, `NO_MATCH`, `READ_ONLY`, `UNAVAILABLE`, `INTERNAL`),
  `message` and where it helps `suggestions`, `details`, `next` (what to do) and in the family `tests` the `status`. A search
  without hits is a success.
- The family `sources` answers with JSON-RPC errors instead: -32602 for arguments, -32603 for failures of the server, whose
  `data` is that `error` and the correlation id. Only a page or section that does not exist is a result with `isError`.
- The refused calls below each tool were made to a small knowledge base when this page was written; the texts are its
  answers. Arguments that are no object are refused for every tool, with -32602.
- Only names in the compiled index resolve, and no path of a request is opened, but for `ingest_tests`: it reads JSON files
  of up to 100 MB in the server's data folder, none of them through a link.
- Limits inside `filters`: `search_tests` takes at most 50 values of each, of 100 characters (500 for `testPath`).
"""


def main() -> int:
    pages = {
        DOCS / "cli.md": cli_page(),
        DOCS / "tools.md": tools_page(),
        WORKSPACE_TOOLS: workspace_tools(),
    }
    stale = [page for page, text in pages.items() if _read(page) != text]
    if "--check" in sys.argv[1:]:
        for page in stale:
            shown = page.relative_to(ROOT)
            print(f"{shown} is out of date: run scripts/generate_docs.py", file=sys.stderr)
        return 1 if stale else 0
    for page in stale:
        page.write_text(pages[page], encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
    return 0


def workspace_tools() -> str:
    """The families that a workspace may have, as `tools.json` has them."""
    facts = ServerFacts(
        name="workspace",
        title="Workspace",
        version="0",
        prefix="workspace",
        description="",
        built_at="",
        build_id="",
        collections=[CollectionSummary("tests", "tests", 1), CollectionSummary("code", "code", 1)],
    )
    document = tools_document(facts)
    families = {
        name: {"tools": document["families"][name]["tools"], "prompts": []}
        for name in ("tests", "codebase")
    }
    wires = [tool["name"] for family in families.values() for tool in family["tools"]]
    offer = {
        "families": families,
        "names": {wire: document["names"][wire] for wire in wires},
        "instructions": {name: document["instructions"]["families"][name] for name in families},
    }
    return json.dumps(offer, ensure_ascii=False, indent=1) + "\n"


def cli_page() -> str:
    parts = [CLI_HEAD]
    for name, command in cli.commands.items():
        help_text = usage() if name == "serve" else _help(name, command)
        summary = command.get_short_help_str(limit=200)
        parts.append(f"## kbc {name}\n\n{summary}\n\n```text\n{help_text.strip()}\n```\n")
        for inner, each in command.commands.items() if isinstance(command, click.Group) else ():
            full = f"{name} {inner}"
            parts.append(f"### kbc {full}\n\n```text\n{_help(full, each).strip()}\n```\n")
    return "\n".join(parts)


def tools_page() -> str:
    families: dict[str, list[Tool]] = {}
    for tool in (*TOOLS, *COMPACT_TOOLS):
        families.setdefault(tool.family, []).append(tool)
    refusals = refused()
    parts = [TOOLS_HEAD]
    for family, tools in families.items():
        parts.append(f"## Family `{family}`\n")
        parts += ["\n".join(_tool(tool, refusals.get(tool.name, []))) for tool in tools]
    return "\n".join(parts)


def _tool(tool: Tool, refusals: list[Refused]) -> Iterator[str]:
    described = describe(tool, "{prefix}", {})
    yield f"### {tool.name}\n\n{described['description']}\n"
    if tool.arguments:
        yield "| argument | type | default | limits | meaning |\n|---|---|---|---|---|"
        yield from map(_argument, tool.worded("{prefix}", {}).arguments)
        yield ""
    else:
        yield "No arguments.\n"
    if tool.output is not None:
        yield "| field of the answer | type | meaning |\n|---|---|---|"
        yield from map(_field, answer_fields.fields(tool.name))
        yield ""
    else:
        yield "The answer is text only.\n"
    yield f"Errors: {_errors(tool) or 'only those of every tool'}.\n"
    if refusals:
        yield "| refused call | error | message |\n|---|---|---|"
        yield from (
            f"| `{call}` | {kind} | {message.replace('|', _PIPE)} |"
            for call, kind, message in refusals
        )
        yield ""
    example = EXAMPLES[tool.name]
    _, warnings = check(tool, example)
    assert not warnings, (tool.name, warnings)
    yield f"Example: `{json.dumps(example)}`\n"


def _field(field: answer_fields.Field) -> str:
    name = f"`{field.path}`{' ?' if field.is_optional else ''}"
    return f"| {name} | {field.type} | {field.meaning.replace('|', _PIPE)} |"


def _errors(tool: Tool) -> str:
    """What the declaration refuses."""
    reasons = []
    for argument in tool.arguments:
        if argument.required:
            reasons.append(f"no `{argument.name}`")
        if argument.max_length is not None:
            reasons.append(f"`{argument.name}` too long")
        if argument.out_of_range == "reject" and argument.minimum is not None:
            reasons.append(f"`{argument.name}` out of range")
        if argument.out_of_range == "clamp above":
            reasons.append(f"`{argument.name}` below {argument.minimum}")
        if argument.choices:
            reasons.append(f"another `{argument.name}`")
        if argument.name == "cursor":
            reasons.append("a `cursor` of another request or build")
    if not reasons:
        return ""
    kind = {"sources": "-32602", "tests": "`BAD_INPUT` (400)"}.get(tool.family, "`BAD_INPUT`")
    return f"{kind} for {', '.join(reasons)}"


def _argument(argument: Argument) -> str:
    default = "required" if argument.required else _code(argument.default)
    meaning = argument.description.replace("|", "\\|")
    return f"| `{argument.name}` | {argument.type} | {default} | {_limits(argument)} | {meaning} |"


_PIPE = "\\|"
_OUT_OF_RANGE = {
    "clamp": "clamped outside",
    "clamp above": "clamped above and refused below",
    "reject": "refused outside",
}


def _limits(argument: Argument) -> str:
    limits = []
    low, high = argument.minimum, argument.maximum
    if low is not None or high is not None:
        bounds = f"at least {low:g}" if high is None else f"at most {high:g}"
        if low is not None and high is not None:
            bounds = f"{low:g} to {high:g}"
        limits.append(f"{bounds}, {_OUT_OF_RANGE[argument.out_of_range]}")
    if argument.type == "string[]":
        limits.append(f"at most {MAX_ITEMS} items")
    if argument.max_length is not None:
        limits.append(f"at most {argument.max_length:,} characters")
    if argument.choices:
        limits.append(", ".join(f"`{choice}`" for choice in argument.choices))
    return "; ".join(limits)


def _code(value: Any) -> str:
    return "" if value is None else f"`{value}`"


def _help(name: str, command: click.Command) -> str:
    with click.Context(command, info_name=f"kbc {name}", max_content_width=100) as context:
        return command.get_help(context)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
