"""What answers name can be read: all of it, from one answer to the next, over two knowledge bases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from tests.end_to_end.serving.following.general_leads import leads
from tests.end_to_end.serving.following.leads import anything
from tests.end_to_end.serving.following.parts import PARTS, Parts, check_parts
from tests.end_to_end.serving.following.shelf import SITE, harbour
from tests.end_to_end.serving.following.walk import READ, Lead, Server, Walk, walk

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.text.addresses import parse_address
from kb_runtime.tools.declaration import Tool
from kb_runtime.tools.fields import answer_type, field_rows
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.search.compact import TOOLS as COMPACT_TOOLS
from kbc.pipeline.build import BuildOptions, build

FAMILIES = "compact,reference,patterns,routing,search,tests,sources,workshops,codebase"
BASES: Mapping[str, Mapping[str, str]] = {
    "beacon": SITE,
    "harbour": harbour("harbour", "burn"),
    "mooring": harbour("mooring", "glow"),
}
QUESTIONS = (
    "one user of a resource",
    "lamp",
    "start_pump",
    "light a lantern",
    "cut the wick",
    "rope sails",
    "toSet",
)
STARTS: Mapping[str, Mapping[str, Any]] = {
    "suggest_framework": {"description": "consensus in a fleet"},
    "retrieve_learning_context": {"random": True, "seed": 3},
}
FACTS = frozenset(
    re.findall(
        r"\w+",
        "action address advice after author before buildId builtAt categories category changed "
        "checklist chunk closingSteps collection content context correct createdAt data deleted "
        "description do dont embed embedding errors expected expectedResults explanation feature "
        "filename filtersApplied focus folderStructure followUps framework freshnessWarning from "
        "highlights includes ingested_at instructions instructionsMarkdown jiraKey key_patterns "
        "key_principles keywordSource kind kinds label language lastIndexed lastIndexedAt learnerGoal "
        "license match match_type matchedBy matchedTerms matched_steps meaning message mode model "
        "module name next nextCursor notice optional paramTypes parentSymbol platforms preconditions "
        "preview priority problem problemDir problems promptTemplate provider purpose query "
        "query_mode reason reasoning required resolution returnType rule scope section sectionKind "
        "sectionLabel side signature snippet solutionDir sourceName sourcePath source_stage state "
        "status strategy subcategory suggestion summary symbol symbolKind symbolName symbols tags "
        "template testData testType tests text title tool topic topics type use use_for version "
        "warnings whatToListenFor when_to_use workflow workspace wrong ",
    )
)
"""Fields that no tool takes, what records say and how answers came about, and those which go with a name:
`address` is followed in place of it, `nextCursor` by `check_parts`."""
ECHOES: Mapping[str, frozenset[str]] = {
    "_get_builtin": frozenset({"examples"}),
    "_get_doc": frozenset({"anchor"}),
    "_get_template": frozenset({"id"}),
    "_get_pattern": frozenset({"id"}),
    "get_test_by_jira": frozenset({"uid", "source"}),
    "qurio_list_sources": frozenset({"url"}),
    "qurio_list_pages": frozenset({"sourceId"}),
    "list_exercises": frozenset({"workshop"}),
    "retrieve_learning_context": frozenset({"workshop"}),
    "retrieve_diff_context": frozenset({"workshop"}),
    "retrieve_quiz_instructions": frozenset({"id"}),
    "get_file": frozenset({"lines"}),
    "code_outline": frozenset({"file"}),
}
"""By the end of a tool's name the fields that repeat what was asked for, or that name nothing here."""


class Served(NamedTuple):
    server: Server
    prefix: str
    found: Walk


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> dict[str, Path]:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    folder = tmp_path_factory.mktemp("following")
    paths = {}
    for name, files in BASES.items():
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text)
        options = BuildOptions(out=folder / "out", cache=cache)
        paths[name] = build(folder / name, options).path.parent
    return paths


@pytest.fixture(
    scope="module", params=[("beacon", "harbour"), ("harbour", "mooring")], ids=["apart", "alike"]
)
def served(request: pytest.FixtureRequest, built: dict[str, Path]) -> Iterator[Served]:
    """Two knowledge bases and what a walk over all their answers finds."""
    names: tuple[str, str] = request.param
    live = LiveArtifact(*(built[name] for name in names))
    server = Server(Dispatcher(live, FAMILIES))
    prefix = server.prefix
    start = [*first_calls(server), *resources(server)]
    yield Served(server, prefix, walk(server, start, leads))
    live.close()


