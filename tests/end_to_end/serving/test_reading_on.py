"""A hit of the general search shows what its answer has room for, and says which lines to read on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.revisions import NEWEST_HANDSHAKE
from kb_runtime.tools.search.passages import MAX_SECTION_CHARS
from kbc.pipeline.build import BuildOptions, build

STEPS = "".join(
    f"Step {number} turns the winch by {number * 7} degrees and waits until the rope is slack.\n\n"
    for number in range(1, 101)
)
FILES = {
    "pyproject.toml": '[project]\nname = "weir"\nversion = "1.2"\n',
    "mkdocs.yml": "site_name: Weir\n",
    "docs/index.md": "# Weir\n\nAbout weirs, their sluices and what else is in a river.\n",
    "docs/sluice.md": (
        "# Sluice\n\n"
        + "A sluice is a gate that slides up and down in a frame. " * 12
        + "\n\n## `open_sluice(speed)` {#sluice.open}\n\n"
        "It opens the sluice by hand, at a speed that the `speed` option states in millimetres.\n\n"
        + "Wood swells, so that an old sluice is slower than a new one. "
        * 6
        + "\n\n"
        "```toml\n[sluice]\nspeed = 12\n```\n"
    ),
    "docs/winch.md": f"# Winch\n\n## Overhaul\n\n{STEPS}",
    "docs/rope.md": (
        "# Rope\n\n## Splicing\n\n"
        + "".join(f"Tuck {number} goes under the strand. " * 6 + "\n\n" for number in range(1, 9))
        + "At the end burn the fibres with a lighter.\n\n## Storage\n\n"
        + "Keep it dry, out of the sun and away from acids. " * 12
    ),
    "weir/gauge.py": (
        "def read_gauge(station):\n"
        '    """The level of the water."""\n'
        + "".join(f"    depth_{number} = station.sound({number})\n" for number in range(60))
        + "    return depth_59\n\n\ndef other():\n    return 1\n"
    ),
}


@pytest.fixture(scope="module")
def dispatcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    folder = tmp_path_factory.mktemp("reading")
    for path, text in FILES.items():
        (folder / "weir" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "weir" / path).write_text(text)
    options = BuildOptions(out=folder / "out", cache=None, embed=False)
    live = LiveArtifact(build(folder / "weir", options).path.parent)
    yield Dispatcher(live, "compact")
    live.close()


def call(dispatcher: Dispatcher, tool: str, /, **arguments: Any) -> Any:
    params = {"name": f"weir_{tool}", "arguments": arguments}
    result = dispatcher.handle("tools/call", params, NEWEST_HANDSHAKE)
    assert result["isError"] is False, result
    return result


def first_hit(dispatcher: Dispatcher, query: str, **arguments: Any) -> Any:
    return call(dispatcher, "search", query=query, **arguments)["structuredContent"]["hits"][0]


def read(dispatcher: Dispatcher, hit: Any) -> str:
    """The section of a hit."""
    first, last = hit["section"]
    result = call(dispatcher, "get", name=hit["address"], start_line=first, end_line=last)
    text: str = result["content"][0]["text"]
    return text


def test_a_passage_that_fits_is_shown_whole_below_its_heading(dispatcher: Dispatcher) -> None:
    hit = first_hit(dispatcher, "speed of a sluice in millimetres")
    assert hit["snippet"].startswith("It opens the sluice by hand")
    assert hit["snippet"].endswith("speed = 12\n```")
    assert hit["lines"] == [7, 14]
    assert "section" not in hit


def test_the_section_of_a_hit_is_read_with_its_lines(dispatcher: Dispatcher) -> None:
    found = call(dispatcher, "search", query="tuck under the strand")
    hit = found["structuredContent"]["hits"][0]
    lines = "lines {}-{} of {}-{}".format(*hit["lines"], *hit["section"])
    assert f"{hit['address']} {lines}\n" in found["content"][0]["text"]
    text = read(dispatcher, hit)
    assert "## Splicing" in text
    assert "burn the fibres" in text
    assert "Storage" not in text


def test_a_definition_is_read_with_the_lines_of_a_hit_in_it(dispatcher: Dispatcher) -> None:
    text = read(dispatcher, first_hit(dispatcher, "read_gauge", scope="code"))
    assert "def read_gauge(station):" in text
    assert text.endswith("    return depth_59\n") or text.rstrip().endswith("return depth_59")
    assert "def other" not in text


def test_of_a_long_section_what_follows_is_read(dispatcher: Dispatcher) -> None:
    hit = first_hit(dispatcher, "winch 196 degrees")
    text = read(dispatcher, hit)
    assert hit["snippet"] in text
    body = text.split("\n\n", 1)[1]
    assert "Step 28 " in body
    assert "Step 1 " not in body
    assert len(body) <= MAX_SECTION_CHARS + 2


def test_a_part_of_a_record_says_which_lines_it_has(dispatcher: Dispatcher) -> None:
    address = first_hit(dispatcher, "winch 196 degrees")["address"]
    first = call(dispatcher, "get", name=address, max_chars=1_000)["content"][0]["text"]
    header, body, _ = re.split(r"\n\n(?=# Winch)|\n\n\[", first)
    last = len(body.splitlines())
    assert header.endswith(
        f"lines 1 to {last} of 1 to 204; weir_outline has the lines of its parts"
    )
    cursor = first.rpartition(" ")[2].rstrip("]")
    second = call(dispatcher, "get", name=address, max_chars=1_000, cursor=cursor)
    assert f", lines {last + 1} to " in second["content"][0]["text"]


def test_only_scopes_with_something_in_them_are_listed(dispatcher: Dispatcher) -> None:
    (tool,) = (
        tool
        for tool in dispatcher.handle("tools/list", {}, NEWEST_HANDSHAKE)["tools"]
        if tool["name"] == "weir_search"
    )
    scopes = tool["inputSchema"]["properties"]["scope"]["enum"]
    info = call(dispatcher, "info")["structuredContent"]
    assert scopes[0] == "all"
    assert set(scopes) == set(info["scopes"])
    assert {each["name"] for each in info["collections"]} < set(scopes)
    assert "templates" not in scopes


def test_a_scope_without_anything_says_so(dispatcher: Dispatcher) -> None:
    found = call(dispatcher, "search", query="winch", scope="templates")["structuredContent"]
    assert (found["hits"], found["advice"]) == (
        [],
        "Nothing is in the scope templates: use the scope all.",
    )
