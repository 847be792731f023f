"""Asks an artifact labelled questions, measures the answers, and suggests improvements."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import Mode, SearchRequest
from kb_runtime.search.tokenizer import QueryTokenizer
from kb_runtime.text.tables import count_of
from kbc.evaluation import measures as metrics
from kbc.evaluation.questions import (
    EvaluationError,
    Question,
    can_be_found,
    check_questions,
    collections_asked,
    in_scope,
    names_of,
    ranking_of,
    records,
)

DEPTH = 100
"""Hits looked at for a question, for recall@100."""
PAGE = 10
"""Hits of an ordinary answer."""
WELL = 3
"""A question is answered well when one of this many first hits answers it."""

MEASURES: Mapping[str, Callable[[Sequence[str], Mapping[str, float]], float]] = {
    "ndcg@10": lambda ranking, gains: metrics.ndcg(ranking, gains, 10),
    "mrr@10": lambda ranking, gains: metrics.reciprocal_rank(ranking, gains, 10),
    "success@1": lambda ranking, gains: metrics.success(ranking, gains, 1),
    "success@3": lambda ranking, gains: metrics.success(ranking, gains, 3),
    "success@10": lambda ranking, gains: metrics.success(ranking, gains, 10),
    "recall@100": lambda ranking, gains: metrics.recall(ranking, gains, 100),
}


@dataclass(frozen=True, slots=True)
class Answered:
    """How a question was answered. `rank` is that of the first hit that answers it, if any."""

    query: str
    measures: Mapping[str, float]
    rank: int | None
    first: tuple[str, ...]
    scope: str = ""


@dataclass(slots=True)
class Evaluation:
    """The answers; which records were `reached`, in which collections was `asked`; and the cost of a
    page of ten: milliseconds of the search, and its tokens as the artifact's own tokenizer counts them
    (other models count a tenth more or less). `build_id` is the build's that was asked."""

    answers: list[Answered]
    milliseconds: list[float]
    tokens: list[int]
    reached: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    build_id: str = ""

    def means(self) -> dict[str, metrics.Interval]:
        return {
            name: metrics.bootstrap([answer.measures[name] for answer in self.answers])
            for name in MEASURES
        }

    def as_dict(self) -> dict[str, Any]:
        return {
            "build_id": self.build_id,
            "questions": len(self.answers),
            "measures": {
                name: {"mean": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}
                for name, (mean, low, high) in self.means().items()
            },
            "tokens_per_answer": round(metrics.mean(self.tokens), 1),
            "latency_ms": {
                f"p{share}": round(metrics.percentile(self.milliseconds, share / 100), 3)
                for share in (50, 95, 99)
            },
            "answers": [
                {
                    "query": answer.query,
                    "scope": answer.scope,
                    "rank": answer.rank,
                    **{name: round(value, 4) for name, value in answer.measures.items()},
                    "first": list(answer.first),
                }
                for answer in self.answers
            ],
        }


def evaluate(
    artifact: Artifact,
    questions: Sequence[Question],
    mode: Mode = "hybrid",
    *,
    complete: bool = True,
    scope: str = "",
) -> Evaluation:
    """Asks every question as the search tool does, one search each; one that names no scope is asked of
    `scope`, if that is given. Raises `EvaluationError` for an unknown scope and when, unless `complete`
    is off, a question expects a record that the artifact does not have; such a record then counts as not
    found."""
    questions = in_scope(artifact, questions, scope)
    known = check_questions(artifact, questions, complete)
    artifact.prepare()
    count = _token_counter(artifact)
    found = Evaluation([], [], [], build_id=artifact.build_id)
    collections = collections_asked(artifact, known, questions)
    findable = can_be_found(known, questions, collections)
    for question, names in zip(findable, collections, strict=True):
        found.asked.update(names)
        page = SearchRequest(question.query, names, limit=PAGE, mode=mode)
        started = time.perf_counter()
        shown = artifact.searcher.search(page).hits
        text = "\n".join(hit.snippet.text for hit in shown)
        found.milliseconds.append((time.perf_counter() - started) * 1e3)
        found.tokens.append(count(text))
        deep = SearchRequest(question.query, names, limit=DEPTH, mode=mode)
        hits = artifact.searcher.search(deep).hits
        ranking = ranking_of(artifact, hits, question.gains)
        found.answers.append(
            Answered(
                question.query,
                {name: measure(ranking, question.gains) for name, measure in MEASURES.items()},
                next((at for at, name in enumerate(ranking, 1) if name in question.gains), None),
                tuple(names_of(artifact, hit)[0] for hit in hits[:WELL]),
                question.scope,
            )
        )
        found.reached |= {known[hit.collection, hit.record] for hit in hits[:PAGE]}
    return found


