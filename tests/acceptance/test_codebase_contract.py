"""`codebase_retrieval` and `get_file` as their contract wants them, on a compiled source tree."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.acceptance.conftest import REVISION, Client, Reply, compile_into

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.live.working_tree import WorkingTree
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.tools.code.passages import MAX_CONTENT_CHARS, MAX_PER_FILE
from kb_runtime.tools.session import DEFAULT_CHARS

LOGIN = '''\
"""Signing in."""

import hashlib


def authenticate_user(name: str, password: str) -> bool:
    """Checks a user's password against the stored hash."""
    stored = load_hash(name)
    return stored == hashlib.sha256(password.encode()).hexdigest()


class LoginForm:
    """The form on the sign-in page."""

    def validate(self, fields: dict) -> list:
        """Problems with what the visitor typed."""
        return [name for name, value in fields.items() if not value]
'''
LONG = "".join(
    f"def step_{number}(order):\n"
    f'    """Warehouse step {number}: picks, packs and ships parcel {number} of an order."""\n'
    f"    return order.advance(stage={number}, shelf='{chr(97 + number % 26)}')\n\n\n"
    for number in range(60)
)
WIDE = "def catalogue():\n" + "".join(
    f'    yield "item {number}", "a lamp of colour {number} with a shade and a switch"\n'
    for number in range(40)
)
HUGE = "".join(f"LINE_{number} = 'é{number}'\n" for number in range(4000))
FILES = {
    "kb.toml": '[kb]\nname = "shop"\ntitle = "Shop"\n',
    "code/shop/auth/login.py": LOGIN,
    "code/shop/db/connection.py": (
        "def connect_database(url):\n"
        '    """Opens the connection to the database and checks its version."""\n'
        "    return Connection(url)\n"
    ),
    "code/shop/tests/test_login.py": (
        "def test_a_wrong_password_is_refused():\n"
        "    assert not authenticate_user('ann', 'wrong')\n"
    ),
    "code/shop/warehouse.py": LONG,
    "code/shop/lamps.py": WIDE,
    "code/shop/huge.py": HUGE,
    "code/web/src/cart.ts": (
        "// The basket.\r\nexport class Cart {\r\n  items: string[] = []\r\n\r\n"
        "  addItem(item: string): void {\r\n    this.items.push(item)\r\n  }\r\n}\r\n"
    ),
    "code/web/src/money.go": (
        "package money\n\n// FormatPrice writes an amount with its currency.\n"
        "func FormatPrice(cents int) string {\n\treturn symbol + decimal(cents)\n}\n"
    ),
    "code/web/README.md": "# Shop\n\nHow the shop is deployed.\n",
    "code/web/.env": "SECRET_TOKEN=hunter2\n",
    "code/.gitignore": "ignored/\n",
    "code/ignored/x.py": "def hidden_function(): pass\n",
}
TIMING = "queryTimeMs"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        path = folder / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


@pytest.fixture(scope="session")
def shop(folder: Path, pytestconfig: pytest.Config) -> Client:
    return compile_into(folder, pytestconfig)


def ask(client: Client, query: str, **arguments: Any) -> dict[str, Any]:
    reply = client.call("codebase_retrieval", query=query, **arguments)
    assert not reply.is_error, reply.text
    return reply.structured


def files(answer: dict[str, Any]) -> list[str]:
    return [result["file"] for result in answer["results"]]


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    metadata = {name: value for name, value in answer["metadata"].items() if name != TIMING}
    return {**answer, "metadata": metadata}


def test_the_text_is_the_structure_as_indented_json(shop: Client) -> None:
    reply = shop.call("codebase_retrieval", query="user authentication", unknown=1)
    assert json.loads(reply.text) == reply.structured
    assert reply.text.startswith('{\n  "results": [\n    {\n      "file": ')
    assert "unknown" in reply.structured["warnings"][0]


def test_a_result_has_every_field(shop: Client) -> None:
    query = "where is the function that handles user authentication"
    first = ask(shop, query)["results"][0]
    assert set(first) == {"file", "content", "score", "lines", "reason"}
    assert first["file"] == "shop/auth/login.py"
    assert 0 < first["score"] <= 1
    assert first["reason"].startswith(f'Semantic match for: "{query}"')


def test_content_is_what_stands_on_the_lines(shop: Client) -> None:
    for query in ("authentication", "cart items", "warehouse step", "how is it deployed"):
        for result in ask(shop, query)["results"]:
            start, end = map(int, result["lines"].split("-"))
            lines = FILES[f"code/{result['file']}"].split("\n")
            assert "\n".join(lines[start - 1 : end]).startswith(result["content"])
            assert result["content"].count("\n") == end - start


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("Where is the function that handles user authentication?", "shop/auth/login.py"),
        ("What tests are there for the login functionality?", "shop/tests/test_login.py"),
        ("How is the database connected to the application?", "shop/db/connection.py"),
        ("connect_database", "shop/db/connection.py"),
        ("connectDatabase", "shop/db/connection.py"),
        ("FormatPrice", "web/src/money.go"),
        ("put something into the basket", "web/src/cart.ts"),
        ("shop/auth/login.py", "shop/auth/login.py"),
    ],
)
def test_known_items_are_found(shop: Client, query: str, file: str) -> None:
    assert file in files(ask(shop, query, top_k=2))


def test_reasons_hold_the_evidence(shop: Client) -> None:
    (result,) = ask(shop, "connect_database", top_k=1)["results"]
    assert "function connect_database" in result["reason"]
    assert "has connect_database" in result["reason"]
    (result,) = ask(shop, "which problems with what a visitor typed", top_k=1)["results"]
    assert "of LoginForm" in result["reason"] or "LoginForm" in result["reason"]
    (result,) = ask(shop, "web/src/cart.ts", top_k=1)["results"]
    assert "path" in result["reason"]
    assert result["score"] == 1


def test_scores_fall_and_do_not_depend_on_top_k(shop: Client) -> None:
    for query in ("authentication", "step", "user password lamp"):
        many = ask(shop, query, top_k=20)["results"]
        scores = [result["score"] for result in many]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert ask(shop, query, top_k=3)["results"] == many[:3]


def test_scores_of_different_queries_compare(shop: Client) -> None:
    good = ask(shop, "check a user's password against the stored hash", top_k=1)["results"][0]
    poor = ask(shop, "gravitational waves of merging neutron stars", top_k=1)["results"]
    assert good["score"] > 0.6
    assert all(result["score"] < 0.4 for result in poor)


def test_top_k_is_respected(shop: Client) -> None:
    for top_k in (1, 2, 50):
        answer = ask(shop, "function", top_k=top_k)
        assert len(answer["results"]) <= top_k
        assert answer["metadata"]["totalResults"] == len(answer["results"])
    assert len(ask(shop, "login", top_k="2")["results"]) == 2
    assert len(ask(shop, "login", top_k=2.0)["results"]) == 2
    assert ask(shop, "login", top_k=None) is not None


def test_tests_come_after_the_code_unless_they_are_asked_for(shop: Client) -> None:
    def score(query: str) -> float:
        results = ask(shop, query, include_paths=["shop/tests/"], top_k=1)["results"]
        return float(results[0]["score"])

    assert files(ask(shop, "check the password of a user"))[0] == "shop/auth/login.py"
    assert (
        files(ask(shop, "tests that a wrong password is refused"))[0] == "shop/tests/test_login.py"
    )
    assert score("wrong password refused") < score("wrong password refused tests")


def test_one_file_does_not_crowd_out_the_others(shop: Client) -> None:
    found = files(ask(shop, "warehouse step of an order and the lamp catalogue", top_k=20))
    assert max(found.count(file) for file in found) <= MAX_PER_FILE
    assert len(set(found)) > 1


def test_neighbouring_passages_are_one_result(shop: Client) -> None:
    results = ask(shop, "warehouse step", top_k=50)["results"]
    ranges = sorted(
        tuple(map(int, result["lines"].split("-")))
        for result in results
        if result["file"] == "shop/warehouse.py"
    )
    assert ranges
    assert all(before[1] < after[0] for before, after in pairwise(ranges))
    assert all(len(result["content"]) <= MAX_CONTENT_CHARS for result in results)


def test_metadata_names_workspace_and_time_of_the_build(shop: Client) -> None:
    metadata = ask(shop, "login")["metadata"]
    assert metadata["workspace"] == "code"
    assert metadata["lastIndexed"].endswith("Z")
    assert metadata[TIMING] >= 0
    assert metadata["query_mode"] == "hybrid"
    assert metadata["indexStatus"] == {
        "status": "ready",
        "fileCount": 9,
        "comparedWithDisk": False,
    }
    assert "isStale" not in metadata["indexStatus"]


def test_the_same_call_gives_the_same_answer(shop: Client) -> None:
    first = ask(shop, "login form", profile="rich", response_version="v2")
    second = ask(shop, "login form", profile="rich", response_version="v2")
    assert without_time(first) == without_time(second)


def test_nothing_found_is_a_success_that_helps(shop: Client) -> None:
    reply = shop.call("codebase_retrieval", query="login", include_paths=["no/such/**"])
    assert not reply.is_error
    assert reply.structured["results"] == []
    assert reply.structured["metadata"]["totalResults"] == 0
    assert "include_paths" in reply.structured["warnings"][0]


@pytest.mark.parametrize("query", [None, "", "  \n", 5, ["x"], {}, True])
def test_a_query_must_be_a_non_empty_string(shop: Client, query: Any) -> None:
    reply = shop.call("codebase_retrieval", query=query)
    assert reply.is_error
    assert reply.structured["error"]["kind"] == "BAD_INPUT"
    assert reply.text.startswith("Error: Invalid query")
    assert "non-empty string" in reply.text


def test_a_call_without_arguments_lacks_its_query(shop: Client) -> None:
    reply = shop.call_with("codebase_retrieval", {})
    assert reply.is_error
    assert "Invalid query" in reply.text


def test_a_query_may_have_a_thousand_characters(shop: Client) -> None:
    assert not shop.call("codebase_retrieval", query="x" * 1000).is_error
    assert not shop.call("codebase_retrieval", query=" " + "é" * 1000 + " ").is_error
    reply = shop.call("codebase_retrieval", query="x" * 1001)
    assert reply.is_error
    assert "Query too long" in reply.text
    assert "1000" in reply.text


@pytest.mark.parametrize("top_k", [0, -1, 51, 5.5, "many", True, [], float("nan")])
def test_top_k_outside_its_range_is_refused(shop: Client, top_k: Any) -> None:
    reply = shop.call("codebase_retrieval", query="login", top_k=top_k)
    assert reply.is_error
    assert reply.text.startswith("Error: Invalid top_k")
    assert "1 to 50" in reply.text


@pytest.mark.parametrize(
    "query", ['it\'s a "test"; DROP TABLE x --', "delete *", "a AND (b", "%s{}"]
)
def test_no_query_is_refused_for_what_it_says(shop: Client, query: str) -> None:
    assert ask(shop, query)["metadata"]["totalResults"] >= 0


def test_paths_are_filtered_before_ranking(shop: Client) -> None:
    assert set(files(ask(shop, "login", include_paths=["*.go"]))) == {"web/src/money.go"}
    inside = files(ask(shop, "login", include_paths=["shop/auth/"]))
    assert set(inside) == {"shop/auth/login.py"}
    without = ask(
        shop, "login", include_paths="shop", exclude_paths=["**/test_*.py", "./shop\\auth"]
    )
    assert "shop/tests/test_login.py" not in files(without)
    assert "shop/auth/login.py" not in files(without)
    assert without["metadata"]["filtersApplied"] == [
        "include shop",
        "exclude **/test_*.py",
        "exclude shop/auth",
    ]


def test_a_filter_does_not_change_a_score(shop: Client) -> None:
    everywhere = ask(shop, "connect the database", top_k=50)["results"]
    scores = {(result["file"], result["lines"]): result["score"] for result in everywhere}
    for result in ask(shop, "connect the database", include_paths=["shop/db/**"])["results"]:
        assert scores[result["file"], result["lines"]] == result["score"]


@pytest.mark.parametrize("field", ["include_paths", "exclude_paths"])
@pytest.mark.parametrize("value", [["/etc/*"], ["../x"], ["a/../../b"], ["C:\\x"], [1], 5, {}])
def test_bad_path_filters_are_refused_by_name(shop: Client, field: str, value: Any) -> None:
    reply = shop.call("codebase_retrieval", query="login", **{field: value})
    assert reply.is_error
    assert reply.structured["error"]["kind"] == "BAD_INPUT"
    assert field in reply.text


def test_the_second_version_explains_each_result(shop: Client) -> None:
    answer = ask(shop, "problems of the LoginForm", response_version="v2", top_k=1)
    (result,) = answer["results"]
    assert result["trace"]["source_stage"] in ("lexical", "semantic", "fused")
    assert result["trace"]["match_type"] in ("path", "definition", "text")
    assert result["explainability"]["language"] == "python"
    assert result["explainability"]["symbolName"]
    assert result["explainability"]["matchedTerms"]
    assert answer["metadata"]["totalCandidates"] >= 1
    assert "trace" not in ask(shop, "LoginForm", response_version="v7")["results"][0]


def test_a_compact_result_has_a_preview(shop: Client) -> None:
    for result in ask(shop, "login", response_version="v2", compact=True)["results"]:
        assert "content" not in result
        assert 0 < len(result["preview"]) <= 240
    ignored = ask(shop, "login", compact=True)
    assert "content" in ignored["results"][0]
    assert "v2" in ignored["warnings"][0]


def test_a_rich_answer_shows_whole_definitions(shop: Client) -> None:
    (narrow,) = ask(shop, "item lamp of colour 35", include_paths=["lamps.py"], top_k=1)["results"]
    (wide,) = ask(
        shop, "item lamp of colour 35", include_paths=["lamps.py"], top_k=1, profile="rich"
    )["results"]
    assert "def catalogue" in wide["content"]
    assert len(wide["content"]) >= len(narrow["content"])
    assert shop.call("codebase_retrieval", query="x", profile="frugal").is_error


def test_ignored_and_secret_files_are_not_in_the_index(shop: Client) -> None:
    for query in ("hidden_function", "SECRET_TOKEN hunter2"):
        reply = shop.call("codebase_retrieval", query=query, top_k=50)
        assert "hunter2" not in reply.text.replace(query, "")
        assert "ignored/x.py" not in reply.text
    assert shop.call("get_file", path="web/.env").is_error


def test_the_schema_wants_a_query_and_tells_the_bounds(shop: Client) -> None:
    schema = shop.tools["codebase_retrieval"]["inputSchema"]
    assert schema["required"] == ["query"]
    top_k = schema["properties"]["top_k"]
    assert (top_k["default"], top_k["minimum"], top_k["maximum"]) == (10, 1, 50)
    Draft202012Validator.check_schema(schema)


def test_the_description_says_when_to_use_the_tool(shop: Client) -> None:
    description = shop.tools["codebase_retrieval"]["description"]
    for phrase in (
        "primary tool for code search",
        "first choice",
        "natural language",
        "all languages",
        "nothing of version control",
        "high-level understanding",
        "in ONE call",
        "user authentication",
        "tests are there for the login",
        "database connected",
        "constructor",
        "all references",
        "use grep",
        "get_file",
        "error messages",
        "Before every edit",
        "When in doubt, use this tool first",
        "lastIndexed",
    ):
        assert phrase in description, phrase
    for untrue in ("proprietary", "world", "real-time", "best-in-class"):
        assert untrue not in description.casefold()


def test_without_meaning_words_answer_and_say_so(
    shop: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no library at /opt/secret")

    monkeypatch.setattr("kb_runtime.search.encoder.QueryEncoder.encode", fail)
    found = shop.call("codebase_retrieval", query="warehouse").structured
    assert found["results"]
    assert found["metadata"]["query_mode"] == "keyword"
    assert "Semantic search is unavailable" in found["warnings"][0]
    assert "secret" not in json.dumps(found)


def test_a_search_that_fails_is_an_error_and_not_empty(
    shop: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no library at /opt/secret")

    monkeypatch.setattr("kb_runtime.search.encoder.QueryEncoder.encode", fail)
    monkeypatch.setattr("kb_runtime.search.lexical.LexicalIndex.search", fail)
    reply = shop.call("codebase_retrieval", query="warehouse")
    assert reply.is_error
    assert reply.structured["error"]["kind"] == "UNAVAILABLE"
    assert reply.text.startswith("Error: Search is unavailable")
    assert "secret" not in reply.text


def test_a_provoked_failure_leaks_nothing(shop: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail in /root/place")

    monkeypatch.setattr("kb_runtime.search.searcher.Searcher.search", fail)
    monkeypatch.setattr(Artifact, "catalog", fail)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("codebase_retrieval", {"query": "x"}),
        ("get_file", {"path": "shop/warehouse.py"}),
    ]
    for tool, arguments in calls:
        reply = shop.call(tool, **arguments)
        assert reply.is_error
        assert reply.structured["error"]["kind"] == "INTERNAL"
        assert "secret" not in reply.text + json.dumps(reply.structured)


@pytest.mark.slow
def test_repeated_calls_do_not_grow_memory(shop: Client) -> None:
    def calls() -> None:
        for number in range(30):
            shop.call("codebase_retrieval", query=f"warehouse step {number}")

    calls()
    gc.collect()
    tracemalloc.start()
    try:
        calls()
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        calls()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000


# --- get_file -----------------------------------------------------------------------------------


def test_a_file_comes_as_it_was_indexed(shop: Client) -> None:
    reply = shop.call("get_file", path="web/src/cart.ts")
    assert reply.structured["content"] == FILES["code/web/src/cart.ts"]
    assert reply.structured["lines"] == "1-8"
    assert reply.structured["totalLines"] == 8
    assert reply.structured["language"] == "typescript"
    assert "export class Cart" in reply.text


def test_a_range_of_lines(shop: Client) -> None:
    lines = LOGIN.split("\n")
    reply = shop.call("get_file", path="shop/auth/login.py", start_line=6, end_line=7)
    assert reply.structured["content"] == "\n".join(lines[5:7]) + "\n"
    assert reply.structured["lines"] == "6-7"
    reply = shop.call("get_file", path="shop/auth/login.py", start_line=16, end_line=999)
    assert reply.structured["content"] == "\n".join(lines[15:])


def test_the_lines_of_a_hit_can_be_read(shop: Client) -> None:
    for result in ask(shop, "cart of items and a login form")["results"]:
        start, end = result["lines"].split("-")
        reply = shop.call("get_file", path=result["file"], start_line=start, end_line=end)
        assert reply.structured["content"].startswith(result["content"])


@pytest.mark.parametrize("path", ["cart.ts", "src/cart.ts", "WEB/SRC/CART.TS", "./web/src/cart.ts"])
def test_a_file_by_the_end_of_its_path(shop: Client, path: str) -> None:
    assert shop.call("get_file", path=path).structured["file"] == "web/src/cart.ts"


@pytest.mark.parametrize("path", ["shop/auth/logn.py", "nothing.py", "code", "shop"])
def test_an_unknown_file_is_told_with_similar_ones(shop: Client, path: str) -> None:
    reply = shop.call("get_file", path=path)
    assert reply.structured["error"]["kind"] == "NOT_FOUND"
    assert path in reply.text
    if "logn" in path:
        assert "shop/auth/login.py" in reply.structured["error"]["suggestions"]


@pytest.mark.parametrize("path", ["../kb.toml", "/etc/passwd", "shop/../../kb.toml", "C:\\x", ""])
def test_no_path_leads_out_of_the_index(shop: Client, path: str) -> None:
    reply = shop.call("get_file", path=path)
    assert reply.is_error
    assert reply.structured["error"]["kind"] in ("BAD_INPUT", "NOT_FOUND")


@pytest.mark.parametrize(
    ("start", "end", "word"),
    [
        (0, None, "start_line"),
        (99, None, "17 lines"),
        (5, 4, "end_line"),
        ("x", None, "start_line"),
    ],
)
def test_a_range_that_is_none_is_refused(shop: Client, start: Any, end: Any, word: str) -> None:
    reply = shop.call("get_file", path="shop/auth/login.py", start_line=start, end_line=end)
    assert reply.structured["error"]["kind"] == "BAD_INPUT"
    assert word in reply.text


def pages(client: Client, **arguments: Any) -> Iterator[dict[str, Any]]:
    cursor = None
    while True:
        reply = client.call("get_file", cursor=cursor, **arguments)
        assert not reply.is_error, reply.text
        yield reply.structured
        cursor = reply.structured.get("nextCursor")
        if cursor is None:
            return


def test_a_long_file_comes_in_parts_that_join(shop: Client) -> None:
    parts = list(pages(shop, path="shop/huge.py"))
    assert len(parts) > 1
    assert all(0 < len(part["content"]) <= DEFAULT_CHARS for part in parts)
    assert "".join(part["content"] for part in parts) == HUGE
    assert parts[1]["lines"].split("-")[0] == str(parts[0]["content"].count("\n") + 1)


@settings(max_examples=20)
@given(first=st.integers(1, 4000), count=st.integers(1, 4000))
def test_parts_of_any_range_join(shop: Client, first: int, count: int) -> None:
    lines = HUGE.split("\n")[:-1]
    last = min(first + count - 1, len(lines))
    parts = pages(shop, path="shop/huge.py", start_line=first, end_line=last)
    expected = "".join(line + "\n" for line in lines[first - 1 : last])
    assert "".join(part["content"] for part in parts) == expected


def test_a_cursor_belongs_to_its_request(shop: Client) -> None:
    cursor = shop.call("get_file", path="shop/huge.py").structured["nextCursor"]
    for arguments in (
        {"path": "shop/warehouse.py", "cursor": cursor},
        {"path": "shop/huge.py", "start_line": 2, "cursor": cursor},
        {"path": "shop/huge.py", "cursor": "nonsense"},
    ):
        reply = shop.call("get_file", **arguments)
        assert reply.structured["error"]["kind"] == "BAD_INPUT"
        assert "cursor" in reply.text


# --- freshness ----------------------------------------------------------------------------------


class Compared:
    """A server that knows where the tree is edited."""

    def __init__(self, artifact: Path, tree: Path) -> None:
        live = LiveArtifact(artifact)
        self._dispatcher = Dispatcher(live, working_tree=WorkingTree(str(tree)))

    def call(self, tool: str, **arguments: Any) -> Reply:
        params = {"name": tool, "arguments": arguments}
        result = self._dispatcher.handle("tools/call", params, REVISION)
        return Reply(result["content"][0]["text"], result["structuredContent"], result["isError"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        if name.startswith("code/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    return tmp_path / "code"


@pytest.fixture
def compared(shop: Client, folder: Path, tree: Path) -> Compared:
    return Compared(folder / "out" / "shop", tree)


def test_an_unchanged_tree_is_not_stale(compared: Compared) -> None:
    answer = compared.call("codebase_retrieval", query="login").structured
    assert answer["metadata"]["indexStatus"]["isStale"] is False
    assert answer["metadata"]["indexStatus"]["comparedWithDisk"] is True
    assert "freshnessWarning" not in answer["metadata"]
    assert not any("stale" in result for result in answer["results"])


def test_text_that_moved_is_flagged_and_anchored_again(compared: Compared, tree: Path) -> None:
    query = "check a user's password against the stored hash"
    before = compared.call("codebase_retrieval", query=query, top_k=1).structured["results"][0]
    (tree / "shop/auth/login.py").write_text("# one\n# two\n" + LOGIN)
    answer = compared.call("codebase_retrieval", query=query, top_k=1).structured
    (result,) = answer["results"]
    assert result["stale"] is True
    assert result["content"] == before["content"]
    start, end = map(int, before["lines"].split("-"))
    assert result["lines"] == f"{start + 2}-{end + 2}"
    assert answer["metadata"]["indexStatus"]["isStale"] is True
    assert "shop/auth/login.py" in answer["metadata"]["freshnessWarning"]
    assert "kbc build" in answer["metadata"]["freshnessWarning"]


@pytest.mark.parametrize("text", ["def other(): pass\n", None])
def test_text_that_is_gone_is_left_out_with_a_warning(
    compared: Compared, tree: Path, text: str | None
) -> None:
    changed = tree / "shop/auth/login.py"
    if text is None:
        changed.unlink()
    else:
        changed.write_text(text)
    answer = compared.call("codebase_retrieval", query="authenticate_user password").structured
    assert answer["results"]
    assert "shop/auth/login.py" not in files(answer)
    assert any("shop/auth/login.py" in warning for warning in answer["warnings"])
    assert answer["metadata"]["indexStatus"]["isStale"] is True
    assert answer["metadata"]["totalResults"] == len(answer["results"])


def test_a_changed_file_is_told_when_it_is_read(compared: Compared, tree: Path) -> None:
    assert "stale" not in compared.call("get_file", path="cart.ts").structured
    (tree / "web/src/cart.ts").write_text("changed")
    reply = compared.call("get_file", path="cart.ts")
    assert reply.structured["stale"] is True
    assert "Note: changed since it was indexed" in reply.text
