"""`kbc tune`: proposes settings of search from labelled questions, by cross-validation.

A choice is made on some questions and measured on others that it was not made on. A setting is proposed
only where a permutation test on the questions' differences finds it better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.lexical_schema import DEFAULT_BOOSTS
from kb_runtime.search.ports import Encoder
from kb_runtime.search.ranking.steps import STEPS
from kb_runtime.search.request import SearchRequest
from kb_runtime.search.searcher import Searcher
from kb_runtime.text.tables import count_of
from kbc.evaluation import measures
from kbc.evaluation.answers import PAGE
from kbc.evaluation.questions import (
    EvaluationError,
    Question,
    check_questions,
    collections_asked,
    in_scope,
    ranking_of,
)
from kbc.project.search_section import search_section
from kbc.project.settings import BOOST_FIELDS, MOST_FACTOR, SearchSettings

FOLDS = 5
SIGNIFICANT = 0.05
"""The greatest chance at which a difference is still taken for one."""
MOST_CHANGES = 3
"""Settings that one proposal changes: each further one is more likely to fit these questions alone."""
LEAST_GAIN = 0.002
LEAST_QUESTIONS = 20
"""With fewer questions hardly any difference is significant."""
_FACTORS = (0.5, 2.0)
_WEIGHTS = (0.5, 0.7, 1.0)
_ALPHAS = (0.3, 0.5, 0.7)

Settings = Mapping[str, Any]
"""`[search]` of kb.toml, as plain values."""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A setting, `fusion` or `boosts.title`, with its value before (None: the default) and after, and what
    it adds to the mean of all questions; `chance` is that of such a difference without a reason."""

    setting: str
    before: Any
    after: Any
    gain: float
    chance: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was found. `before` and `after` are the means of MRR@10 over all questions. `unseen` is what
    settings chosen on other questions add to each, on average, `chance` as for a change. `settings` are the
    proposed ones, those of before where nothing is proposed."""

    questions: int
    before: float
    after: float
    unseen: float
    chance: float
    changes: tuple[SettingChange, ...]
    settings: Settings

    @property
    def is_recommended(self) -> bool:
        return bool(self.changes) and self.unseen > 0 and self.chance <= SIGNIFICANT

    def as_dict(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "mrr@10": {"before": round(self.before, 4), "after": round(self.after, 4)},
            "unseen": {"gain": round(self.unseen, 4), "p": round(self.chance, 4)},
            "proposed": self.is_recommended,
            "changes": [
                {
                    "setting": each.setting,
                    "before": each.before,
                    "after": each.after,
                    "gain": round(each.gain, 4),
                    "p": round(each.chance, 4),
                }
                for each in self.changes
            ],
        }

    def __str__(self) -> str:
        lines = [f"{count_of(self.questions, 'question')}, MRR@10 {self.before:.4f}"]
        lines += [
            f"{each.setting}: {_shown(each.before)} -> {_shown(each.after)}"
            f"  {each.gain:+.4f}, {_probability(each.chance)}"
            for each in self.changes
        ]
        if not self.changes:
            return "\n".join(
                [*lines, "no setting is significantly better than the current ones: keep them"]
            )
        lines.append(
            f"together {self.after - self.before:+.4f} on the questions that they were chosen on;"
            f" {self.unseen:+.4f} on held-out questions, {_probability(self.chance)}"
        )
        if not self.is_recommended:
            lines.append("the gain does not hold on held-out questions: nothing is proposed")
        return "\n".join(lines)


def tune(
    artifact: Artifact, questions: Sequence[Question], settings: Settings, scope: str = ""
) -> Proposal:
    """Chooses settings for the questions, starting from `settings`, which the artifact was built with.
    Questions that name no scope are asked of `scope`, if that is given.

    Raises `EvaluationError` for a question or a scope that names what is not there, and for settings that
    no build takes.
    """
    questions = in_scope(artifact, questions, scope)
    known = check_questions(artifact, questions)
    try:
        SearchSettings.model_validate(settings)
    except ValidationError:
        raise EvaluationError(
            "[search] of kb.toml has a mistake: `kbc check` names the line and says what to write there"
        ) from None
    artifact.prepare()
    bench = _Bench(artifact, questions, collections_asked(artifact, known, questions))
    everything = range(len(questions))
    before = bench.scores(settings)
    chosen, changes = _choose(bench, settings, everything)
    differences = [0.0] * len(questions)
    for fold in range(min(FOLDS, len(questions))):
        seen = [at for at in everything if at % FOLDS != fold]
        trained = bench.scores(_choose(bench, settings, seen)[0])
        for at in everything[fold::FOLDS]:
            differences[at] = trained[at] - before[at]
    return Proposal(
        len(questions),
        measures.mean(before),
        measures.mean(bench.scores(chosen)),
        measures.mean(differences),
        measures.chance(differences),
        tuple(changes),
        chosen,
    )


def _choose(
    bench: _Bench, settings: Settings, places: Sequence[int]
) -> tuple[Settings, list[SettingChange]]:
    """The change that helps the questions at `places` most, then the next one, as long as it is better by
    more than chance."""
    changes: list[SettingChange] = []
    while len(changes) < MOST_CHANGES:
        before = bench.scores(settings)
        best: tuple[float, str, Settings] | None = None
        for name, other in _variants(bench.artifact, settings):
            if any(name.split(".")[:2] == each.setting.split(".")[:2] for each in changes):
                continue
            after = bench.scores(other)
            gain = measures.mean([after[at] - before[at] for at in places])
            if best is None or gain > best[0]:
                best = gain, name, other
        if best is None or best[0] < LEAST_GAIN:
            break
        gain, name, other = best
        after = bench.scores(other)
        chance = measures.chance([after[at] - before[at] for at in places])
        if chance > SIGNIFICANT:
            break
        changes.append(
            SettingChange(name, _value(settings, name), _value(other, name), gain, chance)
        )
        settings = other
    return settings, changes


def _variants(artifact: Artifact, settings: Settings) -> Iterator[tuple[str, Settings]]:
    """The settings that differ in one."""
    plain = {key: each for key, each in settings.items() if key not in ("alpha", "fusion", "rrf_k")}
    for alpha in _ALPHAS:
        if settings.get("alpha") != alpha:
            yield "alpha", {**plain, "alpha": alpha}
    if settings.get("fusion") != "rrf":
        yield "fusion", {**plain, "fusion": "rrf"}
    if len(plain) < len(settings):
        yield "fusion", {**plain, "fusion": "balanced"}
    boosts = settings.get("boosts", {})
    for field in BOOST_FIELDS:
        for factor in _FACTORS:
            value = round(boosts.get(field, DEFAULT_BOOSTS[field]) * factor, 3)
            value = min(value, MOST_FACTOR)
            yield f"boosts.{field}", {**settings, "boosts": {**boosts, field: value}}
    weights = settings.get("weights", {})
    searched = [each.name for each in artifact.collections if each.chunks]
    for name in searched if len(searched) > 1 else ():
        for weight in _WEIGHTS:
            if weights.get(name) != weight:
                yield f"weights.{name}", {**settings, "weights": {**weights, name: weight}}
    without = tuple(settings.get("without", ()))
    for step in STEPS:
        others = tuple(each for each in without if each != step)
        changed = others if step in without else (*without, step)
        yield "without", {**settings, "without": list(changed)}


def _value(settings: Settings, name: str) -> Any:
    key, _, member = name.partition(".")
    found = settings.get(key)
    return found.get(member) if member and found is not None else found


def _probability(chance: float) -> str:
    return f"p = {chance:.3f}" if chance >= 0.001 else "p < 0.001"


def _shown(value: Any) -> str:
    return "default" if value is None else str(value)


class _Bench:
    """Asks an artifact the questions, each of its `collections`, under other settings; remembers every
    answer's score."""

    def __init__(
        self,
        artifact: Artifact,
        questions: Sequence[Question],
        collections: Sequence[tuple[str, ...]],
    ) -> None:
        self.artifact = artifact
        self._questions = questions
        self._collections = collections
        self._encoder = _Remembering(artifact.encoder) if artifact.encoder else None
        self._known: dict[str, list[float]] = {}

    def scores(self, settings: Settings) -> list[float]:
        """MRR@10 of each question."""
        key = repr(sorted(settings.items()))
        if key not in self._known:
            searcher = Searcher(_Configured(self.artifact, settings, self._encoder))
            asked = zip(self._questions, self._collections, strict=True)
            self._known[key] = [self._score(searcher, *each) for each in asked]
        return self._known[key]

    def _score(self, searcher: Searcher, question: Question, names: tuple[str, ...]) -> float:
        hits = searcher.search(SearchRequest(question.query, names, limit=PAGE)).hits
        ranking = ranking_of(self.artifact, hits, question.gains)
        return measures.reciprocal_rank(ranking, question.gains, PAGE)


class _Remembering:
    """An encoder that encodes each text once."""

    def __init__(self, encoder: Encoder) -> None:
        self.encode = cache(encoder.encode)
        self.pieces = encoder.pieces


class _Configured:
    """An artifact with other settings, and another encoder."""

    def __init__(self, artifact: Artifact, settings: Settings, encoder: Encoder | None) -> None:
        self._artifact = artifact
        manifest = artifact.manifest.as_dict()
        search = search_section(SearchSettings.model_validate(settings))
        self.manifest = {**manifest, "search": {**(manifest.get("search") or {}), **search}}
        self.encoder = encoder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._artifact, name)
