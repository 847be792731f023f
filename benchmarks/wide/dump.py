"""Candidates of every question as arrays, to fit fusion offline: `write` and `read` of one `.npz`.

All questions' rows lie back to back. Of question q the rows are `offsets[q]:offsets[q + 1]`:

    row         int64   row of the artifact
    bm25        float64 raw score, 0 where no word matches; computed for rows of the other side, too
    cosine      float64 likewise
    word_rank   int32   place among the first 500 by words, from 1; 0: not there
    meaning_rank int32  place among the first 500 by meaning, likewise
    final_rank  int32   place in today's order of the first 100, likewise
    label       int32   the question's target that the row answers, -1: none
    record      int64   number of the row's record, unique in its part
    collection  int32   position in `parts[part]["collections"]`
    named       bool    the query is, or calls, the name of the row's record

`gains[gain_offsets[q]:gain_offsets[q + 1]]` are the grades of its targets. `questions` is a JSON list
of objects: `set`, `part`, `query`, `scope`, `protocol`, `metric` and `facts` (`words`: their number;
`stems`: stem -> [how often in the query, information: log of rarity]; `identifiers`; `phrases`;
`corrections`). `score` judges an order of one question's rows as the bench does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.wide.measures import measure

ARRAYS = {
    "row": np.int64,
    "bm25": np.float64,
    "cosine": np.float64,
    "word_rank": np.int32,
    "meaning_rank": np.int32,
    "final_rank": np.int32,
    "label": np.int32,
    "record": np.int64,
    "collection": np.int32,
    "named": np.bool_,
}


@dataclass(frozen=True, slots=True)
class Dumped:
    """A question with the rows that fusion can choose from; arrays as the module says, [rows]."""

    about: Mapping[str, Any]
    collections: Sequence[Sequence[str]]
    gains: NDArray[np.float64]
    arrays: Mapping[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def score(self, values: NDArray[Any]) -> dict[str, float]:
        """The measures of the order by `values` [rows], best first; ties by row."""
        order = np.lexsort((self.arrays["row"], -np.asarray(values, dtype=np.float64)))[:200]
        hits = [
            (
                int(self.arrays["record"][at]),
                [label] if (label := int(self["label"][at])) >= 0 else [],
            )
            for at in order
        ]
        return measure(hits, self.gains.tolist(), self.about["protocol"])


class Writer:
    """Collects questions and writes them at the end."""

    def __init__(self) -> None:
        self._questions: list[dict[str, Any]] = []
        self._parts: dict[str, list[tuple[str, str]]] = {}
        self._gains: list[Sequence[float]] = []
        self._columns: dict[str, list[NDArray[Any]]] = {name: [] for name in ARRAYS}

    def add(
        self,
        about: Mapping[str, Any],
        collections: Sequence[tuple[str, str]],
        gains: Sequence[float],
        candidates: Any,
    ) -> None:
        """`about` has all of a question's facts but `facts`, which the candidates bring along."""
        self._questions.append({**about, "facts": dict(candidates.facts)})
        self._parts[f"{about['set']}/{about['part']}"] = list(collections)
        self._gains.append(gains)
        rows = candidates.rows
        values = {
            "row": rows,
            "bm25": candidates.bm25,
            "cosine": candidates.cosine,
            "word_rank": _places(rows, candidates.words),
            "meaning_rank": _places(rows, candidates.meaning),
            "final_rank": _places(rows, candidates.final),
            "label": candidates.label,
            "record": candidates.record,
            "collection": candidates.collection,
            "named": [row in set(candidates.named) for row in rows],
        }
        for name, kind in ARRAYS.items():
            self._columns[name].append(np.asarray(values[name], dtype=kind))

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        lengths = [len(each) for each in self._columns["row"]]
        np.savez_compressed(
            path,
            allow_pickle=False,
            questions=np.array(json.dumps(self._questions)),
            parts=np.array(json.dumps(self._parts)),
            offsets=np.cumsum([0, *lengths]),
            gains=np.array([gain for each in self._gains for gain in each], dtype=np.float64),
            gain_offsets=np.cumsum([0, *map(len, self._gains)]),
            **{
                name: np.concatenate(each) if each else np.empty(0, ARRAYS[name])
                for name, each in self._columns.items()
            },
        )


def read(path: Path) -> Iterator[Dumped]:
    """The questions of a dump."""
    with np.load(path, allow_pickle=False) as file:
        questions = json.loads(str(file["questions"]))
        parts = json.loads(str(file["parts"]))
        offsets, gain_offsets = file["offsets"].tolist(), file["gain_offsets"].tolist()
        arrays = {name: file[name] for name in ARRAYS}
        gains = file["gains"]
    for at, about in enumerate(questions):
        rows = slice(offsets[at], offsets[at + 1])
        yield Dumped(
            about,
            parts[f"{about['set']}/{about['part']}"],
            gains[gain_offsets[at] : gain_offsets[at + 1]],
            {name: array[rows] for name, array in arrays.items()},
        )


def _places(rows: Sequence[int], ranked: Sequence[int]) -> list[int]:
    places = {row: place for place, row in enumerate(ranked, start=1)}
    return [places.get(row, 0) for row in rows]
