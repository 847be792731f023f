from __future__ import annotations

import json
from typing import Any

import pytest
from tests.runtime.tools.asking import Call, refusal, structured

from kb_runtime.errors import ToolError
from kb_runtime.text.written_json import json_text
from kb_runtime.tools.session import Session


@pytest.fixture
def one_of_each(searcher: Any, make_hit: Any) -> None:
    searcher.hits = [
        make_hit("builtins", 1, 7, title="Operators › mapBy"),
        make_hit(
            "docs",
            0,
            6,
            title="The manual › Sets",
            anchor="sets",
            section_line=5,
            section_level=2,
            breadcrumb=["The manual", "Sets"],
        ),
        make_hit(
            "posts",
            0,
            4,
            title="Message soup",
            anchor="Message.soup",
            section_line=4,
            section_level=1,
            breadcrumb=["Message soup"],
        ),
        make_hit(
            "guidelines",
            0,
            1,
            title="Testing",
            anchor="testing",
            section_line=1,
            section_level=1,
            breadcrumb=["Testing"],
        ),
        make_hit("examples", 0, 2, title="Tendermint.qnt"),
        make_hit("patterns", 0, 4, title="Thin actions"),
        make_hit("templates", 0, 1, title="Two-phase commit"),
    ]


@pytest.mark.usefixtures("one_of_each")
def test_ids_name_the_kind_of_each_hit(call: Call) -> None:
    found = structured(call("hybrid_search", query="map"))
    assert [(hit["id"], hit["scope"]) for hit in found["results"]] == [
        ("builtin:mapBy", "builtins"),
        ("doc:docs/manual.md#sets:5", "docs"),
        ("extra:posts/soup.mdx#Message.soup:4", "extra"),
        ("guideline:workflow:guidelines/test-workflow.md#testing:1", "guidelines"),
        ("example:cosmos/tendermint/Tendermint.qnt", "examples"),
        ("pattern:thin-actions", "patterns"),
        ("template:two-phase", "templates"),
    ]


@pytest.mark.usefixtures("one_of_each")
def test_source_is_accepted_by_the_matching_get_tool(call: Call) -> None:
    tools = {
        "builtins": ("get_builtin", "name"),
        "docs": ("get_doc", "filename"),
        "extra": ("get_doc", "filename"),
        "guidelines": ("get_doc", "filename"),
        "examples": ("get_example", "path"),
        "patterns": ("get_pattern", "patternId"),
        "templates": ("get_template", "templateId"),
    }
    for hit in structured(call("hybrid_search", query="map"))["results"]:
        tool, argument = tools[hit["scope"]]
        for name in (hit["source"], hit["id"]):
            assert call(tool, **{argument: name}).structured


@pytest.mark.usefixtures("one_of_each")
def test_metadata_tells_what_the_hit_is(call: Call) -> None:
    found = structured(call("hybrid_search", query="map"))
    by_scope = {hit["scope"]: hit for hit in found["results"]}
    assert by_scope["builtins"]["metadata"] == {
        "signature": "pure def mapBy: (Set[a], (a) => b) => a -> b",
        "category": "set",
    }
    assert by_scope["docs"]["metadata"] == {
        "section": "Sets",
        "level": 2,
        "path": "docs/manual.md",
        "line": 5,
    }
    assert by_scope["docs"]["title"] == "The manual › Sets"
    assert by_scope["examples"]["metadata"]["modules"] == ["Tendermint"]
    assert by_scope["patterns"]["metadata"]["when_to_use"] == ["Always"]
    assert by_scope["docs"]["highlights"] == ["map"]
    assert by_scope["docs"]["score"] == 0.03279


@pytest.mark.usefixtures("one_of_each")
def test_few_hits_tell_their_lines_too(call: Call) -> None:
    (hit,) = structured(call("hybrid_search", query="map", scope="docs"))["results"]
    assert hit["metadata"]["lines"] == [6, 10]


@pytest.mark.usefixtures("one_of_each")
def test_single_scope_has_top_level_results(call: Call) -> None:
    found = structured(call("hybrid_search", query="map", scope="builtins"))
    assert found["scopes"] == ["builtins"]
    assert (found["scope"], found["k"], found["limitPerScope"]) == ("builtins", 10, 10)
    assert found["results"] == found["resultsByScope"]["builtins"]
    assert len(found["results"]) == 1
    assert found["mode"] == "hybrid"


