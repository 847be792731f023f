from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kb_runtime.search.fusion import to_unit_range
from kb_runtime.search.ranking import paths, steps


def scores_of(*values: float) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def records_of(*numbers: int) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64)


def test_scaled_scores_run_from_one_to_zero() -> None:
    assert to_unit_range(scores_of(9.0, 5.0, 1.0)).tolist() == [1.0, 0.5, 0.0]


def test_equal_scores_scale_to_one() -> None:
    assert to_unit_range(scores_of(3.0, 3.0)).tolist() == [1.0, 1.0]


def test_the_best_come_first_and_equal_ones_stay_in_order() -> None:
    assert steps.best_first(scores_of(0.1, 0.7, 0.7, 0.9)).tolist() == [3, 1, 2, 0]


def test_a_candidate_among_good_ones_rises_above_a_lone_one() -> None:
    similarity = np.eye(8, dtype=np.float32)
    similarity[0, 2] = similarity[2, 0] = 0.9
    mixed = steps.with_neighbours(scores_of(1.0, 0.5, 0.5, 0, 0, 0, 0, 0), similarity)
    assert mixed[2] > mixed[1]


def test_only_the_nearest_neighbours_count() -> None:
    similarity = np.full((9, 9), 0.5, dtype=np.float32)
    similarity[0, 1:6] = 0.9
    scores = scores_of(0.0, *[0.5] * 5, 1.0, 1.0, 1.0)
    mixed = steps.with_neighbours(scores, similarity)
    assert mixed[0] == pytest.approx(steps.NEIGHBOUR_SHARE * 0.5)


def test_where_what_is_right_does_not_cluster_neighbours_say_nothing() -> None:
    similarity = np.full((3, 3), 0.9, dtype=np.float32)
    scores = scores_of(1.0, 0.5, 0.0)
    assert steps.with_neighbours(scores, similarity, 0.0).tolist() == scores.tolist()
    half, whole = (steps.with_neighbours(scores, similarity, each) for each in (0.5, 1.0))
    assert half - scores == pytest.approx((whole - scores) / 2)


def test_a_candidate_without_neighbours_keeps_its_score() -> None:
    lone = steps.with_neighbours(scores_of(0.4, 0.2), np.eye(2, dtype=np.float32))
    assert lone == pytest.approx([0.4, 0.2])
    assert steps.with_neighbours(scores_of(0.4), np.eye(1, dtype=np.float32)).tolist() == [0.4]


def test_a_candidate_that_is_like_the_best_ones_gains() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=np.float32)
    bonus = steps.feedback_bonus(scores_of(1.0, 0.5, 0.5, 0.1), vectors @ vectors.T)
    assert bonus[1] > 0 > bonus[2]
    assert bonus.mean() == pytest.approx(0.0, abs=1e-6)
    assert bonus.std() == pytest.approx(steps.FEEDBACK)


def test_a_candidate_gains_nothing_from_itself() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    alone, one, other = steps.feedback_bonus(scores_of(1.0, 0.5, 0.5), vectors @ vectors.T)
    assert alone > 0 > one == other, "it is like no other one, and these are like a worse one"


def test_a_candidate_without_a_vector_gains_and_loses_nothing() -> None:
    vectors = np.array([[1, 0], [0, 0], [1, 0], [0, 1]], dtype=np.float32)
    bonus = steps.feedback_bonus(scores_of(1.0, 0.8, 0.5, 0.5), vectors @ vectors.T)
    assert bonus[2] > 0 == bonus[1] > bonus[3]


def test_candidates_that_are_all_alike_gain_nothing() -> None:
    alike = np.ones((3, 3), dtype=np.float32)
    assert steps.feedback_bonus(scores_of(1.0, 0.5, 0.0), alike).tolist() == [0.0] * 3
    assert steps.feedback_bonus(scores_of(1.0), np.eye(1, dtype=np.float32)).tolist() == [0.0]


