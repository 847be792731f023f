"""The options of a build."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kb_runtime.errors import UsageError
from kb_runtime.errors.shortages import require_address_space
from kb_runtime.text.tables import utc_time
from kbc.encoding.shipped import DEFAULT_QUERY_VARIANT
from kbc.encoding.variants import VARIANTS, Variant
from kbc.pipeline import DEFAULT_OUT

StrPath = str | os.PathLike[str]

DOCUMENT_VARIANT: Variant = "int8"
EXACT_VARIANT: Variant = "fp32"

_MIN_ADDRESSES, _MIN_ADDRESSES_WITH_VECTORS = 420 << 20, 600 << 20
"""Bytes after reading. A few pages on two cores need 450 MB, with vectors 700 MB, and somewhat less if their
chunks are in the cache; with much less native libraries end the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How to build.

    `out` is the folder below which the artifact gets one of its own, named like the knowledge base; its
    last `keep` versions stay there. `jobs` threads embed, with the sentence-transformers folder `model`
    (None: the pinned one, see `kbc.encoding.model`; a downloaded copy is kept in the folder `models`, and
    without that folder, or `offline`, nothing is downloaded); `exact` embeds with the weights as published,
    which takes more than twice as long. `rerank_model` is the folder of a cross-encoder that the artifact
    gets as its re-ranker. `cache` is the compiler's
    cache folder (None: no cache). `source_date_epoch` is the build time in seconds since 1970 (None: the
    artifact does not say; readers take the time of its manifest file). Without `embed` the artifact has
    neither vectors nor an encoder: searches go by words alone. A `draft` has none either, and its chunks
    are cut and indexed as `kbc.chunking.drafts` says, in a tenth of the time; the records of a `parsed` one
    have definitions all the same. A `partial` build has some files of a source tree: the uses of names that
    none of them defines are kept, too. `prefix` is what the reader of the inputs begins ids with. With
    `strict` a warning about the input is an error, as a file that cannot be read is one. With `draft_first`
    a draft goes live before the vectors are computed where that takes long and nothing is live yet.
    `executor` says where texts are embedded and records are cut: in "threads" or "processes" of this machine,
    `jobs` of them, or on the workers of "dask:tcp://HOST:PORT"; the artifact is the same bytes.
    Raises `UsageError` for fewer than one of `jobs` or `keep`, and for an unknown `query_variant`.
    """

    out: StrPath = DEFAULT_OUT
    jobs: int = 2
    model: StrPath | None = None
    rerank_model: StrPath | None = None
    models: StrPath | None = None
    offline: bool = False
    exact: bool = False
    query_variant: Variant = DEFAULT_QUERY_VARIANT
    keep: int = 3
    cache: StrPath | None = None
    allow_outside: bool = False
    source_date_epoch: int | None = None
    embed: bool = True
    draft: bool = False
    strict: bool = False
    draft_first: bool = False
    parsed: bool = False
    partial: bool = False
    prefix: str = ""
    executor: str = "threads"

    def __post_init__(self) -> None:
        for name, value in (("jobs", self.jobs), ("keep", self.keep)):
            if value < 1:
                raise UsageError(f"{name} must be at least 1, not {value}")
        if self.query_variant not in VARIANTS:
            raise UsageError(
                f"query_variant {self.query_variant!r} is not one of: {', '.join(VARIANTS)}"
            )

    @property
    def out_folder(self) -> Path:
        return Path(self.out)

    @property
    def model_folder(self) -> Path | None:
        return None if self.model is None else Path(self.model)

    @property
    def reranker_folder(self) -> Path | None:
        return None if self.rerank_model is None or self.draft else Path(self.rerank_model)

    @property
    def models_folder(self) -> Path | None:
        return None if self.models is None else Path(self.models)

    @property
    def cache_folder(self) -> Path | None:
        return None if self.cache is None else Path(self.cache)

    @property
    def has_vectors(self) -> bool:
        return self.embed and not self.draft

    def require_addresses(self) -> None:
        """Raises `ShortageError` where a build that has read its inputs has too few addresses."""
        if self.has_vectors:
            require_address_space(_MIN_ADDRESSES_WITH_VECTORS, "a build with vectors")
        else:
            require_address_space(_MIN_ADDRESSES, "a build")

    @property
    def has_symbols(self) -> bool:
        return self.parsed or not self.draft

    @property
    def document_variant(self) -> Variant:
        return EXACT_VARIANT if self.exact else DOCUMENT_VARIANT

    @property
    def variants(self) -> list[str] | None:
        """The precision of documents and of queries; None without vectors."""
        return [self.document_variant, self.query_variant] if self.has_vectors else None

    @property
    def built_at(self) -> str:
        """ISO 8601, or "" when nobody said what time it is: a clock in the artifact, or the times of
        files, would make two builds of one tree differ."""
        seconds = self.source_date_epoch
        return "" if seconds is None else utc_time(seconds)