@pytest.mark.usefixtures("one_of_each")
@pytest.mark.parametrize("scopes", ["docs, patterns", ["docs,patterns"], ["docs", " patterns,"]])
def test_scopes_may_be_separated_by_commas(call: Call, scopes: Any) -> None:
    found = structured(call("hybrid_search", query="map", scopes=scopes))
    assert found["scopes"] == ["docs", "patterns"]


def test_all_unknown_scopes_are_named(call: Call) -> None:
    wrong = ["pattern", "docs", "everything", *(f"x{number}" for number in range(9))]
    error = refusal(call, "hybrid_search", query="map", scopes=wrong)
    named = '"pattern", "everything", "x0", "x1", "x2" and 6 more'
    assert error.message.startswith(f"there is no scope {named}. Valid scopes: all, ")
    assert error.suggestions[0] == "patterns"


def test_several_scopes_have_a_list_each_and_no_top_level_results(call: Call) -> None:
    found = structured(call("hybrid_search", query="map", scopes=["docs", "patterns"]))
    assert list(found["resultsByScope"]) == ["docs", "patterns"]
    assert found["limitPerScope"] == 5
    assert not {"results", "scope", "k"} & set(found)


@pytest.mark.usefixtures("one_of_each")
def test_guidelines_hold_patterns_too(call: Call) -> None:
    found = structured(call("hybrid_search", query="map", scopes=["guidelines"]))
    assert [hit["id"].partition(":")[0] for hit in found["results"]] == ["guideline", "pattern"]
    assert {hit["scope"] for hit in found["results"]} == {"guidelines"}


@pytest.mark.parametrize(
    ("raw", "scopes"),
    [
        ({}, ["all"]),
        ({"scopes": []}, ["all"]),
        ({"scopes": [" "]}, ["all"]),
        ({"scopes": ["docs", "docs"]}, ["docs"]),
        ({"scopes": ["docs", "all"]}, ["all"]),
        ({"scopes": ["DOCS", "Patterns"]}, ["docs", "patterns"]),
        ({"scopes": ["posts"]}, ["posts"]),
        ({"scope": "extra"}, ["extra"]),
        ({"scopes": ["docs"], "scope": "docs"}, ["docs"]),
    ],
)
def test_scopes_are_normalised(call: Call, raw: dict[str, Any], scopes: list[str]) -> None:
    assert structured(call("hybrid_search", query="map", **raw))["scopes"] == scopes


@pytest.mark.parametrize("raw", [{"scopes": ["docs", "docz"]}, {"scope": "docz"}])
def test_unknown_scope_lists_the_valid_ones(call: Call, raw: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="Valid scopes: all, builtins, docs, examples") as caught:
        call("hybrid_search", query="map", **raw)
    assert caught.value.kind == "BAD_INPUT"
    assert '"docz"' in caught.value.message
    assert caught.value.suggestions == ("docs",)


def test_scope_beside_scopes_is_ignored_with_a_warning(call: Call) -> None:
    found = structured(call("hybrid_search", query="map", scopes=["docs"], scope="extra"))
    assert found["scopes"] == ["docs"]
    assert any('"extra" was ignored' in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    ("raw", "limit"),
    [
        ({}, 10),
        ({"k": 3}, 3),
        ({"limitPerScope": 4}, 4),
        ({"k": 3, "limitPerScope": 4}, 3),
        ({"k": -1}, 1),
        ({"k": 500}, 50),
        ({"scopes": ["docs", "extra"]}, 5),
        ({"scopes": ["docs", "extra"], "k": 3}, 3),
        ({"scopes": ["docs", "extra"], "k": 3, "limitPerScope": 2}, 2),
    ],
)
def test_limits(call: Call, raw: dict[str, Any], limit: int) -> None:
    found = structured(call("hybrid_search", query="map", **raw))
    assert found["limitPerScope"] == limit
    assert found.get("k", limit) == limit


def test_several_chunks_of_a_section_are_one_hit(call: Call, searcher: Any, make_hit: Any) -> None:
    section = {"anchor": "sets", "section_line": 5}
    searcher.hits = [make_hit("docs", 0, line, **section) for line in range(5, 45)]
    searcher.hits.append(make_hit("docs", 0, 50, anchor="maps", section_line=50))
    found = structured(call("hybrid_search", query="map", k=2))
    assert [hit["metadata"]["line"] for hit in found["results"]] == [5, 50]
    assert found["results"][0]["metadata"]["lines"] == [5, 9]


