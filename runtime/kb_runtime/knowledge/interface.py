"""The interface of served knowledge, which tools and searches use: one artifact, or several as one.

`Artifact` (`knowledge.artifact`) and `Federation` (`knowledge.federation.federation`) implement it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kb_runtime.search.ports import SearchBackend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
    from kb_runtime.search.encoder import QueryEncoder
    from kb_runtime.search.ports import FacetIndex
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder
    from kb_runtime.search.searcher import Searcher
    from kb_runtime.store.manifest import ManifestFields
    from kb_runtime.store.symbols import Symbols


class Knowledge(SearchBackend, Protocol):
    """Open for reading, from several threads; it stays as it is until it is closed."""

    @property
    def parts(self) -> Sequence[Artifact]:
        """The artifacts that this is made of; one is made of itself."""

    @property
    def served(self) -> Sequence[Artifact]:
        """Those of the parts that a call can ask alone: knowledge bases, not their workspaces."""

    @property
    def words_only(self) -> Sequence[Artifact]:
        """The parts whose vectors are another encoder's: their records are found by words only."""

    @property
    def manifest(self) -> ManifestFields: ...
    @property
    def build_id(self) -> str: ...
    @property
    def collections(self) -> Sequence[CollectionInfo]: ...
    @property
    def encoder(self) -> QueryEncoder | None: ...
    @property
    def reranker(self) -> CrossEncoder | None: ...
    @property
    def searcher(self) -> Searcher: ...
    def facets(self, name: str) -> FacetIndex: ...
    def symbols(self, name: str) -> Symbols | None: ...
    def collection(self, name: str) -> CollectionInfo: ...
    def collection_of(self, row: int) -> CollectionInfo: ...

    def origin(self, collection: str) -> str:
        """The knowledge base that a collection is of. Raises `KeyError` for an unknown one."""

    def built_at(self, collection: str) -> str:
        """When the build with a collection was made, ISO 8601. Raises `KeyError` for an unknown one."""

    def address(self, collection: str, record_id: str) -> str:
        """The `kb://` address of a record. Raises `KeyError` for an unknown collection."""

    def addressed(self, kb: str, collection: str) -> Sequence[str]:
        """The collections that an address means, by their names here; where there are several, a
        record is in the first that has its id."""

    def check_sizes(self) -> None:
        """Compares the size of every file with the manifest's. Raises `ArtifactError`."""

    @property
    def is_replaced(self) -> bool:
        """Whether a newer build is published."""

    def prepare(self) -> None: ...
    def close(self) -> None: ...