def test_a_definition_counts_more_when_spelled_as_asked() -> None:
    def bonus(defined: tuple[str, ...], symbol: str) -> float:
        folded = [name.lower() for name in defined]
        return steps.definition_bonus({"Builder"}, {"builder"}, defined, folded, symbol)

    exact = bonus(("Builder",), "Builder")
    other_case = bonus(("builder",), "builder")
    inside = bonus((), "Builder")
    assert exact > other_case > inside > bonus(("Other",), "Other") == 0
    assert bonus(("Builder",), "") == 0, "a heading is no definition"


def test_a_file_name_counts_by_the_shares_of_query_and_name() -> None:
    weights = {"schema": 3.0, "union": 1.0}
    assert steps.place_bonus(weights, {"schema"}) == pytest.approx(steps.PLACE * 0.75)
    assert steps.place_bonus(weights, {"schema", "other"}) == pytest.approx(steps.PLACE * 0.375)
    assert steps.place_bonus(weights, {"other"}) == 0


def test_a_file_name_may_shorten_a_word() -> None:
    assert steps.spellings(["implement", "init"]) == {
        "impl": "implement",
        "imple": "implement",
        "implem": "implement",
        "implement": "implement",
        "init": "init",
    }


def test_the_record_with_most_evidence_gets_the_whole_bonus_at_its_best_chunk() -> None:
    bonus = steps.evidence_bonus(scores_of(1.0, 0.6, 0.6), records_of(0, 1, 1))
    assert bonus == pytest.approx([steps.EVIDENCE / 1.2, steps.EVIDENCE, 0.0])


def test_of_programs_many_weak_chunks_are_no_better_evidence_than_a_few_good_ones() -> None:
    scores, records = scores_of(1.0, 0.9, *[0.3] * 20), records_of(0, 0, *[1] * 20)
    of_programs = steps.evidence_bonus(scores, records, programs=True)
    assert of_programs[0] == steps.EVIDENCE_IN_PROGRAMS > of_programs[2] > 0
    assert steps.evidence_bonus(scores, records)[2] == steps.EVIDENCE


def test_a_source_gains_from_the_best_of_the_files_that_are_about_it() -> None:
    """A page, two sources, and two tests of the second one."""
    scores, records = scores_of(0.8, 0.5, 0.4, 0.1, 0.2), records_of(0, 1, 2, 3, 4)
    sources = [False, True, True, False, False]
    beside = [(3, 2, 2.0), (4, 2, 2.0)]
    bonus = steps.evidence_bonus(scores, records, programs=True, beside=beside, sources=sources)
    # 0.4 and twice 0.2, on the scale on which both sources have as much as before.
    expected = [0.8, 0.5 * 0.9 / 1.3, 0.8 * 0.9 / 1.3, 0.1, 0.2]
    assert bonus * 0.8 == pytest.approx([steps.EVIDENCE_IN_PROGRAMS * each for each in expected])


def test_of_a_text_without_headings_only_the_best_chunk_is_evidence() -> None:
    scores, records = scores_of(0.6, 1.0, 0.6, 0.6), records_of(0, 1, 0, 0)
    bonus = steps.evidence_bonus(scores, records, flat=[True, False])
    assert bonus == pytest.approx([steps.EVIDENCE * 0.6, steps.EVIDENCE, 0.0, 0.0])
    longer = steps.evidence_bonus(scores, records, flat=[False, True])
    assert longer == pytest.approx([steps.EVIDENCE, steps.EVIDENCE / 1.8, 0.0, 0.0])


def test_one_record_alone_gets_no_bonus() -> None:
    assert steps.evidence_bonus(scores_of(1.0, 0.5), records_of(0, 0)).tolist() == [0.0, 0.0]


