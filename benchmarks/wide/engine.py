"""The one module of the wide bench that knows kbc: it builds, asks, and reads candidates.

A set goes the way of a user: front ends, chunker, `build`, and the searcher that all tools share.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kb_runtime
import kbc
from benchmarks.wide.folders import write_folder
from benchmarks.wide.sets import LabelledSet, Part, Question
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import SearchHit, SearchRequest
from kb_runtime.search.searcher import Searcher
from kbc.evaluation.questions import records as record_names
from kbc.pipeline.build import BuildOptions, build

PAGE = 10
# Hits that are asked for: enough for ten records where three passages of each are found, and few
# enough that as many candidates are ranked as for an ordinary page.
HITS = 25
NO_LABEL = -1
# Calls whose answers are kept: those of a question under all systems, which come one after the other.
REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class System:
    """A configuration: fields of a `SearchRequest`, and settings of the artifact's manifest."""

    request: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


DEFAULTS = System()


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """`artifacts` holds folders to compile, builds and, by default, the cache. With `reuse` an artifact
    that is there is taken whatever it was built from."""

    artifacts: Path
    exact: bool = False
    reuse: bool = False
    cache: Path | None = None
    model: Path | None = None
    rerank_model: Path | None = None


class Built(NamedTuple):
    artifact: Path
    chunks: int
    records: int


class Found(NamedTuple):
    """A hit: number and name of its record, and the positions of the targets that it answers."""

    record: int
    name: str
    answers: list[int]


class Candidates(NamedTuple):
    """Both sides' candidates for a question, 500 deep, and what is known of each row of either.

    Scores of a row that only the other side found are computed for it, so no value is missing but a
    BM25 of 0 for a row without any word. `words` and `meaning` are the two lists as rows; `rows` their
    union, ascending, with `bm25`, `cosine`, `label` (position of the target that the row answers, or
    -1), `record` and `collection` (positions) of each. `final` are the rows in today's order.
    """

    words: list[int]
    meaning: list[int]
    rows: list[int]
    bm25: list[float]
    cosine: list[float]
    label: list[int]
    record: list[int]
    collection: list[int]
    named: list[int]
    final: list[int]
    facts: Mapping[str, Any]


def build_part(owner: LabelledSet, part: Part, settings: BuildSettings) -> Built:
    """Compiles a part, or finds that its artifact is of these files and this compiler."""
    place = settings.artifacts / "builds" / owner.name / part.name
    stamp_file = settings.artifacts / "stamps" / owner.name / f"{part.name}.json"
    folder = settings.artifacts / "folders" / owner.name / part.name
    if settings.reuse and stamp_file.is_file():
        known = json.loads(stamp_file.read_text("utf-8"))
        return Built(Path(known["artifact"]), known["chunks"], known["records"])
    folder = write_folder(part, folder)
    stamp = _stamp(folder, settings)
    if stamp_file.is_file():
        known = json.loads(stamp_file.read_text("utf-8"))
        if known["stamp"] == stamp and Path(known["artifact"]).is_dir():
            return Built(Path(known["artifact"]), known["chunks"], known["records"])
    report = build(
        folder,
        BuildOptions(
            out=place,
            exact=settings.exact,
            model=settings.model,
            rerank_model=settings.rerank_model,
            keep=1,
            cache=settings.cache or settings.artifacts / "cache",
            source_date_epoch=0,
        ),
    )
    stamp_file.parent.mkdir(parents=True, exist_ok=True)
    facts = {
        "stamp": stamp,
        "artifact": str(report.path),
        "chunks": report.chunks,
        "records": report.records,
    }
    stamp_file.write_text(json.dumps(facts), encoding="utf-8")
    return Built(report.path, report.chunks, report.records)


