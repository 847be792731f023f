"""An open artifact: sections are verified on first use, then mapped and shared.

Opening reads the manifest and compares file sizes, nothing else. The files of a section are hashed
right before a reader maps them, because native readers crash on damaged files or return wrong results.
"""

from __future__ import annotations

import os
import sys
import time
from bisect import bisect_right

from kb_runtime.errors import ArtifactError
from kb_runtime.knowledge.lazy_readers import LazyReaders, opened_once
from kb_runtime.store.integrity import REBUILD, unreadable
from kb_runtime.store.location import Location, locate
from kb_runtime.store.locks import try_share
from kb_runtime.store.manifest import CURRENT, MANIFEST, Manifest, load
from kb_runtime.text.addresses import format_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kb_runtime.knowledge.composition.numbering import Numbering
    from kb_runtime.knowledge.sharding.records import ShardedCatalog, ShardedChunks
    from kb_runtime.knowledge.sharding.vectors import ShardedVectors
    from kb_runtime.search.encoder import QueryEncoder
    from kb_runtime.search.lexical import LexicalIndex
    from kb_runtime.search.ranking.cross_encoder import CrossEncoder
    from kb_runtime.search.searcher import Searcher
    from kb_runtime.search.vectors import VectorIndex
    from kb_runtime.store.catalog import Catalog, ChunkTable
    from kb_runtime.store.facets import Facets
    from kb_runtime.store.manifest import Check
    from kb_runtime.store.symbols import Symbols

_ATTEMPTS = 5
_PAUSE_S = 0.01
"""A version can be pruned between reading CURRENT and opening it; CURRENT then names a newer one."""


