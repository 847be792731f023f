"""The symbol tools over a parsed draft of a small tree, which needs no model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import verify
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.live.working_tree import WorkingTree
from kb_runtime.live.workspace import CodeFolder
from kb_runtime.tools.arguments import check
from kb_runtime.tools.code import retrieval
from kb_runtime.tools.code.family import TOOLS
from kb_runtime.tools.session import Session
from kbc.following.source_index import SourceIndex

CALLERS = 400
FILES = {
    "app/core.py": (
        "class Engine:\n"
        "    def start(self):\n"
        "        return self.check()\n\n"
        "    def check(self):\n"
        "        return True\n\n\n"
        "class Pump:\n"
        "    def start(self):\n"
        "        return ignite()\n\n\n"
        "def ignite():\n"
        "    return Engine().start()\n"
    ),
    "app/use.py": "from app.core import ignite as go\n\n"
    + "".join(f"def caller_{number}():\n    return go()\n\n\n" for number in range(CALLERS)),
    "web/engine.ts": "export class Engine {\n  start() {\n    return 1;\n  }\n}\n",
    "web/main.ts": 'import { Engine } from "./engine";\n\nnew Engine().start();\n',
    "sea/hull.go": "package sea\n\ntype Hull struct {\n\tn int\n}\n\nfunc (h *Hull) Float() {}\n",
    "KettleTests/only.kt": "class Kettle {\n    fun boil() {}\n}\n",
    "lib/only.kt": "class Kettle {\n    fun boil() {}\n}\n",
    "anchor.yaml": "capstan: brass\nfluke: iron\n",
}

Call = Callable[..., dict[str, Any]]


def call_on(session: Session) -> Call:
    def call(name: str, **arguments: Any) -> dict[str, Any]:
        (tool,) = (tool for tool in TOOLS if tool.name == name)
        values, _ = check(tool, arguments)
        answer = tool.run(session, values)
        assert answer.text
        structured: dict[str, Any] = answer.structured
        return structured

    return call


def index_of(root: Path) -> SourceIndex:
    return SourceIndex(root / "tree", CodeFolder(str(root / "code")), root / "cache")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("symbols")
    for name, text in FILES.items():
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    index_of(folder).build(draft=True, parsed=True)
    return folder


@pytest.fixture(scope="module")
def call(root: Path) -> Iterator[Call]:
    with Artifact.open(root / "code" / "index") as artifact:
        yield call_on(Session(artifact, {}))


def test_the_artifact_is_verified_with_its_symbols(root: Path) -> None:
    report = verify(root / "code" / "index")
    assert report.ok, report.problems
    assert "symbols" in report.checks


def test_a_name_in_any_style(call: Call) -> None:
    for query, match in (
        ("Engine", "exact"),
        ("engine", "case"),
        ("Eng", "prefix"),
        ("ngin", "part"),
        ("Enginw", "similar"),
    ):
        found = call("symbol_search", symbol=query, language_hint="python")
        best = found["results"][0]
        assert (best["name"], best["match"], best["file"]) == ("Engine", match, "app/core.py")
    words = call("symbol_search", symbol="callerSeven_7", top_k=1)
    assert words["results"] == []
    assert call("symbol_search", symbol="caller 7", top_k=1)["results"][0]["name"] == "caller_7"


def test_sources_come_before_tests(call: Call) -> None:
    found = call("symbol_search", symbol="Kettle", top_k=2)["results"]
    assert [each["file"] for each in found] == ["lib/only.kt", "KettleTests/only.kt"]


def test_a_type_by_what_it_is_and_the_kinds_that_a_name_has(call: Call) -> None:
    assert call("symbol_search", symbol="Hull", kinds=["struct"])["total"] == 1
    none = call("symbol_search", symbol="Hull", kinds=["class", "enum"])
    assert none["results"] == []
    assert none["warnings"] == ["none is of these kinds; others that match: 1 of kind type"]


@pytest.mark.parametrize(
    ("symbol", "name", "note"),
    [
        ("(*Hull).Float", "Float", None),
        ("Hull.Float()", "Float", None),
        ("hull.float", "Float", "in another case"),
        ("IGNITE", "ignite", "in another case"),
        ("heron.ignite", "ignite", '"heron"'),
    ],
)
def test_a_name_as_it_stands_in_code(call: Call, symbol: str, name: str, note: str | None) -> None:
    for tool in ("symbol_definition", "symbol_references", "call_relationships"):
        found = call(tool, symbol=symbol)
        definition = found["definition"] if "definition" in found else found["definitions"][0]
        assert definition["name"] == name
        assert any(note in each for each in found.get("warnings", ())) if note else True


def test_a_member_by_its_class(call: Call) -> None:
    assert call("symbol_definition", symbol="Pump.start")["definition"]["lines"] == "10-11"
    assert call("symbol_definition", symbol="core.ignite")["content"].startswith("def ignite")
    several = call("symbol_definition", symbol="start")
    assert several["totalDefinitions"] == 3
    with pytest.raises(ToolError, match=r'no definition of "Pump\.check"'):
        call("symbol_definition", symbol="Pump.check")


@pytest.mark.parametrize(
    ("symbol", "lines", "others"),
    [("Pump.start", "10-11", 2), ("(*Hull).Float()", "7-7", 0), ("Pump::start()", "10-11", 2)],
)
def test_a_member_of_a_class_is_found_before_its_namesakes(
    call: Call, symbol: str, lines: str, others: int
) -> None:
    best, *rest = call("symbol_search", symbol=symbol)["results"]
    assert (best["match"], best["lines"]) == ("exact", lines)
    assert [each["name"] for each in rest] == [best["name"]] * others
    assert "exact" not in {each["match"] for each in rest}
    none = call("symbol_search", symbol="Pump.start", kinds=["enum"])
    assert none["warnings"] == ["none is of these kinds; others that match: 3 of kind method"]


@pytest.mark.parametrize("symbol", ["#", ".", "::", "->", "...", "()", "&"])
def test_a_symbol_without_a_name_is_found_nowhere(call: Call, symbol: str) -> None:
    assert call("symbol_search", symbol=symbol)["results"] == []
    for tool in ("symbol_definition", "symbol_references", "call_relationships"):
        with pytest.raises(ToolError, match="no definition of"):
            call(tool, symbol=symbol)


def test_nothing_found_says_what_limits_the_search(call: Call) -> None:
    (nothing,) = call("symbol_search", symbol="zzyzx")["warnings"]
    assert nothing.endswith("is called so: use another part of the name, or codebase_retrieval")
    limits: dict[str, Any] = {"symbol": "start", "include_paths": ["nowhere/**"]}
    (warning,) = call("symbol_search", **limits)["warnings"]
    assert "files (limited by the paths) is called so: leave out the paths, or use" in warning
    warnings = call("symbol_references", **limits)["warnings"]
    assert "(limited by the paths) uses it: leave out the paths" in warnings[-1]
    with pytest.raises(ToolError, match=r"\(limited by the paths and language_hint\)$") as caught:
        call("symbol_definition", **limits, language_hint="python")
    assert caught.value.next_steps[0] == "Leave out the paths and language_hint."


def test_what_is_proved_and_what_is_guessed(call: Call) -> None:
    found = call("symbol_references", symbol="Engine.start", language_hint="python")
    assert [
        (each["file"], each["line"], each["resolution"], each["inside"])
        for each in found["references"]
    ] == [("app/core.py", 15, "by name", "ignite")]
    checked = call("symbol_references", symbol="check")
    assert [(each["line"], each["resolution"]) for each in checked["references"]] == [
        (3, "resolved")
    ]
    assert checked["references"][0]["definition"] == "app/core.py:5"


def test_files_of_another_language_use_other_names(call: Call) -> None:
    places = {each["file"] for each in call("symbol_references", symbol="Engine")["references"]}
    assert places == {"app/core.py", "web/main.ts"}
    only = call("symbol_references", symbol="Engine", include_paths=["web/**"])
    assert {each["use"] for each in only["references"]} == {"import", "call"}
    python = call("symbol_references", symbol="Engine", language_hint="python")
    assert {each["file"] for each in python["references"]} == {"app/core.py"}


def test_pages_of_references_are_bounded_and_complete(call: Call) -> None:
    lines: list[int] = []
    cursor = None
    while True:
        page = call("symbol_references", symbol="ignite", top_k=50, cursor=cursor)
        assert len(json.dumps(page)) < 30_000
        assert (page["total"], page["resolved"]) == (CALLERS + 2, CALLERS + 2)
        lines += [each["line"] for each in page["references"] if each["file"] == "app/use.py"]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert lines == [1, *range(4, 4 * CALLERS + 4, 4)]
    with pytest.raises(ToolError, match="cursor"):
        call(
            "symbol_references",
            symbol="Engine",
            cursor=call("symbol_references", symbol="ignite", top_k=1)["nextCursor"],
        )


def test_calls_in_both_directions(call: Call) -> None:
    both = call("call_relationships", symbol="ignite", top_k=100)
    assert both["totalCallers"] == CALLERS + 1
    assert len(json.dumps(both)) < 30_000
    assert {site["symbol"] for site in both["callers"]} >= {"caller_0"}
    assert [(site["symbol"], site["resolution"]) for site in both["callees"]] == [
        ("Engine", "resolved"),
        ("start", "by name"),
    ]
    method = call("call_relationships", symbol="Engine.start", direction="callees")
    assert "callers" not in method
    assert [site["symbol"] for site in method["callees"]] == ["Engine.check"]


def test_an_outline_has_pages_and_depth(call: Call) -> None:
    outline = call("code_outline", path="core.py")
    assert [(each["name"], each["depth"], each["lines"]) for each in outline["symbols"]] == [
        ("Engine", 0, "1-6"),
        ("start", 1, "2-3"),
        ("check", 1, "5-6"),
        ("Pump", 0, "9-11"),
        ("start", 1, "10-11"),
        ("ignite", 0, "14-15"),
    ]
    assert call("code_outline", path="core.py", depth=1)["totalSymbols"] == 3
    first = call("code_outline", path="use.py")
    assert len(json.dumps(first)) < 40_000
    rest = call("code_outline", path="use.py", cursor=first["nextCursor"])
    assert len(first["symbols"]) + len(rest["symbols"]) == CALLERS


def test_a_language_without_uses_is_named(call: Call) -> None:
    (warning,) = call("symbol_references", symbol="boil")["warnings"]
    assert warning.startswith("no uses of kotlin are known")


def test_a_context_is_limited_by_its_budget_alone(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "MAX_ANSWER_CHARS", 60)
    assert "was cut after" in str(call("codebase_retrieval", query="ignite")["warnings"])
    assert "was cut after" not in str(
        call("get_context_for_prompt", query="ignite").get("warnings")
    )


def test_context_stays_within_its_budget(call: Call) -> None:
    for budget in (200, 1000):
        context = call("get_context_for_prompt", query="ignite the engine", token_budget=budget)
        assert context["tokens"] <= budget
        assert context["files"]
    assert (
        "Used from other files"
        not in call(
            "get_context_for_prompt", query="caller_7", include_related=False, min_relevance=0
        )["context"]
    )


def test_keys_of_data_are_no_symbols_of_a_context(call: Call) -> None:
    context = call("get_context_for_prompt", query="capstan fluke")
    (file,) = [each for each in context["files"] if each["file"] == "anchor.yaml"]
    assert file["symbols"] == []
    assert "Defines: capstan" not in context["context"]
    with pytest.raises(ToolError, match="no definition"):
        call("symbol_definition", symbol="capstan")


def test_an_edited_file_hides_the_symbols_of_the_index(root: Path, call: Call) -> None:
    shown = call("index_status")["symbolCount"]
    index = index_of(root)
    path = root / "tree" / "app" / "core.py"
    before = path.read_text()
    try:
        path.write_text("def ignite():\n    return refuel()\n\n\ndef refuel():\n    return 2\n")
        index.publish_edits(["app/core.py"])
        with (
            Artifact.open(root / "code" / "index") as whole,
            Artifact.open(root / "code" / "edits") as edits,
        ):
            call = call_on(Session(Federation([whole, edits], ("code",), 1), {}))
            assert call("symbol_definition", symbol="ignite")["totalDefinitions"] == 1
            assert call("symbol_definition", symbol="ignite")["definition"]["lines"] == "1-2"
            assert call("symbol_references", symbol="ignite")["resolved"] == CALLERS + 1
            assert call("call_relationships", symbol="refuel")["totalCallers"] == 1
            (relations,) = (tool for tool in TOOLS if tool.name == "call_relationships")
            arguments, _ = check(relations, {"symbol": "refuel"})
            text = relations.run(
                Session(Federation([whole, edits], ("code",), 1), {}), arguments
            ).text
            assert text.startswith("1 caller of refuel\n")
            with pytest.raises(ToolError, match="no definition") as caught:
                call("symbol_definition", symbol="Pump")
            assert "Pump" not in caught.value.suggestions
            status = call("index_status")
            assert (status["fileCount"], status["symbolCount"]) == (len(FILES), shown - 6 + 2)
    finally:
        path.write_text(before)
        index.withdraw_edits()


def test_changed_and_deleted_files_are_told(root: Path) -> None:
    tree = root / "tree"
    texts = {name: (tree / name).read_text() for name in ("web/main.ts", "web/engine.ts")}
    try:
        (tree / "web" / "engine.ts").write_text("export class Engine { stop() {} }\n")
        (tree / "web" / "main.ts").unlink()
        with Artifact.open(root / "code" / "index") as artifact:
            call = call_on(Session(artifact, {}, working_tree=WorkingTree(str(tree))))
            found = call("symbol_references", symbol="Engine", language_hint="ts")
            assert all(each["stale"] for each in found["references"])
            assert found["warnings"] == [
                "changed since it was indexed: web/engine.ts",
                "deleted since it was indexed: web/main.ts",
            ]
            gone = call("codebase_retrieval", query="new Engine start main", include_paths=["web/"])
            assert any(
                "deleted since it was indexed: web/main.ts" in one for one in gone["warnings"]
            )
            status = call("index_status")
            assert (status["changed"], status["deleted"]) == (["web/engine.ts"], ["web/main.ts"])
            assert call("code_outline", path="web/main.ts")["stale"] is True
    finally:
        for name, text in texts.items():
            (tree / name).write_text(text)


def test_a_tree_that_is_not_parsed_says_so(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("def f():\n    pass\n")
    index_of(tmp_path).build(draft=True)
    with Artifact.open(tmp_path / "code" / "index") as artifact:
        call = call_on(Session(artifact, {}))
        with pytest.raises(ToolError, match="symbols of the source files are not compiled"):
            call("symbol_search", symbol="f")
        assert call("index_status")["symbols"] == "absent"
        assert "still being parsed" in call("code_outline", path="a.py")["warnings"][0]


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "total"),
    [
        ("symbol_search", {"symbol": "caller", "top_k": 50}, "results", "total"),
        ("symbol_references", {"symbol": "ignite", "top_k": 50}, "references", "total"),
        ("code_outline", {"path": "app/use.py"}, "symbols", "totalSymbols"),
    ],
)
def test_pages_end_where_the_answer_is_full(
    root: Path, tool: str, arguments: dict[str, Any], field: str, total: str
) -> None:
    with Artifact.open(root / "code" / "index") as artifact:
        call = call_on(Session(artifact, {}, max_chars=9_000))
        met, cursor = 0, None
        while True:
            page = call(tool, cursor=cursor, **arguments)
            assert len(json.dumps(page)) <= 9_500
            met += len(page[field])
            cursor = page.get("nextCursor")
            if cursor is None:
                break
    assert met == page[total] >= CALLERS
