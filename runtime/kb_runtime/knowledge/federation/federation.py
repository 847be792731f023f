"""Several artifacts behind the interface of one, with one ranking over all of them.

Only the columns of the chunks are copied. Rows, ordinals and names of collections are those of the
federation; each section translates them into the numbers of its parts.
"""

from __future__ import annotations

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.artifact import CollectionsByRow
from kb_runtime.knowledge.federation.layout import collection_names, laid_out
from kb_runtime.knowledge.federation.manifest import merge
from kb_runtime.knowledge.federation.shadowing import shown_records
from kb_runtime.knowledge.lazy_readers import LazyReaders, opened_once
from kb_runtime.knowledge.models import open_sections
from kb_runtime.store.manifest import BUILD_ID_LENGTH, ManifestFields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.knowledge.federation.chunks import FederatedChunks
    from kb_runtime.knowledge.federation.layout import FederatedCollection, FederatedPart
    from kb_runtime.knowledge.federation.lexical import FederatedLexical
    from kb_runtime.knowledge.federation.vectors import FederatedVectors
    from kb_runtime.search.encoder import QueryEncoder
    from kb_runtime.search.ports import FacetIndex, Records
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder
    from kb_runtime.search.searcher import Searcher
    from kb_runtime.store.symbols import Symbols

GROUPED_KINDS = frozenset({"pages", "workshops"})
"""Kinds whose records stand behind the one that lists them: none can be left out."""

_OF_VECTORS = (
    *("weights_sha256", "tokenizer_sha256", "dimensions", "pooling", "prompts", "metric", "recipe"),
)
"""What the identity of an encoder says about the space of its vectors; the rest is where it came from,
how queries are computed and how much of a text is read."""


