"""Ranking by structure over a compiled source tree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.runtime.search.ranking.compiled_trees import compiled, demoted, found

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.reading.hits import search as hits_of
from kb_runtime.search.ranking import paths, steps
from kb_runtime.search.request import SearchRequest
from kbc.pipeline.build import BuildOptions, build

FILES = {
    # The definition of Router is in both versions; that of Handler is not in the tree.
    "src/v1/router.ts": "/** Routes. */\nexport class Router {\n  old(): void {\n    go();\n  }\n}\n",
    "src/v2/router.ts": "/** Routes. */\nexport class Router {\n  now(): void {\n    go();\n  }\n}\n",
    # Only in the older version.
    "src/v1/lantern.ts": "/** Trims a lantern. */\nexport class Lantern {\n  trim(): void {}\n}\n",
    # Its definition is in another file of the later version.
    "src/v1/old.ts": "/** Mends a sail, slowly, by hand. */\nexport class Sail {\n  mend(): void {}\n}\n",
    "src/v2/core/sails.ts": "/** Mends a sail. */\nexport class Sail {\n  mend(): void {}\n}\n",
    # Passes on what another file defines.
    "src/anchors.ts": 'export { Anchor } from "./anchor/iron";\nexport { Buoy } from "./anchor/buoy";\n',
    "src/anchor/iron.ts": "/** Iron. */\nexport class Anchor {\n  drop(): void {\n    go();\n  }\n}\n",
    "src/anchor/buoy.ts": "/** Floats. */\nexport class Buoy {\n  float(): void {\n    go();\n  }\n}\n",
    # In the folder of the first version and in the one around it.
    "hulls/v1/keel.ts": "/** Lays down a keel, as it was. */\nexport function keel(): void {\n  saw();\n}\n",
    "hulls/keel.ts": "/** Lays down a keel of iron. */\nexport function keel(): void {\n  cast();\n}\n",
    # Two copies of a file.
    "knots/bowline.ts": "/** Ties a bowline round a bollard. */\nexport function bowline(): void {}\n",
    "port/knots/bowline.ts": "/** Ties a bowline round a bollard. */\nexport function bowline(): void {}\n",
    # The same in two languages, and words of both in a file of values.
    "ships/tonnage.go": "package ships\n\n// Tonnage adds up cargo.\n"
    "func Tonnage(cargo int) int {\n\treturn cargo\n}\n",
    "ships/tonnage.py": '"""Cargo."""\n\n\ndef tonnage(cargo):\n'
    '    """Tonnage adds up cargo."""\n    return cargo\n',
    "ships/fleet.json": '{\n  "tonnage": "go python tonnage adds up cargo",\n  "cargo": 3\n}\n',
    # Many passages that say more of what a question asks than the one of another file.
    "ropes/knots.ts": "\n".join(
        f"/** Splices a worn rope end, way {n}. */\nexport function way{n}(): void {{\n"
        + "".join(
            f'  strand("{n} over {at}, then under {at + 1} and through");\n' for at in range(24)
        )
        + "}\n"
        for n in range(12)
    ),
    "ropes/splice.ts": "/** Joins two lines. */\nexport function join(rope: string): void {}\n",
    # One of two is tested, and its test says more of it than it does itself.
    "locks/gate.ts": "/** Drains a chamber. */\nexport function gate(): void {}\n",
    "locks/weir.ts": "/** Drains a flooded chamber. */\nexport function weir(): void {}\n",
    "locks/gate.test.ts": '/** Drains a flooded chamber by a sluice. */\nit("drains", () => gate());\n',
    # What one of two implements is described in its header.
    "docks/crane.c": "/* Lifts a crate. */\nint crane(void) {\n  return 1;\n}\n",
    "docks/winch.c": "/* Lifts a heavy crate. */\nint winch(void) {\n  return 1;\n}\n",
    "docks/crane.h": "/* Lifts a heavy crate ashore by a jib. */\nint crane(void);\n",
    "src/index.ts": 'export { Handler, Context } from "other-package";\n',
    **{
        f"src/use{n}.ts": f'import {{ Handler }} from ".";\n\n/** Handler number {n}: a Handler. */\n'
        f"export function use{n}(handler: Handler): Handler {{\n  return handler;\n}}\n"
        for n in range(6)
    },
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    return compiled(tmp_path_factory.mktemp("tree"), files=FILES)


def test_a_name_that_is_defined_nowhere_is_found_where_it_is_passed_on(tree: Artifact) -> None:
    assert found(tree, "Handler")[0] == "src/index.ts"
    first = tree.searcher.search(SearchRequest("Handler")).hits[0]
    assert "definitions" in [step for step, _ in first.adjustments]


def definitions(tree: Artifact, query: str) -> dict[str, float]:
    """What the first passage of each record gains as it defines a name of the query."""
    return {
        tree.catalog(hit.collection).id(hit.record): dict(hit.adjustments).get("definitions", 0.0)
        for hit in reversed(tree.searcher.search(SearchRequest(query)).hits)
    }


def test_what_defines_a_type_comes_before_what_adds_to_it(tmp_path: Path) -> None:
    files = {
        "Winch.swift": "/// Pulls.\npublic final class Winch {\n  func pull() {\n    go()\n  }\n}\n",
        "Winch+Rope.swift": "extension Winch {\n  var winch: Winch { Winch() }\n}\n",
        "Array+Sail.swift": "extension Sail {\n  var winch: Winch { Winch() }\n}\n",
    }
    tree = compiled(tmp_path, files=files)
    assert found(tree, "Winch")[0] == "Winch.swift"
    alone, within = definitions(tree, "Winch"), definitions(tree, "which var has `Winch`")
    assert [each["Winch.swift"] for each in (alone, within)] == pytest.approx(
        [steps.DEFINITION] * 2
    )
    assert 0.0 == alone["Winch+Rope.swift"] < within["Winch+Rope.swift"] < steps.DEFINITION
    hits = tree.searcher.search(SearchRequest("Sail")).hits  # whose definition is elsewhere
    assert dict(hits[0].adjustments)["definitions"] == pytest.approx(steps.DEFINITION)


def test_a_capitalised_word_of_a_question_is_the_type_that_is_called_so(tmp_path: Path) -> None:
    files = {
        "winch.ts": "/** Pulls a rope. */\nexport class Winch {\n  pull(): void {\n    go();\n  }\n}\n",
        "ropes.ts": "/** The winch of a rope. */\nexport function winch(): void {\n  go();\n}\n",
    }
    tree = compiled(tmp_path, files=files)

    assert definitions(tree, "how the Winch pulls a rope") == {
        "winch.ts": pytest.approx(steps.DEFINITION),
        "ropes.ts": 0.0,
    }
    assert not any(definitions(tree, "how the winch pulls a rope").values())
    assert not any(definitions(tree, "how the WINCH pulls a rope").values())


def test_of_versions_side_by_side_the_latest_comes_first(tree: Artifact) -> None:
    places = found(tree, "Router")
    assert places.index("src/v2/router.ts") < places.index("src/v1/router.ts")


def test_an_older_version_comes_first_for_who_names_it(tree: Artifact) -> None:
    places = found(tree, "v1 Router class")
    assert places.index("src/v1/router.ts") < places.index("src/v2/router.ts")


def test_a_file_of_values_gives_way_and_defines_nothing(tree: Artifact) -> None:
    places = found(tree, "tonnage")
    assert places.index("ships/fleet.json") == 2
    assert "ships/fleet.json" in demoted(tree, "which function adds up cargo")
    assert "ships/fleet.json" not in demoted(tree, "which json adds up cargo")
    hits = tree.searcher.search(SearchRequest("tonnage")).hits
    assert [
        "definitions" in [step for step, _ in hit.adjustments]
        for hit in hits
        if tree.catalog(hit.collection).id(hit.record) == "ships/fleet.json"
    ] == [False]


def test_what_a_test_has_of_a_query_speaks_for_what_it_tests(
    tree: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "drains a flooded chamber by a sluice"
    with_test = evidence(tree, query)["locks/gate.ts"]
    assert evidence(tree, f"test that {query}")["locks/gate.test.ts"] == pytest.approx(1.0)
    monkeypatch.setattr(steps, "OF_TEST", 0.0)
    assert with_test > evidence(tree, query)["locks/gate.ts"]


def test_what_a_header_has_of_a_query_speaks_for_what_implements_it(
    tree: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "lifts a heavy crate ashore by a jib"
    places = found(tree, query)
    assert places.index("docks/crane.c") < places.index("docks/winch.c")
    monkeypatch.setattr(steps, "OF_HEADER", 0.0)
    places = found(tree, query)
    assert places.index("docks/crane.c") > places.index("docks/winch.c")


def evidence(tree: Artifact, query: str) -> dict[str, float]:
    """What the best chunk of each record gains by the other chunks and by what is about it."""
    hits = tree.searcher.search(SearchRequest(query, limit=50)).hits
    return {
        tree.catalog(hit.collection).id(hit.record): change
        for hit in hits
        for step, change in hit.adjustments
        if step == "evidence"
    }


def test_a_query_that_names_a_language_prefers_it(tree: Artifact) -> None:
    assert found(tree, "go tonnage of cargo")[0] == "ships/tonnage.go"
    assert found(tree, "tonnage of cargo in python")[0] == "ships/tonnage.py"
    assert "ships/tonnage.go" in demoted(tree, "tonnage of cargo in python")
    assert "ships/tonnage.py" not in demoted(tree, "where does the cargo go next")


def test_an_older_version_gives_way_to_its_counterpart_only(tree: Artifact) -> None:
    places = demoted(tree, "which class trims, mends or routes")
    assert {"src/v1/router.ts", "src/v1/old.ts"} <= places
    assert "src/v1/lantern.ts" not in places


def test_what_tests_read_gives_way_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    winch = "/** Rejects a worn rope. */\nexport function winch(): void {}\n"
    files = {"tests/data/rope.md": "# Rope\n\nA worn rope hoists.\n", "deck/winch.ts": winch}
    tree = compiled(tmp_path, files=files)

    def lost(query: str) -> float:
        hits = tree.searcher.search(SearchRequest(query)).hits
        return sum(change for hit in hits for step, change in hit.adjustments if step == "demotion")

    twice = lost("hoists a worn rope")
    assert lost("write tests that hoist a worn rope") == 0.0
    monkeypatch.setattr(paths, "TWICE", frozenset())
    assert twice < lost("hoists a worn rope") < 0.0


def test_a_file_of_re_exports_gives_way_to_what_it_passes_on(tree: Artifact) -> None:
    assert "src/anchors.ts" in demoted(tree, "anchor and buoy classes")
    assert "src/anchors.ts" in demoted(tree, "Anchor")
    assert found(tree, "Anchor")[0] == "src/anchor/iron.ts"


def test_a_file_of_re_exports_stays_for_who_asks_for_it(tree: Artifact) -> None:
    assert "src/anchors.ts" not in demoted(tree, "where are anchor and buoy exports")
    assert "src/index.ts" not in demoted(tree, "Handler")


def test_the_first_version_gives_way_to_its_counterpart_in_the_folder_around_it(
    tree: Artifact,
) -> None:
    assert "hulls/v1/keel.ts" in demoted(tree, "how a keel is laid down")
    assert "hulls/keel.ts" not in demoted(tree, "how a keel is laid down")


def test_copies_are_one_hit_that_names_the_others(tree: Artifact) -> None:
    hits = hits_of(tree, SearchRequest("tie a bowline round a bollard")).hits
    copies = [hit for hit in hits if hit.address.endswith("bowline.ts")]
    assert len(copies) == 1
    assert copies[0].also_in == ("kb://tree/code/port/knots/bowline.ts",)
    assert "also in kb://tree/code/port/knots/bowline.ts" in str(copies[0])
    assert copies[0].as_dict()["alsoIn"] == [*copies[0].also_in]


def test_the_copy_beside_a_sample_stands_under_what_it_is_a_copy_of(tmp_path: Path) -> None:
    """However much else there is about it in the sample, whose copy has the best score."""
    knot = "/** Ties a bowline round a bollard{}. */\nexport function {}(): void {{\n{}}}\n"
    lines = "".join(f'  pull("{number} over, {number} under");\n' for number in range(24))
    ways = [knot.format(f", way {number}", f"way{number}", lines) for number in range(4)]
    copied = knot.format("", "bowline", lines)
    files = {
        "src/ship.ts": "export const masts = 3;\n",
        "src/line.ts": copied,
        "samples/bollard/bowline.ts": "\n".join([copied, *ways]),
    }
    tree = compiled(tmp_path, files=files)
    hits = hits_of(tree, SearchRequest("tie a bowline round a bollard")).hits
    copies = [hit for hit in hits if hit.also_in]
    assert [(hit.address, hit.also_in) for hit in copies] == [
        ("kb://tree/code/src/line.ts", ("kb://tree/code/samples/bollard/bowline.ts",))
    ]
    assert copies[0] is hits[0]
    samples = hits_of(tree, SearchRequest("samples that tie a bowline round a bollard")).hits
    assert samples[0].address == "kb://tree/code/samples/bollard/bowline.ts"


def test_copies_are_one_hit_without_vectors(tmp_path: Path) -> None:
    # As long and called alike, but other words.
    files = FILES | {"knots/tie/bowline.ts": "/** A round bollard. */\nexport type Bowline = 1;\n"}
    hits = hits_of(compiled(tmp_path, files=files, embed=False), SearchRequest("bowline bollard"))
    copies = {hit.address: hit.also_in for hit in hits.hits if "bowline" in hit.address}
    assert copies == {
        "kb://tree/code/knots/bowline.ts": ("kb://tree/code/port/knots/bowline.ts",),
        "kb://tree/code/knots/tie/bowline.ts": (),
    }


def test_the_copy_that_is_named_is_the_one_that_is_shown(tree: Artifact) -> None:
    hits = hits_of(tree, SearchRequest("port/knots/bowline.ts")).hits
    assert [hit.address for hit in hits if hit.address.endswith("bowline.ts")] == [hits[0].address]
    assert hits[0].address == "kb://tree/code/port/knots/bowline.ts"
    assert hits[0].also_in == ("kb://tree/code/knots/bowline.ts",)


def test_passages_of_one_file_do_not_keep_another_file_out_of_the_ranking(
    tree: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "POOL", 8)
    query = "splices a worn rope end over and under"
    assert found(tree, query)[:2] == ["ropes/knots.ts", "ropes/splice.ts"]
    monkeypatch.setattr(steps, "MOST_OF_A_FILE", 100)
    assert found(tree, query)[:2] == ["ropes/knots.ts", "ropes/splice.ts"]


def test_a_test_loses_more_than_another_secondary_file_and_an_example_less(tmp_path: Path) -> None:
    text = "/** Mends a net at {}. */\nexport function {}(): void {{\n  knot();\n}}\n"
    lost = {"src": 0.0, "tests": 0.7, "examples": 0.3, "legacy": 0.5}
    files = {f"{folder}/{folder}ed.ts": text.format("dusk", f"{folder}ed") for folder in lost}
    files["src/primes.ts"] = "export const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];\n"
    tree = compiled(tmp_path, files=files)
    shares = {}
    for hit in tree.searcher.search(SearchRequest("mends a net", ranking=("demotion",))).hits:
        assert hit.fused is not None
        if hit.fused.scaled:
            change = dict(hit.adjustments).get("demotion", 0.0)
            folder = tree.catalog(hit.collection).id(hit.record).partition("/")[0]
            shares[folder] = -change / hit.fused.scaled
    assert shares == pytest.approx(lost)


def test_a_folder_called_after_something_in_the_tree_and_tests_holds_tests(tmp_path: Path) -> None:
    text = "/** Mends a net at {}. */\nexport function {}(): void {{\n  knot();\n}}\n"
    folders = ("nets", "netstest", "fastest", "treetest")  # of the last one nothing is left to lose
    files = {f"{folder}/{folder}ed.ts": text.format("dusk", f"{folder}ed") for folder in folders}
    tree = compiled(tmp_path, files=files)
    assert demoted(tree, "mends a net") == {"netstest/netstested.ts"}
    assert demoted(tree, "which tests mend a net") == set()


def test_the_name_of_a_test_is_no_quotation_unless_tests_are_asked_for(tmp_path: Path) -> None:
    test = (
        'it("hoists the rope from stern to bow", () => {\n  expect(hoist("stern", "bow"));\n});\n'
    )
    winch = "/** Hoists a rope from the stern. */\nexport function hoist(): void {\n  bow();\n}\n"
    files = {
        "deck/winch.test.ts": test,
        "deck/winch.ts": winch,
        "deck/sail.ts": "export let sail = 1;\n",
    }
    tree = compiled(tmp_path, files=files)
    query = "hoists the rope from stern to bow"
    assert found(tree, query)[0] == "deck/winch.ts"
    assert found(tree, f'which tests say "{query}"')[0] == "deck/winch.test.ts"


def test_the_first_hits_do_not_depend_on_how_many_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A larger page brings more candidates, which take no places that a file has too many of."""
    monkeypatch.setattr(steps, "POOL", 8)
    monkeypatch.setattr(steps, "MOST_OF_A_FILE", 2)
    tree = compiled(tmp_path, "\n[search]\ncandidates = 10\n", files=FILES)
    query = "splices a worn rope end over and under"
    assert found(tree, query, 2) == found(tree, query, 12)[:2]