def test_a_file_has_a_limited_share_of_the_places_and_each_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(steps, "MOST_OF_A_FILE", 2)
    monkeypatch.setattr(steps, "POOL", 4)
    assert steps.members([0, 1, 0, 0, 1, 0, 1]) == [0, 1, 2, 4]
    assert steps.members([0, 0, 0, 1, 1, 2, 2, 3]) == [0, 1, 3, 4, 5, 7]


def test_further_chunks_of_a_record_decay() -> None:
    after = steps.decayed(scores_of(1.0, 0.9, 0.8, 0.7), records_of(0, 0, 1, 0))
    assert after == pytest.approx([1.0, 0.9 * steps.DECAY, 0.8, 0.7 * steps.DECAY**2])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/test/Builder.java", "test"),
        ("pkg/test_client.py", "test"),
        ("pkg/client_test.go", "test"),
        ("app/button.spec.ts", "test"),
        ("t/basic.t", "test"),
        ("t/lib/Shed.pm", "test"),
        ("src/ToolRackTest.php", "test"),
        ("src/Rack/ToolRackTestCase.php", "test"),
        ("Sources/ParseJSONTests.swift", "test"),
        ("Shed.UnitTests/Tools.cs", "test"),
        ("Shed.Core.Tests/Tools.cs", "test"),
        ("packages/shed-tests/src/tools.ts", "test"),
        ("app/integration_test/tools.dart", "test"),
        ("src/commonTest/kotlin/Tools.kt", "test"),
        ("lib/parserTests.js", "test"),
        ("_test/paths.go", "test"),
        ("shed/tests.py", "test"),
        ("src/shed/test.rs", "test"),
        ("shed-tests/src/main/java/Tools.java", "test"),
        ("e2e/checkout.ts", "test"),
        ("examples/chat/main.rs", "example"),
        ("examples/specs/tank.ml", "example"),
        ("shed-benchmarks/main.rs", "example"),
        ("bench/tools.c", "example"),
        ("core/src/jmh/java/Tools.java", "example"),
        ("src/Snippets/Docs/Tank.cs", "example"),
        ("docs/src/components/Tank.astro", "example"),
        ("website/src/theme/tank.tsx", "example"),
        ("src/ToolsBenchmark.java", "example"),
        ("src/tools.bench.ts", "example"),
        ("src/tools_benchmark.cc", "example"),
        ("api/service.pb.go", "generated"),
        ("types/index.d.ts", "generated"),
        ("assets/dist/tools.js", "generated"),
        ("pages/compiled/tools.js", "generated"),
        ("third_party/zlib/inflate.c", "vendored"),
        ("extlibs/headers/tank.h", "vendored"),
        ("src/external/tank/tank.hpp", "vendored"),
        ("lamp-server-deprecated/src/main/Lamp.kt", "vendored"),
        ("CHANGELOG.md", "changelog"),
        ("ChangeLog-2.0", "changelog"),
        ("UPGRADE-3.0.md", "changelog"),
        ("docs/CHANGELOG_V18.md", "changelog"),
        ("changes-0.9.x.rst", "changelog"),
        ("whatsnew-2.1.txt", "changelog"),
        ("changelog/0.9.1_2026-01-02/issue-12", "changelog"),
        ("docs/changelogs/changes_3x.md", "changelog"),
        ("release-notes/v1.2.0.md", "changelog"),
        ("newsfragments/12.bugfix.rst", "changelog"),
        (".changeset/blue-lamps.md", "changelog"),
        ("content/en/blog/2026/new-lamps/index.md", "post"),
        ("_posts/2026-01-02-lamps.markdown", "post"),
        ("packages/shed/skills/tools/references/racks.md", "agents"),
        (".cursor/rules/tools.mdc", "agents"),
        ("test.c", "test"),
        ("docs/Doxyfile.in", "data"),
        ("src/Texts.de.resx", "data"),
        ("src/Shed.csproj", "data"),
        ("README.md", "readme"),
        ("readme.zh-CN.md", "readme"),
    ],
)
def test_secondary_files_are_known_by_their_paths(path: str, kind: str) -> None:
    assert paths.place_kinds(path) == {kind}


