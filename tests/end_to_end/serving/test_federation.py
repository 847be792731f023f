"""Several knowledge bases in one server: the same answers as one that holds everything."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.answer_schemas import check_structure
from tests.end_to_end.knowledge import FILES, write_knowledge
from tests.end_to_end.serving.test_every_tool import CALLS, CONTRACT_TOOLS, OURS

from kb_runtime.errors import ArtifactError, ProtocolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.federation import Federation
from kb_runtime.knowledge.interface import Knowledge
from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kb_runtime.search.request import SearchRequest
from kbc.pipeline.build import BuildOptions, build

REVISION = "2025-11-25"
WORDS = re.findall(
    r"\w+",
    "anchor ballast beacon bilge boom bow buoy cabin capstan chart cleat compass crew deck "
    "dinghy dock fathom fender galley halyard harbour hatch helm hull jib keel lantern mast "
    "mooring oar pilot port reef rigging rope rudder sail sheet stern storm tide tiller "
    "voyage wake winch ",
)
PAGES = 24


def pages() -> Mapping[str, str]:
    """Pages of two sections with words of their own, by path."""
    shuffled = random.Random(6)
    texts = {}
    for number in range(PAGES):
        name = f"page{number:02}"
        sections = [" ".join(shuffled.choices(WORDS, k=30)) for _ in range(2)]
        texts[f"docs/{name}.md"] = (
            f"# {name.title()} of the {shuffled.choice(WORDS)}\n\n{sections[0]}.\n\n"
            f"## Further {shuffled.choice(WORDS)}\n\n{sections[1]}.\n"
        )
    return texts


def settings_of(name: str, prefix: str = "sea") -> str:
    return f'[kb]\nname = "{name}"\ntitle = "The {name}"\nversion = "1.0"\nprefix = "{prefix}"\n'


class Library:
    """Builds knowledge bases from texts, each under a folder of its own."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder
        self.cache = cache

    def build(
        self, name: str, files: Mapping[str, str], *, embed: bool = True, place: str = ""
    ) -> Path:
        """The folder of the knowledge base; `place` tells apart those of one name."""
        root = self._folder / (place or name)
        for path, text in {"kb.toml": settings_of(name), **files}.items():
            (root / "kb" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "kb" / path).write_text(text)
        options = BuildOptions(out=root / "out", cache=self.cache, embed=embed)
        return build(root / "kb", options).path.parent


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Library:
    assert pytestconfig.cache is not None
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return Library(tmp_path_factory.mktemp("federation"), cache)


@pytest.fixture(scope="module")
def whole(library: Library) -> Iterator[Artifact]:
    with Artifact.open(library.build("whole", pages())) as artifact:
        yield artifact


@pytest.fixture(scope="module")
def halves(library: Library) -> Iterator[Federation]:
    texts = list(pages().items())
    with (
        Artifact.open(library.build("even", dict(texts[::2]))) as even,
        Artifact.open(library.build("odd", dict(texts[1::2]))) as odd,
        Federation([even, odd]) as both,
    ):
        yield both


QUERIES = st.lists(st.sampled_from([*WORDS, "page07", "lanternn", "moor"]), min_size=1, max_size=5)
MODES = st.sampled_from(["hybrid", "lexical", "semantic"])
PROPERTY = settings(max_examples=60)


def found(knowledge: Knowledge, request: SearchRequest) -> list[tuple[Any, ...]]:
    """What a search finds, in order: the record, the lines and the score."""
    return [
        (
            knowledge.catalog(hit.collection).id(hit.record),
            hit.chunk["start_line"],
            hit.score,
            hit.strategy,
            hit.snippet.text,
        )
        for hit in knowledge.searcher.search(request).hits
    ]


@PROPERTY
@given(words=QUERIES, mode=MODES)
def test_a_federation_of_one_answers_exactly_as_that_one(
    whole: Artifact, words: list[str], mode: Any
) -> None:
    request = SearchRequest(" ".join(words), limit=10, mode=mode)
    with Federation([whole]) as alone:
        assert found(alone, request) == found(whole, request)
        assert alone.build_id == whole.build_id
        assert alone.collections[0].name == "docs"


