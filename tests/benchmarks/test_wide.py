from __future__ import annotations

import json
import random
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.wide import dump
from benchmarks.wide.__main__ import main
from benchmarks.wide.choices import compare, leave_one_out
from benchmarks.wide.engine import (
    BuildSettings,
    Candidates,
    Opened,
    System,
    _Configured,
    build_part,
)
from benchmarks.wide.folders import write_folder
from benchmarks.wide.measures import measure
from benchmarks.wide.sets import (
    QUESTIONS,
    SETS_FILE,
    Absent,
    Folders,
    LabelledSet,
    SetError,
    address_of,
    read_documents,
    read_sets,
)
from benchmarks.wide.systems import SYSTEMS, UnknownSystemError, parse

from kb_runtime.knowledge.artifact import Artifact
from kbc.evaluation import measures

# The first set prefers `sharp`, the others `safe`; `safe` is better on the mean of all four.
TABLE = {
    "base": {"one": 0.5, "two": 0.5, "three": 0.5, "four": 0.5},
    "sharp": {"one": 0.9, "two": 0.4, "three": 0.5, "four": 0.5},
    "safe": {"one": 0.5, "two": 0.6, "three": 0.6, "four": 0.6},
}
PAGE = "# {title}\n\n{text}\n"
DECLARED = """
[[set]]
name   = "tiny"
about  = "three pages"
kind   = "questions"
folder = "tree"
  [[set.collection]]
  name  = "docs"
  kind  = "docs"
  paths = ["guide"]

[[set]]
name       = "whole"
about      = "the same pages, as they are recognised"
kind       = "questions"
questions  = "tiny"
recognised = true
folder     = "tree"

[[set]]
name   = "elsewhere"
about  = "not here"
kind   = "text"
folder = "elsewhere"
"""


def folders(root: Path) -> Folders:
    return Folders(root, root / "text", root / "labels", root / "kb")


class TestMeasure:
    def test_of_different_records_it_is_what_kbc_computes(self) -> None:
        chance = random.Random(7)
        for _ in range(200):
            gains = [float(chance.randint(1, 3)) for _ in range(chance.randint(1, 14))]
            answered = [[target] for target in range(len(gains))] + [[]] * 9
            chance.shuffle(answered)
            hits = list(enumerate(answered))
            names = [str(each[0]) if each else f"-{at}" for at, each in hits]
            graded = {str(at): gain for at, gain in enumerate(gains)}

            found = measure(hits, gains, "records")

            assert found["ndcg@10"] == pytest.approx(measures.ndcg(names, graded, 10))
            assert found["mrr@10"] == measures.reciprocal_rank(names, graded, 10)
            assert found["success@3"] == measures.success(names, graded, 3)

    def test_a_second_passage_of_a_record_takes_a_place_among_hits_only(self) -> None:
        hits = [(1, []), (1, []), (2, [0])]

        assert measure(hits, [1.0], "hits")["mrr@10"] == pytest.approx(1 / 3)
        assert measure(hits, [1.0], "records")["mrr@10"] == pytest.approx(1 / 2)

    def test_a_target_gains_once(self) -> None:
        once = measure([(1, [0])], [1.0, 1.0], "hits")["ndcg@10"]

        assert measure([(1, [0]), (2, [0])], [1.0, 1.0], "hits")["ndcg@10"] == once < 1.0

    def test_the_eleventh_place_is_too_late(self) -> None:
        hits = [*((record, []) for record in range(10)), (10, [0])]

        assert set(measure(hits, [1.0], "records").values()) == {0.0}