class CollectionInfo:
    """A collection as the manifest describes it; its chunks are rows `first_row` and following."""

    def __init__(
        self,
        name: str,
        kind: str,
        records: int,
        chunks: int,
        first_row: int,
        group: str = "",
        url: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.group = group
        self.url = url
        self.records = records
        self.chunks = chunks
        self.first_row = first_row
        self.rows = range(first_row, first_row + chunks)


class CollectionsByRow:
    """Finds the collection whose chunk a row is."""

    def __init__(self, collections: Sequence[CollectionInfo]) -> None:
        with_chunks = [info for info in collections if info.chunks]
        self._infos = sorted(with_chunks, key=lambda info: info.first_row)
        self._first_rows = [info.first_row for info in self._infos]

    def of(self, row: int) -> CollectionInfo:
        return self._infos[bisect_right(self._first_rows, row) - 1]


class Artifact:
    """A build, open for reading. Safe to use from several threads until `close`."""

    scanned_files = 0  # of a source tree that is searched by reading them: it has no index yet

    def __init__(self, manifest: Manifest, lease: int) -> None:
        """Use `Artifact.open`. `lease` is a file descriptor that keeps the build from being pruned."""
        self.manifest = manifest
        self.root = manifest.folder
        self.build_id = manifest.build_id
        self.collections = _collections(manifest)
        self._by_name = {info.name: info for info in self.collections}
        self._by_row = CollectionsByRow(self.collections)
        self._shards: Sequence[Mapping[str, Any]] = manifest.get("shards") or ()
        self._places = [f"shards/{one['build_id']}/" for one in self._shards] or [""]
        self._lease = lease
        self._readers = LazyReaders()

    @classmethod
    def open(cls, path: str | os.PathLike[str], check: Check | None = None) -> Artifact:
        """Opens what `path` stands for: a build, a knowledge base (its live build), or the folder
        that holds one. `check` may refuse it. Raises `ArtifactError`."""
        return cls.open_location(locate(path), check)

    @classmethod
    def open_location(cls, location: Location, check: Check | None = None) -> Artifact:
        if sys.byteorder != "little":  # arrays are read in place
            raise ArtifactError(
                "unreadable", "Artifacts are little-endian, and this machine is big-endian."
            )
        for attempt in range(_ATTEMPTS):
            try:
                folder = location.build_folder()
                lease = _lease(folder)
                break
            except ArtifactError as error:
                if error.code != "missing" or attempt == _ATTEMPTS - 1:
                    raise
                time.sleep(_PAUSE_S)
        try:
            manifest = load(folder, check)
            manifest.check_sizes()
            return cls(manifest, lease)
        except BaseException:
            os.close(lease)
            raise

    def collection(self, name: str) -> CollectionInfo:
        """Raises `KeyError` for a name that the artifact does not have."""
        return self._by_name[name]

    def collection_of(self, row: int) -> CollectionInfo:
        """The collection whose chunk a row is."""
        return self._by_row.of(row)

    @property
    def parts(self) -> Sequence[Artifact]:
        """What this is made of: itself. A federation has several."""
        return (self,)

    @property
    def served(self) -> Sequence[Artifact]:
        """Those of the parts that a call can ask alone."""
        return (self,)

    @property
    def words_only(self) -> Sequence[Artifact]:
        """The parts whose vectors cannot be compared with a query's: none."""
        return ()

    def origin(self, collection: str) -> str:
        """The knowledge base that a collection is of: this one."""
        del collection
        name: str = self.manifest["name"]
        return name

    def built_at(self, collection: str) -> str:
        """When the build with a collection was made: this build, ISO 8601."""
        del collection
        time: str = self.manifest["built_at"]
        return time

    def address(self, collection: str, record_id: str) -> str:
        """The `kb://` address of a record. Raises `KeyError` for an unknown collection."""
        name: str = self.manifest["name"]
        return format_address(name, self._by_name[collection].name, record_id)

    def addressed(self, kb: str, collection: str) -> Sequence[str]:
        """The collection that an address means, by its name here; none when it is not of here."""
        return [collection] if kb == self.manifest["name"] and collection in self._by_name else []

    @opened_once
    def catalog(self, name: str) -> Catalog | ShardedCatalog:
        """The records of a collection. Raises `KeyError` and `ArtifactError`."""
        from kb_runtime.store.catalog import Catalog

        info = self._by_name[name]
        folders = [f"{place}catalog" for place in self._places]
        ends = ("bin", "off", "keys")
        catalogs = self.manifest.open_checked(
            [f"{folder}/{name}.{end}" for folder in folders for end in ends],
            lambda: [Catalog(self.manifest.path(folder), name) for folder in folders],
        )
        catalog: Catalog | ShardedCatalog = catalogs[0]
        if self._shards:
            from kb_runtime.knowledge.sharding.records import ShardedCatalog

            sizes = [one["records"][name] for one in self._shards]
            catalog = ShardedCatalog(catalogs, self._order(f"catalog/{name}.u16", sizes))
        if len(catalog) != info.records:
            raise _miscounted(self.root, name, len(catalog), info.records)
        return catalog

    @opened_once
    def facets(self, name: str) -> Facets:
        """What the records of a collection can be filtered by. Raises `KeyError` and `ArtifactError`;
        kinds without filters have none."""
        from kb_runtime.store.facets import SUFFIX, Facets

        info = self._by_name[name]
        return self.manifest.open_checked(
            [f"catalog/{info.name}{SUFFIX}"],
            lambda: Facets(os.path.join(self.root, "catalog"), info.name),
        )

    @opened_once
    def symbols(self, name: str) -> Symbols | None:
        """The definitions and uses in a source tree; None where they were not compiled. Raises
        `KeyError` and `ArtifactError`."""
        from kb_runtime.store.symbols import SUFFIX, Symbols

        info = self._by_name[name]
        if f"catalog/{name}{SUFFIX}" not in self.manifest.files:
            return None
        symbols = self.manifest.open_checked(
            [f"catalog/{name}{SUFFIX}"],
            lambda: Symbols(os.path.join(self.root, "catalog"), name),
        )
        if symbols.files != info.records:
            raise _miscounted(self.root, f"{name}{SUFFIX}", symbols.files, info.records)
        return symbols

    @property
    @opened_once
    def chunks(self) -> ChunkTable | ShardedChunks:
        from kb_runtime.store.catalog import ChunkTable

        stems = [f"{place}catalog/chunks" for place in self._places]
        files = [f"{stem}.{end}" for stem in stems for end in ("bin", "off")]

        def table() -> ChunkTable | ShardedChunks:
            if not self._shards:
                return ChunkTable(self.root)
            from kb_runtime.knowledge.sharding.records import ShardedChunks

            return ShardedChunks(self.root, list(map(self.manifest.path, stems)), self._rows)

        found = self.manifest.open_checked([*files, *self.manifest.section("columns/")], table)
        expected = sum(info.chunks for info in self.collections)
        if len(found) != expected:
            raise _miscounted(self.root, "chunks", len(found), expected)
        return found

    @property
    @opened_once
    def lexical(self) -> LexicalIndex:
        from kb_runtime.search.lexical import LexicalIndex
        from kb_runtime.search.request import languages_of

        languages = languages_of(self.manifest.get("search"))
        folders = [self.manifest.path(f"{place}lexical") for place in self._places]

        def index() -> LexicalIndex:
            if not self._shards:
                return LexicalIndex(folders[0], languages)
            from kb_runtime.knowledge.sharding.lexical import ShardedLexical

            return ShardedLexical(folders, self._rows, languages)

        return self.manifest.open_checked(self.files_of("lexical/"), index)

    @property
    @opened_once
    def vectors(self) -> VectorIndex | ShardedVectors:
        from kb_runtime.search.vectors import EXACT_ROWS, GRAPH_SUFFIX, ROWS_FILE, VectorIndex
        from kb_runtime.store.rounded_rows import COARSE_FILE

        # A graph is mapped only for a collection above the size of the exact scan.
        exact_rows = (self.manifest.get("search") or {}).get("exact_rows", EXACT_ROWS)
        dimensions = (self.manifest.get("encoder") or {}).get("dimensions", 0)
        graphs = {
            info.name: (info.chunks, dimensions)
            for info in self.collections
            if info.chunks > exact_rows and not self._shards
        }
        names = [ROWS_FILE, *(f"{name}{GRAPH_SUFFIX}" for name in graphs)]
        files = [f"{place}vectors/{name}" for place in self._places for name in names]
        coarse = [f"{place}vectors/{COARSE_FILE}" for place in self._places]
        files += [path for path in coarse if path in self.manifest.files]

        def index() -> VectorIndex | ShardedVectors:
            folders = [self.manifest.path(f"{place}vectors") for place in self._places]
            if not self._shards:
                return VectorIndex(folders[0], graphs)
            from kb_runtime.knowledge.sharding.vectors import ShardedVectors

            return ShardedVectors([VectorIndex(folder) for folder in folders], self._rows)

        return self.manifest.open_checked(files, index)

    def files_of(self, section: str) -> list[str]:
        """The listed files of a section such as `lexical/`, of every shard where there are shards."""
        return [path for place in self._places for path in self.manifest.section(place + section)]

    def _order(self, path: str, sizes: Sequence[int]) -> Numbering:
        from kb_runtime.knowledge.sharding.order import read_order

        return self.manifest.open_checked(
            [path], lambda: read_order(self.manifest.path(path), sizes)
        )

    @property
    @opened_once
    def _rows(self) -> Numbering:
        """The shard of each row."""
        from kb_runtime.knowledge.sharding.order import ROWS

        return self._order(ROWS, [sum(one["chunks"].values()) for one in self._shards])

    @property
    @opened_once
    def encoder(self) -> QueryEncoder | None:
        """The query encoder; None in an artifact that was built without one."""
        if self.manifest.get("encoder") is None:
            return None
        from kb_runtime.knowledge.models import open_encoder

        return open_encoder(self.manifest)

    @property
    @opened_once
    def reranker(self) -> CrossEncoder | None:
        """The cross-encoder; None in an artifact that was built without one."""
        if self.manifest.get("reranker") is None:
            return None
        from kb_runtime.knowledge.models import open_reranker

        return open_reranker(self.manifest)

    @property
    @opened_once
    def searcher(self) -> Searcher:
        from kb_runtime.search.searcher import Searcher

        return Searcher(self)

    def check_sizes(self) -> None:
        """Compares the size of every file with the manifest's. Raises `ArtifactError`."""
        self.manifest.check_sizes()

    @property
    def is_replaced(self) -> bool:
        """Whether CURRENT, beside the build, names another one."""
        try:
            with open(os.path.join(os.path.dirname(self.root), CURRENT), "rb") as file:
                return file.read(64).decode("ascii", "replace").strip() != self.build_id
        except OSError:  # a build that is served by itself
            return False

    def adopt_encoder(self, other: Artifact) -> None:
        """Takes over the encoder that `other` has loaded, where it is the same to the byte: loading
        it is most of what opening an artifact costs."""
        encoder = other._readers.known("encoder")
        if encoder is not None and self._encoder_files() == other._encoder_files():
            self._readers.adopt("encoder", encoder)

    def _encoder_files(self) -> dict[str, tuple[int, str]]:
        return {path: self.manifest.files[path] for path in self.manifest.section("encoder/")}

    def read(self, relative: str) -> bytes:
        """The checked content of a listed small file, such as `tools.json`. Raises
        `ArtifactError`."""
        return self.manifest.read(relative)

    def prepare(self) -> None:
        """Opens every section; see `models.open_sections`."""
        from kb_runtime.knowledge.models import open_sections

        open_sections(self)

    def close(self) -> None:
        """Releases maps and the lease; nothing may use the artifact any more."""
        self._readers.close()
        lease, self._lease = self._lease, -1
        if lease >= 0:
            os.close(lease)

    def __enter__(self) -> Artifact:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lease(folder: str) -> int:
    """A descriptor of the manifest under a shared lock; whoever prunes builds leaves this one.

    Raises `ArtifactError`, `missing` when the build is being removed.
    """
    path = os.path.join(folder, MANIFEST)
    try:
        lease = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise _removed(folder) from None
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        if try_share(lease) and os.path.samestat(os.fstat(lease), os.stat(path)):
            return lease
    except FileNotFoundError:
        pass
    except OSError:  # a file system without locks, where no build is pruned
        return lease
    os.close(lease)
    raise _removed(folder)


def _collections(manifest: Manifest) -> list[CollectionInfo]:
    return [
        CollectionInfo(
            entry["name"],
            entry["kind"],
            entry["records"],
            entry["chunks"],
            entry["first_row"],
            entry.get("group", ""),
            entry.get("url", ""),
        )
        for entry in manifest["collections"]
    ]


def _removed(folder: str) -> ArtifactError:
    return ArtifactError("missing", f"The build in {folder} has just been removed.")


def _miscounted(root: str, name: str, found: int, expected: int) -> ArtifactError:
    return ArtifactError(
        "altered",
        f"The artifact in {root} holds {found} entries in {name} where its manifest says {expected}.",
        REBUILD,
    )
