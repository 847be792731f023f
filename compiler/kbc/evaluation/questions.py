"""`kbc eval`: measures how well an artifact answers labelled questions, and suggests improvements.

A question names the records that answer it as hits name them (`builtin:mapBy`, `doc:docs/maps.md`), by
collection (`pages:docs/maps.md`), by address or by id alone. Each hit counts at its place in the ranking:
a second passage of a page that was found already takes a place and gains nothing.
"""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb_runtime.errors import ArtifactError, SingleCodeError, exit_codes
from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.search.request import Mode, SearchHit, SearchRequest
from kb_runtime.search.tokenizer import QueryTokenizer
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import suggest
from kb_runtime.text.tables import count_of
from kbc.evaluation import measures as metrics
from kbc.project.scopes import NOT_SEARCHED

QUESTIONS = "questions.toml"
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

_SINGULARS = {
    "builtins": "builtin",
    "examples": "example",
    "patterns": "pattern",
    "templates": "template",
    "tests": "test",
    "workshops": "workshop",
}
_DOC_GROUPS = {"posts": "extra", "guidelines": "guideline"}


class EvaluationError(SingleCodeError):
    """Questions that cannot be asked."""

    code = "evaluation"
    exit_code = exit_codes.USAGE


@dataclass(frozen=True, slots=True)
class Question:
    """`gains` are the names of the records that answer it, with their grades above 0."""

    query: str
    gains: Mapping[str, float]
    scope: str = ""


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


def read_questions(path: Path) -> list[Question]:
    """The `[[question]]` tables of a TOML file: `query`, `expect` and, optionally, `scope`.

    Raises `EvaluationError`.
    """
    try:
        entries = tomllib.loads(path.read_text("utf-8")).get("question", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise EvaluationError(f"{path} cannot be read: {reason}") from error
    if not isinstance(entries, list) or not entries:
        raise EvaluationError(f"{path} has no [[question]] table")
    questions = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise EvaluationError(f"{path} has no [[question]] tables, but a list of other values")
        query, expect = entry.get("query"), entry.get("expect")
        scope = entry.get("scope", "")
        if (
            not isinstance(query, str)
            or not query.strip()
            or not isinstance(scope, str)
            or not isinstance(expect, list)
            or not expect
        ):
            raise EvaluationError(
                f"question {number} of {path} needs a `query` and a list `expect` of record names"
            )
        questions.append(Question(query, dict.fromkeys(map(_expected, expect), 1.0), scope))
    return questions


def _expected(name: object) -> str:
    """A record as a question names it; an address, of any knowledge base, by its collection and id."""
    address = parse_address(str(name))
    return f"{address[1]}:{address[2]}" if address else str(name)


def read_beir(folder: Path) -> list[Question]:
    """The judged queries of a folder in BEIR layout: `queries.jsonl`, and `qrels.tsv` there or
    `test.tsv` in `qrels/`. Raises `EvaluationError`."""
    tables = [
        path for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv") if path.is_file()
    ]
    if not tables:
        raise EvaluationError(f"{folder} has neither qrels.tsv nor qrels/test.tsv")
    gains: dict[str, dict[str, float]] = {}
    try:
        for line in tables[0].read_text("utf-8").splitlines():
            cells = line.split("\t")
            if len(cells) >= 3 and cells[2].lstrip("-").isdigit() and int(cells[2]) > 0:
                gains.setdefault(cells[0], {})[cells[1]] = float(cells[2])
        lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
        entries = [json.loads(line) for line in lines if line.strip()]
        judged = [
            Question(entry["text"], gains[entry["_id"]])
            for entry in entries
            if entry["_id"] in gains and isinstance(entry["text"], str)
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EvaluationError(f"{folder} is not in BEIR layout: {error!r}") from error
    if not judged:
        raise EvaluationError(f"{folder} judges none of the queries in queries.jsonl")
    return judged


def evaluate(
    artifact: Artifact,
    questions: Sequence[Question],
    mode: Mode = "hybrid",
    *,
    complete: bool = True,
) -> Evaluation:
    """Asks every question as the search tool does, one search each. Raises `EvaluationError` when a
    question names an unknown scope or, unless `complete` is off, expects a record that the artifact
    does not have; such a record then counts as not found."""
    known = check_questions(artifact, questions, complete)
    artifact.prepare()
    count = _token_counter(artifact)
    found = Evaluation([], [], [], build_id=artifact.build_id)
    for question, names in zip(questions, collections_asked(artifact, questions), strict=True):
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
                tuple(_names(artifact, hit)[0] for hit in hits[:WELL]),
                question.scope,
            )
        )
        found.reached |= {known[hit.collection, hit.record] for hit in hits[:PAGE]}
    return found


