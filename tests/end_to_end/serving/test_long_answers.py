"""Answers over texts and lists of any length: each fits its budget, and together they hold everything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.mcp.revisions import NEWEST_HANDSHAKE
from kb_runtime.tools.session import DEFAULT_CHARS
from kbc.pipeline.build import BuildOptions, build

RELEASES = "".join(
    f"## 1.{number}.0\n\n"
    + "".join(
        f'* Fix "case" {line} of the parser for `{number}`, by someone.\n' for line in range(40)
    )
    + "\n"
    for number in range(150)
)
PAGE = f"# Release notes\n\nWhat changed.\n\n{RELEASES}"
FACTS = "# Facts\n\n" + "".join(
    f'## Fact {number}\n\n"{number}" is 👩‍👩‍👧 `{number}`.\n\n' for number in range(120)
)
TEMPLATE = (
    f'[[template]]\nid = "facts"\nname = "Facts"\nfile = "facts.qnt"\nframework = "any"\n'
    f'description = "{"About facts. " * 9}"\n'
    f'instructions = ["{"Do it. " * 90}"]\n'
)
BUILTIN = (
    '---\nname: "NAME"\nsignature: "pure def NAME: (Set[Set[Set[a]]], Set[Set[Set[a]]]) => bool"\n'
    'category: "set"\ncategories: ["set", "map", "list", "logic"]\n---\n\nTells it.\n'
)
SOURCE = 'name = "Guide"\nurl = "https://example.org/guide/"\n'


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    files = {
        "kb.toml": '[kb]\nname = "long"\n',
        "docs/releases.md": PAGE,
        "sources/guide/source.toml": SOURCE,
        "sources/guide/releases.md": PAGE,
        "docs/facts.md": f"---\ntitle: Facts\nabout: {'many facts ' * 60}\n---\n{FACTS}",
        "sources/guide/facts.md": FACTS,
        "templates/templates.toml": TEMPLATE,
        "templates/facts.qnt": FACTS,
        "examples/facts.qnt": FACTS,
        "code/facts.py": FACTS,
        "examples/big/big.qnt": "module big {\n" + "  // a line of a comment\n" * 3_000 + "}\n",
    }
    files |= {f"builtins/b{n}.md": BUILTIN.replace("NAME", f"b{n}") for n in range(20)}
    files |= {f"examples/many/e{n:03}.qnt": f"module e{n} {{}}\n" for n in range(300)}
    files |= {f"docs/part/page-{n:04}.md": f"# Page {n}\n\nText {n}.\n" for n in range(600)}
    for path, text in files.items():
        (folder / "kb" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "kb" / path).write_text(text, encoding="utf-8")
    options = BuildOptions(out=folder / "out", cache=folder / "cache", embed=False)
    return build(folder / "kb", options).path.parent


@pytest.fixture(scope="module")
def server(artifact: Path) -> Iterator[Dispatcher]:
    live = LiveArtifact(str(artifact))
    yield Dispatcher(live, FAMILIES)
    live.close()


FAMILIES = "compact,reference,search,sources,codebase"


def call(server: Dispatcher, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result, which fits its budget."""
    params = {"name": tool, "arguments": arguments}
    result = server.handle("tools/call", params, NEWEST_HANDSHAKE)
    limit = arguments.get("max_chars", DEFAULT_CHARS)
    assert len(result["content"][0]["text"]) <= limit
    structure = json.dumps(
        result.get("structuredContent"), ensure_ascii=False, separators=(",", ":")
    )
    assert len(structure) <= limit
    return result


def parts(server: Dispatcher, tool: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """The structures of an answer and of all that continue it."""
    while True:
        result = call(server, tool, **arguments)
        assert not result["isError"], result
        yield result["structuredContent"]
        cursor = result["structuredContent"].get("nextCursor")
        if cursor is None:
            return
        arguments["cursor"] = cursor


@pytest.mark.parametrize("max_chars", [None, 4_000])
def test_a_long_page_is_read_in_parts_that_join(server: Dispatcher, max_chars: int | None) -> None:
    given = {} if max_chars is None else {"max_chars": max_chars}
    found = list(parts(server, "long_get_doc", filename="docs/releases.md", **given))
    assert "".join(part["content"] for part in found) == PAGE
    assert found[0]["truncated"] is True
    assert found[0]["size"] == len(PAGE)
    assert "nextCursor" in found[0]["next"]
    assert found[0]["outline"][0] == {"title": "Release notes", "level": 1, "line": 1}
    assert "truncated" not in found[-1]


def test_a_section_of_a_long_page_is_whole(server: Dispatcher) -> None:
    (only,) = parts(server, "long_get_doc", filename="docs/releases.md", section="1.7.0")
    assert only["content"].startswith("## 1.7.0")


@pytest.mark.parametrize(
    ("tool", "arguments", "whole"),
    [
        ("long_get_example", {"path": "big/big.qnt"}, "a line of a comment"),
        ("qurio_read_page", {"url": "https://example.org/guide/releases"}, "## 1.149.0"),
    ],
)
def test_other_long_texts_are_read_in_parts(
    server: Dispatcher, tool: str, arguments: dict[str, str], whole: str
) -> None:
    found = list(parts(server, tool, **arguments))
    assert len(found) > 2
    assert whole in found[-1]["content"]
    assert sum(len(part["content"]) for part in found) > 60_000


@pytest.mark.parametrize("max_chars", [1000, 1100, 1500, 2500])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("long_get_doc", {"filename": "docs/facts.md"}),
        ("long_get_doc", {"filename": "docs/facts.md", "startLine": 5, "a" * 70: 1, "b" * 70: 1}),
        ("long_get_template", {"templateId": "facts"}),
        ("long_get_example", {"path": "facts.qnt"}),
        ("qurio_read_page", {"url": "https://example.org/guide/facts"}),
        ("get_file", {"path": "facts.py"}),
    ],
)
def test_parts_join_however_little_an_answer_may_have(
    server: Dispatcher, tool: str, arguments: dict[str, Any], max_chars: int
) -> None:
    found = list(parts(server, tool, **arguments, max_chars=max_chars))
    assert 2 < len(found) < 40
    assert "".join(part["content"] for part in found) == FACTS