class TestChoices:
    def test_a_choice_is_compared_set_by_set(self) -> None:
        choice = compare(TABLE, "sharp", "base")

        assert choice.delta == pytest.approx(0.075)
        assert (choice.up, choice.down) == (1, 1)
        assert (choice.worst, choice.worst_set) == (pytest.approx(-0.1), "two")

    def test_the_set_that_is_left_out_has_no_say(self) -> None:
        found = leave_one_out(TABLE, ["base", "sharp", "safe"], "base")

        # Only with the first set among the others `sharp` would be chosen for one that it harms.
        assert found.chosen == {"one": "safe", "two": "sharp", "three": "sharp", "four": "sharp"}
        assert found.scores == {"one": 0.5, "two": 0.4, "three": 0.5, "four": 0.5}
        assert found.delta == pytest.approx(-0.025)
        assert (found.worst, found.worst_set) == (pytest.approx(-0.1), "two")
        assert found.choices == [("sharp", 3), ("safe", 1)]

    def test_of_equals_the_first_is_chosen(self) -> None:
        table = {"base": {"one": 0.5, "two": 0.5}, "same": {"one": 0.5, "two": 0.5}}

        assert set(leave_one_out(table, ["base", "same"], "base").chosen.values()) == {"base"}

    def test_one_set_is_too_few(self) -> None:
        with pytest.raises(ValueError, match="two sets"):
            leave_one_out({"base": {"one": 0.5}}, ["base"], "base")


class TestSystems:
    def test_a_known_one_goes_by_its_name(self) -> None:
        assert parse("minmax") == ("minmax", SYSTEMS["minmax"])

    def test_another_one_is_written_out(self) -> None:
        name, system = parse(
            "mine: alpha=0.7 candidates=500 ranking=none boost.title=0.75 weight.docs=2 without=places"
        )

        assert name == "mine"
        assert system.request == {"alpha": 0.7, "ranking": ()}
        assert system.settings == {
            "candidates": 500,
            "boosts": {"title": 0.75},
            "weights": {"docs": 2.0},
            "ranking": {"places": False},
        }

    @pytest.mark.parametrize("text", ["nothing", "mine: alpha", "mine: depth=5"])
    def test_what_cannot_be_read_is_said(self, text: str) -> None:
        with pytest.raises(UnknownSystemError, match=r"nothing|alpha|depth"):
            parse(text)


