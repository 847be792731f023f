"""Several artifacts behind the interface of one, with one ranking over all of them.

Only the columns of the chunks are copied. Rows, ordinals and names of collections are those of the
federation; each section translates them into the numbers of its parts.
"""

from __future__ import annotations

from bisect import bisect_right

from kb_runtime.digests import sha256
from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.federated_layout import FederatedLayout, collection_names, shown_records
from kb_runtime.knowledge.lazy_readers import LazyReaders, opened_once
from kb_runtime.knowledge.merged_manifest import merge
from kb_runtime.knowledge.models import open_sections
from kb_runtime.store.manifest import BUILD_ID_LENGTH, ManifestFields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
    from kb_runtime.knowledge.federated_chunks import FederatedChunks
    from kb_runtime.knowledge.federated_lexical import FederatedLexical
    from kb_runtime.knowledge.federated_vectors import FederatedVectors
    from kb_runtime.search.encoder import QueryEncoder
    from kb_runtime.search.ports import FacetIndex, Records
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder
    from kb_runtime.search.searcher import Searcher
    from kb_runtime.store.symbols import Symbols

    Shown = NDArray[np.bool_]

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
        with_encoder = self._encoder_part
        with_reranker = self._reranker_part
        encoder = None if with_encoder is None else with_encoder.manifest["encoder"]
        reranker = None if with_reranker is None else with_reranker.manifest["reranker"]
        return merge(
            self.parts,
            len(self.served),
            self._names,
            self.collections,
            self.build_id,
            encoder,
            reranker,
        )

    @property
    def collections(self) -> list[CollectionInfo]:
        return self._layout.collections

    def collection(self, name: str) -> CollectionInfo:
        """Raises `KeyError` for a name that no part has."""
        return self._layout.collections[self._layout.places[name].ordinal]

    def collection_of(self, row: int) -> CollectionInfo:
        """The collection whose chunk a row is."""
        layout = self._layout
        return layout.with_chunks[bisect_right(layout.first_rows, row) - 1]

    def origin(self, collection: str) -> str:
        """The knowledge base that a collection is of. Raises `KeyError`."""
        name: str = self.parts[self._layout.places[collection].part].manifest["name"]
        return name

    def built_at(self, collection: str) -> str:
        """When the build with a collection was made, which may be long before the newest. Raises
        `KeyError`."""
        part = self.parts[self._layout.places[collection].part]
        return part.built_at(collection)

    def address(self, collection: str, record_id: str) -> str:
        """The address of a record in its own knowledge base. Raises `KeyError`."""
        place = self._layout.places[collection]
        return self.parts[place.part].address(place.own.name, record_id)

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
        place = self._layout.places[name]
        catalog = self.parts[place.part].catalog(place.own.name)
        if place.shown is None and name == place.own.name:
            return catalog

        def read() -> Records:
            from kb_runtime.knowledge.part_records import PartCatalog

            kept = None if place.shown is None else place.shown.nonzero()[0].tolist()
            return PartCatalog(catalog, name, kept)

        return self._readers.get(f"catalog/{name}", read)

    def facets(self, name: str) -> FacetIndex:
        """What the records of a collection can be filtered by. Raises `KeyError` and
        `ArtifactError`."""
        place = self._layout.places[name]
        facets = self.parts[place.part].facets(place.own.name)
        shown = place.shown
        if shown is None:
            return facets

        def read() -> FacetIndex:
            from kb_runtime.knowledge.part_records import PartFacets

            return PartFacets(facets, shown.nonzero()[0], len(shown))

        return self._readers.get(f"facets/{name}", read)

    def symbols(self, name: str) -> Symbols | None:
        """The definitions and uses in a source tree, with those of hidden records: `Records.place` of
        its catalog tells. Raises `KeyError` and `ArtifactError`."""
        place = self._layout.places[name]
        return self.parts[place.part].symbols(place.own.name)

    @property
    @opened_once
    def chunks(self) -> FederatedChunks:
        from kb_runtime.knowledge.federated_chunks import ChunkPart, FederatedChunks

        layout = self._layout
        return FederatedChunks(
            [
                ChunkPart(part.chunks, rows, layout.hidden(at))
                for at, (part, rows) in enumerate(zip(self.parts, layout.rows, strict=True))
            ]
        )

    @property
    @opened_once
    def lexical(self) -> FederatedLexical:
        from kb_runtime.knowledge.federated_lexical import FederatedLexical, LexicalPart

        layout = self._layout
        return FederatedLexical(
            [
                LexicalPart(part.lexical, rows, layout.ordinals(at))
                for at, (part, rows) in enumerate(zip(self.parts, layout.rows, strict=True))
            ]
        )

    @property
    @opened_once
    def vectors(self) -> FederatedVectors:
        from kb_runtime.knowledge.federated_vectors import FederatedVectors, VectorPart
        from kb_runtime.search.vectors import EXACT_ROWS, RowRange

        layout = self._layout
        parts = []
        for at, (part, rows) in enumerate(zip(self.parts, layout.rows, strict=True)):
            settings: Mapping[str, Any] = part.manifest.get("search") or {}
            ranges = {
                info.first_row: RowRange(place.own.name, place.own.first_row, place.own.chunks)
                for info, place in layout.of_part(at)
                if info.chunks
            }
            vectors = None if self._is_lexical_only(part) else part.vectors
            exact_rows = int(settings.get("exact_rows", EXACT_ROWS))
            parts.append(VectorPart(vectors, rows, ranges, exact_rows))
        return FederatedVectors(parts)

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
    def _layout(self) -> FederatedLayout:
        shown = shown_records(self.parts, self._shadowing) if self._shadowing else {}
        return FederatedLayout(self.parts, self._names, shown)

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


def _identity(part: Artifact) -> dict[str, Any] | None:
    encoder: Mapping[str, Any] | None = part.manifest.get("encoder")
    if encoder is None:
        return None
    none = {"prompts": {"query": "", "document": ""}}  # of artifacts that do not say it
    return {name: encoder.get(name, none.get(name)) for name in _OF_VECTORS}