@pytest.mark.parametrize(("heading", "most"), [("", "p/short"), ("## Part", "p/long")])
def test_a_long_text_has_more_evidence_only_if_it_has_headings(
    tmp_path: Path, heading: str, most: str
) -> None:
    parts = (
        " ".join(f"The keeper trims lantern {part} of {at} at dusk." for at in range(40))
        for part in range(6)
    )
    pages = {
        "long": "".join(f"{heading}\n\n{part}\n" for part in parts),
        "short": "A lantern is trimmed at dusk by its keeper.\n",
        "other": "Sails are mended.\n",
    }
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/p.jsonl").write_text(
        "\n".join(
            json.dumps({"url": f"https://x.org/{name}", "title": name, "text": text})
            for name, text in pages.items()
        ),
        encoding="utf-8",
    )
    (tmp_path / "kb.toml").write_text(
        '[kb]\nname = "p"\n\n[[collection]]\nname = "p"\nkind = "pages"\npaths = ["sources"]\n',
        encoding="utf-8",
    )
    tree = Artifact.open(build(tmp_path, BuildOptions(out=tmp_path / "out")).path)
    evidence = {
        tree.catalog("p").id(hit.record): change
        for hit in tree.searcher.search(SearchRequest("trim a lantern at dusk")).hits
        for step, change in hit.adjustments
        if step == "evidence"
    }
    assert max(evidence, key=evidence.__getitem__) == most