def _stamp(folder: Path, settings: BuildSettings) -> str:
    """What a build depends on: the files, model and variant, and the sources of compiler and runtime."""
    digest = hashlib.sha256(b"fp32" if settings.exact else b"int8")
    digest.update(str(settings.model or "").encode())
    digest.update(str(settings.rerank_model or "").encode())
    trees = [folder, *(Path(str(package.__file__)).parent for package in (kbc, kb_runtime))]
    for at, tree in enumerate(trees):
        pattern = "*.py" if at else "*"
        for path in sorted(each for each in tree.rglob(pattern) if each.is_file()):
            digest.update(f"{at} {path.relative_to(tree)}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


class _Configured:
    """An artifact with other settings, and with parts that remember what they were asked."""

    def __init__(
        self, artifact: Artifact, settings: Mapping[str, Any], parts: Mapping[str, Any]
    ) -> None:
        search = artifact.manifest.get("search") or {}
        merged = {**search, **{key: settings[key] for key in settings if key != "boosts"}}
        merged["boosts"] = {**(search.get("boosts") or {}), **settings.get("boosts", {})}
        self._artifact = artifact
        self.manifest = {
            **{name: artifact.manifest.get(name) for name in ("encoder", "reranker")},
            "search": merged,
        }
        self.encoder, self.lexical, self.vectors = (
            parts[name] for name in ("encoder", "lexical", "vectors")
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._artifact, name)


class _Remembering:
    """A part of an artifact that answers the same call once: all systems ask the same questions."""

    def __init__(self, part: Any, method: str) -> None:
        self._part = part
        self._method = method
        self._known: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if name != self._method:
            return found

        def ask(*arguments: Any) -> Any:
            key = tuple(
                each.tobytes() if isinstance(each, np.ndarray) else repr(each) for each in arguments
            )
            if key not in self._known:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                self._known[key] = found(*arguments)
            return self._known[key]

        return ask


class Opened:
    """An artifact that questions of a set are asked of."""

    def __init__(self, owner: LabelledSet, artifact: Artifact) -> None:
        self._owner = owner
        self._artifact = artifact
        self._parts = {
            "encoder": _Remembering(artifact.encoder, "encode"),
            "lexical": _Remembering(artifact.lexical, "search"),
            "vectors": _Remembering(artifact.vectors, "search"),
        }
        self._scopes = artifact.manifest["scopes"]
        self._positions = {info.name: at for at, info in enumerate(artifact.collections)}
        self._searchers: dict[int, tuple[System, Searcher]] = {}
        self._shown_as = record_names(artifact)
        self._names: dict[tuple[str, int], frozenset[str]] = {}
        self._known: set[str] = set()

    @classmethod
    @contextmanager
    def open(cls, owner: LabelledSet, built: Built) -> Iterator[Opened]:
        with Artifact.open(built.artifact) as artifact:
            yield cls(owner, artifact)

    @property
    def collections(self) -> list[tuple[str, str]]:
        """Name and kind of each."""
        return [(info.name, info.kind) for info in self._artifact.collections]

    def unknown(self, question: Question) -> list[str]:
        """The targets of a question that no record of the artifact is."""
        if self._owner.by_path:
            return []
        if not self._known:
            self._known.update(name for each in self._all_names() for name in each)
        return [target.name for target in question.targets if not _is_one(self._known, target.name)]

    def ask(self, question: Question, system: System) -> list[Found]:
        """The hits, best first."""
        hits = self._searcher(system).search(self._request(question, system, HITS)).hits
        return [
            Found(
                self._key(hit.collection, hit.record), self._shown(hit), self._labels(hit, question)
            )
            for hit in hits
        ]

    def candidates(self, question: Question, depth: int) -> Candidates:
        """What fusion can choose from."""
        searcher = self._searcher(DEFAULTS)
        request = self._request(question, DEFAULTS, PAGE)
        sides = searcher.candidates(request, depth)
        words, meaning = sides.lexical.rows, sides.semantic.rows
        rows = sorted({*words, *meaning})
        bm25 = dict(zip(words, sides.lexical.scores, strict=True))
        if missing := [row for row in rows if row not in bm25]:
            ranges = tuple(range(row, row + 1) for row in missing)
            found = searcher.candidates(
                SearchRequest(question.text, request.collections, mode="lexical", rows=ranges),
                len(missing),
            ).lexical
            bm25.update(zip(found.rows, found.scores, strict=True))
        cosines = [0.0] * len(rows)
        if sides.vector is not None and rows:
            matrix = self._artifact.vectors.gather(rows, len(sides.vector))
            cosines = (matrix @ sides.vector).tolist()
        records = np.frombuffer(self._artifact.chunks.column("record"), dtype="<u4")
        owners = [self._artifact.collection_of(row) for row in rows]
        final = searcher.search(self._request(question, DEFAULTS, HITS)).hits
        return Candidates(
            words=words,
            meaning=meaning,
            rows=rows,
            bm25=[bm25.get(row, 0.0) for row in rows],
            cosine=cosines,
            label=[
                self._label_of_row(row, owner.name, int(records[row]), question)
                for row, owner in zip(rows, owners, strict=True)
            ],
            record=[
                self._key(owner.name, int(records[row]))
                for row, owner in zip(rows, owners, strict=True)
            ],
            collection=[self._positions[owner.name] for owner in owners],
            named=[hit.row for hit in final if hit.exact_name],
            final=[hit.row for hit in final],
            facts=self._facts(sides),
        )

    def _facts(self, sides: Any) -> dict[str, Any]:
        """What is known of a query before anything is ranked."""
        query, lexical = sides.query, self._artifact.lexical
        stems = {term.prose[0]: term.times for term in query.terms if term.prose}
        return {
            "words": len(query.text.split()),
            "stems": {
                stem: [count, round(lexical.information(stem), 4)] for stem, count in stems.items()
            },
            "identifiers": list(query.identifiers),
            "phrases": len(query.phrases),
            "corrections": {key: list(each) for key, each in sides.lexical.corrections.items()},
        }

    def _request(self, question: Question, system: System, limit: int) -> SearchRequest:
        scope = question.scope or self._owner.scope
        names = tuple(self._scopes[scope]) if scope else None
        return SearchRequest(question.text, names, limit=limit, **system.request)

    def _searcher(self, system: System) -> Searcher:
        known = self._searchers.get(id(system))
        if known is None:
            configured = _Configured(self._artifact, system.settings, self._parts)
            known = self._searchers[id(system)] = (system, Searcher(configured))
        return known[1]

    def _key(self, collection: str, record: int) -> int:
        return self._positions[collection] * 1_000_000 + record

    def _shown(self, hit: SearchHit) -> str:
        return self._shown_as[hit.collection, hit.record]

    def _labels(self, hit: SearchHit, question: Question) -> list[int]:
        lines = hit.chunk["start_line"], hit.chunk["end_line"]
        return self._answered(hit.collection, hit.record, lines, question)

    def _label_of_row(self, row: int, collection: str, record: int, question: Question) -> int:
        chunks = self._artifact.chunks
        lines = chunks.column("start_line")[row], chunks.column("end_line")[row]
        return next(iter(self._answered(collection, record, lines, question)), NO_LABEL)

    def _answered(
        self, collection: str, record: int, lines: tuple[int, int], question: Question
    ) -> list[int]:
        if self._owner.by_path:
            catalog = self._artifact.catalog(collection)
            path = self._place(catalog, record)
            return [
                at
                for at, target in enumerate(question.targets)
                if _same_path(path, target.name)
                and (target.lines is None or _overlap(lines, target.lines))
            ]
        names = self._names_of(collection, record)
        return [at for at, target in enumerate(question.targets) if _is_one(names, target.name)]

    def _names_of(self, collection: str, record: int) -> frozenset[str]:
        key = (collection, record)
        if key not in self._names:
            kind = self._artifact.collection(collection).kind
            catalog = self._artifact.catalog(collection)
            id = self._place(catalog, record)
            names = {id, f"{collection}:{id}", self._shown_as.get(key, id)}
            if kind == "docs":  # whatever its group
                names.add(f"doc:{id}")
            if kind == "pages":
                names.add(catalog[record].get("url", ""))
            self._names[key] = frozenset(names)
        return self._names[key]

    def _place(self, catalog: Any, record: int) -> str:
        """The path of a record in the tree, or its id: so too of a page of HTML, which has no path."""
        id: str = catalog.id(record)
        return catalog[record].get("path", id) if self._owner.recognised else id

    def _all_names(self) -> Iterator[frozenset[str]]:
        for info in self._artifact.collections:
            for record in range(info.records):
                yield self._names_of(info.name, record)


def _is_one(names: Collection[str], wanted: str) -> bool:
    """Whether one of the names is a target: a pattern such as `programs:forms/*` is any of them."""
    if wanted.endswith("*"):
        return any(name.startswith(wanted[:-1]) for name in names)
    return wanted in names


def _same_path(path: str, target: str) -> bool:
    return path == target or path.endswith("/" + target) or target.endswith("/" + path)


def _overlap(lines: Sequence[int], target: Sequence[int]) -> bool:
    return not (lines[1] < target[0] or lines[0] > target[1])