@pytest.mark.parametrize(
    "path",
    [
        "src/latest.py",
        "src/Latest.java",
        "src/TestBench.java",
        "src/hitTest.ts",
        "src/hitTest/index.ts",
        "speed-test/src/tools.ts",
        "shed-boot-test/src/main/java/Shed.java",
        "src/Attestation.cs",
        "src/T/Tools.cs",
        "src/main/java/TypeSpec.java",
        "shed-mock/src/main/java/shed/test/ShedTest.java",
        "shed/src/commonMain/kotlin/shed/testing/Lamp.kt",
        "docs/WritingTests.mdx",
        "lib/mix/tasks/test.ex",
        "contest/rules.md",
        "docs/README.md",
        "docs/upgrading.md",
        "src/docs/tank.rs",
        "app/history_view.ts",
        "src/history.py",
        "src/changes2.go",
        "docs/news-feeds.md",
        "app/blog/models.py",
        "guide/blog.md",
        "src/skills/references.ts",
        "src/benchmark.rs",
        "src/benchmark_group.rs",
        "workbench/tools.ts",
        "src/Workbench.java",
        "changelog/parse.go",
        "lib/release_notes/index.ts",
        "src/spec.go",
        "src/shed/build/make.lua",
        "src/dist/manifest.rs",
        "app/api/deps/auth.py",
        "ext/tank/tank.c",
        "editor/snippets/insert.py",
    ],
)
def test_other_files_are_not_secondary(path: str) -> None:
    assert not paths.place_kinds(path)


def test_a_test_among_examples_is_one_by_its_name() -> None:
    assert paths.place_kinds("examples/specs/tank_spec.rb") == {"example", "test"}
    assert paths.place_kinds("examples/tank/spec/fill.rb") == {"example", "test"}


def test_a_page_among_tests_is_what_they_read_unless_it_is_about_them() -> None:
    assert paths.place_kinds("tests/data/links/input.md") == {"test", "fixture"}
    assert paths.place_kinds("tests/data/links/output.html") == {"test", "fixture"}
    assert paths.place_kinds("tests/data/links.py") == {"test"}
    assert paths.place_kinds("xt/public/page.txt") == {"test", "fixture"}
    assert paths.place_kinds("tests/README.md") == {"test"}
    assert paths.kinds_asked_for({"fixtures"}, ("fixtures",)) == {"test", "fixture", "use"}


@pytest.mark.parametrize(
    ("path", "version"),
    [
        ("v3/types.ts", ("", 3, "/types.ts")),
        ("src/v12/a/b.go", ("src", 12, "/a/b.go")),
        ("src/env3/a.go", None),
        ("src/v3.go", None),
        ("01/exercise.ts", None),
    ],
)
def test_versions_are_folders_named_so(path: str, version: tuple[str, int, str] | None) -> None:
    assert paths.version_of(path) == version


def test_a_query_asks_for_tests_by_naming_them() -> None:
    asked = {"test", "fixture", "use"}
    assert paths.kinds_asked_for({"unit", "tests"}, ["unit", "tests"]) == asked
    assert paths.kinds_asked_for({"latest"}) == frozenset()
    assert paths.kinds_asked_for({"a", "mistyped", "option"}) == frozenset()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("test a handler without a server", False),
        ("give the object under test its mocks", False),
        ("fake responses in unit tests", False),
        ("unit testing", False),
        ("testing for leaks", False),
        ("assert that two lists are equal", False),
        ("tests for redirects", True),
        ("is there a test for redirects", True),
        ("a test that redirects end", True),
        ("which tests follow redirects", True),
        ("where are redirects tested", True),
        ("redirect tests", True),
    ],
)
def test_a_query_about_testing_asks_for_no_tests(query: str, wanted: bool) -> None:
    words = query.split()
    assert ("test" in paths.kinds_asked_for(set(words), words)) == wanted