def records(artifact: Artifact) -> dict[tuple[str, int], str]:
    """Every record that can be found, by collection and position, with its name."""
    return {
        (info.name, position): f"{_kind(info)}:{id}"
        for info in artifact.collections
        if info.kind not in NOT_SEARCHED and info.chunks
        for position, id in enumerate(artifact.catalog(info.name).ids())
    }


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


def check_questions(
    artifact: Artifact, questions: Sequence[Question], complete: bool = True
) -> dict[tuple[str, int], str]:
    """The records by place, after making sure, where the artifact is to be `complete`, that every
    expected one exists. Raises `EvaluationError`."""
    known = records(artifact)
    names = {
        alias for (collection, _), name in known.items() for alias in _aliases(name, collection)
    }
    scopes = artifact.manifest["scopes"]
    for question in questions:
        if question.scope and question.scope not in scopes:
            raise EvaluationError(f"{question.query!r} names the unknown scope {question.scope!r}")
        missing = [name for name in question.gains if name not in names]
        if missing and complete:
            # Names of records are alike in their ids, which authors take for paths of files.
            ids = {name.partition(":")[2]: name for name in sorted(known.values())}
            near = suggest(missing[0].partition(":")[2] or missing[0], ids)
            hint = f"; similar: {', '.join(ids[id] for id in near)}" if near else ""
            raise EvaluationError(
                f"{question.query!r} expects {missing[0]!r}, which"
                f" {artifact.manifest['name']} {artifact.build_id} does not have{hint}"
            )
    return known


def collections_asked(artifact: Artifact, questions: Sequence[Question]) -> list[tuple[str, ...]]:
    """The collections that each question is asked of: those of its scope; without one those of `all`, and
    every collection if none of these has a record that answers it."""
    scopes = artifact.manifest["scopes"]
    holding: dict[str, set[str]] = {}
    for (collection, _), name in records(artifact).items():
        for alias in _aliases(name, collection):
            holding.setdefault(alias, set()).add(collection)
    everything = tuple(info.name for info in artifact.collections)

    def asked(question: Question) -> tuple[str, ...]:
        usual = tuple(scopes[question.scope or "all"])
        answering = {each for name in question.gains for each in holding.get(name, ())}
        is_elsewhere = not question.scope and answering and answering.isdisjoint(usual)
        return everything if is_elsewhere else usual

    return [asked(question) for question in questions]


def ranking_of(
    artifact: Artifact, hits: Sequence[SearchHit], gains: Mapping[str, float]
) -> list[str]:
    """The hits by the names that the question uses; what it does not name, or repeats, is unique."""

    def named() -> Iterator[str]:
        seen: set[str] = set()
        for place, hit in enumerate(hits):
            name = next((name for name in _names(artifact, hit) if name in gains), "")
            yield name if name and name not in seen else f"#{place}"
            seen.add(name)

    return list(named())


def _names(artifact: Artifact, hit: SearchHit) -> tuple[str, ...]:
    info = artifact.collection(hit.collection)
    id = artifact.catalog(hit.collection).id(hit.record)
    return _aliases(f"{_kind(info)}:{id}", info.name)


def _aliases(name: str, collection: str) -> tuple[str, ...]:
    """What a question may call the record `name` (`<kind>:<id>`) of `collection`; a post or a
    guideline is a page, too."""
    kind, _, id = name.partition(":")
    page = (f"doc:{id}",) if kind in _DOC_GROUPS.values() else ()
    return name, *page, f"{collection}:{id}", id


def _kind(info: CollectionInfo) -> str:
    """The first part of a hit's id, as the search tool shows it."""
    if info.kind == "docs":
        return _DOC_GROUPS.get(info.group, "doc")
    return _SINGULARS.get(info.kind, info.name)


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