@PROPERTY
@given(words=QUERIES, mode=MODES)
def test_a_split_knowledge_base_finds_the_same_chunks_as_the_whole(
    whole: Artifact, halves: Federation, words: list[str], mode: Any
) -> None:
    request = SearchRequest(" ".join(words), limit=4 * PAGES, mode=mode)
    expected = {one[:2] for one in found(whole, request)}
    assert {one[:2] for one in found(halves, request)} == expected


@PROPERTY
@given(words=QUERIES)
def test_the_cosines_of_a_split_knowledge_base_are_those_of_the_whole(
    whole: Artifact, halves: Federation, words: list[str]
) -> None:
    request = SearchRequest(" ".join(words), limit=8, mode="semantic")
    expected = [one[2] for one in found(whole, request)]
    assert [one[2] for one in found(halves, request)] == pytest.approx(expected, abs=1e-5)


def test_the_best_hit_of_a_split_knowledge_base_is_mostly_that_of_the_whole(
    whole: Artifact, halves: Federation
) -> None:
    """Statistics of words are shared, so that scores compare; only field lengths are each part's."""
    shuffled = random.Random(1)
    queries = [" ".join(shuffled.sample(WORDS, 3)) for _ in range(60)]
    same = 0
    for query in queries:
        request = SearchRequest(query, limit=1, mode="lexical")
        same += found(whole, request)[0][:2] == found(halves, request)[0][:2]
    assert same >= 55


def test_collections_of_one_name_get_that_of_their_knowledge_base(halves: Federation) -> None:
    assert [info.name for info in halves.collections] == ["even.docs", "odd.docs"]
    assert halves.manifest["scopes"]["all"] == ["even.docs", "odd.docs"]
    assert halves.manifest["name"] == "even+odd"
    record = halves.catalog("odd.docs")[0]
    assert record["collection"] == "odd.docs"
    assert halves.address("odd.docs", record["id"]) == "kb://odd/docs/docs%2Fpage01.md"
    assert halves.addressed("odd", "docs") == ["odd.docs"]
    assert halves.addressed("odd", "even.docs") == []


def test_each_part_weighs_its_own_collections(library: Library) -> None:
    texts = {"docs/a.md": "# Keel\n\nThe keel of the hull.\n"}
    more = {
        "docs/a.md": "# Keel\n\nThe hull has a keel of oak, which is replaced every twenty years.\n"
    }
    light = {"kb.toml": settings_of("light") + "[search.weights]\ndocs = 0.1\n", **more}
    with (
        Artifact.open(library.build("heavy", texts)) as heavy,
        Artifact.open(library.build("light", light)) as other,
    ):
        for parts in ([heavy, other], [other, heavy]):
            with Federation(parts) as both:
                assert both.manifest["search"]["weights"] == {"light.docs": 0.1}
                first, second = both.searcher.search(SearchRequest("keel hull")).hits
                assert (first.collection, second.collection) == ("heavy.docs", "light.docs")


def test_a_word_that_only_one_part_knows_is_no_typo_in_the_other(library: Library) -> None:
    left = {"docs/a.md": "# Sails\n\nThe mainsail is set first.\n"}
    right = {"docs/b.md": "# Rails\n\nThe mainrail and the mainsial are painted.\n"}
    with (
        Artifact.open(library.build("left", left)) as first,
        Artifact.open(library.build("right", right)) as second,
    ):
        request = SearchRequest("mainsail", mode="lexical")
        assert found(second, request), "alone, the nearest word is taken for it"
        with Federation([first, second]) as both:
            result = both.searcher.search(request)
            assert [hit.collection for hit in result.hits] == ["left.docs"]
            assert not result.corrections


def test_two_knowledge_bases_of_one_name_are_refused(library: Library) -> None:
    page = {"docs/a.md": "# A\n\nOne.\n"}
    first, second = library.build("twin", page), library.build("twin", page, place="other twin")
    with pytest.raises(ArtifactError, match="both the knowledge base 'twin'") as caught:
        LiveArtifact(first, second)
    assert caught.value.code == "same-name"