def test_a_query_for_an_introduction_asks_for_the_readme() -> None:
    assert "readme" in paths.kinds_asked_for({"how", "to", "install", "it"})
    assert not paths.kinds_asked_for({"how", "sockets", "are", "closed"})


def test_a_query_about_what_changes_asks_for_no_change_log() -> None:
    for query in ("who is told that a branch has changed", "glue one history after another"):
        assert "changelog" not in paths.kinds_asked_for({*query.split()})
    for query in ("what changed about tanks", "changes in 2.0", "release notes"):
        assert "changelog" in paths.kinds_asked_for({*query.split()})


@pytest.mark.parametrize(
    ("query", "giving_way"),
    [
        ("parse an address", {"code"}),
        ("where is the address parsed", set()),
        ("where do I put an address", {"code"}),
        ("where should addresses be", {"code"}),
    ],
)
def test_source_does_not_give_way_where_a_query_asks_where_something_is_done(
    query: str, giving_way: set[str]
) -> None:
    written = query.lower().split()
    assert paths.showing_kinds({*written}, {"code", "docs"}, written) == giving_way


def test_texts_are_the_same_when_nearly_all_words_are() -> None:
    words = {f"w{number}" for number in range(20)}
    assert steps.same_text(words, words | {"new"})
    assert not steps.same_text(words, {*list(words)[:15], "a", "b", "c"})


scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(scores, st.data())
def test_decay_never_raises_a_score_and_keeps_the_best_of_each_record(
    values: list[float], data: st.DataObject
) -> None:
    size = len(values)
    records = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    after = steps.decayed(scores_of(*values), records_of(*compact(records))).tolist()
    assert all(now <= was for now, was in zip(after, values, strict=True))
    for record in set(records):
        before = [value for value, one in zip(values, records, strict=True) if one == record]
        assert max(before) in after


def compact(records: list[int]) -> list[int]:
    """Numbers from 0 on without gaps."""
    numbers = {record: number for number, record in enumerate(dict.fromkeys(records))}
    return [numbers[record] for record in records]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/router.ts", "router"),
        ("src/router/index.ts", "router"),
        ("click/termui/__init__.py", "termui"),
        ("index.html", "index"),
        ("docs/README.md", "docs"),
        ("lua/shed/init.lua", "shed"),
        ("cmd/init.go", "init"),
        ("crates/shed/src/lib.rs", "shed"),
        ("src/lib.rs", "src"),
        ("src/Tank.Filling.cs", "Tank.Filling"),
        ("Makefile", "Makefile"),
    ],
)
def test_a_file_that_stands_for_its_folder_is_called_like_it(path: str, name: str) -> None:
    assert paths.name_of(path) == name


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("go parse flags", "go"),
        ("parse flags in golang", "go"),
        ("parse with python and flags", "python"),
        ("where flags go when parsed", ""),
        ("rust parse flags", ""),
        ("json parser and tokenizer", ""),
        ("write a tank as html", ""),
        ("make tanks smaller", ""),
        ("shell completion of commands", ""),
        ("read yaml in python", "python"),
    ],
)
def test_languages_that_a_query_names(query: str, language: str) -> None:
    known = {"bash", "go", "html", "json", "make", "python", "yaml"}
    assert paths.language_named(query.split(), known) == language


def test_what_adds_to_a_type_gives_way_to_this_type_alone() -> None:
    whole = steps.DEFINITION
    names = [(["tank"], ""), (["tank"], "tank"), (["tank", "fill"], "tank"), (["tap"], "tap")]
    bonus = [whole] * 4
    assert steps.without_additions(bonus, {"tank", "fill", "tap"}, names) == (
        [whole, whole * steps.INSIDE, whole, whole]
    )
    assert steps.without_additions(bonus, {"lid"}, names) == bonus
    assert steps.without_additions(bonus[1:], {"tank"}, names[1:]) == bonus[1:]
