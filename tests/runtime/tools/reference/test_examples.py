from __future__ import annotations

from typing import Any

import pytest
from tests.runtime.tools.asking import Call, refusal, structured

TENDERMINT = "cosmos/tendermint/Tendermint.qnt"


@pytest.mark.parametrize(
    "path",
    [
        TENDERMINT,
        "/" + TENDERMINT,
        "examples/" + TENDERMINT,
        TENDERMINT.upper(),
        "Tendermint.qnt",
        "example:" + TENDERMINT,
        "kb://small/examples/cosmos/tendermint/Tendermint.qnt",
    ],
)
def test_example_is_found_by_path_ending_and_address(call: Call, path: str) -> None:
    for tool in ("get_example", "example_info"):
        assert structured(call(tool, path=path))["path"] == TENDERMINT


def test_file_answer(call: Call) -> None:
    assert structured(call("get_example", path="games/tictactoe.qnt")) == {
        "path": "games/tictactoe.qnt",
        "type": "file",
        "category": "games",
        "content": "module tictactoe {}\n",
        "lines": 1,
        "relativePath": "games/tictactoe.qnt",
    }


@pytest.mark.parametrize("path", ["cosmos", "cosmos/", "COSMOS", "/cosmos", "examples/cosmos"])
def test_folder_lists_files_at_every_depth(call: Call, path: str) -> None:
    found = structured(call("get_example", path=path))
    assert (found["path"], found["type"]) == ("cosmos", "directory")
    assert found["files"] == ["cosmos/bank.qnt", TENDERMINT]
    assert "cosmos/bank.qnt" in found["suggestion"]


@pytest.mark.parametrize("path", ["/", "examples"])
def test_the_examples_folder_itself_lists_everything(call: Call, path: str) -> None:
    found = structured(call("get_example", path=path))
    assert len(found["files"]) == 4
    assert found["path"] == path


@pytest.mark.parametrize("tool", ["get_example", "example_info"])
@pytest.mark.parametrize("path", ["../secret.qnt", "cosmos/../../x", "D:\\x"])
def test_path_out_of_the_knowledge_base_is_bad_input(call: Call, tool: str, path: str) -> None:
    assert refusal(call, tool, path=path).kind == "BAD_INPUT"


def test_unknown_file_suggests_its_category(call: Call) -> None:
    error = refusal(call, "get_example", path="games/chess.qnt")
    assert error.kind == "NOT_FOUND"
    assert '"games/chess.qnt"' in error.message
    assert "Available categories: cosmos, games" in error.message
    assert error.suggestions == ("games/bank.qnt", "games/tictactoe.qnt")
    assert error.details == {"availableCategories": ["cosmos", "games"]}


def test_ambiguous_file_name_suggests_every_place(call: Call) -> None:
    error = refusal(call, "get_example", path="bank.qnt")
    assert error.message == '2 examples end with "bank.qnt": give one of their paths'
    assert error.suggestions == ("cosmos/bank.qnt", "games/bank.qnt")


def test_phrase_suggests_what_a_search_finds(call: Call, searcher: Any, make_hit: Any) -> None:
    searcher.hits = [make_hit("examples", 2), make_hit("docs", 0), make_hit("examples", 2)]
    error = refusal(call, "get_example", path="union type definition")
    assert error.kind == "NOT_FOUND"
    assert error.suggestions == ("games/tictactoe.qnt",)
    assert searcher.requests[0].collections == ("examples",)


def test_info_of_an_unknown_file_suggests_paths(call: Call) -> None:
    error = refusal(call, "example_info", path="tictac")
    assert error.kind == "NOT_FOUND"
    assert error.suggestions == ("games/tictactoe.qnt",)


def test_list_counts_each_category(call: Call) -> None:
    assert structured(call("list_examples")) == {
        "total": 4,
        "categories": {
            "cosmos": {"count": 2, "examples": ["cosmos/bank.qnt", TENDERMINT], "hasMore": False},
            "games": {
                "count": 2,
                "examples": ["games/bank.qnt", "games/tictactoe.qnt"],
                "hasMore": False,
            },
        },
    }


@pytest.mark.parametrize(
    ("category", "expected"),
    [("cosmos", 2), ("COSMOS", 2), ("cosmos/tendermint", 1), ("examples/cosmos", 2)],
)
def test_list_of_a_category_has_all_paths_below_it(
    call: Call, category: str, expected: int
) -> None:
    found = structured(call("list_examples", category=category))
    assert found["total"] == len(found["examples"]) == expected
    assert found["examples"] == sorted(found["examples"])


def test_unknown_category_lists_the_known_ones(call: Call) -> None:
    error = refusal(call, "list_examples", category="gams")
    assert error.kind == "NOT_FOUND"
    assert "Available categories: cosmos, games" in error.message
    assert error.suggestions == ("games",)


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        ("mapBy", [TENDERMINT]),
        ("mapby", [TENDERMINT]),
        ("Consensus", [TENDERMINT]),
        ("basic", [TENDERMINT]),
        ("tictactoe", ["games/tictactoe.qnt"]),
        ("worksTest", ["cosmos/bank.qnt"]),
    ],
)
def test_feature_keeps_examples_that_use_or_define_it(
    call: Call, feature: str, expected: list[str]
) -> None:
    found = structured(call("list_examples", feature=feature))
    paths = [path for entry in found["categories"].values() for path in entry["examples"]]
    assert paths == expected
    assert found["total"] == len(expected)


@pytest.mark.parametrize("feature", ["setToMap", "nothing"])
def test_feature_in_a_comment_or_nowhere_finds_nothing_and_says_so(
    call: Call, feature: str
) -> None:
    found = structured(call("list_examples", feature=feature))
    assert found["total"] == 0
    assert feature in found["warnings"][0]


def test_feature_outside_the_category_is_told(call: Call) -> None:
    found = structured(call("list_examples", category="games", feature="mapBy"))
    assert found["examples"] == []
    assert "1 elsewhere" in found["warnings"][0]


def test_info_is_metadata_without_text(call: Call) -> None:
    assert structured(call("example_info", path=TENDERMINT)) == {
        "path": TENDERMINT,
        "filename": "Tendermint.qnt",
        "category": "cosmos",
        "subcategory": "tendermint",
        "modules": ["Tendermint"],
        "description": "Tendermint consensus.",
        "imports": [{"module": "basic", "from": "../basic"}],
        "types": [],
        "constants": [],
        "functions": [],
        "actions": [],
        "keywords": ["consensus"],
        "hasTests": False,
        "tests": [],
        "size": 78,
    }


def test_tests_that_the_runner_selects_come_first(call: Call) -> None:
    found = structured(call("example_info", path="cosmos/bank.qnt"))
    assert found["hasTests"] is True
    assert found["tests"] == ["worksTest", "helper"]
    assert "subcategory" not in found


def test_a_limit_without_a_category_is_told_to_be_ignored(call: Call) -> None:
    assert structured(call("list_examples", limit=1))["warnings"] == [
        "limit ignored: it needs a category"
    ]
    assert "warnings" not in structured(call("list_examples", limit=1, category="games"))
