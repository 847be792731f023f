"""Labelled questions: how they are written, and which records they name.

A question names the records that answer it as hits name them (`builtin:mapBy`, `doc:docs/maps.md`), by
collection (`pages:docs/maps.md`), by address or by id alone. Each hit counts at its place in the ranking:
a second passage of a page that was found already takes a place and gains nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

from kb_runtime.errors import SingleCodeError, exit_codes
from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.search.request import SearchHit
from kb_runtime.text.addresses import parse_address
from kb_runtime.text.names import suggest
from kbc.project.scopes import EVERYTHING, NOT_SEARCHED
from kbc.project.toml_file import key_lines

QUESTIONS = "questions.toml"
_KEYS = ("query", "expect", "scope")

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


_NO_FILE = "Give a TOML file with [[question]] tables of `query` and `expect`: docs/search.md."


@dataclass(frozen=True, slots=True)
class Question:
    """`gains` are the names of the records that answer it, with grades above 0; `place` is `FILE:LINE`."""

    query: str
    gains: Mapping[str, float]
    scope: str = ""
    place: str = field(default="", compare=False)


def read_questions(path: Path) -> list[Question]:
    """The `[[question]]` tables of a TOML file: `query`, `expect` and, optionally, `scope`.

    Raises `EvaluationError`, which names the line.
    """
    try:
        text = path.read_text("utf-8-sig")
        entries = tomllib.loads(text).get("question", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise EvaluationError(f"{path} cannot be read: {reason}", _NO_FILE) from error
    if not isinstance(entries, list) or not entries:
        raise EvaluationError(f"{path} has no [[question]] table", _NO_FILE)
    lines = key_lines(text)
    questions = []
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise EvaluationError(f"{path} has no [[question]] tables, but a list of other values")
        place = f"{path}:{lines.get(('question', number), lines[('question',)])}"
        query, expect, scope = entry.get("query"), entry.get("expect") or [], entry.get("scope", "")
        names = expect if isinstance(expect, list) and all(map(_is_text, expect)) else []
        if not _is_text(query) or not names:
            needed = "a `query` and a list `expect` of record names"
            raise EvaluationError(f"{place}: a question needs {needed}")
        if not isinstance(scope, str):
            raise EvaluationError(f"{place}: `scope` must be the name of a scope, not {scope!r}")
        if unknown := [key for key in entry if key not in _KEYS]:
            raise EvaluationError(
                f"{place}: {unknown[0]!r} is no key of a question; these are {', '.join(_KEYS)}"
            )
        gains = dict.fromkeys(map(_expected, names), 1.0)
        questions.append(Question(query, gains, scope, place))
    return questions


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _expected(name: str) -> str:
    """A record as a question names it; an address, of any knowledge base, by its collection and id."""
    address = parse_address(name)
    return f"{address[1]}:{address[2]}" if address else name


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


def records(artifact: Artifact) -> dict[tuple[str, int], str]:
    """Every record that can be found, by collection and position, with its name."""
    return {
        (info.name, position): f"{_kind(info)}:{id}"
        for info in artifact.collections
        if info.kind not in NOT_SEARCHED and info.chunks
        for position, id in enumerate(artifact.catalog(info.name).ids())
    }


def check_questions(
    artifact: Artifact, questions: Sequence[Question], complete: bool = True
) -> dict[tuple[str, int], str]:
    """The records by place, after making sure, where the artifact is to be `complete`, that every
    expected one exists. Raises `EvaluationError`."""
    known = records(artifact)
    names = _collections_by_name(known)
    scopes = {*artifact.manifest["scopes"], EVERYTHING}
    for question in questions:
        said = f"{question.place}: " * bool(question.place) + repr(question.query)
        if question.scope and question.scope not in scopes:
            raise EvaluationError(
                f"{said} names the unknown scope {question.scope!r}; there are {', '.join(sorted(scopes))}"
            )
        missing = [name for name in question.gains if name not in names]
        if missing and complete:
            # Names of records are alike in their ids, which authors take for paths of files.
            ids = {name.partition(":")[2]: name for name in sorted(known.values())}
            near = suggest(missing[0].partition(":")[2] or missing[0], ids)
            hint = f"; similar: {', '.join(ids[id] for id in near)}" if near else ""
            raise EvaluationError(
                f"{said} expects {missing[0]!r}, which"
                f" {artifact.manifest['name']} {artifact.build_id} does not have{hint}"
            )
    return known


def collections_asked(
    artifact: Artifact, known: Mapping[tuple[str, int], str], questions: Sequence[Question]
) -> list[tuple[str, ...]]:
    """The collections that each question is asked of: those of its scope; without one those of `all`, and
    every collection if none of these has a record that answers it. `known` are the `records`."""
    everything = tuple(info.name for info in artifact.collections)
    scopes = {**artifact.manifest["scopes"], EVERYTHING: everything}
    holding = _collections_by_name(known)

    def asked(question: Question) -> tuple[str, ...]:
        usual = tuple(scopes[question.scope or "all"])
        answering = {each for name in question.gains for each in holding.get(name, ())}
        is_elsewhere = not question.scope and answering and answering.isdisjoint(usual)
        return everything if is_elsewhere else usual

    return [asked(question) for question in questions]


def in_scope(artifact: Artifact, questions: Sequence[Question], scope: str) -> list[Question]:
    """The questions; those that name no scope are asked of `scope`, if that is given. Raises
    `EvaluationError`."""
    known = (*artifact.manifest["scopes"], EVERYTHING)
    if scope and scope not in known:
        raise EvaluationError(f"there is no scope {scope!r}; there are {', '.join(sorted(known))}")
    return [replace(question, scope=question.scope or scope) for question in questions]


def can_be_found(
    known: Mapping[tuple[str, int], str],
    questions: Sequence[Question],
    collections: Sequence[tuple[str, ...]],
) -> list[Question]:
    """The questions without those of their answers that are in other collections than the ones asked; a
    question that has no answer there keeps all. `known` are the `records`."""
    holding = _collections_by_name(known)

    def narrowed(question: Question, names: tuple[str, ...]) -> Question:
        there = {
            name: gain
            for name, gain in question.gains.items()
            if name not in holding or not holding[name].isdisjoint(names)
        }
        return replace(question, gains=there) if there else question

    return list(map(narrowed, questions, collections))


def _collections_by_name(known: Mapping[tuple[str, int], str]) -> dict[str, set[str]]:
    """Whatever a question may call one of the `records`, with the collections that have such a record."""
    found: dict[str, set[str]] = {}
    for (collection, _), name in known.items():
        for alias in _aliases(name, collection):
            found.setdefault(alias, set()).add(collection)
    return found


def ranking_of(
    artifact: Artifact, hits: Sequence[SearchHit], gains: Mapping[str, float]
) -> list[str]:
    """The hits by the names that the question uses; what it does not name, or repeats, is unique."""

    def named() -> Iterator[str]:
        seen: set[str] = set()
        for place, hit in enumerate(hits):
            name = next((name for name in names_of(artifact, hit) if name in gains), "")
            yield name if name and name not in seen else f"#{place}"
            seen.add(name)

    return list(named())


def names_of(artifact: Artifact, hit: SearchHit) -> tuple[str, ...]:
    """What a question may call the record of a hit."""
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
