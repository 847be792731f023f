"""How good the ranking is: words, meaning, ranks fused, both balanced, and the final order, on labels.

    python -m benchmarks.quality [--text ../shared/bench/text] [--code-labels ../shared/bench/code-search
        --code CHECKOUTS] [--repositories NAME,...] [--kb ARTIFACT --questions FILE ...] [--ablation]
        [--exact]

Text: nDCG@10 on collections in BEIR layout, a document being one chunk. Code: NDCG@10 over the first ten
chunks, repositories checked out as the labels' README says, each compiled as a collection of kind `code`
and searched with the defaults. Questions: those of a knowledge base, with the settings of its kb.toml.
Intervals are 95 % bootstrap intervals over queries. With --ablation each step of ranking and each field but
the text is switched off in turn. Every bar is printed with whether it was met; exits with 1 when one was
missed. What is absent is skipped.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.quality.bars import Bar, code_bars, print_bars, question_bars, text_bars
from benchmarks.quality.labelled import build_artifact, read_corpus
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS, OPERATORS
from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.search.request import SearchHit, SearchRequest
from kb_runtime.search.searcher import Searcher
from kbc.encoding.model import Model, resolve_model
from kbc.evaluation import measures
from kbc.evaluation.questions import ranking_of, read_beir, read_questions
from kbc.pipeline.build import BuildOptions, build


@dataclass(frozen=True, slots=True)
class System:
    """A configuration: fields of a `SearchRequest`, and boosts of fields beside those of the artifact."""

    request: Mapping[str, Any] = field(default_factory=dict)
    boosts: Mapping[str, float] = field(default_factory=dict)


SYSTEMS: Mapping[str, System] = {
    "words only": System({"mode": "lexical"}),
    "meaning only": System({"mode": "semantic"}),
    "RRF, k 60": System({"fusion": "rrf", "ranking": ()}),
    "min-max, alpha 0.5": System({"alpha": 0.5, "ranking": ()}),
    "balanced": System({"ranking": ()}),
    "final": System(),
}
ABLATIONS: Mapping[str, System] = {
    **{
        f"final without {step}": System(
            {"ranking": tuple(other for other in STEPS if other != step)}
        )
        for step in STEPS
    },
    **{
        f"final without the field {name}": System(boosts={name: 0.0})
        for name in DEFAULT_BOOSTS
        if name not in ("body", OPERATORS)
    },
}
PAGE = 10

Scores = dict[str, list[float]]
"""Column -> the score of every query."""


class Labelled(NamedTuple):
    """A query, the collections that it is asked of (None: all), and what judges the hits of its answer:
    a score for each column."""

    query: str
    score: Callable[[Artifact, Sequence[SearchHit]], Mapping[str, float]]
    collections: tuple[str, ...] | None = None


class _Boosted:
    """An artifact with other boosts."""

    def __init__(self, artifact: Artifact, boosts: Mapping[str, float]) -> None:
        search = artifact.manifest["search"]
        self._artifact = artifact
        self.manifest = {"search": {**search, "boosts": {**search["boosts"], **boosts}}}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._artifact, name)


def measure(artifact: Artifact, queries: Sequence[Labelled], system: System) -> Scores:
    """The scores of every query under one configuration."""
    searcher = artifact.searcher
    if system.boosts:
        searcher = Searcher(_Boosted(artifact, system.boosts))
    scores: Scores = {}
    for one in queries:
        request = SearchRequest(one.query, one.collections, limit=PAGE, **system.request)
        for column, value in one.score(artifact, searcher.search(request).hits).items():
            scores.setdefault(column, []).append(value)
    return scores


def text_sets(
    root: Path, model: Model, cache: Path, out: Path
) -> Iterator[tuple[Path, list[Labelled]]]:
    """An artifact and the queries of each collection below `root`."""
    for folder in sorted(path.parent for path in root.glob("*/queries.jsonl")):
        print(f"compiling {folder.name}", file=sys.stderr)
        artifact = build_artifact(folder.name, read_corpus(folder), model, cache, out)
        yield (
            artifact,
            [
                Labelled(question.query, _ndcg_of(folder.name, question.gains))
                for question in read_beir(folder)
            ],
        )


def _ndcg_of(
    column: str, gains: Mapping[str, float]
) -> Callable[[Artifact, Sequence[SearchHit]], Mapping[str, float]]:
    def score(artifact: Artifact, hits: Sequence[SearchHit]) -> Mapping[str, float]:
        names = [artifact.catalog(hit.collection).id(hit.record) for hit in hits]
        return {column: measures.ndcg(names, gains, PAGE)}

    return score


def code_sets(
    labels: Path, checkouts: Path, chosen: Sequence[str], options: BuildOptions
) -> Iterator[tuple[str, Path, list[Labelled]]]:
    """Name, artifact and queries of each repository that is checked out."""
    scorer = _load_module(labels / "score.py")
    tasks, specs = scorer.load_tasks(str(labels))
    for name, queries in tasks.items():
        root = specs[name].get("benchmark_root") or ""
        tree = checkouts / name / root
        if (chosen and name not in chosen) or not tree.is_dir():
            continue
        print(f"compiling {name}", file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="kbc-quality-") as folder:
            shutil.copytree(tree, Path(folder, "code"), symlinks=True)
            id = name.replace(".", "-").lower()
            Path(folder, "kb.toml").write_text(
                f'[kb]\nname = "{id}"\n\n[[collection]]\nname = "code"\nkind = "code"\n'
                'paths = ["code"]\n',
                encoding="utf-8",
            )
            artifact = build(Path(folder), options).path
        yield (
            name,
            artifact,
            [
                Labelled(query, _chunk_score(scorer, root, category, targets))
                for query, category, targets in queries
            ],
        )


def _chunk_score(
    scorer: Any, root: str, category: str, targets: Sequence[Any]
) -> Callable[[Artifact, Sequence[SearchHit]], Mapping[str, float]]:
    def score(artifact: Artifact, hits: Sequence[SearchHit]) -> Mapping[str, float]:
        items = []
        for hit in hits:
            path = artifact.catalog(hit.collection).id(hit.record)
            place = f"{root}/{path}" if root else path
            items.append((place, hit.chunk["start_line"], hit.chunk["end_line"]))
        value: float = scorer.ndcg(items, targets, "chunk", PAGE, scorer.path_matches)
        return {"all": value, category: value}

    return score


def question_set(artifact: Artifact, path: Path) -> list[Labelled]:
    """The questions of a file, asked as `kbc eval` does."""

    def score_of(gains: Mapping[str, float]) -> Any:
        def score(artifact: Artifact, hits: Sequence[SearchHit]) -> Mapping[str, float]:
            ranking = ranking_of(artifact, hits, gains)
            return {
                f"{path.stem} MRR@10": measures.reciprocal_rank(ranking, gains, PAGE),
                f"{path.stem} success@3": measures.success(ranking, gains, 3),
            }

        return score

    scopes = artifact.manifest["scopes"]
    return [
        Labelled(one.query, score_of(one.gains), tuple(scopes[one.scope or "all"]))
        for one in read_questions(path)
    ]


def _load_module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("labels_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table, numbers to the right."""
    print(f"\n{title}\n")
    print("| " + " | ".join(header) + " |")
    print("| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def cell(values: Sequence[float]) -> str:
    mean, low, high = measures.bootstrap(values)
    return f"{mean:.4f} [{low:.3f}, {high:.3f}]"


def report_text(found: Mapping[str, Scores]) -> list[Bar]:
    """Prints the table; gives the bars."""
    sets = list(next(iter(found.values())))
    means = {
        system: {name: measures.mean(scores[name]) for name in sets}
        for system, scores in found.items()
    }
    rows = [
        [
            system,
            *(cell(scores[name]) for name in sets),
            f"{measures.mean(list(means[system].values())):.4f}",
        ]
        for system, scores in found.items()
    ]
    print_table("Text, nDCG@10", ["system", *sets, "mean"], rows)
    return text_bars(means)


def report_code(found: Mapping[str, Mapping[str, Scores]]) -> list[Bar]:
    """Prints the table of means over repositories; gives the bars."""
    columns = ("all", "architecture", "semantic", "symbol")
    rows, finals = [], {}
    for system, by_repository in found.items():
        means = {
            column: [
                measures.mean(scores[column])
                for scores in by_repository.values()
                if column in scores
            ]
            for column in columns
        }
        rows.append(
            [system, cell(means["all"]), *(f"{measures.mean(means[c]):.4f}" for c in columns[1:])]
        )
        if system == "final":
            finals = {column: measures.mean(values) for column, values in means.items()}
    print_table("Code, NDCG@10 of chunks, mean of repositories", ["system", *columns], rows)
    names = sorted(found["final"])
    print(
        "\nfinal: " + ", ".join(f"{n} {measures.mean(found['final'][n]['all']):.3f}" for n in names)
    )
    return code_bars(finals)


def report_questions(found: Mapping[str, Scores]) -> list[Bar]:
    """Prints the table; gives the bars."""
    columns = list(found["final"])
    rows = [[system, *(cell(scores[each]) for each in columns)] for system, scores in found.items()]
    print_table("Questions", ["system", *columns], rows)
    return question_bars({each: measures.mean(found["final"][each]) for each in columns})


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--text", type=Path, default=Path("../shared/bench/text"))
    parser.add_argument("--code-labels", type=Path, default=Path("../shared/bench/code-search"))
    parser.add_argument("--code", type=Path, help="folder of the checkouts")
    parser.add_argument("--repositories", default="", help="only these, separated by commas")
    parser.add_argument("--kb", type=Path, help="the artifact that --questions are asked of")
    parser.add_argument("--questions", type=Path, action="append", default=[], help="repeatable")
    parser.add_argument("--cache", type=Path, default=Path(".cache/benchmarks"))
    parser.add_argument("--exact", action="store_true", help="embed code with full precision")
    parser.add_argument(
        "--ablation", action="store_true", help="switch off steps and fields in turn"
    )
    parser.add_argument("--json", type=Path, help="write the score of every query here")
    options = parser.parse_args(arguments)
    systems = {**SYSTEMS, **(ABLATIONS if options.ablation else {})}
    bars: list[Bar] = []
    text: dict[str, Scores] = {system: {} for system in systems}
    code: dict[str, dict[str, Scores]] = {system: {} for system in systems}
    questions: dict[str, Scores] = {system: {} for system in systems}
    with tempfile.TemporaryDirectory(prefix="kbc-quality-") as name:
        out = Path(name)
        if options.text.is_dir():
            for path, queries in text_sets(options.text, resolve_model(), options.cache, out):
                with Artifact.open(path) as artifact:
                    for system, settings in systems.items():
                        text[system] |= measure(artifact, queries, settings)
            if text["final"]:
                bars += report_text(text)
        if options.code is not None and options.code_labels.is_dir():
            chosen = [each for each in options.repositories.split(",") if each]
            built = BuildOptions(out=out, exact=options.exact, cache=options.cache)
            for each, path, queries in code_sets(options.code_labels, options.code, chosen, built):
                with Artifact.open(path) as artifact:
                    for system, settings in systems.items():
                        code[system][each] = measure(artifact, queries, settings)
            if code["final"]:
                bars += report_code(code)
    if options.kb is not None and options.questions:
        with Artifact.open(options.kb) as artifact:
            queries = [one for path in options.questions for one in question_set(artifact, path)]
            for system, settings in systems.items():
                questions[system] = measure(artifact, queries, settings)
        bars += report_questions(questions)
    if options.json is not None:
        found = {"text": text, "code": code, "questions": questions}
        options.json.write_text(json.dumps(found), encoding="utf-8")
    return int(not print_bars(bars))


if __name__ == "__main__":
    sys.exit(main())