def test_a_part_without_vectors_takes_part_by_words(library: Library, whole: Artifact) -> None:
    page = {"docs/parrot.md": "# The parrot\n\nA parrot sits on the mast.\n"}
    with (
        Artifact.open(library.build("mute", page, embed=False)) as mute,
        Federation([whole, mute]) as both,
    ):
        hits = both.searcher.search(SearchRequest("parrot on the mast", limit=5)).hits
        assert hits[0].collection == "mute.docs"
        assert hits[0].strategy == "lexical"
        assert {hit.strategy for hit in hits[1:]} == {"fused"}


# Shadowing


def cases_of(**titles: str) -> str:
    """A file of tests by their uids, each with a tag of its own."""
    return json.dumps(
        {
            "tests": [
                {
                    "uid": uid,
                    "jiraKey": f"SEA-{uid[1:]}",
                    "title": title,
                    "priority": "High" if "new" in title else "Low",
                    "tags": [title.split()[0]],
                    "steps": [{"action": title, "expected": ["done"]}],
                }
                for uid, title in titles.items()
            ]
        }
    )


BELOW = {
    "tests/cases.json": cases_of(t1="Weigh old anchor", t2="Set the jib", t3="Furl the jib"),
    "code/pump.py": "def start_pump():\n    return 'old pump'\n",
    "code/sail.py": "def hoist_sail():\n    return 'sail'\n",
    "docs/pump.md": "# The pump\n\nThe old pump leaks.\n",
}
ABOVE = {
    "tests/cases.json": cases_of(t1="Drop new anchor"),
    "code/pump.py": "def start_pump():\n    return 'new pump'\n",
    "docs/pump.md": "# The pump\n\nThe new pump is quiet.\n",
}


@pytest.fixture(scope="module")
def layers(library: Library) -> tuple[Path, Path]:
    """A knowledge base, and a workspace that holds one of its tests and one of its files anew."""
    return library.build("base", BELOW), library.build("work", ABOVE)


@pytest.fixture(scope="module")
def served(layers: tuple[Path, Path]) -> Iterator[Dispatcher]:
    live = LiveArtifact(layers[0], workspaces=[layers[1]])
    yield Dispatcher(live)
    live.close()


