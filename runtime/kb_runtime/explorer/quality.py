"""The page of evaluations: scores with intervals, their history, the worst questions, and differences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import RedirectResponse, Response

import kb_runtime as kr
from kb_runtime.explorer.visit import Run, Visit

WELL = 3
"""A question is answered well when one of this many first hits answers it."""
WORST = 40
HEADLINE = ("success@1", "success@3", "mrr@10", "ndcg@10", "recall@100")
_CHART_HEIGHT = 200
_LEFT, _RIGHT = 8.0, 2.0
"""Of the chart, in percent of its width."""
_TOP, _BOTTOM = 20, 30
_MOST_LABELS, _MOST_MAIN = 10, 2
_WORD = re.compile(r"[\w$]+(?:(?:[.:_-]|::)[\w$]+)*")


@dataclass(frozen=True)
class Group:
    """The share of the questions of one group that are answered well, and whose first hit is right."""

    name: str
    count: int
    first: float
    well: float


@dataclass(frozen=True)
class Point:
    """A run in the chart of the history: `x` in percent of its width, the rest in pixels. `is_main` where
    its label has room also on a narrow screen."""

    label: str
    build: str
    is_main: bool
    is_labelled: bool
    x: float
    y: float
    low: float
    high: float
    mean: float


@dataclass(frozen=True)
class RankChange:
    query: str
    scope: str
    before: int | None
    after: int | None

    @property
    def is_better(self) -> bool:
        return _place(self.after) < _place(self.before)


def page(visit: Visit) -> Response:
    questions = visit.explorer.questions
    runs = list(visit.explorer.runs)
    if questions is not None and (visit.text("measure") or visit.opened.knows("run")):
        run = visit.opened.remembered("run", lambda: questions.measure(visit.kb))
        runs.append(("this build", run))
    names = [name for name, _ in runs]
    chosen = visit.text("run", names[-1] if names else "")
    shown = dict(runs).get(chosen)
    against = visit.text("against")
    other = dict(runs).get(against)
    measure = visit.text("measure_name", "mrr@10")
    values = facts(shown, runs, measure) if shown else {}
    return visit.render(
        "quality.html",
        run=shown,
        chosen=chosen,
        names=names,
        against=against,
        **difference(other, shown),
        questions=questions,
        measured=visit.opened.knows("run"),
        is_file=False,
        search_url=lambda query, scope: visit.url("/", q=query, scope=scope),
        **values,
    )


def label(visit: Visit) -> Response:
    """Writes that a hit answers a query, and goes back to the page that asked."""
    questions = visit.explorer.questions
    form: Mapping[str, str] = visit.request.state.form
    query, name = form.get("query", "").strip(), form.get("name", "")
    scope, back = form.get("scope", ""), form.get("back", "")
    if questions is None:
        raise kr.ToolError("UNAVAILABLE", "Labels need a file: start with --questions FILE.")
    if not query:
        raise kr.ToolError("BAD_INPUT", "There is no query to label.")
    record = visit.kb.get(name)
    questions.label(query, f"{record.collection}:{record.id}", scope)
    target = urlsplit(back)
    if target.scheme or target.netloc or not back.startswith("/") or back.startswith("//"):
        back = visit.url("/", q=query)
    joiner = "&" if "?" in back else "?"
    return RedirectResponse(f"{back}{joiner}labelled=1", 303)


def facts(run: Run, runs: Sequence[tuple[str, Run]], measure: str = "mrr@10") -> dict[str, Any]:
    """What the page shows of a run, as values for the template."""
    answers: Sequence[Mapping[str, Any]] = run.get("answers", ())
    measures: Mapping[str, Mapping[str, float]] = run.get("measures", {})
    measure = measure if measure in measures else "mrr@10"
    bad = [each for each in answers if each["rank"] is None or each["rank"] > WELL]
    bad.sort(key=lambda each: (-_place(each["rank"]), each["query"]))
    return {
        "measures": [(name, measures[name]) for name in HEADLINE if name in measures],
        "measure": measure,
        "all_measures": list(measures),
        "worst": bad[:WORST],
        "worst_count": len(bad),
        "unanswered": [each for each in answers if each["rank"] is None],
        "ranks": ranks(answers),
        "by_scope": grouped(answers, lambda each: str(each.get("scope") or "all")),
        "by_form": grouped(answers, lambda each: form_of(each["query"])),
        "history": history(runs, measure),
        "well": WELL,
    }


def grouped(
    answers: Sequence[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], str]
) -> list[Group]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for each in answers:
        groups[key(each)].append(_place(each["rank"]))
    return [
        Group(
            name,
            len(places),
            sum(place == 1 for place in places) / len(places),
            sum(place <= WELL for place in places) / len(places),
        )
        for name, places in sorted(groups.items(), key=lambda one: -len(one[1]))
    ]


_ASKING = frozenset(
    [
        *("how", "what", "why", "when", "where", "which", "who"),
        *("can", "does", "is", "are", "do", "should"),
    ]
)


def form_of(query: str) -> str:
    """A name, a question in a sentence, or keywords."""
    words = query.split()
    if len(words) == 1 and _WORD.fullmatch(words[0]):
        return "a name"
    if query.rstrip().endswith("?") or "".join(words[:1]).lower() in _ASKING:
        return "a question"
    return "keywords"


def ranks(answers: Sequence[Mapping[str, Any]]) -> list[tuple[str, int, float]]:
    """How many questions have their first right hit at which rank, with the share of all in percent."""
    bins = [
        ("1", 1, 1),
        ("2", 2, 2),
        ("3", 3, 3),
        ("4-10", 4, 10),
        ("11-100", 11, 100),
        ("none", 101, 1 << 30),
    ]
    places = [_place(each["rank"]) for each in answers]
    total = len(places) or 1
    found = []
    for name, low, high in bins:
        count = sum(low <= place <= high for place in places)
        found.append((name, count, 100 * count / total))
    return found


def difference(old: Run | None, new: Run | None) -> dict[str, Any]:
    """What the page shows of two runs; `moved` is None where there are not two."""
    if not old or not new:
        return {"moved": None, "gains": [], "unpaired": 0}
    return {
        "moved": differences(old, new),
        "gains": gains(old, new),
        "unpaired": unpaired(old, new),
    }


def differences(old: Run, new: Run) -> list[RankChange]:
    """The questions whose rank changed, losses first; those that only one run asked are left out."""
    before = {each["query"]: each["rank"] for each in old.get("answers", ())}
    moved = [
        RankChange(each["query"], str(each.get("scope") or ""), before[each["query"]], each["rank"])
        for each in new.get("answers", ())
        if each["query"] in before and before[each["query"]] != each["rank"]
    ]
    return sorted(moved, key=lambda each: (_place(each.before) - _place(each.after), each.query))


def history(runs: Sequence[tuple[str, Run]], measure: str) -> dict[str, Any]:
    """A measure over the runs, oldest first, with its intervals, in the coordinates of a chart."""
    known = [
        (name, run["measures"][measure], str(run.get("build_id", "")))
        for name, run in runs
        if measure in run.get("measures", {})
    ]
    if not known:
        return {"points": [], "ticks": []}
    low: float = min(each["low"] for _, each, _ in known)
    high: float = max(each["high"] for _, each, _ in known)
    margin = max(0.01, (high - low) * 0.1)
    low, high = max(0.0, low - margin), min(1.0, high + margin)
    inner = _CHART_HEIGHT - _TOP - _BOTTOM

    def y(value: float) -> float:
        return _TOP + inner * (1 - (value - low) / (high - low or 1))

    step = (100 - _LEFT - _RIGHT) / len(known)
    labelled = _spread(len(known), _MOST_LABELS)
    main = _spread(len(known), _MOST_MAIN)
    points = [
        Point(
            name,
            build,
            at in main,
            at in labelled,
            _LEFT + step * (at + 0.5),
            y(each["mean"]),
            y(each["low"]),
            y(each["high"]),
            each["mean"],
        )
        for at, (name, each, build) in enumerate(known)
    ]
    ticks = [(low + (high - low) * at / 4, y(low + (high - low) * at / 4)) for at in range(5)]
    return {"points": points, "ticks": ticks, "height": _CHART_HEIGHT}


def _spread(count: int, most: int) -> set[int]:
    """At most `most` places of `count`, evenly from the first to the last."""
    if count <= most:
        return set(range(count))
    return {round(at * (count - 1) / (most - 1)) for at in range(most)}


def gains(old: Run, new: Run) -> list[tuple[str, float, float]]:
    before, after = old.get("measures", {}), new.get("measures", {})
    return [
        (name, before[name]["mean"], after[name]["mean"])
        for name in HEADLINE
        if name in before and name in after
    ]


def unpaired(old: Run, new: Run) -> int:
    """How many questions only one of the runs asked."""
    one = {each["query"] for each in old.get("answers", ())}
    return len(one ^ {each["query"] for each in new.get("answers", ())})


def _place(rank: int | None) -> int:
    return 101 if rank is None else rank
