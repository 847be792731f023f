"""What the sixteen tools promise, call by call, on compiled knowledge bases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.documents import QUINT_DOCS

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import SearchRequest
from kb_runtime.text.rendering import json_text

TEMPORAL = {"always", "eventually", "next", "enabled", "weakFair", "strongFair", "orKeep"}


def error(reply: Any, kind: str) -> dict[str, Any]:
    assert reply.is_error
    found: dict[str, Any] = reply.structured["error"]
    assert found["kind"] == kind
    return found


# Builtins


@pytest.mark.parametrize("name", ["mapBy", "mapby"])
def test_builtin_by_name_in_any_case(quint: Any, name: str) -> None:
    reply = quint.call("quint_get_builtin", name=name)
    assert reply.structured["name"] == "mapBy"
    assert reply.structured["signature"].startswith("pure def mapBy:")
    headings = [line for line in reply.text.split("\n") if line.startswith("# ")]
    assert headings == ["# mapBy"]
    assert "```quint\n" in reply.text
    assert "[View in documentation](https://example.org/docs/builtin#mapby)" in reply.text


@pytest.mark.parametrize(("alias", "name"), [("==", "eq"), (">=", "igte")])
def test_builtin_by_infix_form(quint: Any, alias: str, name: str) -> None:
    assert quint.call("quint_get_builtin", name=alias).structured["name"] == name


@pytest.mark.parametrize("params", [{}, {"arguments": {}}, {"arguments": {"name": None}}])
def test_builtin_without_a_name(quint: Any, params: dict[str, Any]) -> None:
    reply = quint.call_with("quint_get_builtin", params)
    assert "name" in error(reply, "BAD_INPUT")["message"]


def test_unknown_builtin_is_told_with_similar_names(quint: Any) -> None:
    reply = quint.call("quint_get_builtin", name="mapsBy")
    assert "mapBy" in error(reply, "NOT_FOUND")["suggestions"]
    assert '"mapsBy"' in reply.text
    assert "Suggestions: " in reply.text
    assert "77" in reply.text


def test_every_builtin_is_in_a_category(quint: Any) -> None:
    found = quint.call_with("quint_list_builtins", {}).structured
    assert found["total"] == len(found["builtins"]) == 77
    listed = {each["name"] for entries in found["byCategory"].values() for each in entries}
    assert listed == {each["name"] for each in found["builtins"]}
    assert found["categories"] == sorted(found["byCategory"])
    schema = quint.tools["quint_list_builtins"]["inputSchema"]
    assert schema["properties"]["category"]["enum"] == found["categories"]


@pytest.mark.parametrize("category", ["map", "MAP"])
def test_builtins_of_maps(quint: Any, category: str) -> None:
    found = quint.call("quint_list_builtins", category=category).structured
    names = {each["name"] for each in found["builtins"]}
    assert names >= {"mapBy", "setToMap", "setOfMaps", "keys", "get", "put"}


@pytest.mark.parametrize("category", ["logical", "boolean", "int", "arithmetic"])
def test_category_synonyms(quint: Any, category: str) -> None:
    assert quint.call("quint_list_builtins", category=category).structured["total"] > 3


def test_unknown_category_lists_the_categories(quint: Any) -> None:
    reply = quint.call("quint_list_builtins", category="zzz")
    known = quint.call("quint_list_builtins").structured["categories"]
    assert error(reply, "NOT_FOUND")["details"]["availableCategories"] == known
    assert ", ".join(known) in reply.text


# Documents


@pytest.mark.parametrize("path", ["../package.json", "docs/../../package.json", "C:\\x", "..\\x"])
def test_path_out_of_the_tree_is_bad_input(quint: Any, path: str) -> None:
    error(quint.call("quint_get_doc", filename=path), "BAD_INPUT")
    error(quint.call("quint_doc_outline", path=path), "BAD_INPUT")


@pytest.mark.parametrize("path", ["/etc/hosts", "/etc/passwd", "NOTES.md"])
def test_path_outside_the_index_is_not_found(quint: Any, path: str) -> None:
    reply = quint.call("quint_get_doc", filename=path)
    found = error(reply, "NOT_FOUND")
    assert path in found["message"]
    assert 1 <= len(found["suggestions"]) <= 10
    assert len(found["details"]["availableDocs"]) == 18


def test_folder_is_not_found_and_lists_its_files(quint: Any) -> None:
    reply = quint.call("quint_get_doc", filename="docs")
    assert len(error(reply, "NOT_FOUND")["suggestions"]) == 7
    assert "docs/lang.md" in reply.text


@pytest.mark.parametrize("name", ["docs/builtin.md", "/docs/builtin.md", "builtin.md"])
def test_page_is_complete(quint: Any, name: str) -> None:
    found = quint.call("quint_get_doc", filename=name, max_chars=50_000).structured
    stored = (QUINT_DOCS / "docs" / "builtin.md").read_text(encoding="utf-8")
    assert found["content"] == stored
    assert found["size"] == len(stored)
    assert (found["path"], found["type"]) == ("docs/builtin.md", "markdown")


def test_mdx_is_cleaned_and_front_matter_taken_out(quint: Any) -> None:
    found = quint.call("quint_get_doc", filename="posts/soup.mdx").structured
    assert found["processed"] is True
    assert found["frontmatter"]["title"].startswith("Message Soup")
    assert "import Image" not in found["content"]
    assert not found["content"].startswith("---")
    raw = quint.call("quint_get_doc", filename="posts/soup.mdx", raw=True).structured
    assert raw["content"] == (QUINT_DOCS / "posts" / "soup.mdx").read_bytes().decode("utf-8")


def test_documents_by_group(quint: Any) -> None:
    found = quint.call("quint_list_docs").structured
    counts = {name: len(entries) for name, entries in found.items() if name != "total"}
    assert counts == {"core": 7, "choreo": 5, "lessons": 0, "guidelines": 2, "posts": 4}
    assert found["total"] == 18
    for group in counts:
        assert found[group] == sorted(found[group], key=lambda entry: entry["filename"])
        for entry in found[group]:
            page = quint.call("quint_get_doc", filename=entry["path"]).structured
            assert page["size"] == entry["size"]


def test_outline_of_a_long_page(quint: Any) -> None:
    reply = quint.call("quint_doc_outline", path="docs/builtin.md")
    sections = reply.structured["sections"]
    assert reply.structured["totalSections"] == len(sections) == 136
    assert sum(section["level"] == 2 for section in sections) == 77
    assert 9_000 <= len(reply.text.encode()) <= 12_000
    lines = (QUINT_DOCS / "docs" / "builtin.md").read_bytes().decode().split("\n")
    for section in sections:
        marks, _, title = lines[section["line"] - 1].partition(" ")
        assert (len(marks), title.strip()) == (section["level"], section["title"])
    assert len({section["anchor"] for section in sections}) == 136


def test_outline_to_a_level(quint: Any) -> None:
    found = quint.call("quint_doc_outline", path="builtin.md", maxLevel=2).structured
    assert [section["level"] for section in found["sections"]] == [2] * 77


def test_outline_of_every_page_has_sections_that_can_be_read(quint: Any) -> None:
    crlf = 0
    for path in sorted(QUINT_DOCS.glob("[cdgp]*s/*.md*")):
        name = path.relative_to(QUINT_DOCS).as_posix()
        if name.startswith("patterns/"):
            continue
        crlf += b"\r\n" in path.read_bytes()
        outline = quint.call("quint_doc_outline", path=name).structured
        assert outline["totalSections"] > 0
        last = outline["sections"][-1]
        part = quint.call("quint_get_doc", filename=outline["path"], section=last["anchor"])
        assert part.structured["startLine"] == last["line"]
        assert last["title"].split()[0] in part.structured["content"]
    assert crlf >= 2


# Examples and templates


def test_folder_of_examples_has_files_at_every_depth(small: Any) -> None:
    found = small.call("quint_get_example", path="classic").structured
    assert found["type"] == "directory"
    assert found["files"] == ["classic/distributed/election.qnt", "classic/sums.qnt"]
    assert found["files"][0] in found["suggestion"]
    for path in found["files"]:
        assert small.call("quint_get_example", path=path).structured["type"] == "file"


def test_phrase_is_not_found_and_suggests_what_a_search_finds(small: Any) -> None:
    reply = small.call("quint_get_example", path="union type definition")
    assert error(reply, "NOT_FOUND")["suggestions"][0] == "classic/sums.qnt"
    assert "classic, puzzles" in reply.text


def test_categories_of_examples_add_up(small: Any) -> None:
    found = small.call("quint_list_examples").structured
    assert {name: entry["count"] for name, entry in found["categories"].items()} == {
        "classic": 2,
        "puzzles": 1,
    }
    assert found["total"] == 3
    listed = small.call("quint_list_examples", category="Classic").structured
    assert listed["examples"] == ["classic/distributed/election.qnt", "classic/sums.qnt"]
    reply = small.call("quint_list_examples", category="zzz")
    assert error(reply, "NOT_FOUND")["details"]["availableCategories"] == ["classic", "puzzles"]


def test_word_in_a_comment_or_string_is_no_test(small: Any) -> None:
    found = small.call("quint_example_info", path="puzzles/river.qnt").structured
    assert found["hasTests"] is False
    assert found["tests"] == []
    assert found["types"] == ["Bank"]


def test_tests_of_an_example(small: Any) -> None:
    found = small.call("quint_example_info", path="election.qnt").structured
    assert found["hasTests"] is True
    assert found["tests"] == ["initTest", "check"]
    assert (found["category"], found["subcategory"]) == ("classic", "distributed")
    assert found["modules"] == ["election"]
    assert found["description"] == "Electing a leader."


@pytest.mark.parametrize("tool", ["quint_get_example", "quint_example_info"])
def test_example_path_out_of_the_tree_is_bad_input(small: Any, tool: str) -> None:
    error(small.call(tool, path="../docs/intro.md"), "BAD_INPUT")
    error(small.call(tool, path="/etc/hosts"), "NOT_FOUND")


def test_templates(small: Any) -> None:
    listed = small.call("quint_list_templates").structured
    assert [entry["id"] for entry in listed["templates"]] == ["machine", "protocol"]
    choreo = small.call("quint_list_templates", framework="CHOREO").structured
    assert (choreo["framework"], choreo["count"]) == ("choreo", 1)
    full = small.call("quint_get_template", templateId="machine").structured
    assert full["content"] == "module machine {\n  var state: int\n}\n"
    assert full["instructions"] == ["Rename it."]


def test_unknown_framework_and_template_name_the_known_ones(small: Any) -> None:
    reply = small.call("quint_list_templates", framework="xyz")
    error(reply, "NOT_FOUND")
    assert "choreo, standard" in reply.text
    reply = small.call("quint_get_template", templateId="xyz")
    error(reply, "NOT_FOUND")
    assert "machine, protocol" in reply.text


def test_framework_of_a_consensus_protocol(small: Any) -> None:
    found = small.call("quint_suggest_framework", description="PBFT consensus").structured
    assert (found["framework"], found["confidence"]) == ("choreo", 0.9)
    for path in found["docs"]:
        assert not small.call("quint_get_doc", filename=path).is_error
    for path in found["examples"]:
        assert not small.call("quint_get_example", path=path).is_error


@pytest.mark.parametrize("text", ["a blockchain", "an aircraft"])
def test_keyword_inside_a_word_is_none(small: Any, text: str) -> None:
    found = small.call("quint_suggest_framework", description=text).structured
    assert (found["framework"], found["confidence"]) == ("standard", 0.5)


# Patterns


def test_patterns_by_category(quint: Any) -> None:
    found = quint.call("quint_list_patterns").structured
    assert found["total"] == 12
    assert len(found["categories"]) == 6
    upper = quint.call("quint_list_patterns", category="CORE")
    assert upper == quint.call("quint_list_patterns", category="core")
    assert upper.structured["count"] == len(found["categories"]["core"])
    for entries in found["categories"].values():
        for entry in entries:
            full = quint.call("quint_get_pattern", patternId=entry["id"]).structured
            assert full["description"]


def test_similar_pattern_is_suggested(quint: Any) -> None:
    reply = quint.call("quint_get_pattern", patternId="thinactions")
    assert error(reply, "NOT_FOUND")["suggestions"][0] == "thin-actions"


@pytest.mark.parametrize("query", ["", "   ", None])
def test_blank_pattern_search_is_bad_input(quint: Any, query: str | None) -> None:
    error(quint.call("quint_search_patterns", query=query), "BAD_INPUT")


def test_pattern_search_is_best_first(quint: Any) -> None:
    found = quint.call("quint_search_patterns", query="thin actions").structured
    assert found["matches"][0]["id"] == "thin-actions"
    scores = [match["relevance"] for match in found["matches"]]
    assert scores == sorted(scores, reverse=True)


# Search


def hits(quint: Any, query: str, **arguments: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = quint.call(
        "quint_hybrid_search", query=query, **arguments
    ).structured["results"]
    return found


def test_several_scopes(quint: Any) -> None:
    found = quint.call(
        "quint_hybrid_search", query="state", scopes=["docs", "patterns"], limitPerScope=2
    ).structured
    assert {scope: len(results) for scope, results in found["resultsByScope"].items()} == {
        "docs": 2,
        "patterns": 2,
    }
    assert "results" not in found


@pytest.mark.parametrize("arguments", [{}, {"scopes": []}, {"scopes": None, "scope": ""}])
def test_no_scope_means_all(quint: Any, arguments: dict[str, Any]) -> None:
    found = quint.call("quint_hybrid_search", query="sets", **arguments).structured
    assert found["scopes"] == ["all"]
    assert len(found["results"]) == 10
    assert found["results"] == found["resultsByScope"]["all"]


@pytest.mark.parametrize(("k", "effective"), [(-1, 1), (500, 50), ("3", 3), (2.0, 2)])
def test_effective_number_of_results_is_shown(quint: Any, k: Any, effective: int) -> None:
    reply = quint.call("quint_hybrid_search", query="set of integers", k=k)
    assert reply.structured["k"] == effective
    assert len(reply.structured["results"]) == effective
    assert ("warnings" in reply.structured) == (k in (-1, 500))
    assert json.loads(reply.text)["k"] == effective


def test_unknown_scope_is_bad_input(quint: Any) -> None:
    reply = quint.call("quint_hybrid_search", query="x", scopes=["docs", "nowhere"])
    error(reply, "BAD_INPUT")
    for scope in ("all", "builtins", "docs", "examples", "guidelines", "extra", "patterns"):
        assert scope in reply.text


def test_typo_finds_temporal_operators(quint: Any) -> None:
    first = hits(quint, "temporl")[:3]
    assert any(hit["source"] in TEMPORAL or "temporal" in hit["title"].casefold() for hit in first)


def test_lower_case_name_finds_the_builtin_first(quint: Any) -> None:
    assert hits(quint, "mapby", scope="builtins")[0]["source"] == "mapBy"


@pytest.mark.parametrize("query", ["Byzantine consensus", "voting protocols"])
def test_protocol_queries_find_protocol_material(quint: Any, query: str) -> None:
    for hit in hits(quint, query)[:5]:
        assert hit["id"].split(":")[0] in ("doc", "extra", "pattern", "guideline")
        path = hit["metadata"].get("path", hit["source"])
        assert path.startswith(("choreo", "posts/")), hit["id"]


def test_question_finds_how_maps_are_made_from_sets(quint: Any) -> None:
    first = {hit["source"] for hit in hits(quint, "How do I create a map from a set?")[:3]}
    assert first & {"mapBy", "setToMap"}


def test_no_hit_has_a_similarity_of_zero(quint: Any) -> None:
    with quint.artifact() as artifact:
        for query in ("Byzantine consensus", "voting protocols", "zzzz qqqq"):
            for hit in artifact.searcher.search(SearchRequest(query, limit=50)).hits:
                assert hit.cosine is None or hit.cosine > 0
                assert hit.cosine is not None or hit.lexical_rank is not None


GET = {
    "builtin": ("quint_get_builtin", "name"),
    "doc": ("quint_get_doc", "filename"),
    "extra": ("quint_get_doc", "filename"),
    "guideline": ("quint_get_doc", "filename"),
    "example": ("quint_get_example", "path"),
    "pattern": ("quint_get_pattern", "patternId"),
    "template": ("quint_get_template", "templateId"),
}


@pytest.mark.parametrize("knowledge", ["quint", "small"])
@pytest.mark.parametrize(
    "query", ["state", "map", "how are tests written", "consensus of processes", "leader", "soup"]
)
def test_every_hit_can_be_followed_up(
    knowledge: str, query: str, request: pytest.FixtureRequest
) -> None:
    client = request.getfixturevalue(knowledge)
    found = hits(client, query, k=50)
    assert found
    assert len({hit["id"] for hit in found}) == len(found)
    for hit in found:
        tool, argument = GET[hit["id"].split(":")[0]]
        assert not client.call(tool, **{argument: hit["source"]}).is_error
        assert not client.call(tool, **{argument: hit["id"]}).is_error
        assert len(hit.get("snippet", "")) <= 240
        assert len(hit.get("tags", ())) <= 10


def test_hit_id_of_a_page_reads_its_section(quint: Any) -> None:
    (hit,) = hits(quint, "temporal operators", scope="docs", k=1)
    found = quint.call("quint_get_doc", filename=hit["id"]).structured
    assert found["startLine"] == hit["metadata"]["line"]


@pytest.mark.parametrize(
    "query",
    ["Byzantine consensus", "voting protocols", "How do I create a map from a set?", "temporl"],
)
def test_ten_hits_are_small(quint: Any, query: str) -> None:
    reply = quint.call("quint_hybrid_search", query=query, k=10)
    assert reply.structured["results"] == reply.structured["resultsByScope"]["all"]
    assert len(reply.structured["results"]) == 10
    # The structure must have the list twice, the text has it once.
    assert len(json_text(reply.structured).encode()) < 9_000
    assert len(reply.text.encode()) < 4_500
    assert "resultsByScope" in json.loads(reply.text)


def test_same_call_gives_the_same_bytes(quint: Any) -> None:
    first = quint.call("quint_hybrid_search", query="how do I test an action")
    assert quint.call("quint_hybrid_search", query="how do I test an action") == first


def test_substring_search_counts_everything(quint: Any) -> None:
    found = quint.call("quint_search_docs", query="mapBy", limit=1).structured
    stored = [
        (path.relative_to(QUINT_DOCS).as_posix(), number, line.rstrip("\r"))
        for folder in ("docs", "choreo", "posts", "patterns", "guidelines")
        for path in sorted((QUINT_DOCS / folder).iterdir())
        for number, line in enumerate(path.read_bytes().decode().split("\n"), 1)
        if "mapby" in line.casefold()
    ]
    assert found["total"] == len(stored)
    (match,) = found["matches"]
    assert (match["file"], match["line"], match["content"]) == min(stored)
    assert match["context"] == match["before"] + match["after"]


def test_substring_search_without_context(quint: Any) -> None:
    found = quint.call("quint_search_docs", query="mapBy", contextLines=0).structured
    assert found["contextLines"] == 0
    assert all(match["context"] == [] for match in found["matches"])


# All tools


def test_the_sixteen_tools_are_offered(quint: Any, small: Any) -> None:
    assert set(MINIMAL) <= set(quint.tools)
    assert set(MINIMAL_SMALL) <= set(small.tools)
    assert len(MINIMAL) + len(MINIMAL_SMALL) == 16
    assert "quint_get_template" not in quint.tools
    assert "quint_get_builtin" not in small.tools


MINIMAL: dict[str, dict[str, Any]] = {
    "quint_get_builtin": {"name": "map"},
    "quint_list_builtins": {},
    "quint_get_doc": {"filename": "lang.md"},
    "quint_list_docs": {},
    "quint_doc_outline": {"path": "lang.md"},
    "quint_get_pattern": {"patternId": "thin-actions"},
    "quint_list_patterns": {},
    "quint_search_patterns": {"query": "x"},
    "quint_hybrid_search": {"query": "x"},
    "quint_search_docs": {"query": "x"},
}
MINIMAL_SMALL: dict[str, dict[str, Any]] = {
    "quint_get_example": {"path": "x"},
    "quint_list_examples": {},
    "quint_example_info": {"path": "x"},
    "quint_get_template": {"templateId": "x"},
    "quint_list_templates": {},
    "quint_suggest_framework": {"description": "x"},
}


@pytest.mark.parametrize("name", [*MINIMAL, *MINIMAL_SMALL])
def test_unexpected_exception_leaks_nothing(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = request.getfixturevalue("quint" if name in MINIMAL else "small")

    def fail(*_: object) -> None:
        raise RuntimeError("/secret/place: token 1234")

    monkeypatch.setattr(Artifact, "catalog", fail)
    reply = client.call(name, **{**MINIMAL, **MINIMAL_SMALL}[name])
    error(reply, "INTERNAL")
    assert "secret" not in json.dumps(reply)
    assert "RuntimeError" not in reply.text


def test_unknown_arguments_are_ignored_with_a_warning(quint: Any) -> None:
    reply = quint.call("quint_list_builtins", categroy="map")
    assert reply.structured["total"] == 77
    assert "did you mean category?" in reply.structured["warnings"][0]
    assert json.loads(reply.text) == reply.structured


def test_every_text_has_a_vector(quint: Any) -> None:
    with quint.artifact() as artifact:
        dimensions = artifact.manifest["encoder"]["dimensions"]
        rows = np.fromfile(Path(artifact.root) / "vectors" / "rows.f32", dtype="<f4")
        vectors = rows.reshape(-1, dimensions)
        assert len(vectors) == sum(info.chunks for info in artifact.collections)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        for info in artifact.collections:
            assert info.chunks >= info.records
