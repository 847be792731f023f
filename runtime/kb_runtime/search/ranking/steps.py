"""The steps of structural ranking: signals beyond the keyword score and the embedding of a single chunk.

Pure functions over the candidates of one search, in the order of fusion. Scores are scaled so that the
best candidate has 1 and the last of the pool 0; bonuses are on that scale. Every constant was chosen in
the middle of a range in which the measures hardly change (docs/ranking.md has the tables), and no step
knows a language, a repository or a kind of question.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import count
from typing import TYPE_CHECKING, Literal, get_args

from kb_runtime.search.ranking import paths
from kb_runtime.text.members import NameMatch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Scores = NDArray[np.float64]
    Records = NDArray[np.int64]

Step = Literal[
    "neighbours",
    "feedback",
    "definitions",
    "places",
    "demotion",
    "weights",
    "evidence",
    "duplicates",
    "diversity",
]
STEPS: tuple[Step, ...] = get_args(Step)
"""In the order in which they are done; each can be switched off."""

# Candidates that are ranked by structure; the others keep their order behind them. With 50 nDCG@10 on
# code is 0.009 lower, with 200 it is the same.
POOL = 100
# Of a file of programs at most so many chunks are among them: a further one adds less than a thousandth to
# the evidence for its file (`EVIDENCE_DECAY`), but takes the place of another file. A list of test cases
# once took 92 of the 100 places. Limits of 15 to 25 raise the mean of 30 repositories alike. Of each other
# file of programs that has a candidate the best chunk is among them in any case: files are compared with each
# other, and what others keep out of the pool is not compared. benchmarks/wide has the figures.
MOST_OF_A_FILE = 20
# Of a query that has a name, so many of the first by words are among them: a chunk that only passes a name
# on says little else, and its meaning may be far from the query's.
NAMED = 30
# A candidate takes this share of its score from the candidates most similar to it (the cluster
# hypothesis; Diaz, "Regularizing ad hoc retrieval scores", CIKM 2005). Shares of 0.2 to 0.3 of 3 to 10
# neighbours add 0.007 to 0.010 to the mean nDCG@10 of three text collections.
NEIGHBOURS = 5
NEIGHBOUR_SHARE = 0.25
# Relevance feedback without a user (Rocchio, in "The SMART Retrieval System", 1971): the best candidates
# stand for what is right, all of them for what is not. A candidate gains this much for each standard
# deviation that it is nearer to the former, which weigh as much as their scores to a power. With 0.04 the
# mean of 20 sets of benchmarks/wide is 0.005 higher, and no set loses more than 0.006.
FEEDBACK = 0.04
FEEDBACK_POWER = 2
# For a chunk that defines a name that the query has: spelled alike, in another case, or where such a
# definition goes on. Symbol queries rise from 0.91 to 0.94; 0.2 to 0.6 are equally good.
DEFINITION = 0.4
OTHER_CASE = 0.7
INSIDE = 0.4
# For a chunk that passes a name on (`pub use`, `export ... from`), where no candidate defines it.
RE_EXPORT = 0.4
# For a file whose name is the query; 0.3 and 0.4 are equally good. With both shares (see `place_bonus`)
# nDCG@10 on code is 0.004 higher than with the first one alone.
PLACE = 0.3
# A term of so many letters in the name of a file may be short for a word that begins so.
LEAST_SHORT, MOST_SHORT = 4, 6
# The share that generated or vendored code, a change log, the README of a tree or a file of re-exports loses,
# unless the query asks for it; 0.3 to 0.7 differ by 0.003. A test says what its authors expect and loses more
# (0.6 to 0.8 differ by 0.002 on 28 source trees), an example is written for readers and loses less (0.2 to
# 0.4 differ by 0.001).
DEMOTION = 0.5
DEMOTION_OF_TEST, DEMOTION_OF_EXAMPLE = 0.7, 0.3
# The weights of programs, test cases and source among candidates that explain, by the kind of collection,
# unless the query asks for such. Source is what the pages of a repository are about: 0.5 to 1 differ by 0.010
# on eight repositories, and 0.3 loses 0.038.
SHOWING: Mapping[str, float] = {"examples": 0.3, "tests": 0.3, "code": 0.7}
# What BM25 of source counts beside pages where only words are known: 0.7 to 0.85 raise the mean of seven
# repositories with their pages by 0.007 to 0.010, but below 0.8 questions that only source answers lose 0.02.
SOURCE_BY_WORDS = 0.8
# For the best chunk of the record that has the most score in all its chunks together; of another
# record in proportion. Files of programs have many chunks of one subject each: there nDCG@10 is 0.04
# higher with it, and 0.8 to 1.3 differ by 0.003. Where entries of one chunk stand beside long pages, as
# in a reference manual, so much would favour the long ones (MRR@10 of 200 questions 0.80 instead of 0.83).
EVIDENCE_IN_PROGRAMS = 1.0
EVIDENCE = 0.3
# Each further chunk of a record counts that much of the one before: other records come first, unless
# they are clearly worse. 0.3 and less are equally good, 0.7 is 0.006 worse.
DECAY = 0.3
_DECAYS = tuple(DECAY**place for place in range(POOL + NAMED))
# As evidence among programs each further chunk counts that much of the one before: a file is not more right
# for being long. Where pages are among the candidates it helps one set and harms another (German: -0.026).
EVIDENCE_DECAY = 0.7
_EVIDENCE_SHARES = tuple(EVIDENCE_DECAY**place for place in range(POOL + NAMED))
# A file gains these shares of the evidence of those that are about it (`companions`). 0.25 to 0.5 for tests,
# and 0.5 to 1 for headers, raise the mean of eight repositories by 0.012 to 0.013, and lower none.
OF_TEST, OF_HEADER = 0.35, 0.7
# Texts this similar are compared word by word, and are the same when they share so many. Of a copy in a file
# called alike the embedding differs by the path.
NEAR_COSINE = 0.97
COPY_COSINE = 0.85
SAME_WORDS = 0.9
# Below this candidates are equally near, whatever rounding says.
_NO_SPREAD = 1e-6


def best_first(scores: Scores) -> Records:
    """The places of the scores, best first, ties by place: int64 [n]."""
    import numpy as np

    return np.argsort(-scores, kind="stable")


def with_neighbours(scores: Scores, similarity: Floats, clustered: float = 1.0) -> Scores:
    """Each score mixed with those of the most similar candidates, as far as the right ones are `clustered`.

    `similarity` is float32 [n, n], the cosines of the candidates to each other. A neighbour's weight is the
    cube of its cosine. Several that are equally similar in the last place all count.
    """
    import numpy as np

    neighbours = min(NEIGHBOURS, len(scores) - 1)
    if neighbours < 1:
        return scores
    others = np.maximum(similarity, 0.0)
    others.flat[:: len(scores) + 1] = 0.0
    least = np.partition(others, -neighbours, axis=1)[:, -neighbours, None]
    np.putmask(others, others < least, 0.0)
    weights = others * others * others  # only close ones count
    total = weights.sum(axis=1)
    # Flags are ignored as where the similarity is computed (`structure`).
    with np.errstate(all="ignore"):
        around: Scores = (weights @ scores) / np.maximum(total, 1e-9)
    if not total.all():  # nothing is similar to some candidates
        around = np.where(total > 0, around, scores)
    share = NEIGHBOUR_SHARE * clustered
    return (1.0 - share) * scores + share * around


def feedback_bonus(scores: Scores, similarity: Floats) -> Scores:
    """What each candidate gains or loses by being nearer to the best of the other candidates than to all of
    them.

    `similarity` is as for `with_neighbours`. A candidate without a vector, which is similar to nothing and
    not even to itself, has the bonus 0.
    """
    import numpy as np

    itself = np.diagonal(similarity)
    known = itself > 0.0
    weights = np.stack([known * scores**FEEDBACK_POWER, known], axis=1)
    others = weights.sum(axis=0) - weights
    with np.errstate(all="ignore"):  # as above
        sums = similarity @ weights.astype(np.float32) - itself[:, None] * weights
    known &= others[:, 0] > 0.0
    bonus = np.zeros(len(scores))
    best, all_of_them = (sums[known] / others[known]).T
    nearer = best - all_of_them
    if len(nearer):
        nearer -= nearer.mean()
        spread = math.sqrt((nearer * nearer).sum() / len(nearer))
        if spread > _NO_SPREAD:
            bonus[known] = FEEDBACK / spread * nearer
    return bonus


def definition_bonus(
    wanted: Set[str],
    wanted_folded: Set[str],
    defined: Iterable[str],
    defined_folded: Iterable[str],
    symbol: str,
) -> float:
    """The bonus of a chunk that defines the names `defined` and is part of the definition `symbol`.

    `wanted` are the names that the query has, as typed; `_folded` are those of them that count in another
    case, too, in lower case. Names of a chunk outside of every definition are headings and aliases, which
    the lexical side knows.
    """
    if not symbol:
        return 0.0
    if not wanted.isdisjoint(defined):
        return DEFINITION
    if not wanted_folded.isdisjoint(defined_folded):
        return DEFINITION * OTHER_CASE
    return DEFINITION * INSIDE if symbol in wanted or symbol.lower() in wanted_folded else 0.0


def without_additions(
    bonus: Sequence[float],
    wanted: Set[str],
    names: Sequence[tuple[Sequence[str], str]],
    share: float = INSIDE,
) -> list[float]:
    """The bonuses of `definition_bonus`, and only that `share` for what adds to a wanted type (`impl`,
    `extension`) and defines nothing else that is wanted, where another candidate defines the type.

    `names` are those that each candidate defines, with the type that it adds to, "" for none; all are in
    lower case, as the names `wanted`.
    """
    if not any(type_ in wanted for _, type_ in names):
        return list(bonus)
    found = [(wanted & {*own}, type_) for own, type_ in names]
    both = zip(bonus, found, strict=True)
    defined = [own for each, (own, type_) in both if each >= DEFINITION and not type_]
    elsewhere = set[str]().union(*defined)
    return [
        each * share if type_ in elsewhere and own <= {type_} else each
        for each, (own, type_) in zip(bonus, found, strict=True)
    ]


def member_bonus(match: NameMatch) -> float:
    """The bonus of a chunk with a section about a member that the query names; `match` says how."""
    return DEFINITION if match is NameMatch.SAME else DEFINITION * OTHER_CASE


def place_bonus(weights: Mapping[str, float], name: Collection[str]) -> float:
    """The bonus of a file whose name has the terms `name`.

    `weights` tells how much each term of the query says. The bonus is the share of that which the
    name has, times the share of the name which the query has: `schemas.ts` for "schemas of unions"
    counts, `schemas_of_everything_else.ts` counts less.
    """
    shared = [term for term in name if term in weights]
    if not shared:
        return 0.0
    total = math.fsum(weights.values())
    if total <= 0:
        return 0.0
    asked = math.fsum(weights[term] for term in shared) / total
    return PLACE * asked * len(shared) / len(name)


def spellings(terms: Iterable[str]) -> dict[str, str]:
    """What may stand for each of `terms` in the name of a file: itself, or its beginning (`impl`, `init`)."""
    whole = tuple(terms)
    short = {
        term[:length]: term
        for term in whole
        for length in range(LEAST_SHORT, min(MOST_SHORT + 1, len(term)))
    }
    return {**short, **{term: term for term in whole}}


def evidence_bonus(
    scores: Scores,
    records: Records,
    *,
    programs: bool = False,
    flat: Sequence[bool] = (),
    beside: Iterable[tuple[int, int, float]] = (),
    sources: Sequence[bool] = (),
) -> Scores:
    """A bonus for the best chunk of each record, by what all chunks of the record score together, in
    proportion to the record with the most.

    `records` is int64 [n], the record of each candidate as a number from 0 on without gaps. Of `programs`
    alone the bonus is larger, and each further chunk of a record counts less. Of a record without headings,
    as `flat`, [records], says, only the best chunk counts. `beside` are records, each with one that it is
    about and the share of its score that the other gains; of several with the same share the best one counts.
    What is gained so decides among the records that `sources`, [records], says: together they have no more
    than without it, so that pages, which have no tests, do not lose.
    """
    import numpy as np

    bonus = np.zeros(len(scores))
    order = best_first(scores)
    places = _places_in_records(records[order])
    firsts = order[places == 0]
    shares = np.array(_EVIDENCE_SHARES)[places] if programs else np.ones(len(order))
    if any(flat) and not programs:
        shares[np.array(flat)[records[order]] & (places > 0)] = 0.0
    totals = np.bincount(records[order], scores[order] * shares)
    gained: dict[tuple[int, float], float] = {}
    for record, about, share in beside:
        gained[about, share] = max(share * totals[record], gained.get((about, share), 0.0))
    if gained:
        among = np.array(sources)
        together = totals[among].sum()
        for (about, _), gain in gained.items():
            totals[about] += gain
        totals[among] *= together / max(totals[among].sum(), _NO_SPREAD)
    most = totals.max(initial=0.0)
    if most > 0 and len(totals) > 1:
        largest = EVIDENCE_IN_PROGRAMS if programs else EVIDENCE
        bonus[firsts] = largest * totals[records[firsts]] / most
    return bonus


def decayed(scores: Scores, records: Records) -> Scores:
    """Scores of the further chunks of a record, taken down by their place among its chunks; `records` as for
    `evidence_bonus`."""
    import numpy as np

    order = best_first(scores)
    left: Scores = scores.copy()
    left[order] *= np.array(_DECAYS)[_places_in_records(records[order])]
    return left


def _places_in_records(records: Records) -> Records:
    """The place of each chunk among those of its record, from 0 on, int64 [n]; `records`, int64 [n], are
    those of the chunks, best first."""
    import numpy as np

    counters: defaultdict[int, Iterator[int]] = defaultdict(count)
    return np.array([*map(next, map(counters.__getitem__, records.tolist()))], dtype=np.int64)


def members(records: Sequence[int]) -> list[int]:
    """The places of those candidates that are ranked by structure, where all are of files of programs: the
    first `POOL`, of a file at most `MOST_OF_A_FILE`, and the best of each other file. `records` are those of
    the candidates, best first."""
    counts: dict[int, int] = {}
    taken: list[int] = []
    for at, record in enumerate(records):
        known = counts.get(record, 0)
        if not known or (len(taken) < POOL and known < MOST_OF_A_FILE):
            taken.append(at)
            counts[record] = known + 1
    return taken


def kept(kinds: Set[str], is_superseded: bool) -> float:
    """The share of its score that a record keeps for the kinds of file that it is, values apart."""
    if paths.TEST in kinds:
        return 1.0 - DEMOTION_OF_TEST
    if not kinds.isdisjoint(paths.SHOWS_USE):
        return 1.0 - DEMOTION_OF_EXAMPLE
    is_secondary = is_superseded or any(kind != paths.DATA for kind in kinds)
    return 1.0 - DEMOTION if is_secondary else 1.0


def without(scores: Scores, dropped: Sequence[int]) -> Scores:
    """Scores with 0 at the places `dropped`."""
    if not dropped:
        return scores
    left = scores.copy()
    left[dropped] = 0.0
    return left


def same_text(one: Set[str], other: Set[str]) -> bool:
    """Whether two texts, given as their words, are nearly the same."""
    return len(one & other) >= SAME_WORDS * len(one | other)
