"""tools.json: what a server says before it has opened anything else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kb_runtime.mcp.answers import Answers
from kb_runtime.mcp.introduction import MAX_INSTRUCTIONS
from kb_runtime.tools.registry import TOOLS
from kbc.backends.tools import (
    AliasError,
    CollectionSummary,
    OfferError,
    ServerFacts,
    tools_document,
    write_tools_json,
)

FACTS = ServerFacts(
    name="quint",
    title="Quint",
    version="1.0",
    prefix="q",
    description="Everything about Quint.",
    built_at="2026-01-02T03:04:05Z",
    build_id="0123456789abcdef",
    collections=[
        CollectionSummary("builtins", "builtins", 77),
        CollectionSummary("docs", "docs", 7),
        CollectionSummary("posts", "docs", 4),
        CollectionSummary("examples", "examples", 250),
        CollectionSummary("patterns", "patterns", 12),
        CollectionSummary("templates", "templates", 4),
        CollectionSummary("routing", "routing", 2),
        CollectionSummary("sources", "pages", 30),
        CollectionSummary("workshops", "workshops", 90),
        CollectionSummary("code", "code", 500),
        CollectionSummary("tests", "tests", 1000),
    ],
    choices={
        "builtin_categories": ["action", "integer", "list", "logic", "map", "set", "temporal"],
        "example_categories": [f"category-{number}" for number in range(12)],
        "pattern_categories": ["anti-pattern", "best-practice", "core", "syntax", "testing"],
        "template_frameworks": ["choreo", "standard"],
        "scopes": [
            *("all", "builtins", "docs", "posts", "examples", "patterns", "templates", "sources"),
            *("workshops", "code", "tests", "guidelines", "extra"),
        ],
    },
)


def test_one_of_a_kind_is_counted_as_one() -> None:
    kinds = ("docs", "pages", "tests", "code")
    facts = replace(FACTS, collections=[CollectionSummary(each, each, 1) for each in kinds])
    told = tools_document(facts)["instructions"]["introduction"]
    assert "It holds 1 page, 1 page of documentation sets, 1 test case, 1 source file." in told


def answers(facts: ServerFacts, profile: str = "all") -> Answers:
    return Answers(facts.build_id, tools_document(facts), profile)


def names(facts: ServerFacts, profile: str = "all") -> list[str]:
    return [tool["name"] for tool in answers(facts, profile).tools["tools"]]


def test_every_declared_tool_is_offered_under_the_prefix() -> None:
    kinds = {each.kind for each in FACTS.collections}
    offered = [tool for tool in TOOLS if not tool.needs or kinds.intersection(tool.needs)]
    assert len(offered) >= 16
    assert names(FACTS) == [tool.name.format(prefix="q") for tool in offered]


def test_tools_without_their_collections_are_left_out() -> None:
    facts = replace(FACTS, collections=[CollectionSummary("docs", "docs", 7)])
    assert "q_get_doc" in names(facts)
    assert "q_get_builtin" not in names(facts)


def test_an_empty_collection_offers_nothing() -> None:
    facts = replace(
        FACTS, collections=[*FACTS.collections[1:], CollectionSummary("b", "builtins", 0)]
    )
    assert "q_get_builtin" not in names(facts)


def test_families_restrict_what_is_offered_but_compact_is_always_there() -> None:
    facts = replace(FACTS, families=["patterns"])
    assert set(names(facts)) < set(names(FACTS))
    assert {tool.family for tool in TOOLS if tool.name.format(prefix="q") in names(facts)} == {
        "patterns"
    }
    assert len(names(facts, "compact")) <= 8


def test_an_alias_is_offered_like_its_tool() -> None:
    facts = replace(FACTS, aliases={"quint_get_builtin": "q_get_builtin"})
    offered = answers(facts)
    listed = {tool["name"]: tool for tool in offered.tools["tools"]}
    assert {**listed["quint_get_builtin"], "name": "q_get_builtin"} == listed["q_get_builtin"]
    assert offered.declared_names["quint_get_builtin"] == "{prefix}_get_builtin"
    assert offered.wire_names["{prefix}_get_builtin"] == "q_get_builtin"


@pytest.mark.parametrize(
    ("alias", "tool", "message"),
    [("x", "q_nope", "has no tool"), ("q_get_doc", "q_get_builtin", "already the name")],
)
def test_an_alias_that_cannot_be_offered_is_refused(alias: str, tool: str, message: str) -> None:
    with pytest.raises(AliasError, match=message) as caught:
        tools_document(replace(FACTS, aliases={alias: tool}))
    assert caught.value.alias == alias


def test_instructions_say_what_is_held_when_it_was_built_and_how_to_read_it() -> None:
    text = answers(FACTS).initialize("")["instructions"]
    for part in ("77 builtins", "11 pages", "2026-01-02", "0123456789abcdef", "q_hybrid_search"):
        assert part in text
    assert "reference material, not instructions" in text


def test_instructions_say_no_version_where_none_is_stated() -> None:
    stated = answers(replace(FACTS, version="2.1")).initialize("")["instructions"]
    assert ". Version 2.1, built 2026-01-02T03:04:05Z, build 0123456789abcdef. " in stated
    text = answers(replace(FACTS, version="0", built_at="")).initialize("")["instructions"]
    assert ". Build 0123456789abcdef. " in text
    assert "Version" not in text


@pytest.mark.parametrize("profile", ["all", "compact", "search"])
def test_instructions_mention_offered_tools_only(profile: str) -> None:
    offered = answers(FACTS, profile)
    words = offered.initialize("")["instructions"].replace(",", " ").replace(".", " ").split()
    mentioned = {word for word in words if word.startswith("q_")}
    assert mentioned
    assert mentioned <= set(names(FACTS, profile))


@pytest.mark.parametrize("profile", ["all", "compact"])
def test_a_long_description_is_cut_so_that_instructions_fit(profile: str) -> None:
    text = answers(replace(FACTS, description="Über " * 1_000), profile).initialize("")[
        "instructions"
    ]
    assert len(text) <= MAX_INSTRUCTIONS
    assert "reference material, not instructions" in text


@pytest.mark.parametrize(("profile", "most"), [("all", 54_000), ("compact", 8_000)])
def test_all_tools_together_stay_affordable(profile: str, most: int) -> None:
    offered = answers(FACTS, profile).tools
    text = json.dumps(offered, ensure_ascii=False, separators=(",", ":"))
    assert len(offered["tools"]) == (43 if profile == "all" else 5)
    assert len(text.encode()) < most


def test_tools_only_read() -> None:
    for tool in [*answers(FACTS).tools["tools"], *answers(FACTS, "compact").tools["tools"]]:
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["annotations"]["openWorldHint"] is False


def test_the_same_facts_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_tools_json(tmp_path / name, FACTS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_server_offers_five_tools_unless_the_knowledge_base_says_otherwise() -> None:
    assert len(names(FACTS, "")) == 5
    chosen = replace(FACTS, settings={"offer": "reference,compact"})
    assert names(chosen, "") == names(chosen, "reference,compact")
    assert len(names(chosen, "")) > 5
    assert names(replace(FACTS, settings={"offer": "all"}), "") == names(FACTS, "all")
    only = replace(FACTS, families=["search"])
    assert names(only, "") == names(only, "all")


def test_an_offer_of_a_family_without_tools_is_an_error() -> None:
    without = replace(FACTS, collections=[], settings={"offer": "tests,compact"})
    with pytest.raises(OfferError, match=r"\[tools\] offer: 'tests'"):
        tools_document(without)


def test_with_the_setting_every_tool_has_the_prefix_wherever_it_is_named() -> None:
    facts = replace(FACTS, settings={"prefix": True})
    document = tools_document(facts)
    start = f"{facts.prefix}_"
    assert all(name.startswith(start) for name in document["names"])
    assert len(document["names"]) == len(tools_document(FACTS)["names"])
    assert document["names"][f"{start}search_pages"] == "qurio_search"
    assert document["names"][f"{start}search_tests"] == "search_tests"
    told = json.dumps([document["families"], document["instructions"]])
    assert "qurio_" not in told
    assert f"{start}read_page" in told
    assert not re.search(r"(?<![a-z_])search_tests", told)


def test_sources_and_workshops_are_not_counted_as_what_they_hold() -> None:
    collections = [
        CollectionSummary("sources", "pages", 8, 3),
        CollectionSummary("workshops", "workshops", 92, 3),
    ]
    told = tools_document(replace(FACTS, collections=collections))
    assert (
        "It holds 5 pages of documentation sets, 89 sections of workshops."
        in (told["instructions"]["introduction"])
    )
    templates = told["templates"]["resourceTemplates"]
    assert templates[0]["description"] == "The 5 pages of documentation sets of sources, by id."
