"""Filters of `search_tests` as they are checked before anything is searched, and as they apply."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from kb_runtime.errors import ToolError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.tools.cases.filters import MAX_WILDCARDS, check_filters, row_filter
from kb_runtime.tools.cases.search import search_tests
from kb_runtime.tools.session import Session
from kbc.pipeline.build import BuildOptions, build

TESTS = 200


def test_wildcards_are_bounded_over_all_patterns() -> None:
    half = "*a" * (MAX_WILDCARDS // 2)
    assert check_filters({"testPath": [half, half + "b"]}).values["testPath"] == (half, half + "b")
    with pytest.raises(ToolError, match="at most 100"):
        check_filters({"testPath": [half, half + "[b]"]})


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Artifact]:
    """Two hundred tests, each with a path of its own."""
    root = tmp_path_factory.mktemp("catalogue")
    tests = [
        {
            "uid": f"t-{number}",
            "title": f"Light lantern {number}",
            "testPath": f"tests/deck_{number % 5}/test_{number}.py",
        }
        for number in range(TESTS)
    ]
    (root / "tests").mkdir()
    (root / "tests" / "functional.json").write_text(json.dumps(tests))
    (root / "kb.toml").write_text('[kb]\nname = "sea"\n')
    report = build(root, BuildOptions(out=root / "out", cache=None, embed=False))
    with Artifact.open(report.path) as opened:
        yield opened


def found(artifact: Artifact, pattern: str) -> tuple[set[str], bool]:
    """The tests that a search finds under a pattern, and whether paths were looked for one by one."""
    session = Session(artifact, {})
    checked = check_filters({"testPath": pattern})
    filter = row_filter(session, checked)
    assert filter is not None
    arguments = {"query": "lantern", "top_k": 100, "filters": checked.shown()}
    facts = search_tests(session, arguments).structured
    return {each["test"]["uid"] for each in facts["results"]}, bool(filter.terms)


def test_few_paths_are_terms_and_many_are_taken_from_a_ranking(catalogue: Artifact) -> None:
    decks = {deck: {f"t-{number}" for number in range(deck, TESTS, 5)} for deck in range(5)}
    assert found(catalogue, "tests/deck_3/*") == (decks[3], True)
    assert found(catalogue, "tests/deck_[34]/*") == (decks[3] | decks[4], True)
    uids, are_terms = found(catalogue, "tests/deck_[2-4]/test_*.py")
    assert not are_terms
    assert len(uids) == 100
    assert uids < decks[2] | decks[3] | decks[4]