@pytest.mark.parametrize("scopes", [["all"], ["docs", "examples"]])
def test_the_structure_is_written_as_it_is(
    call: Call, one_of_each: None, scopes: list[str]
) -> None:
    query = 'what is "resultsByScope":{"all":'
    found = structured(call("hybrid_search", query=query, scopes=scopes))
    assert json_text(found) == json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def test_answer_with_ten_hits_is_small(call: Call, searcher: Any, make_hit: Any) -> None:
    searcher.hits = [
        make_hit(
            "docs",
            0,
            line,
            title="The manual › Sets and other collections",
            anchor="sets",
            section_line=line,
            section_level=2,
            breadcrumb=["The manual", "Sets"],
        )
        for line in range(1, 11)
    ]
    answer = call("hybrid_search", query="how are sets made")
    found = structured(answer)
    assert len(found["results"]) == 10
    assert all(len(hit["snippet"]) >= 40 for hit in found["results"])
    assert len(json_text(found).encode()) < 8_000
    assert len(answer.text.encode()) < 4_500


def test_few_hits_have_long_snippets(call: Call, searcher: Any, make_hit: Any) -> None:
    searcher.hits = [make_hit("docs", 0)]
    (found,) = structured(call("hybrid_search", query="map", k=3))["results"]
    assert 200 < len(found["snippet"]) <= 240


def test_nothing_found_is_a_success_that_helps(call: Call) -> None:
    found = structured(call("hybrid_search", query="map"))
    assert found["results"] == []
    assert "quint_search_docs" in found["warnings"][0]


def test_nothing_found_in_all_names_the_scopes_that_it_leaves_out(
    call: Call, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes = session.artifact.manifest["scopes"]
    monkeypatch.setitem(scopes, "all", tuple(name for name in scopes["all"] if name != "posts"))
    monkeypatch.setitem(scopes, "posts", ("posts",))
    (warning,) = structured(call("hybrid_search", query="map"))["warnings"]
    assert warning.endswith("Scopes that all leaves out: posts.")


def test_warnings_of_the_search_are_passed_on_once(
    call: Call, searcher: Any, make_hit: Any
) -> None:
    searcher.warnings = ("Vector search is unavailable.",)
    searcher.hits = [make_hit("docs", 0), make_hit("posts", 0)]
    found = structured(call("hybrid_search", query="map", scopes=["docs", "extra"]))
    assert found["warnings"] == ["Vector search is unavailable."]


def test_text_has_every_list_once(call: Call, searcher: Any, make_hit: Any) -> None:
    searcher.hits = [make_hit("docs", 0)]
    single = call("hybrid_search", query="map")
    whole = structured(single)
    assert whole["results"] == whole["resultsByScope"]["all"]
    assert json.loads(single.text) == {
        name: value for name, value in whole.items() if name != "results"
    }
    several = call("hybrid_search", query="map", scopes=["docs", "extra"])
    assert json.loads(several.text) == several.structured


def test_lines_of_a_page_that_are_a_builtin_are_shown_as_the_builtin(
    call: Call, searcher: Any, make_hit: Any
) -> None:
    entry = {"breadcrumb": ["Operators", "mapBy", "Examples"], "anchor": "x", "section_line": 9}
    searcher.hits = [
        make_hit("docs", 1, 9, **entry),
        make_hit("builtins", 1, 7),
        make_hit("docs", 1, 40, **entry),
    ]
    everything = structured(call("hybrid_search", query="map"))["results"]
    assert [hit["id"] for hit in everything] == ["builtin:mapBy", "doc:docs/operators.md#x:9"]
    assert everything[0]["title"] == "mapBy"
    pages = structured(call("hybrid_search", query="map", scope="docs"))["results"]
    assert [hit["id"] for hit in pages] == ["doc:docs/operators.md#x:9"]


def test_snippet_does_not_repeat_the_heading(call: Call, searcher: Any, make_hit: Any) -> None:
    found = make_hit("docs", 0)
    found.reader.text = "## Maps\n\nMaps hold pairs."
    searcher.hits = [found]
    (result,) = structured(call("hybrid_search", query="map"))["results"]
    assert result["snippet"] == "Maps hold pairs."


def test_blank_query_is_bad_input(call: Call) -> None:
    with pytest.raises(ToolError, match="query"):
        call("hybrid_search", query="  ")


def test_hit_with_nothing_to_show_is_shown_by_its_summary(
    call: Call, searcher: Any, make_hit: Any
) -> None:
    found = make_hit("posts", 0)
    found.reader.text = ""
    searcher.hits = [found]
    (result,) = structured(call("hybrid_search", query="soup"))["results"]
    assert result["snippet"] == "A page about soup."
