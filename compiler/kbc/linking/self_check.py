"""Checks a finished build before it goes live: it must be sound and find its own records."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from kb_runtime.errors import ArtifactError
from kb_runtime.errors.shortages import ShortageError
from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.verification import CHECKS, check
from kb_runtime.knowledge.sharding.order import SHARDS
from kb_runtime.search.query import analyse
from kb_runtime.search.request import SearchRequest
from kb_runtime.search.vectors import RowRange
from kb_runtime.store.manifest import Manifest, load
from kb_runtime.store.proofs import Proofs

SAMPLES = 16
"""Records asked for, spread evenly over the artifact."""

DRAFT_SAMPLES = 2
"""... of a draft, whose first reader waits for it: the version that replaces it is asked for all."""

SELF_COSINE = 0.999
"""A normalised vector with itself; graphs hold vectors in 16 bits, which cost less than 1e-3."""


_OF_SHARDS = frozenset({"hashes", "catalogs", "chunks", "segments", "vectors"})
"""What is checked of each shard when it is sealed, and not again of all of them together. Files are hashed
when they are opened, and the rest of them at last."""
_ALL_BUT_HASHES = CHECKS.keys() - {"hashes"}
_JUST_WRITTEN = frozenset({"segments"})
"""What is checked of files from elsewhere only: whether the engine's are such as the engine writes."""

SelfCheck = Callable[[Artifact], None]
"""Asks a finished artifact questions; raises `ArtifactError` when an answer is wrong."""


def examine(
    folder: Path, self_check: SelfCheck | None, proofs: Proofs | None = None
) -> tuple[str | None, Manifest | None]:
    """Why the build in `folder` must not be published, or None; and the manifest, which knows the files that
    were hashed: those that `proofs` say nothing about. Raises `ShortageError`."""
    try:
        with Artifact.open(folder) as artifact:
            if proofs:
                artifact.manifest.trust(proofs)
            is_sharded = SHARDS in artifact.manifest
            problems = check(artifact, _OF_SHARDS if is_sharded else _JUST_WRITTEN)
            if not problems and self_check is not None:
                self_check(artifact)
            if not problems and is_sharded:
                problems = check(artifact, _ALL_BUT_HASHES)
            return problems[0].message if problems else None, artifact.manifest
    except ArtifactError as error:
        _raise_shortage(error)
        return error.message, None


def is_damaged(folder: Path) -> bool:
    """Whether the files of a build or a shard are others than its manifest says."""
    try:
        manifest = load(folder)
        manifest.check_files(manifest.files)
    except ArtifactError as error:
        _raise_shortage(error)
        return True
    return False


def _raise_shortage(error: ArtifactError) -> None:
    """What could not be read for want of something is no defect."""
    if error.code == ShortageError.code:
        raise ShortageError(error.message, error.hint) from error


def query_own_records(artifact: Artifact, samples: int = SAMPLES) -> None:
    """Loads every section, then asks for a sample of the records as a reader would.

    A chunk's own vector must be its nearest where there are vectors (another row may share it), its
    record must be found by id, and the lexical side must answer for its title, unless that is all stop
    words and signs.
    Raises `ArtifactError` where one of these fails.
    """
    artifact.prepare()
    rows = len(artifact.chunks)
    for row in sorted({sample * rows // samples for sample in range(samples)} if rows else ()):
        _query_row(artifact, row)


def check_of(is_draft: bool) -> Callable[[Artifact], None]:
    """What a build has to pass before it goes live."""
    return partial(query_own_records, samples=DRAFT_SAMPLES) if is_draft else query_own_records


def _query_row(artifact: Artifact, row: int) -> None:
    info = artifact.collection_of(row)
    chunk = artifact.chunks[row]
    record = artifact.catalog(info.name)[artifact.chunks.column("record")[row]]
    if artifact.catalog(info.name).find(record["id"]) is None:
        raise _failed(f"the record {record['id']!r} of {info.name} is not found by its id")
    encoder = artifact.manifest["encoder"]
    if encoder is not None:
        hits = artifact.vectors.search(
            artifact.vectors.vector(row, encoder["dimensions"]),
            [RowRange(info.name, info.first_row, info.chunks)],
            1,
        )
        if not hits.rows or hits.cosines[0] < SELF_COSINE:
            raise _failed(f"the vector of row {row} does not find itself")
    title = chunk.get("title") or record["title"]
    request = SearchRequest(title, (info.name,), limit=1, mode="lexical")
    if (
        analyse(title, artifact.lexical.analyzer).has_prose
        and not artifact.searcher.search(request).hits
    ):
        raise _failed(f"the title {title!r} finds nothing in {info.name}")


def _failed(what: str) -> ArtifactError:
    return ArtifactError("altered", f"The build does not find its own content: {what}.")