def below(evaluation: Evaluation, bounds: Mapping[str, float]) -> list[str]:
    """A sentence for each measure whose mean is below its bound."""
    means = evaluation.means()
    return [
        f"{name} is {means[name].mean:.4f}, below {bound:g}"
        for name, bound in bounds.items()
        if means[name].mean < bound
    ]


def read_bound(text: str) -> tuple[str, float]:
    """`success@3=0.95` as its parts. Raises `EvaluationError`."""
    name, equals, value = text.partition("=")
    try:
        bound = float(value)
    except ValueError:
        bound = -1.0
    if name not in MEASURES or not equals or not 0 <= bound <= 1:
        raise EvaluationError(
            f"{text!r} is not a limit: write MEASURE=NUMBER, with a number from 0 to 1; the measures are"
            f" {', '.join(MEASURES)}"
        )
    return name, bound


def compare(old: Evaluation, new: Evaluation) -> list[tuple[str, int | None, int | None]]:
    """The questions whose first right hit moved, with its rank before and after; losses first."""

    def place(rank: int | None) -> int:
        return DEPTH + 1 if rank is None else rank

    moved = [
        (after.query, before.rank, after.rank)
        for before, after in zip(old.answers, new.answers, strict=True)
        if before.rank != after.rank
    ]
    return sorted(moved, key=lambda one: (place(one[1]) - place(one[2]), one[0]))


def suggestions(artifact: Artifact, evaluation: Evaluation) -> dict[str, list[str]]:
    """What to work on: questions that no record answers well, and records that no question reaches.

    Unreached records, of the collections that were asked, have no place in the first ten hits of any
    question: they need a question of
    their own, better words, or they are not needed.
    """
    return {
        "unanswered": [answer.query for answer in evaluation.answers if answer.rank is None],
        "answered_late": [
            answer.query
            for answer in evaluation.answers
            if answer.rank is not None and answer.rank > WELL
        ],
        "unreached": sorted(
            {
                name
                for (collection, _), name in records(artifact).items()
                if collection in evaluation.asked
            }
            - evaluation.reached
        ),
    }


def render(
    evaluation: Evaluation,
    moved: Sequence[tuple[str, int | None, int | None]] | None = None,
    advice: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """The measures as a table, then what was asked for besides."""
    facts = evaluation.as_dict()
    lines = [count_of(facts["questions"], "question")]
    lines += [
        f"{name:<12}{mean:.4f}  [{low:.4f}, {high:.4f}]"
        for name, (mean, low, high) in evaluation.means().items()
    ]
    latency = ", ".join(f"{name} {value:.2f}" for name, value in facts["latency_ms"].items())
    lines += [
        f"tokens per answer: {facts['tokens_per_answer']:.0f} (snippets of {PAGE} hits)",
        f"latency in ms: {latency}",
    ]
    late = [answer for answer in evaluation.answers if answer.rank is None or answer.rank > WELL]
    if late:
        lines.append(f"not among the first {WELL}:")
        lines += [
            f"  {_rank(answer.rank):>4}  {answer.query}  (found {', '.join(answer.first)})"
            for answer in late
        ]
    if moved is not None:
        lines.append("rank of the first correct hit, before -> after")
        lines += [f"  {_rank(was):>4} -> {_rank(now):<4} {query}" for query, was, now in moved]
        if not moved:
            lines.append("  no rank changed")
    for name, entries in (advice or {}).items():
        lines.append(f"{name.replace('_', ' ')}: {len(entries)}")
        lines += [f"  {entry}" for entry in entries]
    return "\n".join(lines)


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _token_counter(artifact: Artifact) -> Callable[[str], int]:
    encoder = artifact.manifest.get("encoder")
    if encoder is None:
        return lambda text: len(text.split())
    path = str(Path(artifact.root, "encoder", "tokenizer.json"))
    try:
        tokenizer = QueryTokenizer(path, 1 << 20)
    except Exception as error:  # the library raises no narrower class
        raise ArtifactError(
            "unreadable", f"{path} cannot be read: {error}", "Run `kbc verify`."
        ) from error
    return lambda text: len(tokenizer.encode(text)) - 2
