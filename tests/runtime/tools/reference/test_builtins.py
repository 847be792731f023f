from __future__ import annotations

import pytest
from tests.runtime.tools.asking import Call, structured

from kb_runtime.errors import ToolError


@pytest.mark.parametrize(
    "name", ["mapBy", "mapby", "MAPBY", "builtin:mapBy", "kb://small/builtins/mapBy"]
)
def test_builtin_is_found_by_name_case_hit_id_and_address(call: Call, name: str) -> None:
    assert structured(call("get_builtin", name=name))["name"] == "mapBy"


def test_builtin_is_found_by_its_infix_form(call: Call) -> None:
    assert structured(call("get_builtin", name="=="))["name"] == "eq"


def test_page_has_one_heading_the_signature_and_a_link(call: Call) -> None:
    text = call("get_builtin", name="eq").text
    assert text == (
        "# eq\n\n**Signature:** `pure def eq: (t, t) => bool`\n\n**Category:** logic\n\n"
        "Equality.\nOf any two values.\n\n"
        "[View in documentation](https://example.org/operators#eq)"
    )


def test_examples_share_one_fence_that_their_backticks_do_not_close(call: Call) -> None:
    text = call("get_builtin", name="mapBy").text
    assert "## Examples\n\n````quint\nSet(1).mapBy(x => x)\n\nval fenced = ```\n````" in text


def test_builtin_without_public_address_links_to_its_own(call: Call) -> None:
    answer = call("get_builtin", name="mapBy")
    assert answer.text.endswith("\n\n[View in documentation](kb://small/builtins/mapBy)")
    address = structured(answer)["sourceUrl"]
    assert address == "kb://small/builtins/mapBy"
    assert structured(call("get_builtin", name=address))["name"] == "mapBy"


def test_structure_leaves_out_what_is_not_known(call: Call) -> None:
    assert structured(call("get_builtin", name="setToMap")) == {
        "name": "setToMap",
        "signature": "pure def setToMap: Set[(a, b)] => a -> b",
        "description": "A map of pairs.",
        "examples": [],
        "sourceUrl": "kb://small/builtins/setToMap",
        "category": "map",
        "docPath": "docs/operators.md",
        "line": 9,
    }


def test_unknown_builtin_suggests_similar_names(call: Call) -> None:
    with pytest.raises(ToolError) as caught:
        call("get_builtin", name="map")
    error = caught.value
    assert error.kind == "NOT_FOUND"
    assert error.message == 'no builtin is called "map"; the knowledge base has 3 builtins'
    assert error.suggestions == ("mapBy", "setToMap")
    assert error.details == {"total": 3}


def test_unknown_builtin_like_none_suggests_the_first_names(call: Call) -> None:
    with pytest.raises(ToolError) as caught:
        call("get_builtin", name="zzzzzzzz")
    assert caught.value.suggestions == ("eq", "mapBy", "setToMap")


def test_list_groups_by_every_category(call: Call) -> None:
    found = structured(call("list_builtins"))
    assert found["total"] == 3
    assert found["categories"] == ["logic", "map", "set"]
    assert [each["name"] for each in found["builtins"]] == ["eq", "mapBy", "setToMap"]
    assert found["builtins"][0]["description"] == "Equality."
    assert {
        category: [each["name"] for each in entries]
        for category, entries in found["byCategory"].items()
    } == {"logic": ["eq"], "map": ["mapBy", "setToMap"], "set": ["mapBy"]}


@pytest.mark.parametrize(
    ("category", "expected"),
    [("map", "map"), ("MAP", "map"), ("maps", "map"), ("logical", "logic"), ("boolean", "logic")],
)
def test_list_of_a_category_takes_synonyms(call: Call, category: str, expected: str) -> None:
    found = structured(call("list_builtins", category=category))
    assert found["categories"] == [expected]
    assert found["total"] == len(found["builtins"]) == len(found["byCategory"][expected])


def test_unknown_category_lists_the_known_ones_in_the_text(call: Call) -> None:
    with pytest.raises(ToolError, match="Available categories: logic, map, set") as caught:
        call("list_builtins", category="zzz")
    assert caught.value.kind == "NOT_FOUND"
    assert caught.value.suggestions
    assert caught.value.details == {"availableCategories": ["logic", "map", "set"]}