class Federation:
    """Artifacts, open for reading as one. Safe to use from several threads until `close`."""

    def __init__(
        self,
        parts: Sequence[Artifact],
        shadowing: Collection[str] = (),
        served: int | None = None,
    ) -> None:
        """`parts` (at least one) stay the caller's to close, after this.

        In collections of the kinds `shadowing` a record hides those of the same id in collections of
        that kind in earlier parts. The first `served` parts (None: all) are knowledge bases that can
        be asked by name, so their names must differ; the others are workspaces.

        Raises `ArtifactError` (`same-name`), and `ValueError` for kinds that cannot be shadowed.
        """
        if not parts:
            raise ValueError("a federation has at least one part")
        if grouped := GROUPED_KINDS.intersection(shadowing):
            raise ValueError(f"records of the kind {min(grouped)} cannot be hidden")
        self.parts: Sequence[Artifact] = tuple(parts)
        self.served: Sequence[Artifact] = self.parts[:served]
        self._shadowing = frozenset(shadowing)
        _check_names(self.served)
        self._names = collection_names(self.parts)
        self.build_id = _build_id(self.parts)
        self._encoder_part = next((part for part in parts if part.manifest.get("encoder")), None)
        self._reranker_part = next((one for one in parts if one.manifest.get("reranker")), None)
        self._readers = LazyReaders()

    @property
    def words_only(self) -> Sequence[Artifact]:
        """The parts that take part by words only, because their vectors are another encoder's."""
        return [
            part
            for part in self.parts
            if part.manifest.get("encoder") and self._is_lexical_only(part)
        ]

    @property
    @opened_once
    def manifest(self) -> ManifestFields:
        return merge(
            self.parts,
            len(self.served),
            self._names,
            self.collections,
            self.build_id,
            _said(self._encoder_part, "encoder"),
            _said(self._reranker_part, "reranker"),
        )

    @property
    @opened_once
    def collections(self) -> list[FederatedCollection]:
        return [info for part in self._laid_out for info in part.collections]

    def collection(self, name: str) -> FederatedCollection:
        """Raises `KeyError` for a name that no part has."""
        return self._by_name[name]

    def collection_of(self, row: int) -> CollectionInfo:
        """The collection whose chunk a row is."""
        return self._by_row.of(row)

    def origin(self, collection: str) -> str:
        """The knowledge base that a collection is of. Raises `KeyError`."""
        info = self.collection(collection)
        return info.artifact.origin(info.own.name)

    def built_at(self, collection: str) -> str:
        """When the build with a collection was made, which may be long before the newest. Raises
        `KeyError`."""
        info = self.collection(collection)
        return info.artifact.built_at(info.own.name)

    def address(self, collection: str, record_id: str) -> str:
        """The address of a record in its own knowledge base. Raises `KeyError`."""
        info = self.collection(collection)
        return info.artifact.address(info.own.name, record_id)

    def addressed(self, kb: str, collection: str) -> Sequence[str]:
        """The collections that an address means, by their names here: several where a workspace is
        called like what it belongs to."""
        return [
            names[collection]
            for part, names in zip(self.parts, self._names, strict=True)
            if part.addressed(kb, collection)
        ]

    def catalog(self, name: str) -> Records:
        """The records of a collection. Raises `KeyError` and `ArtifactError`."""
        info = self.collection(name)
        catalog = info.artifact.catalog(info.own.name)
        if info.shown is None and name == info.own.name:
            return catalog

        def read() -> Records:
            from kb_runtime.knowledge.federation.records import ShownRecords

            return ShownRecords(catalog, name, info.shown)

        return self._readers.get(f"catalog/{name}", read)

    def facets(self, name: str) -> FacetIndex:
        """What the records of a collection can be filtered by. Raises `KeyError` and
        `ArtifactError`."""
        info = self.collection(name)
        facets = info.artifact.facets(info.own.name)
        if info.shown is None:
            return facets
        from kb_runtime.knowledge.federation.records import ShownFacets

        return ShownFacets(facets, info.shown)

    def symbols(self, name: str) -> Symbols | None:
        """The definitions and uses in a source tree, with those of hidden records: `Records.place` of
        its catalog tells. Raises `KeyError` and `ArtifactError`."""
        info = self.collection(name)
        return info.artifact.symbols(info.own.name)

    @property
    @opened_once
    def chunks(self) -> FederatedChunks:
        from kb_runtime.knowledge.federation.chunks import FederatedChunks

        return FederatedChunks(self._laid_out, self._rows)

    @property
    @opened_once
    def lexical(self) -> FederatedLexical:
        from kb_runtime.knowledge.federation.lexical import FederatedLexical, LexicalPart

        return FederatedLexical(
            [
                LexicalPart(part.artifact.lexical, numbers, part.ordinals)
                for part, numbers in zip(self._laid_out, self._rows.parts, strict=True)
            ]
        )

    @property
    @opened_once
    def vectors(self) -> FederatedVectors:
        from kb_runtime.knowledge.federation.vectors import FederatedVectors

        vectors = [None if self._is_lexical_only(part) else part.vectors for part in self.parts]
        return FederatedVectors(self._laid_out, vectors, self._rows)

    @property
    def encoder(self) -> QueryEncoder | None:
        """The query encoder of the first part that has one."""
        return None if self._encoder_part is None else self._encoder_part.encoder

    @property
    def reranker(self) -> CrossEncoder | None:
        """The cross-encoder of the first part that has one."""
        return None if self._reranker_part is None else self._reranker_part.reranker

    @property
    @opened_once
    def searcher(self) -> Searcher:
        from kb_runtime.search.searcher import Searcher

        return Searcher(self)

    def check_sizes(self) -> None:
        """Compares the size of every file of every part. Raises `ArtifactError`."""
        for part in self.parts:
            part.check_sizes()

    @property
    def is_replaced(self) -> bool:
        """Whether a newer build of a part is published."""
        return any(part.is_replaced for part in self.parts)

    def prepare(self) -> None:
        """Opens every section; see `models.open_sections`."""
        open_sections(self)

    def close(self) -> None:
        """Forgets what was put together here; nothing may use the federation any more."""
        self._readers.close()

    def __enter__(self) -> Federation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    @opened_once
    def _laid_out(self) -> list[FederatedPart]:
        return laid_out(self.parts, self._names, shown_records(self.parts, self._shadowing))

    @property
    @opened_once
    def _by_name(self) -> dict[str, FederatedCollection]:
        return {info.name: info for info in self.collections}

    @property
    @opened_once
    def _by_row(self) -> CollectionsByRow:
        return CollectionsByRow(self.collections)

    @property
    @opened_once
    def _rows(self) -> Numbering:
        from kb_runtime.knowledge.composition.numbering import Numbering

        parts = self._laid_out
        return Numbering.consecutive(
            [part.own_rows for part in parts], [part.shown for part in parts]
        )

    def _is_lexical_only(self, part: Artifact) -> bool:
        """Whether the vectors of a part, if any, cannot be compared with those of queries."""
        with_encoder = self._encoder_part
        if with_encoder is None:
            return True
        if part is with_encoder:
            return False
        return _identity(part) != _identity(with_encoder)


def _check_names(parts: Sequence[Artifact]) -> None:
    """Raises `ArtifactError` for two knowledge bases of one name, which addresses could not tell apart."""
    seen: dict[str, Artifact] = {}
    for part in parts:
        name = part.manifest["name"]
        if name in seen:
            raise ArtifactError(
                "same-name",
                f"{seen[name].root} and {part.root} are both the knowledge base {name!r}.",
                "Serve only one of them, or build one under another name: `name` in its kb.toml, or without"
                " one `kbc build --name`.",
            )
        seen[name] = part


def _build_id(parts: Sequence[Artifact]) -> str:
    if len(parts) == 1:
        return parts[0].build_id
    together = " ".join(part.build_id for part in parts).encode()
    return sha256(together).hex()[:BUILD_ID_LENGTH]


def _said(part: Artifact | None, field: str) -> Any:
    return None if part is None else part.manifest[field]


def _identity(part: Artifact) -> dict[str, Any] | None:
    encoder: Mapping[str, Any] | None = part.manifest.get("encoder")
    if encoder is None:
        return None
    none = {"prompts": {"query": "", "document": ""}}  # of artifacts that do not say it
    return {name: encoder.get(name, none.get(name)) for name in _OF_VECTORS}
