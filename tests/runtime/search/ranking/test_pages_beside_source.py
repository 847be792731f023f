"""Ranking of source, tests and pages beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.runtime.search.ranking.compiled_trees import changed, compiled, demoted, found

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.ranking import steps
from kb_runtime.search.request import SearchRequest


def test_beside_pages_a_question_about_testing_is_answered_by_them(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/testing.md").write_text("# Testing\n\nHow to test a winch without a load.\n")
    test = "/** Tests a winch without {}. */\nexport function test{}(): void {{\n  winch();\n}}\n"
    names = ("load", "oil", "rope")
    files = {f"test/{name}.test.ts": test.format(f"a {name}", name) for name in names}
    files["winch.ts"] = "/** Pulls. */\nexport function winch(): void {}\n"
    pages = '\n[[collection]]\nname = "guide"\nkind = "docs"\npaths = ["guide"]\n'
    tree = compiled(tmp_path, pages, files=files)
    assert "test/load.test.ts" in demoted(tree, "test a winch without a load")
    assert not demoted(tree, "tests for a winch without a load")


def test_tests_in_a_tree_that_defines_nothing_are_its_examples(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/ropes.md").write_text("# Ropes\n\nA winch hoists a heavy rope.\n")
    winch = "/** Hoists a rope. */\nexport function winch(): void {\n  pull();\n}\n"
    files = {"test/winch.ts": winch, "test/oil.ts": winch.replace("rope", "can of oil")}
    pages = '\n[[collection]]\nname = "guide"\nkind = "docs"\npaths = ["guide"]\n'

    def kept(query: str, **more: str) -> float:
        tree = compiled(tmp_path, pages, files={**files, **more})
        hits = tree.searcher.search(SearchRequest(query, ranking=("demotion",))).hits
        (hit,) = (
            hit for hit in hits if tree.catalog(hit.collection).id(hit.record) == "test/winch.ts"
        )
        assert hit.fused is not None
        return 1.0 + dict(hit.adjustments).get("demotion", 0.0) / hit.fused.scaled

    assert kept("hoists a rope") == pytest.approx(1.0 - steps.DEMOTION_OF_EXAMPLE)
    assert kept("example that hoists a rope") == kept("tests that hoist a rope") == 1.0
    defined = {"winch.ts": winch.replace("rope", "load")}
    assert kept("hoists a rope", **defined) == pytest.approx(1.0 - steps.DEMOTION_OF_TEST)


def test_examples_in_source_give_way_once(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/ropes.md").write_text("# Ropes\n\nA winch hoists a heavy rope.\n")
    winch = "/** Hoists a heavy rope. */\nexport function winch(): void {}\n"
    files = {"deck/winch.ts": winch, "examples/hoist.ts": winch.replace("winch", "hoist")}
    pages = '\n[[collection]]\nname = "guide"\nkind = "docs"\npaths = ["guide"]\n'
    tree = compiled(tmp_path, pages, files=files)
    assert not demoted(tree, "hoists a heavy rope")
    assert "weights" in changed(tree, "hoists a heavy rope")["examples/hoist.ts"]
    weighted = compiled(tmp_path, pages + "\n[search]\nweights = { code = 1.0 }\n", files=files)
    assert demoted(weighted, "hoists a heavy rope") == {"examples/hoist.ts"}
    assert demoted(compiled(tmp_path, files=files), "hoists a heavy rope") == {"examples/hoist.ts"}


def test_what_defines_the_name_that_is_asked_for_does_not_give_way_to_pages(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    page = "# Ropes\n\nCall `hoistRope` first, then `hoistRope` again: `hoistRope` pulls.\n"
    (tmp_path / "guide/ropes.md").write_text(page)
    files = {"deck/winch.ts": "/** Pulls. */\nexport function hoistRope(): void {\n  pull();\n}\n"}
    pages = '\n[[collection]]\nname = "guide"\nkind = "docs"\npaths = ["guide"]\n'
    tree = compiled(tmp_path, pages, files=files)
    assert "weights" in changed(tree, "when is hoistRope called again")["deck/winch.ts"]
    assert "weights" not in changed(tree, "hoistRope")["deck/winch.ts"]
    weighted = compiled(tmp_path, pages + "\n[search]\nweights = { code = 0.2 }\n", files=files)
    assert "weights" in changed(weighted, "hoistRope")["deck/winch.ts"]


def test_by_words_alone_bm25_of_source_counts_less_than_that_of_pages(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/ropes.md").write_text("# Ropes\n\nA winch hoists a heavy rope.\n")
    winch = "/** Hoists a heavy rope. */\nexport function winch(): void {}\n"
    files = {"deck/winch.ts": winch, "examples/hoist.ts": winch.replace("winch", "hoist")}
    pages = '\n[[collection]]\nname = "guide"\nkind = "docs"\npaths = ["guide"]\n'
    tree = compiled(tmp_path, pages, files=files, embed=False)

    def shares(tree: Artifact, query: str) -> dict[str, float]:
        hits = tree.searcher.search(SearchRequest(query)).hits
        return {
            tree.catalog(hit.collection).id(hit.record): hit.fused.score / hit.lexical_score
            for hit in hits
            if hit.fused and hit.lexical_score
        }

    less = pytest.approx(steps.SOURCE_BY_WORDS)
    everything = {"guide/ropes.md": 1.0, "deck/winch.ts": less, "examples/hoist.ts": less}
    assert shares(tree, "hoists a heavy rope") == everything
    assert shares(tree, "example that hoists a rope") == {**everything, "examples/hoist.ts": 1.0}
    assert set(shares(tree, "code that hoists a heavy rope").values()) == {1.0}
    weighted = compiled(
        tmp_path, pages + "\n[search]\nweights = { code = 0.9 }\n", files=files, embed=False
    )
    assert set(shares(weighted, "hoists a heavy rope").values()) == {1.0}


def test_pages_in_a_source_tree_give_way_to_source_where_documentation_is_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/ropes.md").write_text("# Ropes\n\nA winch hoists a heavy rope.\n")
    files = {
        "plans/winch.md": "# Plan of a winch\n\nThe winch hoists a heavy rope.\n",
        "deck/winch.ts": "/** Hoists a heavy rope. */\nexport function winch(): void {}\n",
    }
    pages = '\n[[collection]]\nname = "guide"\nkind = "docs"\npaths = ["guide"]\n'
    tree = compiled(tmp_path, pages, files=files)

    def gives_way(query: str, *scope: str) -> bool:
        hits = tree.searcher.search(SearchRequest(query, scope or None)).hits
        steps_of = {tree.catalog(hit.collection).id(hit.record): hit.adjustments for hit in hits}
        return "demotion" in dict(steps_of["plans/winch.md"])

    assert gives_way("hoists a heavy rope", "code")
    assert not gives_way("plan to hoist a heavy rope", "code")
    assert not gives_way("hoists a heavy rope")
    alone = compiled(tmp_path, files=files)
    assert not demoted(alone, "hoists a heavy rope")


def test_a_post_about_a_name_does_not_come_before_what_defines_it(tmp_path: Path) -> None:
    files = {
        "news/ropes.md": "# Ropes\n\n## hoistRope\n\nNow there is `hoistRope`: `hoistRope` pulls.\n",
        "deck/winch.ts": "/** Pulls. */\nexport function hoistRope(): void {\n  pull();\n}\n",
        "deck/sail.ts": "/** Sets. */\nexport function set(): void {\n  hoistRope();\n}\n",
    }
    assert found(compiled(tmp_path, files=files), "hoistRope")[0] == "deck/winch.ts"
