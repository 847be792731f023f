"""Verifies an artifact: hashes, offsets, counts, encoder and answers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kb_runtime.companion import COMPANION
from kb_runtime.errors import ArtifactError
from kb_runtime.errors.shortages import ShortageError, shortage
from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.store.atomic_files import is_staged
from kb_runtime.store.catalog import LABELLED
from kb_runtime.store.location import resolve
from kb_runtime.store.manifest import MANIFEST, load
from kb_runtime.store.signature import SIGNATURES, check_signature, read_public_key
from kb_runtime.store.symbols import SUFFIX
from kb_runtime.text.tables import count_of, size

if TYPE_CHECKING:
    from kb_runtime.search.ports import Chunks, Records
    from kb_runtime.store.manifest import Manifest

NORM_TOLERANCE = 1e-3
"""How far the squared length of a stored vector, or a cosine with itself, may be from 1."""

SELF_QUERIES = 3
_BLOCK_ROWS = 4096
QUERY_CHARS = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an artifact. `path` is relative to the build, empty for the whole.

    `code` is an `ArtifactError` code, or `extra` (a file that the manifest does not list) or
    `inconsistent` (files that contradict each other although their hashes hold).
    """

    code: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """What `verify` found. `checks` names the checks that passed, in order; a failing one is the last
    that ran. `problems` is empty when all is well, `notes` say what could not be checked. `bytes` and
    `files` leave the manifest out."""

    path: str
    build_id: str
    files: int
    bytes: int
    checks: tuple[str, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"ok": self.ok, **asdict(self)}


def verify(
    path: str | os.PathLike[str],
    keys: Sequence[str | os.PathLike[str]] = (),
    *,
    prove: bool = False,
) -> VerificationReport:
    """Checks the artifact that `path` stands for, completely; with files of public `keys` also that it is
    signed by each of them. With `prove` a sound one need not be hashed again by this user's servers.

    Raises `ArtifactError` when there is no artifact, its manifest cannot be trusted or a signature does
    not hold, and where the machine is short of something; and `KeyFileError`. Everything else that is
    wrong is in the report.
    """
    folder = resolve(path)
    trusted = [read_public_key(key) for key in keys]

    def check_signatures(manifest: Manifest, data: bytes) -> None:
        for key in trusted:
            check_signature(manifest, data, key)

    try:
        artifact = Artifact.open(folder, check_signatures)
    except ArtifactError as error:  # of the manifest, raised again; or a size is wrong
        _raise_shortage(error)
        manifest = load(folder, check_signatures)
        passed: list[str] = []
        problems = list(_hashes(Artifact(manifest, -1))) or [
            Problem(error.code, MANIFEST, error.message)
        ]
    else:
        manifest = artifact.manifest
        with artifact:
            passed, problems = _run(artifact)
        if prove and not problems:
            manifest.prove()
    return VerificationReport(
        path=folder,
        build_id=manifest.build_id,
        files=len(manifest.files),
        bytes=sum(size for size, _ in manifest.files.values()),
        checks=(*(["signature"] if keys else []), *passed),
        problems=tuple(problems),
    )


def render_problem(problem: Problem) -> str:
    place = f"{problem.path}: " if problem.path else ""
    return f"{place}{problem.message} [{problem.code}]"


def render_verdict(report: VerificationReport) -> str:
    """One line: the build, whether it is sound, how much was checked."""
    facts = f"{count_of(report.files, 'file')}, {size(report.bytes)}"
    verdict = "ok" if report.ok else f"damaged: {count_of(len(report.problems), 'problem')}"
    checked = f"; checked {', '.join(report.checks)}" if report.checks else ""
    return f"{report.build_id} {verdict}: {facts}{checked}"


def check(artifact: Artifact, without: Collection[str] = ()) -> list[Problem]:
    """The problems of an open artifact that the first failing check found, of those that are not
    `without`."""
    return _run(artifact, without)[1]


def _run(artifact: Artifact, without: Collection[str] = ()) -> tuple[list[str], list[Problem]]:
    """Names of the checks that passed, and the problems of the one that did not.

    Hashes come first: when one does not hold, nothing else is read, because native readers cannot be
    trusted with damaged files.
    """
    from kb_runtime.search.encoder import limit_blas_threads

    limit_blas_threads()  # before numpy
    # Loading the encoder is not Python's work. Without it the check of it says why.
    opening = COMPANION.start(lambda: artifact.encoder) if "encoder" not in without else None
    try:
        return _first_problems(artifact, without)
    finally:
        if opening is not None:
            with suppress(Exception):
                opening.result()


def _first_problems(
    artifact: Artifact, without: Collection[str]
) -> tuple[list[str], list[Problem]]:
    passed: list[str] = []
    for name, find in CHECKS.items():
        if name in without:
            continue
        try:
            problems = list(find(artifact))
        except ArtifactError as error:
            _raise_shortage(error)
            problems = [Problem(error.code, "", error.message)]
        except Exception as error:  # whatever a reader makes of files that contradict each other
            if short := shortage(error):
                raise short from error
            problems = [_wrong(name, f"{type(error).__name__}: {error}")]
        if problems:
            return passed, problems
        passed.append(name)
    return passed, []


