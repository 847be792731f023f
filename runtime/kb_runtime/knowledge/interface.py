"""What tools and searches need of the knowledge that is served: one artifact, or several as one.

`kb_runtime.knowledge.artifact.Artifact` and `kb_runtime.knowledge.federation.Federation` are this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
    from kb_runtime.search.analysis import Analyzer
    from kb_runtime.search.encoder import QueryEncoder
    from kb_runtime.search.lexical import LexicalHits
    from kb_runtime.search.query import Query
    from kb_runtime.search.searcher import Searcher
    from kb_runtime.search.vectors import RowRange, VectorHits
    from kb_runtime.store.facets import Facet, Mask, RowFilter

    Floats = NDArray[np.float32]


class Fields(Protocol):
    """The fields of a manifest; see `docs/format.md`."""

    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: object) -> bool: ...
    def get(self, name: str, default: Any = None) -> Any: ...
    def as_dict(self) -> dict[str, Any]: ...


class Records(Protocol):
    """The records of a collection; see `catalog.Catalog`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def id(self, index: int) -> str: ...
    def ids(self) -> Sequence[str]: ...
    def names(self) -> list[tuple[str, int]]: ...
    def find(self, key: str) -> int | None: ...
    def find_folded(self, key: str) -> int | None: ...
    def find_all(self, key: str) -> list[int]: ...


class FacetIndex(Protocol):
    """What the records of a collection can be filtered by; see `facets.Facets`."""

    def values(self, name: str) -> Iterator[tuple[str, int]]: ...
    def count(self, name: str, value: str) -> int: ...
    def records(self, facets: Iterable[Facet], total: int) -> Mask: ...
    def records_matching(self, name: str, patterns: Iterable[str], total: int) -> Mask: ...
    def matching(self, name: str, pattern: str) -> list[str]: ...
    def count_matching(self, name: str, pattern: str) -> int: ...
    def near(self, name: str, value: str, limit: int) -> list[str]: ...


class Chunks(Protocol):
    """All chunks in row order; see `catalog.ChunkTable`."""

    def __len__(self) -> int: ...
    def __getitem__(self, row: int) -> dict[str, Any]: ...
    def column(self, name: str) -> memoryview: ...
    def labels(self, name: str) -> Sequence[str]: ...
    def rows_of(self, record: int, rows: range) -> range: ...


class Words(Protocol):
    """The lexical side; see `lexical.LexicalIndex`."""

    @property
    def analyzer(self) -> Analyzer: ...
    def search(
        self,
        query: Query,
        limit: int,
        scopes: Collection[int] | None = None,
        types: Collection[str] = (),
        languages: Collection[str] = (),
        boosts: Mapping[str, float] | None = None,
        ranges: Sequence[range] | None = None,
        filter: RowFilter | None = None,
    ) -> LexicalHits: ...
    def document_frequency(self, term: str) -> int: ...
    def names_something(self, term: str) -> bool: ...
    def information(self, stem: str) -> float: ...


class Meanings(Protocol):
    """The semantic side; see `vectors.VectorIndex`."""

    def search(
        self,
        vector: Floats,
        ranges: Sequence[RowRange],
        limit: int,
        mask: Mask | None = None,
        exact_rows: int = ...,
    ) -> VectorHits: ...
    def vector(self, row: int, dimensions: int) -> Floats: ...
    def cosines(self, vector: Floats, rows: Sequence[int]) -> Floats: ...
    def gather(self, rows: Sequence[int], dimensions: int) -> Floats: ...
    def absent(self, rows: Sequence[int]) -> Sequence[int]: ...


class Knowledge(Protocol):
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
    def manifest(self) -> Fields: ...
    @property
    def build_id(self) -> str: ...
    @property
    def collections(self) -> Sequence[CollectionInfo]: ...
    @property
    def chunks(self) -> Chunks: ...
    @property
    def lexical(self) -> Words: ...
    @property
    def vectors(self) -> Meanings: ...
    @property
    def encoder(self) -> QueryEncoder | None: ...
    @property
    def searcher(self) -> Searcher: ...
    def catalog(self, name: str) -> Records: ...
    def facets(self, name: str) -> FacetIndex: ...
    def collection(self, name: str) -> CollectionInfo: ...
    def collection_of(self, row: int) -> CollectionInfo: ...

    def origin(self, collection: str) -> str:
        """The knowledge base that a collection is of. Raises `KeyError` for an unknown one."""

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