def first_calls(server: Server) -> Iterator[Lead]:
    """Every tool that needs nothing or a question."""
    for tool, taken in server.arguments.items():
        own = STARTS.get(tool.removeprefix(f"{server.prefix}_"))
        if own is not None:
            yield Lead("", tool, dict(own), anything)
        elif "query" in taken:
            yield from (Lead("", tool, {"query": each}, anything) for each in QUESTIONS)
        elif tool == "symbol_search":
            yield from (
                Lead("", tool, {"symbol": each}, anything) for each in ("lamp", "pump", "turn")
            )
        elif not server.required(tool) and tool != "ingest_tests":
            yield Lead("", tool, {}, anything)


def resources(server: Server) -> Iterator[Lead]:
    """All records as the list of resources has them: each is as long as it says."""
    for each in server.resources():
        size = each["size"]
        right = lambda reply, size=size: len(reply.text.encode()) == size  # noqa: E731
        yield Lead("uri", READ, {"uri": each["uri"]}, right)


def test_whatever_an_answer_names_is_found(served: Served) -> None:
    assert not served.found.failures, "\n".join(
        [f"{len(served.found.failures)} leads fail:", *served.found.failures[:20]]
    )


def test_every_tool_is_called_and_every_field_that_names_something_followed(served: Served) -> None:
    called = {tool for tool, _ in served.found.calls.values()}
    assert called - {READ} == served.server.arguments.keys() - {"ingest_tests"}
    followed: dict[str, set[str]] = {}
    for tool, field in served.found.fields:
        followed.setdefault(tool, set()).add(last_name(field))
    for declared in (*TOOLS, *COMPACT_TOOLS):
        tool = declared.name.format(prefix=served.prefix)
        echoes = ECHOES.get(declared.name.removeprefix("{prefix}"), frozenset())
        unknown = texts_of(declared) - followed.get(tool, set()) - FACTS - echoes
        assert not unknown, (tool, unknown)


def texts_of(tool: Tool) -> set[str]:
    """The last names of the fields of its answers that are texts or lists of such."""
    answer = answer_type(tool)
    rows = [] if answer is None else list(field_rows(answer))
    return {last_name(row.path) for row in rows if row.type.startswith("string")}


def last_name(path: str) -> str:
    return path.rstrip("[]{}").rpartition(".")[2]


def test_parts_of_answers_make_up_the_whole(served: Served) -> None:
    ends = {
        tool: PARTS.get(tool.removeprefix(served.prefix)) or PARTS.get(tool)
        for tool in served.server.arguments
    }
    takes_cursor = {tool for tool, taken in served.server.arguments.items() if "cursor" in taken}
    assert {tool for tool, parts in ends.items() if parts} == takes_cursor
    most = dict.fromkeys(takes_cursor, 0)
    for tool, arguments in served.found.calls.values():
        parts: Parts | None = ends.get(tool)
        if parts is not None and not is_random(arguments):
            most[tool] = max(most[tool], check_parts(served.server, tool, parts, arguments))
    assert all(count > 1 for count in most.values()), most


def is_random(arguments: Mapping[str, Any]) -> bool:
    return bool(arguments.get("random"))


def test_every_record_is_a_resource_that_its_template_completes(served: Served) -> None:
    listed = {each["uri"] for each in served.server.resources()}
    templates = served.server.request("resources/templates/list")["resourceTemplates"]
    completed = set()
    for template in templates:
        uri = template["uriTemplate"]
        params = {
            "ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": "id", "value": ""},
        }
        completion = served.server.request("completion/complete", **params)["completion"]
        assert completion["hasMore"] is False
        for value in completion["values"]:
            address = uri.replace("{id}", quote(value, safe=""))
            completed.add(parse_address(address))
            assert served.server.request("resources/read", uri=address)["contents"]
    assert completed == {parse_address(address) for address in listed}
    read = {arguments["uri"] for tool, arguments in served.found.calls.values() if tool == READ}
    assert listed <= read