def _raise_shortage(error: ArtifactError) -> None:
    """What could not be read for want of something says nothing about the artifact."""
    if error.code == ShortageError.code:
        raise error


def _raise_cause(error: Exception) -> None:
    """Raises what the machine was short of, where that is why a model could not be loaded."""
    if error.__cause__ is not None and shortage(error.__cause__):
        raise error.__cause__


def _hashes(artifact: Artifact) -> Iterator[Problem]:
    for path in artifact.manifest.files:
        try:
            artifact.manifest.check_file(path)
        except ArtifactError as error:
            _raise_shortage(error)
            yield Problem(error.code, path, error.message)
    listed = {MANIFEST, SIGNATURES, *artifact.manifest.files}
    for folder, _, names in os.walk(artifact.root):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), artifact.root).replace(os.sep, "/")
            if path not in listed and not is_staged(path, SIGNATURES):
                yield Problem("extra", path, f"{path} is not in the manifest.")


def _catalogs(artifact: Artifact) -> Iterator[Problem]:
    for info in artifact.collections:
        yield from _catalog(info.name, artifact.catalog(info.name))


def _catalog(name: str, catalog: Records) -> Iterator[Problem]:
    """Every record decodes, has the id of the key table, and is found by it and by every key."""
    for index in range(len(catalog)):
        try:
            record = catalog[index]
            listed = catalog.id(index)
        except (ValueError, IndexError, TypeError) as error:
            yield _wrong(f"catalog/{name}.bin", f"record {index} cannot be read: {error}")
            continue
        if record.get("id") != listed:
            yield _wrong(f"catalog/{name}.keys", f"record {index} has another id: {listed!r}")
    for key, index in catalog.names():
        if index not in catalog.find_all(key):
            yield _wrong(f"catalog/{name}.keys", f"the key {key!r} does not find its record")


def _symbols(artifact: Artifact) -> Iterator[Problem]:
    """Symbols agree with themselves and with the definitions of the records."""
    for info in artifact.collections:
        symbols = artifact.symbols(info.name)
        if symbols is None:
            continue
        path = f"catalog/{info.name}{SUFFIX}"
        if found := list(symbols.inconsistencies()):
            yield from (_wrong(path, each) for each in found)
            continue
        catalog = artifact.catalog(info.name)
        for file in range(symbols.files):
            rows = symbols.definitions_in(file)
            defined = catalog[file].get("definitions") or [] if rows else []
            for row in rows:
                each = symbols.definition(row)
                lines = [one["line"] for one in defined[each.ordinal : each.ordinal + 1]]
                if lines != [each.line]:
                    yield _wrong(path, f"definition {row} is none of {catalog.id(file)}")
                    break


def _chunks(artifact: Artifact) -> Iterator[Problem]:
    table = artifact.chunks
    for info in artifact.collections:
        yield from _rows(table, info)


def _rows(table: Chunks, info: CollectionInfo) -> Iterator[Problem]:
    """Chunks agree with their columns, and follow the order of their records."""
    records = table.column("record")
    previous = 0
    for row in info.rows:
        try:
            chunk = table[row]
            labels = {name: table.labels(name)[table.column(name)[row]] for name in LABELLED}
        except (ValueError, IndexError, TypeError) as error:
            yield _wrong("catalog/chunks.bin", f"row {row} cannot be read: {error}")
            continue
        lines = table.column("start_line")[row], table.column("end_line")[row]
        stored = {name: chunk.get(name, "") for name in LABELLED}
        if lines != (chunk["start_line"], chunk["end_line"]) or labels != stored:
            yield _wrong("columns", f"row {row} has other values than its chunk")
        if not previous <= records[row] < info.records:
            yield _wrong("columns/record.u32", f"row {row} is out of order in {info.name}")
        previous = records[row]


def _segments(artifact: Artifact) -> Iterator[Problem]:
    """The files of the index hold what they say that they hold."""
    from kb_runtime.search.lexical_schema import META
    from kb_runtime.store.lexical_files import check_lexical_files

    for path in artifact.files_of(f"lexical/{META}"):
        folder = os.path.dirname(path)
        try:
            check_lexical_files(
                artifact.manifest.path(folder), json.loads(artifact.manifest.read(path))
            )
        except ValueError as error:
            yield _wrong(folder, str(error))
            return


def _lexical(artifact: Artifact) -> Iterator[Problem]:
    if not artifact.files_of("lexical/"):
        return
    rows = sum(info.chunks for info in artifact.collections)
    if artifact.lexical.documents != rows:
        yield _wrong("lexical", f"it holds {artifact.lexical.documents} chunks of {rows}")


