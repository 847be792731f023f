from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_runtime.errors import ToolError
from kb_runtime.tools.arguments import check
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.registry import TOOLS

ARGUMENTS = (
    Argument("query", "string", "What to find.", required=True, max_length=20),
    Argument("k", "integer", "How many.", default=10, minimum=1, maximum=50),
    Argument("alpha", "number", "Mix.", minimum=0, maximum=1, out_of_range="reject"),
    Argument("top", "integer", "Most.", minimum=1, maximum=50, out_of_range="clamp above"),
    Argument("raw", "boolean", "As stored.", default=False),
    Argument("filters", "object", "Filters."),
    Argument("tags", "string[]", "Tags."),
    Argument("scope", "string", "Where.", default="all", choices=("all", "Docs")),
)
TOOL = Tool(
    "{prefix}_x", "search", "A tool.", lambda session, arguments: Answer("", None), ARGUMENTS
)


def checked(**raw: Any) -> dict[str, Any]:
    return check(TOOL, {"query": "q", **raw})[0]


def refusal(**raw: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        check(TOOL, {"query": "q", **raw})
    assert caught.value.kind == "BAD_INPUT"
    return caught.value


def test_every_declared_argument_is_present() -> None:
    assert checked() == {
        "query": "q",
        "k": 10,
        "alpha": None,
        "top": None,
        "raw": False,
        "filters": None,
        "tags": None,
        "scope": "all",
    }


@pytest.mark.parametrize("raw", [None, {}, {"query": None}, {"query": ""}, {"query": " \n\t"}])
def test_missing_required_argument_is_named(raw: dict[str, Any] | None) -> None:
    with pytest.raises(ToolError, match="query") as caught:
        check(TOOL, raw)
    assert caught.value.kind == "BAD_INPUT"


def test_arguments_must_be_an_object() -> None:
    with pytest.raises(ToolError, match=r'\["x"\]'):
        check(TOOL, ["x"])  # type: ignore[arg-type]


def test_null_and_empty_text_equal_omitted() -> None:
    assert checked(k=None, raw=None, scope="  ", tags=None, filters=None) == checked()


def test_text_is_trimmed() -> None:
    assert checked(query="  two words\n")["query"] == "two words"


@pytest.mark.parametrize(
    "text", ["user can't log in", 'a<b & "c"', "drop table view", "../../x", "é\u0000 \U0001f469"]
)
def test_no_text_is_refused_for_what_it_says(text: str) -> None:
    assert checked(query=text)["query"] == text


def test_lone_surrogates_become_replacement_characters() -> None:
    assert checked(query="a\ud800b")["query"] == "a\ufffdb"


def test_length_is_counted_after_trimming_in_code_points() -> None:
    assert checked(query=" " + "\U0001f469" * 20 + " ")["query"] == "\U0001f469" * 20
    assert "at most 20" in refusal(query="x" * 21).message


@pytest.mark.parametrize("value", [5, 5.0, "5", "+5", " 5 "])
def test_whole_numbers_come_in_many_forms(value: Any) -> None:
    found = checked(k=value)["k"]
    assert found == 5
    assert type(found) is int


@pytest.mark.parametrize(
    "value", [True, False, 5.5, "5.5", "five", math.nan, math.inf, "NaN", [5], {"a": 5}, "0x5", "٥"]
)
def test_other_values_are_no_whole_numbers(value: Any) -> None:
    assert "k must be a whole number" in refusal(k=value).message


@pytest.mark.parametrize("value", [True, math.nan, -math.inf, "nan", "1e999", [], "half"])
def test_other_values_are_no_numbers(value: Any) -> None:
    assert "alpha must be a number" in refusal(alpha=value).message


@pytest.mark.parametrize(("value", "expected"), [(0, 0), (1, 1), ("0.5", 0.5), ("1e-1", 0.1)])
def test_numbers(value: Any, expected: float) -> None:
    assert checked(alpha=value)["alpha"] == expected


@pytest.mark.parametrize(("value", "expected"), [(-1, 1), (0, 1), (500, 50), ("9" * 30, 50)])
def test_clamped_number_is_told(value: Any, expected: int) -> None:
    values, warnings = check(TOOL, {"query": "q", "k": value})
    assert values["k"] == expected
    (warning,) = warnings
    assert "from 1 to 50" in warning
    assert str(value) in warning


@pytest.mark.parametrize("value", [-0.1, 1.01])
def test_rejected_number_names_both_bounds_and_the_value(value: float) -> None:
    assert refusal(alpha=value).message == f"alpha must be from 0 to 1, not {value}"


def test_a_number_may_be_clamped_above_and_rejected_below() -> None:
    values, warnings = check(TOOL, {"query": "q", "top": 51})
    assert values["top"] == 50
    assert warnings == ["top must be from 1 to 50: 50 was used instead of 51"]
    assert refusal(top=0).message == "top must be from 1 to 50, not 0"
    assert checked(top=1)["top"] == 1


@pytest.mark.parametrize(("value", "expected"), [(True, True), ("false", False), ("TRUE", True)])
def test_booleans(value: Any, expected: bool) -> None:
    assert checked(raw=value)["raw"] is expected


@pytest.mark.parametrize("value", [1, 0, "yes", []])
def test_other_values_are_no_booleans(value: Any) -> None:
    assert "raw must be true or false" in refusal(raw=value).message


def test_a_list_or_an_object_may_be_json_in_a_string() -> None:
    assert checked(tags='["a", " b "]')["tags"] == ["a", "b"]
    assert checked(filters=' {"a": 1} ')["filters"] == {"a": 1}
    assert checked(filters='{"a": "\\ud800"}')["filters"] == {"a": "\ufffd"}


@pytest.mark.parametrize("text", ["[ab].py", "[1]", "[", "[" * 500 + "]" * 500])
def test_other_text_is_one_item_of_a_list(text: str) -> None:
    assert checked(tags=text)["tags"] == [text]


@pytest.mark.parametrize("text", ["web", "[1]", "{", '{"a":' * 200 + "1" + "}" * 200])
def test_other_text_is_no_object(text: str) -> None:
    assert "must be an object" in refusal(filters=text).message


def test_a_choice_may_come_in_a_list_of_one() -> None:
    assert checked(scope=["docs"])["scope"] == "Docs"
    assert "must be a string" in refusal(query=["docs"]).message
    assert checked(scope=[" "])["scope"] == "all"
    several = refusal(scope=["all", "Docs"])
    assert "must be a string" in several.message
    assert several.next_steps == ("Give one value of scope in a call, or leave it out.",)


def test_a_name_may_be_spelled_as_those_of_other_tools_are() -> None:
    named = Tool(
        "{prefix}_y", "search", "A tool.", TOOL.run, (Argument("start_line", "integer", ""),)
    )
    assert check(named, {"startLine": 5}) == ({"start_line": 5}, [])
    values, warnings = check(named, {"startLine": 5, "start_line": 7})
    assert values == {"start_line": 7}
    assert warnings == ['the unknown argument "startLine" was ignored (did you mean start_line?)']


def test_a_declared_name_is_no_spelling_of_another() -> None:
    arguments = (Argument("maxChars", "integer", ""), Argument("max_chars", "integer", ""))
    named = Tool("{prefix}_z", "search", "A tool.", TOOL.run, arguments)
    assert check(named, {"maxChars": 5})[0] == {"maxChars": 5, "max_chars": None}


def test_string_of_another_type_is_refused() -> None:
    assert refusal(query=5).message == "query must be a string, not 5"


def test_object() -> None:
    assert checked(filters={"a": 1})["filters"] == {"a": 1}
    assert "must be an object" in refusal(filters=["a"]).message


def test_list_of_strings_is_trimmed_and_a_single_one_accepted() -> None:
    assert checked(tags=[" a ", "", "b"])["tags"] == ["a", "b"]
    assert checked(tags="a")["tags"] == ["a"]
    assert checked(tags=[])["tags"] is None


@pytest.mark.parametrize("value", [["a", 5], [None], {"a": 1}, 5])
def test_other_values_are_no_lists_of_strings(value: Any) -> None:
    assert "tags must be a list of strings" in refusal(tags=value).message


def test_overlong_list_is_refused() -> None:
    assert "101 items" in refusal(tags=["x"] * 101).message


def test_choice_is_found_in_any_case() -> None:
    assert checked(scope="docs")["scope"] == "Docs"


def test_unknown_choice_lists_the_allowed_ones() -> None:
    error = refusal(scope="dosc")
    assert error.message == 'scope "dosc" is not one of: all, Docs'
    assert error.suggestions == ("Docs",)
    assert error.details == {"allowed": ["all", "Docs"]}


def test_unknown_argument_is_ignored_with_a_hint() -> None:
    values, warnings = check(TOOL, {"query": "q", "querry": "x"})
    assert "querry" not in values
    assert warnings == ['the unknown argument "querry" was ignored (did you mean query?)']


def test_many_unknown_arguments_give_few_warnings() -> None:
    _, warnings = check(TOOL, {"query": "q", **{f"zz{number}": 1 for number in range(50)}})
    assert len(warnings) == 6
    assert warnings[-1] == "45 more unknown arguments were ignored"


def test_message_quotes_a_long_value_briefly() -> None:
    assert len(refusal(k="x" * 10_000).message) < 200


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@pytest.mark.slow
@given(st.sampled_from(TOOLS), st.data())
def test_any_json_gives_values_or_bad_input(tool: Tool, data: st.DataObject) -> None:
    names = st.sampled_from([argument.name for argument in tool.arguments] or ["x"])
    raw = data.draw(st.dictionaries(names | st.text(max_size=5), json_values, max_size=5))
    try:
        values, _ = check(tool, raw)
    except ToolError as caught:
        error = caught
    else:
        assert list(values) == [argument.name for argument in tool.arguments]
        return
    assert error.kind == "BAD_INPUT"
    assert "\n" not in error.message
    assert len(error.message) < 1000


@pytest.mark.parametrize("levels", [101, 900, 100_000])
def test_arguments_without_a_bottom_are_refused(levels: int) -> None:
    deep: Any = "bottom"
    for _ in range(levels):
        deep = [deep]
    with pytest.raises(ToolError, match="nested more than 100 levels deep") as refused:
        check(TOOL, {"query": "q", "unknown": deep})
    assert refused.value.code == "BAD_INPUT"
    while isinstance(deep, list):  # else its destruction recurses
        (deep,) = deep


def test_arguments_may_nest_as_any_tool_needs() -> None:
    deep: Any = "bottom"
    for _ in range(90):
        deep = {"inner": deep}
    assert checked(unknown=deep)["query"] == "q"