def call(dispatcher: Dispatcher, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The result of a call, whose structure must fit the tool's schema."""
    listed = dispatcher.handle("tools/list", {}, REVISION)["tools"]
    (declared,) = (one for one in listed if one["name"] == tool)
    params = {"name": tool, "arguments": arguments}
    result = dispatcher.handle("tools/call", params, REVISION)
    if "structuredContent" in result:
        check_structure(declared, result["structuredContent"])
    return result


def text_of(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def test_a_shadowed_record_has_no_place_in_a_federation(layers: tuple[Path, Path]) -> None:
    with (
        Artifact.open(layers[0]) as below,
        Artifact.open(layers[1]) as above,
        Federation([below, above], ("tests", "code"), served=1) as both,
    ):
        assert both.catalog("base.tests").ids() == ["t2", "t3"]
        assert both.catalog("work.tests").ids() == ["t1"]
        assert both.catalog("base.tests").find("t1") is None
        assert both.catalog("base.tests").find_all("SEA-1") == []
        assert [record["id"] for record in both.catalog("base.code")] == ["sail.py"]
        assert both.catalog("base.docs").ids() == both.catalog("work.docs").ids()
        assert both.collection("base.tests").records == 2
        facets = both.facets("base.tests")
        assert dict(facets.values("tag")) == {"set": 1, "furl": 1}
        assert facets.matching("tag", "*") == ["furl", "set"]
        assert both.facets("work.tests").count("priority", "high") == 1
        rows = range(len(both.chunks))
        assert rows == range(sum(info.chunks for info in both.collections))
        texts = [both.chunks[row]["text"] for row in rows]
        assert not any("old anchor" in text or "'old pump'" in text for text in texts)
        for info in both.collections:
            records = [both.chunks.column("record")[row] for row in info.rows]
            assert sorted({*records}) == list(range(info.records))
            for row in info.rows:
                assert both.collection_of(row) is info
                assert row in both.chunks.rows_of(both.chunks.column("record")[row], info.rows)


def test_no_tool_finds_a_shadowed_record(served: Dispatcher) -> None:
    found = call(served, "search_tests", query="weigh old anchor")
    assert "old anchor" not in text_of(found)
    assert "Drop new anchor" in text_of(found)
    assert "Drop new anchor" in text_of(call(served, "get_test_by_jira", jira_key="SEA-1"))
    filtered = call(served, "search_tests", query="jib", filters={"priority": "Low"})
    found_uids = {one["test"]["uid"] for one in filtered["structuredContent"]["results"]}
    assert found_uids == {"t2", "t3"}
    near = call(served, "find_similar_tests", jira_key="SEA-2")
    assert "old anchor" not in text_of(near)
    assert "new pump" in text_of(call(served, "get_file", path="pump.py"))
    code = call(served, "codebase_retrieval", query="start_pump")
    assert "new pump" in text_of(code)
    assert "old pump" not in text_of(code)
    health = call(served, "check_health")["structuredContent"]
    assert (health["tests"], health["status"]) == (3, "HEALTHY")


def test_a_workspace_is_no_knowledge_base_to_choose(served: Dispatcher) -> None:
    for tool in served.handle("tools/list", {}, REVISION)["tools"]:
        assert "kb" not in tool["inputSchema"]["properties"]
    assert served.handle("initialize", INITIALIZE, REVISION)["serverInfo"]["name"] == "base"


def test_a_workspace_may_come_later_and_have_the_name_of_what_it_belongs_to(
    library: Library, tmp_path: Path
) -> None:
    base = library.build("late", BELOW)
    work = library.build("late", ABOVE, place="late work")
    folder = tmp_path / "workspace"
    live = LiveArtifact(base, workspaces=[folder])
    dispatcher = Dispatcher(live)
    assert "old pump" in text_of(call(dispatcher, "get_file", path="pump.py"))
    folder.symlink_to(work)
    assert "new pump" in text_of(call(dispatcher, "get_file", path="pump.py"))
    address = {"uri": "kb://late/tests/t1"}
    read = dispatcher.handle("resources/read", address, REVISION)["contents"][0]["text"]
    assert "new anchor" in read
    live.close()


# Every tool over two knowledge bases that have everything

INITIALIZE = {
    "protocolVersion": REVISION,
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
OTHER = {
    "kb.toml": FILES["kb.toml"].replace('"demo"', '"other"').replace("Demo", "Other"),
    "docs/parrot.md": "# The parrot\n\nThe parrot asks demo_search for a biscuit.\n",
}


@pytest.fixture(scope="module")
def pair(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dispatcher]:
    folder = tmp_path_factory.mktemp("pair")
    built = []
    for name, changes in (("demo", {}), ("other", OTHER)):
        write_knowledge(folder / name / "kb", **changes)
        out = folder / name / "out"
        built.append(
            build(folder / name / "kb", BuildOptions(out=out, cache=library.cache)).path.parent
        )
    data = folder / "data"
    data.mkdir()
    (data / "functional_tests_normalized.json").write_text('[{"uid": "t-9", "title": "New"}]')
    live = LiveArtifact(*built)
    yield Dispatcher(live, data_folder=str(data))
    live.close()


@pytest.mark.parametrize(("tool", "arguments", "expected"), CALLS, ids=[call[0] for call in CALLS])
def test_a_tool_answers_over_two_knowledge_bases(
    pair: Dispatcher, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    for chosen in ({}, {"kb": "demo"}, {"kb": "OTHER"}):
        result = call(pair, tool, **arguments, **chosen)
        assert not result["isError"], text_of(result)
        # An id that both have is told as an address.
        here = expected if chosen else expected.replace("doc:docs/", "/docs/docs%2F")
        assert here in json.dumps(result, ensure_ascii=False)


def test_both_knowledge_bases_offer_each_tool_once(pair: Dispatcher) -> None:
    tools = pair.handle("tools/list", {}, REVISION)["tools"]
    names = [tool["name"] for tool in tools]
    assert len(names) == len(set(names)) == CONTRACT_TOOLS + len(OURS)
    assert not [name for name in names if name.startswith("other_")]
    for tool in tools:
        assert tool["inputSchema"]["properties"]["kb"]["enum"] == ["demo", "other"]
    prompts = pair.handle("prompts/list", {}, REVISION)["prompts"]
    assert len({prompt["name"] for prompt in prompts}) == len(prompts)


def test_the_server_says_what_it_serves(pair: Dispatcher) -> None:
    answer = pair.handle("initialize", INITIALIZE, REVISION)
    assert answer["serverInfo"]["name"] == "demo+other"
    assert answer["serverInfo"]["title"] == "Demo knowledge and Other knowledge"
    assert "- demo: Demo knowledge" in answer["instructions"]
    assert "- other: Other knowledge" in answer["instructions"]
    assert "other_" not in answer["instructions"]
    assert len(answer["instructions"]) <= 2_048


def test_a_name_in_both_is_answered_with_the_addresses_of_all(pair: Dispatcher) -> None:
    result = call(pair, "demo_get_builtin", name="toSet")
    (warning,) = result["structuredContent"]["warnings"]
    assert "kb://demo/builtins/toSet" in warning
    assert "kb://other/builtins/toSet" in warning
    chosen = call(pair, "demo_get_builtin", name="toSet", kb="other")
    assert "warnings" not in chosen["structuredContent"]
    addressed = call(pair, "demo_get_builtin", name="kb://other/builtins/toSet")
    assert "warnings" not in addressed["structuredContent"]
    assert addressed["structuredContent"]["sourceUrl"] == "kb://other/builtins/toSet"
    page = call(pair, "demo_get_doc", filename="lanterns.md")
    assert "kb://other/docs/docs%2Flanterns.md" in text_of(page)
    alone = call(pair, "demo_get_doc", filename="parrot")
    assert "Note:" not in text_of(alone)


def test_hits_of_one_id_are_told_apart_by_address(pair: Dispatcher) -> None:
    result = call(pair, "demo_hybrid_search", query="extinguish the flame", k=10)
    hits = result["structuredContent"]["results"]
    ids = [hit["id"] for hit in hits]
    # The page that both have is one hit, which names the other.
    ids += [other for hit in hits for other in hit["metadata"].get("alsoIn", ())]
    assert len(ids) == len(set(ids))
    own = [id for id in ids if id.startswith(("kb://demo/", "kb://other/"))]
    assert any("kb://demo/docs/docs%2Flanterns.md" in id for id in own)
    assert any("kb://other/docs/docs%2Flanterns.md" in id for id in own)
    for id in own:
        if "/docs/" in id:
            assert not call(pair, "demo_get_doc", filename=id)["isError"]


def test_an_unknown_knowledge_base_is_refused_with_the_names(pair: Dispatcher) -> None:
    result = call(pair, "demo_get_builtin", name="toSet", kb="nope")
    assert result["isError"]
    assert "demo, other" in text_of(result)


def test_resources_of_both_have_addresses_that_resolve(pair: Dispatcher) -> None:
    cursor: dict[str, Any] = {}
    seen = set()
    while True:
        page = pair.handle("resources/list", cursor, REVISION)
        for resource in page["resources"]:
            assert resource["uri"] not in seen
            seen.add(resource["uri"])
            contents = pair.handle("resources/read", {"uri": resource["uri"]}, REVISION)
            assert contents["contents"][0]["uri"] == resource["uri"]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert {uri.split("/")[2] for uri in seen} == {"demo", "other"}
    templates = pair.handle("resources/templates/list", {}, REVISION)["resourceTemplates"]
    addresses = [template["uriTemplate"] for template in templates]
    assert "kb://other/docs/{id}" in addresses
    reference = {"type": "ref/resource", "uri": "kb://other/docs/{id}"}
    params = {"ref": reference, "argument": {"name": "id", "value": "parrot"}}
    values = pair.handle("completion/complete", params, REVISION)["completion"]["values"]
    assert values == ["docs/parrot.md"]
    with pytest.raises(ProtocolError):
        pair.handle("resources/read", {"uri": "kb://demo/docs/docs%2Fparrot.md"}, REVISION)
