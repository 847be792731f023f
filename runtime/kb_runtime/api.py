"""The public Python API over compiled knowledge; `docs/python-api.md` shows each part of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Self, get_args

from kb_runtime.errors import ArtifactError, ToolError
from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.knowledge.examination import comparison
from kb_runtime.knowledge.examination.comparison import Diff
from kb_runtime.knowledge.federation.federation import Federation
from kb_runtime.knowledge.interface import Knowledge
from kb_runtime.knowledge.reading import hits, lookup, passages
from kb_runtime.knowledge.reading.hits import Hit
from kb_runtime.knowledge.reading.lookup import Place, Record
from kb_runtime.knowledge.reading.passages import Chunk, Term
from kb_runtime.mcp.answers import ALL, COMPACT, DEFAULT, Answers, answers_of
from kb_runtime.mcp.calls import offered_tool, run_tool
from kb_runtime.search.request import Mode, SearchRequest
from kb_runtime.store.catalog import CHUNK_TYPES
from kb_runtime.store.location import locate
from kb_runtime.store.manifest import is_build_id
from kb_runtime.store.signature import check_signature, read_public_key
from kb_runtime.text.globs import PathGlobs
from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.session import DATA_FOLDER

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

StrPath = str | os.PathLike[str]


def open(
    path: StrPath,
    *more: StrPath,
    key: StrPath | None = None,
    data: StrPath = DATA_FOLDER,
    read_only: bool = False,
) -> KnowledgeBase:
    """Opens compiled knowledge for reading: several paths are searched as one.

    A path is what `kbc build` wrote: a build, the folder of a knowledge base (its live build), or a
    folder with one of these in it. With `key`, a file with a public key, builds that are not signed by
    it are refused. `data` is the folder whose files the tool `ingest_tests` may read and check; with
    `read_only` it reads none. Raises `ArtifactError`, and `KbcError` for a file without a key.
    """
    trusted = None if key is None else partial(check_signature, key=read_public_key(key))
    with ExitStack() as opened:
        parts = []
        for each in (path, *more):
            parts.append(opened.enter_context(Artifact.open(each, trusted)))
        knowledge: Knowledge = parts[0]
        if len(parts) > 1:
            knowledge = opened.enter_context(Federation(parts))
        return KnowledgeBase(knowledge, opened.pop_all(), os.fspath(data), read_only=read_only)


def builds(path: StrPath) -> list[str]:
    """The folders of the builds of a knowledge base that are on disk, the live one first, then from
    the newest file to the oldest; of a path that is one build, that one. Raises `ArtifactError`."""
    location = locate(path)
    live = location.build_folder()
    if not location.kb_folder:
        return [live]
    others = [
        os.path.join(location.kb_folder, name)
        for name in os.listdir(location.kb_folder)
        if is_build_id(name) and name != os.path.basename(live)
    ]
    try:
        others.sort(key=os.path.getmtime, reverse=True)
    except OSError:  # one was pruned meanwhile
        others = [each for each in others if os.path.isdir(each)]
    return [live, *others]


class KnowledgeBase:
    """Compiled knowledge, open for reading; `open` makes one. A context manager.

    It stays the build that was opened, whatever is published meanwhile. It may be used from several
    threads until it is closed.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        opened: ExitStack,
        data_folder: str = DATA_FOLDER,
        *,
        read_only: bool = False,
    ) -> None:
        """Use `open`. Closing closes `opened`."""
        self._readable: Knowledge | None = knowledge
        self._opened = opened
        self._data_folder = data_folder
        self._read_only = read_only
        self._profiles: Sequence[Answers] = ()
        self._count_tokens: Callable[[str], int] | None = None

    @property
    def _knowledge(self) -> Knowledge:
        """Raises `ArtifactError` after `close`: what is mapped then may be gone at any time."""
        if self._readable is None:
            raise ArtifactError("closed", "This knowledge base is closed.", "Open it again.")
        return self._readable

    @property
    def name(self) -> str:
        name: str = self._knowledge.manifest["name"]
        return name

    @property
    def build_id(self) -> str:
        return self._knowledge.build_id

    @property
    def path(self) -> str:
        """The folder of the build; of the first one, where several are open."""
        return self._knowledge.parts[0].root

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What the build says of itself; `docs/format.md` has the fields."""
        return self._knowledge.manifest.as_dict()

    @property
    def inputs(self) -> list[Mapping[str, Any]]:
        """The files that were compiled, each with `path`, `bytes` and `sha256`. Raises
        `ArtifactError`."""
        return [each for part in self._knowledge.parts for each in part.manifest.inputs()]

    @property
    def is_replaced(self) -> bool:
        """Whether a newer build is live meanwhile."""
        return self._knowledge.is_replaced

    @property
    def collections(self) -> tuple[CollectionInfo, ...]:
        """Each with `name`, `kind`, and the number of `records` and `chunks`."""
        return tuple(self._knowledge.collections)

    @property
    def scopes(self) -> Mapping[str, Sequence[str]]:
        """The scopes that `search` knows, each with its collections."""
        scopes: dict[str, list[str]] = self._knowledge.manifest["scopes"]
        return scopes

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the MCP tools that `call_tool` knows."""
        return tuple(name for answers in self._answers() for name in answers.declared_names)

    @property
    def offered_tools(self) -> tuple[str, ...]:
        """The names of those that a server offers unless it is told otherwise with `--tools`."""
        return tuple(answers_of(self._knowledge, DEFAULT).declared_names)

    @property
    def tool_definitions(self) -> tuple[Mapping[str, Any], ...]:
        """The tools as `tools/list` has them: `name`, `description`, `inputSchema` ..."""
        return tuple(tool for answers in self._answers() for tool in answers.tools["tools"])

    def search(
        self,
        query: str | SearchRequest,
        *,
        scopes: Iterable[str] | None = None,
        limit: int = 10,
        mode: Mode = "hybrid",
        types: Iterable[str] = (),
        languages: Iterable[str] = (),
        paths: Iterable[str] = (),
        per_record: int | None = None,
        rerank: bool | None = None,
    ) -> list[Hit]:
        """The best passages, best first; none is a result too.

        `scopes` are searched together (None: everything). `mode` is `hybrid`, `lexical` or
        `semantic`. `types` (`prose`, `code`, `api`, `config`, `cmd`) and `languages` keep passages with
        one of the values, `paths` those of records whose ids one of the globs matches (see `rows_of`).
        `per_record` is the most hits of one record. `rerank` re-scores the best hits
        with the artifact's cross-encoder (None: as the knowledge base says). A `SearchRequest` in place of
        the words says all of this itself, and more. Raises `ToolError` for an unknown scope, collection,
        mode or type, where no side of the search works, and for `rerank` where there is no re-ranker.
        """
        if isinstance(query, str):
            values = {"scopes": scopes, "types": types, "languages": languages, "paths": paths}
            for argument, value in values.items():
                if isinstance(value, str):
                    raise ToolError("BAD_INPUT", f"{argument} must be a list, not {quoted(value)}")
            paths, names = tuple(paths), tuple(scopes or ())
            query = SearchRequest(
                query,
                hits.collections_of(self._knowledge, names) if names else None,
                limit,
                mode,
                types=tuple(types),
                languages=tuple(languages),
                rows=self.rows_of(paths) if paths else None,
                per_record=per_record,
                rerank=rerank,
            )
        elif not isinstance(query, SearchRequest):
            raise ToolError("BAD_INPUT", f"query must be text, not {quoted(query)}")
        else:
            for name in query.collections or ():
                lookup.named_collection(self._knowledge, name)
        hits.require_known("mode", (query.mode,), get_args(Mode))
        hits.require_known("type", [each.lower() for each in query.types], CHUNK_TYPES)
        return hits.search(self._knowledge, query).hits

    def rows_of(self, paths: Iterable[str]) -> tuple[range, ...]:
        """The rows of the records whose ids one of the globs matches, ascending: for
        `SearchRequest.rows`.

        `*` stays in a folder and `**` does not, `{a,b}` chooses, a pattern without a slash matches names
        in any folder, and a folder's name everything in it. Raises `ToolError` for a pattern that is no
        relative path.
        """
        globs = PathGlobs(paths, argument="paths")
        return tuple(lookup.rows_of_paths(self._knowledge, self.collections, globs))

    def get(self, name: str, *, collection: str | None = None) -> Record:
        """The record that an address, a path, the end of only one path, a name or an alias means; otherwise
        one that describes or defines an object of that name, in its `lines`.

        Raises `ToolError` with names alike in `suggestions`.
        """
        return lookup.get(self._knowledge, name, collection)

    def records(self, collection: str | None = None) -> Iterator[Record]:
        """Every record, or those of one collection, in the order of the build. Raises `ToolError`."""
        infos = [lookup.named_collection(self._knowledge, collection)] if collection else None
        for info in infos or self.collections:
            for position in range(info.records):
                yield lookup.record_at(self._knowledge, Place(info, position))

    def chunks(self, name: str, *, collection: str | None = None) -> list[Chunk]:
        """The chunks of a record, which `name` means as for `get`. Raises `ToolError`."""
        place = lookup.find(self._knowledge, name, collection)[0]
        return passages.chunks_of(self._knowledge, place)

    def chunk(self, row: int) -> Chunk:
        """The chunk of a row, from 0 to the number of all chunks. Raises `IndexError`."""
        return passages.chunk_at(self._knowledge, row)

    def neighbours(self, row: int, limit: int = 5) -> list[tuple[Chunk, float]]:
        """The chunks nearest in meaning to that of a row, with their cosines; none without vectors.
        Raises `IndexError`."""
        return passages.neighbours(self._knowledge, row, limit)

    def terms(self, text: str) -> list[Term]:
        """The terms that a text is indexed by, those first that say most here."""
        return passages.terms(self._knowledge, text)

    def vectors(self, rows: range | None = None) -> NDArray[np.float32]:
        """The vectors of all chunks, or of those of `rows`: float32 [chunks, dimensions], rows as in
        `chunk`; a copy. Without an encoder `dimensions` is 0."""
        return passages.vectors(self._knowledge, rows)

    def encode(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a query, float32 [dimensions], of norm 1; None without an encoder."""
        encoder = self._knowledge.encoder
        return None if encoder is None else encoder.encode(text)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, as the artifact's own tokenizer counts them: other models count a tenth
        more or less. Without an encoder, words."""
        if self._count_tokens is None:
            self._count_tokens = passages.token_counter(self._knowledge)
        return self._count_tokens(text)

    def compare(self, other: KnowledgeBase) -> Diff:
        """What differs from this build to `other`, record by record. Both must be one artifact each:
        raises `ArtifactError`."""
        old, new = self._knowledge, other._knowledge
        if not isinstance(old, Artifact) or not isinstance(new, Artifact):
            raise ArtifactError("several", "Only one artifact can be compared with another one.")
        return comparison.compare(old, new)

    def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None) -> Answer[Any]:
        """The answer of an MCP tool: `text`, and `structured` where the tool has both.

        Raises `ToolError` for an unknown tool, for arguments that it refuses, and where it fails.
        """
        for answers in self._answers():
            tool = offered_tool(answers, self._knowledge, name)
            if tool is not None:
                return run_tool(tool, answers, self._knowledge, arguments)
        raise ToolError(
            "NOT_FOUND",
            f"there is no tool {quoted(name)}",
            suggestions=suggest(name, self.tools),
        )

    def close(self) -> None:
        """Releases the files. Other calls then raise `ArtifactError`; closing again does nothing."""
        self._readable = None
        self._opened.close()

    def _answers(self) -> Sequence[Answers]:
        """Every tool of the artifact: those of its families, and the general ones."""
        if not self._profiles:
            profiles = [
                answers_of(self._knowledge, name, self._data_folder) for name in (ALL, COMPACT)
            ]
            for answers in profiles:
                answers.read_only = self._read_only
            self._profiles = profiles  # complete: other threads may already use it
        return self._profiles

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