class TestDeclaredSets:
    def test_every_set_has_questions_that_are_asked_once(self) -> None:
        declared = tomllib.loads(SETS_FILE.read_text("utf-8"))["set"]
        ours = {
            str(entry.get("questions", entry["name"]))
            for entry in declared
            if entry["kind"] == "questions"
        }

        assert len(declared) >= 15
        assert {f"{name}.toml" for name in ours} == {path.name for path in QUESTIONS.iterdir()}
        for name in ours:
            entries = tomllib.loads((QUESTIONS / f"{name}.toml").read_text("utf-8"))["question"]
            assert len({entry["query"] for entry in entries}) == len(entries) >= 30, name
            assert all(entry["expect"] for entry in entries), name

    def test_a_set_whose_files_are_missing_is_absent(self, tmp_path: Path) -> None:
        found = read_sets(folders(tmp_path), ["redis", "cisi"])

        assert [(each.name, type(each)) for each in found] == [("cisi", Absent), ("redis", Absent)]

    def test_a_file_of_paragraphs_gives_each_third_question_and_its_paragraph(
        self, tmp_path: Path
    ) -> None:
        paragraphs = [
            {"context": f"Paragraph {at}.", "qas": [{"question": f"{at}?"}, {"question": f"{at}!"}]}
            for at in range(4)
        ]
        articles = {"data": [{"paragraphs": paragraphs[:3]}, {"paragraphs": paragraphs[3:]}]}
        (tmp_path / "xquad").mkdir()
        (tmp_path / "xquad" / "xquad.de.json").write_text(json.dumps(articles), encoding="utf-8")

        (found,) = read_sets(folders(tmp_path), ["xquad-de"])

        assert isinstance(found, LabelledSet)
        (part,) = found.parts
        assert [(each.text, each.targets[0].name) for each in part.questions] == [
            ("0?", "https://documents.invalid/0"),
            ("1!", "https://documents.invalid/1"),
            ("3?", "https://documents.invalid/3"),
        ]
        pages = write_folder(part, tmp_path / "out") / "sources" / "xquad-de.jsonl"
        written = [json.loads(line) for line in pages.read_text("utf-8").splitlines()]
        assert written[3] == {"url": "https://documents.invalid/3", "text": "Paragraph 3."}

    def test_an_unknown_name_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(SetError, match="no set is called 'rediss'"):
            read_sets(folders(tmp_path), ["rediss"])

    def test_without_any_files_nothing_is_measured(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        places = ["--corpora", str(tmp_path / "corpora"), "--artifacts", str(tmp_path / "out")]
        places += ["--text", str(tmp_path), "--own", str(tmp_path / "kb")]

        assert main(places) == 2
        assert "redis: absent" in capsys.readouterr().err


@pytest.fixture(scope="module")
def tiny(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> tuple[LabelledSet, BuildSettings]:
    """Three pages as a set, and where they are built."""
    assert pytestconfig.cache is not None
    root = tmp_path_factory.mktemp("tiny")
    (root / "tree" / "guide").mkdir(parents=True)
    for name, title, text in (
        ("maps", "Maps", "A map gives a value for each key."),
        ("sets", "Sets", "A set holds each element once."),
        ("lists", "Lists", "A list keeps the order of its elements."),
    ):
        page = PAGE.format(title=title, text=text)
        (root / "tree" / "guide" / f"{name}.md").write_text(page, encoding="utf-8")
    site = "site_name: Things\ndocs_dir: guide\n"
    (root / "tree" / "mkdocs.yml").write_text(site, encoding="utf-8")
    (root / "tiny.toml").write_text(
        '[[question]]\nquery = "in which order are elements"\nexpect = ["guide/lists.md"]\n'
        '\n[[question]]\nquery = "value of a key"\nexpect = ["guide/maps.md", "guide/gone.md"]\n',
        encoding="utf-8",
    )
    (root / "sets.toml").write_text(DECLARED, encoding="utf-8")
    found = read_sets(folders(root), declared=root / "sets.toml", questions=root)
    assert [each.name for each in found] == ["tiny", "whole", "elsewhere"]
    assert isinstance(found[0], LabelledSet)
    cache = Path(pytestconfig.cache.mkdir("kbc"))
    return found[0], BuildSettings(root / "out", cache=cache)


class TestASet:
    @pytest.mark.slow
    def test_is_built_asked_and_scored(self, tiny: tuple[LabelledSet, BuildSettings]) -> None:
        owner, settings = tiny
        (part,) = owner.parts
        order, value = part.questions

        with Opened.open(owner, build_part(owner, part, settings)) as opened:
            hits = opened.ask(order, System())

            assert hits[0].name == "doc:guide/lists.md"
            assert hits[0].answers == [0]
            assert [opened.unknown(each) for each in part.questions] == [[], ["guide/gone.md"]]
            assert opened.ask(value, System({"mode": "lexical"}))[0].name == "doc:guide/maps.md"

    def test_is_built_once(self, tiny: tuple[LabelledSet, BuildSettings]) -> None:
        owner, settings = tiny
        (part,) = owner.parts
        first = build_part(owner, part, settings)

        assert build_part(owner, part, settings) == first
        page = owner.parts[0].tree
        assert page is not None
        (page / "guide" / "more.md").write_text("# More\n\nAnother page.\n", encoding="utf-8")
        changed = build_part(owner, part, settings)
        (page / "guide" / "more.md").unlink()
        assert (changed.records, first.records) == (4, 3)

    def test_without_collections_it_is_recognised(
        self, tiny: tuple[LabelledSet, BuildSettings]
    ) -> None:
        owner, settings = tiny
        (part,) = owner.parts
        whole = replace(part, collections=(), copied=(".",))
        recognised = replace(owner, name="whole", recognised=True, parts=(whole,))
        with Opened.open(recognised, build_part(recognised, whole, settings)) as opened:
            (hit, *_) = opened.ask(whole.questions[0], System({"mode": "lexical"}))

            assert opened.collections == [("docs", "docs")]
            assert opened.unknown(whole.questions[1]) == ["guide/gone.md"]
            assert (hit.name, hit.answers) == ("doc:lists.md", [0])

    def test_is_asked_with_what_the_artifact_says_of_its_models(
        self, tiny: tuple[LabelledSet, BuildSettings]
    ) -> None:
        """Vectors count by the languages of the encoder."""
        owner, settings = tiny
        (part,) = owner.parts
        with Artifact.open(build_part(owner, part, settings).artifact) as artifact:
            parts = dict.fromkeys(("encoder", "lexical", "vectors"))
            asked = _Configured(artifact, {"candidates": 7}, parts).manifest

            assert asked["encoder"] == artifact.manifest["encoder"]
            assert asked["search"]["candidates"] == 7

    def test_candidates_have_both_scores(self, tiny: tuple[LabelledSet, BuildSettings]) -> None:
        owner, settings = tiny
        (part,) = owner.parts
        with Opened.open(owner, build_part(owner, part, settings)) as opened:
            found = opened.candidates(part.questions[0], 500)

        assert found.rows == sorted({*found.words, *found.meaning})
        assert sorted(found.label) == [-1, -1, 0]
        answer = found.label.index(0)
        assert found.bm25[answer] == max(found.bm25) > 0
        assert found.cosine[answer] == max(found.cosine) > 0
        assert found.final[0] == found.rows[answer]


def test_a_dump_is_read_as_it_was_written(tmp_path: Path) -> None:
    writer = dump.Writer()
    about = {
        "set": "tiny",
        "part": "one",
        "query": "why",
        "protocol": "records",
        "metric": "mrr@10",
    }
    candidates = Candidates(
        words=[4, 9],
        meaning=[7, 4],
        rows=[4, 7, 9],
        bm25=[3.5, 0.0, 1.25],
        cosine=[0.5, 0.75, 0.25],
        label=[-1, 1, -1],
        record=[11, 12, 11],
        collection=[0, 0, 0],
        named=[9],
        final=[7, 9],
        facts={"words": 1},
    )
    writer.add(about, [("docs", "docs")], [1.0, 2.0], candidates)
    writer.add({**about, "query": "how"}, [("docs", "docs")], [1.0], candidates)
    writer.write(tmp_path / "some.npz")

    first, second = dump.read(tmp_path / "some.npz")

    assert first.about == {**about, "facts": {"words": 1}}
    assert (first.gains.tolist(), second.gains.tolist()) == ([1.0, 2.0], [1.0])
    assert second["row"].tolist() == [4, 7, 9]
    assert second["word_rank"].tolist() == [1, 0, 2]
    assert second["meaning_rank"].tolist() == [2, 1, 0]
    assert second["final_rank"].tolist() == [0, 1, 2]
    assert second["named"].tolist() == [False, False, True]
    assert first.score(first["cosine"])["mrr@10"] == 1.0
    # The rows of 4 and 9 are of one record, so that 7 is on the second place.
    assert first.score(np.array([3.0, 1.0, 2.0]))["mrr@10"] == 0.5


def test_questions_in_other_words_are_answered_by_those_that_they_are_like(tmp_path: Path) -> None:
    folder = tmp_path / "faq"
    folder.mkdir()
    (folder / "answers.csv").write_text(
        "question,answer,lang\nWhy nests?,For eggs.,en\nWozu?,Eier,de\nAgain?,For eggs.,en\nWho?,Birds,en\n"
    )
    (folder / "asked.csv").write_text(
        "question_1,question_2,similar\nWho?,By whom?,1\nWho?,When?,0\nWhy nests?,What for?,1\n"
    )
    declared = tmp_path / "sets.toml"
    declared.write_text(
        '[[set]]\nname = "faq"\nabout = "a"\nkind = "faq"\nfolder = "faq"\nfile = "answers.csv"\n'
        'asked = "asked.csv"\n'
    )
    (found,) = read_sets(Folders(tmp_path, tmp_path, tmp_path, tmp_path), declared=declared)
    assert isinstance(found, LabelledSet)
    (part,) = found.parts
    assert part.documents is not None
    documents = list(read_documents(part.documents))
    assert [each["title"] for each in documents] == ["Why nests?", "Who?"]
    assert [(each.text, each.targets[0].name) for each in part.questions] == [
        ("By whom?", address_of(1)),
        ("What for?", address_of(0)),
    ]
    (folder / "asked.csv").unlink()
    (absent,) = read_sets(Folders(tmp_path, tmp_path, tmp_path, tmp_path), declared=declared)
    assert absent == Absent("faq", folder / "asked.csv")
