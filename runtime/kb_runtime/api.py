"""The public Python API over compiled knowledge; `docs/python-api.md` shows each part of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any, Self

from kb_runtime.errors import ToolError
from kb_runtime.knowledge import hits, lookup
from kb_runtime.knowledge.artifact import Artifact, CollectionInfo
from kb_runtime.knowledge.federation import Federation
from kb_runtime.knowledge.hits import Hit
from kb_runtime.knowledge.interface import Knowledge
from kb_runtime.knowledge.lookup import Record
from kb_runtime.mcp.answers import ALL, COMPACT, Answers, answers_of
from kb_runtime.mcp.calls import offered_tool, run_tool
from kb_runtime.search.request import Mode, SearchRequest
from kb_runtime.store.signature import check_signature, read_public_key
from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools.declaration import Answer

StrPath = str | os.PathLike[str]


def open(path: StrPath, *more: StrPath, key: StrPath | None = None) -> KnowledgeBase:
    """Opens compiled knowledge for reading: several paths are searched as one.

    A path is what `kbc build` wrote: a build, the folder of a knowledge base (its live build), or a
    folder with one of these in it. With `key`, a file with a public key, builds that are not signed by
    it are refused. Raises `ArtifactError`, and `KbcError` for a file without a key.
    """
    trusted = None if key is None else partial(check_signature, key=read_public_key(key))
    with ExitStack() as opened:
        parts = []
        for each in (path, *more):
            parts.append(opened.enter_context(Artifact.open(each, trusted)))
        knowledge: Knowledge = parts[0]
        if len(parts) > 1:
            knowledge = opened.enter_context(Federation(parts))
        return KnowledgeBase(knowledge, opened.pop_all())


class KnowledgeBase:
    """Compiled knowledge, open for reading; `open` makes one. A context manager.

    It stays the build that was opened, whatever is published meanwhile. It may be used from several
    threads until it is closed.
    """

    def __init__(self, knowledge: Knowledge, opened: ExitStack) -> None:
        """Use `open`. Closing closes `opened`."""
        self._knowledge = knowledge
        self._opened = opened
        self._profiles: Sequence[Answers] = ()

    @property
    def name(self) -> str:
        name: str = self._knowledge.manifest["name"]
        return name

    @property
    def build_id(self) -> str:
        return self._knowledge.build_id

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

    def search(
        self,
        query: str | SearchRequest,
        *,
        scopes: Iterable[str] | None = None,
        limit: int = 10,
        mode: Mode = "hybrid",
        types: Iterable[str] = (),
        languages: Iterable[str] = (),
        per_record: int | None = None,
    ) -> list[Hit]:
        """The best passages, best first; none is a result too.

        `scopes` are searched together (None: the scope `all`). `mode` is `hybrid`, `lexical` or
        `semantic`. `types` (`prose`, `code`, `api`, `config`, `cmd`) and `languages` keep passages with
        one of the values. `per_record` is the most hits of one record. A `SearchRequest` in place of the
        words says all of this itself, and more. Raises `ToolError` for an unknown scope, and where no
        side of the search works.
        """
        if isinstance(query, str):
            query = SearchRequest(
                query,
                hits.collections_of(self._knowledge, scopes or ()),
                limit,
                mode,
                types=tuple(types),
                languages=tuple(languages),
                per_record=per_record,
            )
        return hits.search(self._knowledge, query).hits

    def get(self, name: str, *, collection: str | None = None) -> Record:
        """The record that an address, a path, the end of only one path, a name or an alias means.

        Raises `ToolError` with names alike in `suggestions`.
        """
        return lookup.get(self._knowledge, name, collection)

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
        """Releases the files; neither this nor what it gave may be used for more searches."""
        self._opened.close()

    def _answers(self) -> Sequence[Answers]:
        """Every tool of the artifact: those of its families, and the general ones."""
        if not self._profiles:
            self._profiles = [answers_of(self._knowledge, name) for name in (ALL, COMPACT)]
        return self._profiles

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