def _vectors(artifact: Artifact) -> Iterator[Problem]:
    """Rows are as many as chunks and have length 1, and every collection finds its first row, through
    its graph where it has one."""
    if artifact.manifest["encoder"] is None:
        return
    import numpy as np

    from kb_runtime.search.vectors import GRAPH_SUFFIX, ROWS_FILE, RowRange
    from kb_runtime.store.rounded_rows import COARSE_FILE

    dimensions = artifact.manifest["encoder"]["dimensions"]
    rows = sum(info.chunks for info in artifact.collections)
    size = sum(
        artifact.manifest.files[path][0] for path in artifact.files_of(f"vectors/{ROWS_FILE}")
    )
    if size != 4 * rows * dimensions:
        yield _wrong(f"vectors/{ROWS_FILE}", f"{size} bytes are not {rows} rows of {dimensions}")
        return
    for start in range(0, rows, _BLOCK_ROWS):
        numbers = np.arange(start, min(start + _BLOCK_ROWS, rows))
        block = artifact.vectors.gather(numbers, dimensions)
        wrong = ~(abs((block * block).sum(axis=1) - 1) <= NORM_TOLERANCE)  # NaN too
        if wrong.any():
            row = start + int(wrong.argmax())
            yield _wrong(f"vectors/{ROWS_FILE}", f"row {row} does not have length 1")
            return
    if (wrong := artifact.vectors.first_misrounded()) is not None:
        yield _wrong(f"vectors/{COARSE_FILE}", f"row {wrong} differs from the one in {ROWS_FILE}")
    for info in artifact.collections:
        if info.chunks:
            vector = artifact.vectors.vector(info.first_row, dimensions)
            own = [RowRange(info.name, info.first_row, info.chunks)]
            path = f"vectors/{info.name}{GRAPH_SUFFIX}"
            exact_rows = 0 if path in artifact.manifest.files else info.chunks
            found = artifact.vectors.search(vector, own, 1, exact_rows=exact_rows).cosines
            if not found or found[0] < 1 - NORM_TOLERANCE:
                yield _wrong(path, f"row {info.first_row} does not find itself")


def _encoder(artifact: Artifact) -> Iterator[Problem]:
    """The encoder gives on this machine what it gave where it was built."""
    identity = artifact.manifest["encoder"]
    if identity is None:
        return
    from kb_runtime.search.encoder import EncoderError, run_self_test

    try:
        encoder = artifact.encoder
        failures = run_self_test(encoder, identity["self_test"]) if encoder is not None else []
    except EncoderError as error:
        _raise_cause(error)
        failures = [str(error)]
    for failure in failures:
        yield _wrong("encoder", failure)


def _reranker(artifact: Artifact) -> Iterator[Problem]:
    """The re-ranker gives on this machine the scores that it gave where it was built."""
    if (identity := artifact.manifest.get("reranker")) is None:
        return
    from kb_runtime.search.ranking.cross_encoder import run_self_test
    from kb_runtime.search.ranking.reranking import RerankerError

    try:
        reranker = artifact.reranker
        failures = run_self_test(reranker, identity["self_test"]) if reranker is not None else []
    except RerankerError as error:
        _raise_cause(error)
        failures = [str(error)]
    for failure in failures:
        yield _wrong("reranker", failure)


def _answers(artifact: Artifact) -> Iterator[Problem]:
    """A search in each collection for the title of one of its first chunks finds something, by all
    sides."""
    if not artifact.files_of("lexical/"):
        return
    from kb_runtime.errors import ToolError
    from kb_runtime.search.query import analyse
    from kb_runtime.search.request import SearchRequest

    analyzer = artifact.lexical.analyzer
    for info in artifact.collections:
        asked = False
        for row in info.rows[:SELF_QUERIES]:
            chunk = artifact.chunks[row]
            query = chunk.get("title") or chunk.get("text", "")[:QUERY_CHARS]
            if not analyse(query, analyzer).has_prose:
                continue  # stop words or signs alone ask for nothing
            asked = True
            try:
                # A re-ranker may be of a package that is not installed here.
                request = SearchRequest(query, (info.name,), rerank=False)
                result = artifact.searcher.search(request)
            except ToolError as error:
                yield _wrong("lexical", error.message)
                return
            if result.warnings and artifact.encoder is not None:
                yield _wrong(info.name, f"a search for {query!r} warns: {result.warnings[0]}")
                return
            if result.hits:
                break
        else:
            if asked:
                yield _wrong(info.name, "searches for the titles of its first chunks find nothing")


def _wrong(path: str, fact: str) -> Problem:
    return Problem("inconsistent", path, f"{path}: {fact}.")


CHECKS: dict[str, Callable[[Artifact], Iterator[Problem]]] = {
    "hashes": _hashes,
    "catalogs": _catalogs,
    "symbols": _symbols,
    "chunks": _chunks,
    "segments": _segments,
    "lexical": _lexical,
    "encoder": _encoder,
    "reranker": _reranker,
    "vectors": _vectors,
    "answers": _answers,
}
"""What is checked, in order; a check runs only when those before it found nothing."""
