"""The labelled sets of the wide bench: what `sets.toml` declares, with their questions.

Nothing here knows kbc: a set is folders of files to compile, and questions with the records that answer them.
"""

from __future__ import annotations

import csv
import gzip
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
SETS_FILE = HERE / "sets.toml"
QUESTIONS = HERE / "questions"

Metric = Literal["ndcg@10", "mrr@10", "success@3"]
Protocol = Literal["records", "hits"]
"""`records`: a second passage of a record that was seen already is skipped. `hits`: it takes a place."""


class SetError(Exception):
    """A declaration or a file of questions that cannot be used; one sentence says which and why."""


@dataclass(frozen=True, slots=True)
class Target:
    """What answers a question: a record by id, `<collection>:<id>` or `<kind>:<id>`; of source code a
    file, with the lines that count where `lines` are given."""

    name: str
    gain: float = 1.0
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    targets: tuple[Target, ...]
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the corpora lie: fetched ones, labelled texts, labels of code, our own knowledge base."""

    corpora: Path
    text: Path
    code_labels: Path
    own: Path


@dataclass(frozen=True, slots=True)
class Part:
    """A knowledge base to compile: the files of `tree` below `copied` paths, less those that `left_out`
    names, and the collections of its kb.toml, or those that `kbc build` recognises where there are none. Of
    a set of texts `documents` are the pages instead. A folder with a kb.toml of its own is compiled as it is
    (`ready`)."""

    name: str
    questions: tuple[Question, ...]
    tree: Path | None = None
    copied: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    collections: tuple[Mapping[str, Any], ...] = ()
    documents: Path | None = None
    ready: Path | None = None


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """`by_path`: labels are files of source code, of which the end of the path has to agree. `recognised`:
    they are paths in a tree whose collections have roots of their own. `scope` is
    that of questions without their own ("": everything, as the search tool of the compact set asks)."""

    name: str
    about: str
    metric: Metric
    protocol: Protocol
    parts: tuple[Part, ...]
    by_path: bool = False
    recognised: bool = False
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Absent:
    """A declared set whose files are not here."""

    name: str
    missing: Path


def read_sets(
    folders: Folders,
    chosen: Sequence[str] = (),
    declared: Path = SETS_FILE,
    questions: Path = QUESTIONS,
) -> list[LabelledSet | Absent]:
    """The declared sets, or those `chosen` by name, in the order of the file; `questions` is the folder
    of our own questions. Raises `SetError`."""
    entries = tomllib.loads(declared.read_text("utf-8")).get("set", [])
    names = [entry["name"] for entry in entries]
    if unknown := [name for name in chosen if name not in names]:
        raise SetError(f"no set is called {unknown[0]!r}; there are {', '.join(names)}")
    return [
        _read(entry, folders, questions)
        for entry in entries
        if not chosen or entry["name"] in chosen
    ]


def _read(entry: Mapping[str, Any], folders: Folders, questions: Path) -> LabelledSet | Absent:
    readers: Mapping[str, Callable[..., Iterator[Part | Path]]] = {
        "text": _text_parts,
        "squad": _squad_parts,
        "faq": _faq_parts,
        "code": _code_parts,
        "own": _own_parts,
        "questions": partial(_question_parts, questions=questions),
    }
    kind, recognised = entry["kind"], entry.get("recognised", False)
    parts: list[Part] = []
    for part in readers[kind](entry, folders):
        if isinstance(part, Path):
            return Absent(entry["name"], part)
        parts.append(part)
    return LabelledSet(
        name=entry["name"],
        about=entry["about"],
        metric=entry.get("metric", "mrr@10" if kind in ("own", "questions") else "ndcg@10"),
        protocol="hits" if kind == "code" and not recognised else "records",
        parts=tuple(parts),
        by_path=kind == "code",
        recognised=recognised,
        scope="all" if kind == "own" else "",
    )


def _text_parts(entry: Mapping[str, Any], folders: Folders) -> Iterator[Part | Path]:
    folder = folders.text / entry["folder"]
    if not (folder / "queries.jsonl").is_file():
        yield folder
        return
    addresses = {each["_id"]: address_of(at) for at, each in enumerate(read_documents(folder))}
    gains: dict[str, list[Target]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines():
        query, document, gain, *_ = line.split("\t")
        if gain.isdigit() and int(gain):
            gains.setdefault(query, []).append(Target(addresses[document], float(gain)))
    queries = map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines())
    yield Part(
        entry["name"],
        tuple(
            Question(each["text"], tuple(gains[each["_id"]]))
            for each in queries
            if each["_id"] in gains
        ),
        documents=folder,
    )


def _squad_parts(entry: Mapping[str, Any], folders: Folders) -> Iterator[Part | Path]:
    """Every third question, each about the paragraph that it was written for: their answers lie together."""
    path = folders.corpora / entry["folder"] / entry["file"]
    if not path.is_file():
        yield path
        return
    questions = [
        Question(question["question"], (Target(address_of(at)),))
        for at, paragraph in enumerate(_squad_paragraphs(path))
        for question in paragraph["qas"]
    ]
    yield Part(entry["name"], tuple(questions[::3]), documents=path)


def _squad_paragraphs(path: Path) -> Iterator[Mapping[str, Any]]:
    """The paragraphs of a file in the layout of SQuAD: `context`, `qas`."""
    for article in json.loads(path.read_text("utf-8"))["data"]:
        yield from article["paragraphs"]


def _faq_parts(entry: Mapping[str, Any], folders: Folders) -> Iterator[Part | Path]:
    """A table of questions with answers, and one of the same questions in other words."""
    answers, pairs = (folders.corpora / entry["folder"] / entry[name] for name in ("file", "asked"))
    if not answers.is_file() or not pairs.is_file():
        yield answers if pairs.is_file() else pairs
        return
    at = {each["title"]: position for position, each in enumerate(read_documents(answers))}
    yield Part(
        entry["name"],
        tuple(
            Question(row["question_2"].strip(), (Target(address_of(at[title])),))
            for row in _rows(pairs)
            if row["similar"] == "1" and (title := row["question_1"].strip()) in at
        ),
        documents=answers,
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def address_of(position: int) -> str:
    """The address of the page that a labelled document becomes: one that says nothing of its content."""
    return f"https://documents.invalid/{position}"


def read_documents(place: Path) -> Iterator[Mapping[str, str]]:
    """The documents of a folder in BEIR layout, of a file in that of SQuAD, or of a table of questions with
    answers, the English ones, each answer once: `_id`, `title`, `text`."""
    if place.suffix == ".csv":
        asked: dict[str, str] = {}
        for row in _rows(place):
            if row["lang"] == "en":
                asked.setdefault(row["answer"].strip(), row["question"].strip())
        for at, (answer, question) in enumerate(asked.items()):
            yield {"_id": str(at), "title": question, "text": answer}
        return
    if place.suffix == ".json":
        for at, paragraph in enumerate(_squad_paragraphs(place)):
            yield {"_id": str(at), "title": "", "text": paragraph["context"]}
        return
    plain = place / "corpus.jsonl"
    path = plain if plain.is_file() else place / "corpus.jsonl.gz"
    with path.open("rb") if path == plain else gzip.open(path) as file:
        yield from map(json.loads, file)


def _code_parts(entry: Mapping[str, Any], folders: Folders) -> Iterator[Part | Path]:
    for name in entry["repositories"]:
        tree = folders.corpora / entry["folder"] / name
        labels = folders.code_labels / "annotations" / f"{name}.json"
        if not tree.is_dir() or not labels.is_file():
            yield labels if tree.is_dir() else tree
            return
        specs = json.loads((folders.code_labels / "repos.json").read_text("utf-8"))
        roots = {spec["name"]: spec.get("benchmark_root") or "" for spec in specs}
        is_whole = entry.get("recognised", False)
        root = "." if is_whole else roots[name] or "."
        collection = {"name": "code", "kind": "code", "paths": [root]}
        yield Part(
            name,
            tuple(
                Question(row["query"], tuple(_code_targets(row)))
                for row in json.loads(labels.read_text("utf-8"))
            ),
            tree=tree,
            copied=(root,),
            collections=() if is_whole else (collection,),
        )


def _code_targets(row: Mapping[str, Any]) -> Iterator[Target]:
    """Primary and secondary targets count the same in this benchmark."""
    for target in (*row.get("relevant", ()), *row.get("secondary", ())):
        if isinstance(target, str):
            yield Target(target)
        else:
            start, end = target.get("start_line"), target.get("end_line")
            yield Target(target["path"], lines=None if start is None else (start, end))


def _own_parts(entry: Mapping[str, Any], folders: Folders) -> Iterator[Part | Path]:
    yield (
        Part("own", _questions(folders.own / entry["questions"]), ready=folders.own)
        if folders.own.is_dir()
        else folders.own
    )


def _question_parts(
    entry: Mapping[str, Any], folders: Folders, questions: Path
) -> Iterator[Part | Path]:
    tree = folders.corpora / entry["folder"]
    collections = tuple(entry.get("collection", ()))
    paths = tuple(dict.fromkeys(path for each in collections for path in each["paths"])) or (".",)
    missing = [tree / path for path in paths if not (tree / path).exists()]
    if missing:
        yield missing[0]
        return
    yield Part(
        entry["name"],
        _questions(questions / f"{entry.get('questions', entry['name'])}.toml"),
        tree=tree,
        copied=paths,
        left_out=tuple(entry.get("left_out", ())),
        collections=collections,
    )


def _questions(path: Path) -> tuple[Question, ...]:
    """The questions of a TOML file as `kbc eval` reads it. Raises `SetError`."""
    try:
        entries = tomllib.loads(path.read_text("utf-8"))["question"]
        questions = [
            Question(
                entry["query"],
                tuple(Target(name) for name in dict.fromkeys(entry["expect"])),
                entry.get("scope", ""),
            )
            for entry in entries
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetError(f"{path} holds no questions: {error}") from error
    texts = [question.text for question in questions]
    if repeated := {text for text in texts if texts.count(text) > 1}:
        raise SetError(f"{path} asks {min(repeated)!r} twice")
    return tuple(questions)
