from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.fields import field_rows, full_schema, listed_schema
from kb_runtime.tools.reference.answers import DocList
from kb_runtime.tools.registry import TOOLS
from kb_runtime.tools.schemas import describe
from kb_runtime.tools.search.answers import HybridResults

NAMES = [
    "quint_get_builtin",
    "quint_list_builtins",
    "quint_get_doc",
    "quint_list_docs",
    "quint_doc_outline",
    "quint_get_example",
    "quint_list_examples",
    "quint_example_info",
    "quint_get_template",
    "quint_list_templates",
    "quint_get_pattern",
    "quint_list_patterns",
    "quint_search_patterns",
    "quint_suggest_framework",
    "quint_hybrid_search",
    "quint_search_docs",
]
SIXTEEN = [tool for tool in TOOLS if tool.name.startswith("{prefix}_")]
MAX_BYTES = 18_000
"""Of the sixteen descriptions: a client sends them to its model with every conversation."""


def _keys(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        return set(schema).union(*map(_keys, schema.values()))
    return set().union(*map(_keys, schema)) if isinstance(schema, list) else set()


def test_the_sixteen_tools_are_declared_once_each() -> None:
    assert [describe(tool, "quint", {})["name"] for tool in SIXTEEN] == NAMES


def test_descriptions_are_small() -> None:
    entries = [describe(tool, "quint", {}) for tool in SIXTEEN]
    assert len(json.dumps(entries, separators=(",", ":")).encode()) < MAX_BYTES


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_valid_open_and_without_noise(tool: Tool) -> None:
    entry = describe(tool, "quint", {})
    assert "{prefix}" not in entry["description"]
    for name in ("inputSchema", "outputSchema"):
        Draft202012Validator.check_schema(entry[name])
        assert entry[name]["type"] == "object"
        assert False not in [entry[name].get("additionalProperties")]
    assert "$ref" not in _keys(entry)
    assert entry["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": tool.idempotent,
        "openWorldHint": False,
    }


def _tool(*arguments: Argument, **fields: Any) -> Tool:
    return Tool(
        "{prefix}_x", "f", "Like {prefix}_y.", lambda s, a: Answer("", None), arguments, **fields
    )


def test_prefix_is_filled_in_everywhere() -> None:
    entry = describe(_tool(Argument("a", "string", "See {prefix}_z.")), "demo", {})
    assert entry["name"] == "demo_x"
    assert entry["description"] == "Like demo_y."
    assert entry["inputSchema"]["properties"]["a"]["description"] == "See demo_z."


def test_required_and_default_are_told() -> None:
    entry = describe(
        _tool(
            Argument("a", "string", "A.", required=True),
            Argument("b", "boolean", "B.", default=False),
        ),
        "demo",
        {},
    )
    assert entry["inputSchema"]["required"] == ["a"]
    assert entry["inputSchema"]["properties"]["b"]["default"] is False


def test_clamped_bounds_are_told_but_not_enforced() -> None:
    clamped = Argument("k", "integer", "How many.", minimum=1, maximum=50)
    schema = describe(_tool(clamped), "demo", {})["inputSchema"]["properties"]["k"]
    assert schema == {"type": "integer", "description": "How many. (1 to 50)"}


def test_rejecting_bounds_are_enforced() -> None:
    rejecting = Argument("k", "integer", "How many.", minimum=1, maximum=50, out_of_range="reject")
    schema = describe(_tool(rejecting), "demo", {})["inputSchema"]["properties"]["k"]
    assert (schema["minimum"], schema["maximum"]) == (1, 50)


def test_of_bounds_that_are_clamped_above_the_lower_one_is_enforced() -> None:
    argument = Argument(
        "k", "integer", "How many.", minimum=1, maximum=50, out_of_range="clamp above"
    )
    schema = describe(_tool(argument), "demo", {})["inputSchema"]["properties"]["k"]
    assert schema == {"type": "integer", "description": "How many. (1 to 50)", "minimum": 1}


def test_choices_come_from_the_declaration_or_from_the_knowledge_base() -> None:
    tool = _tool(
        Argument("a", "string", "A.", choices=("x", "y")),
        Argument("b", "string[]", "B.", choices_from="colours"),
        Argument("c", "string", "C.", choices_from="unknown"),
    )
    properties = describe(tool, "demo", {"colours": ["red"]})["inputSchema"]["properties"]
    assert properties["a"]["enum"] == ["x", "y"]
    assert properties["b"]["items"]["enum"] == ["red"]
    assert "enum" not in properties["c"]


def test_tool_without_output_has_no_output_schema() -> None:
    assert "outputSchema" not in describe(_tool(), "demo", {})


@pytest.mark.parametrize("tool", TOOLS)
def test_an_output_schema_admits_an_error_but_not_half_an_answer(tool: Tool) -> None:
    schema = describe(tool, "demo", {})["outputSchema"]
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"error": {"kind": "NOT_FOUND", "message": "no"}})
    assert validator.is_valid({}) == ("anyOf" not in schema)


def test_an_answer_is_listed_in_short_and_declared_in_full() -> None:
    short, full = listed_schema(HybridResults), full_schema(HybridResults)
    assert short["properties"]["results"] == {"type": "array", "items": {"type": "object"}}
    hit = full["properties"]["results"]["items"]
    assert hit["properties"]["strategy"]["enum"] == ["lexical", "semantic", "fused"]
    assert not hit["additionalProperties"]
    assert "snippet" not in hit["required"]
    assert "id" in hit["required"]


def test_fields_whose_names_are_data_have_a_schema_too() -> None:
    entries = listed_schema(DocList)["additionalProperties"]
    assert entries["items"]["properties"]["path"] == {"type": "string"}
    assert [row.path for row in field_rows(DocList)][:3] == ["total", "{}", "{}[].filename"]


def test_the_meaning_of_a_choice_begins_with_its_values() -> None:
    (mode,) = (row for row in field_rows(HybridResults) if row.path == "mode")
    assert mode.meaning == "`hybrid`, `semantic` or `lexical`: the kinds of search used"