def test_a_long_list_of_pages_is_read_in_parts(server: Dispatcher) -> None:
    found = list(parts(server, "long_list_docs"))
    assert len(found) > 1
    listed = [entry["path"] for part in found for entry in part.get("docs/part", ())]
    assert listed == [f"docs/part/page-{n:04}.md" for n in range(600)]
    assert {part["total"] for part in found} == {602}


@pytest.mark.parametrize("arguments", [{}, {"category": "map"}])
@pytest.mark.parametrize("max_chars", [1000, 2000, 6000])
def test_builtins_of_several_categories_are_listed_in_parts(
    server: Dispatcher, arguments: dict[str, str], max_chars: int
) -> None:
    found = list(parts(server, "long_list_builtins", max_chars=max_chars, **arguments))
    assert len(found) > 1 or max_chars > 2000
    listed = [each["name"] for part in found for each in part["builtins"]]
    assert sorted(listed) == sorted(f"b{n}" for n in range(20))
    for category in [arguments["category"]] if arguments else ["set", "map", "list", "logic"]:
        of = [each["name"] for part in found for each in part["byCategory"][category]]
        assert of == listed
    assert not any("truncated" in part for part in found)


def test_the_files_of_a_folder_are_listed_in_parts(server: Dispatcher) -> None:
    found = list(parts(server, "long_get_example", path="many", max_chars=2_000))
    assert len(found) > 2
    assert [file for part in found for file in part["files"]] == [
        f"many/e{n:03}.qnt" for n in range(300)
    ]
    assert not any("truncated" in part for part in found)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("long_list_examples", {}),
        ("long_get_example", {"path": "big"}),
        ("long_list", {}),
        ("long_list", {"collection": "docs"}),
    ],
)
def test_a_cursor_of_another_request_is_refused(
    server: Dispatcher, tool: str, arguments: dict[str, Any]
) -> None:
    cursor = next(parts(server, "long_get_example", path="big/big.qnt"))["nextCursor"]
    result = call(server, tool, **arguments, cursor=cursor)
    assert result["isError"]
    assert "Repeat the call without `cursor`" in result["content"][0]["text"]


def test_a_limit_of_a_list_is_kept(server: Dispatcher) -> None:
    first = next(parts(server, "long_list_docs", limit=3))
    assert sum(len(entries) for entries in first.values() if isinstance(entries, list)) == 3


def test_an_outline_that_is_too_long_says_how_to_go_on(server: Dispatcher) -> None:
    result = call(server, "long_doc_outline", path="docs/releases.md", max_chars=3_000)
    structured = result["structuredContent"]
    assert structured["truncated"] is True
    assert structured["totalSections"] == 151
    assert 0 < len(structured["sections"]) < 151
    assert structured["next"]


def test_the_general_tool_reads_a_long_page_in_parts(server: Dispatcher) -> None:
    read, cursor = "", {}
    while True:
        result = call(server, "long_get", name="docs/releases.md", **cursor)
        body = result["content"][0]["text"].split("\n\n", 1)[1]
        text, marker, rest = body.rpartition("\n\n[")
        if not marker or "characters follow" not in rest:
            read += body
            break
        read += text
        cursor = {"cursor": rest.rsplit("cursor ", 1)[1].rstrip("]")}
    assert read == PAGE


def test_a_missed_name_costs_little(server: Dispatcher) -> None:
    result = call(server, "long_get_doc", filename="no such page")
    assert result["isError"]
    assert len(result["content"][0]["text"]) < 1_500


def test_the_author_sets_the_budget(artifact: Path, tmp_path: Path) -> None:
    (tmp_path / "kb" / "docs").mkdir(parents=True)
    (tmp_path / "kb" / "kb.toml").write_text('[kb]\nname = "long"\n[tools]\nmax_chars = 5000\n')
    (tmp_path / "kb" / "docs" / "releases.md").write_text(PAGE)
    options = BuildOptions(out=tmp_path / "out", cache=tmp_path / "cache", embed=False)
    live = LiveArtifact(str(build(tmp_path / "kb", options).path.parent))
    try:
        server = Dispatcher(live, "all")
        params = {"name": "long_get_doc", "arguments": {"filename": "docs/releases.md"}}
        text = server.handle("tools/call", params, NEWEST_HANDSHAKE)["content"][0]["text"]
        assert 2_000 < len(text) <= 5_000
    finally:
        live.close()
