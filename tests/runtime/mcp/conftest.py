"""A small published artifact with real tools.json, and a dispatcher over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.small_artifact import small_fields, write_small

from kb_runtime.live.versions import LiveArtifact
from kb_runtime.mcp.dispatch import Dispatcher
from kbc.backends.tools import CollectionSummary, ServerFacts, write_tools_json
from kbc.linking import linker
from kbc.linking.linker import Staging

PAGE = "# Maps\n\nA map has keys.\n\n## Access\n\nUse get.\n"
RECORDS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "builtins": [
        {
            "id": f"op{number}",
            "name": f"op{number}",
            "title": f"op{number}",
            "path": "docs/builtin.md",
            "text": f"## op{number}\n\nDoes {number}.\n",
            "line": 10 * number + 1,
            "signature": f"pure def op{number}: int",
            "description": f"Does {number}.",
            "category": "integer",
        }
        for number in range(130)
    ],
    "docs": [
        {
            "id": "docs/maps & sets.md",
            "title": "Maps",
            "path": "docs/maps & sets.md",
            "text": PAGE,
            "content": PAGE,
            "format": "markdown",
            "group": "core",
            "filename": "maps & sets.md",
            "sections": [
                {"title": "Maps", "level": 1, "line": 1, "end_line": 7, "anchor": "maps"},
                {"title": "Access", "level": 2, "line": 5, "end_line": 7, "anchor": "access"},
            ],
        }
    ],
}


class Corpus:
    """Publishes `RECORDS` as the knowledge base `small`, again under another version on request."""

    def __init__(self, folder: Path) -> None:
        self._out = folder

    @property
    def records(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return RECORDS

    @property
    def path(self) -> Path:
        return self._out / "small"

    def publish(self, version: str = "1", **changes: Sequence[Mapping[str, Any]]) -> str:
        """`changes` are other records, by collection."""
        contents = {**RECORDS, **changes}
        identity = linker.build_id([version, repr(changes)], {}, {})
        with Staging(self._out, "small", identity) as staging:
            write_small(staging.folder, contents)
            write_tools_json(
                staging.folder / "tools.json",
                ServerFacts(
                    name="small",
                    title="Small KB",
                    version=version,
                    prefix="small",
                    description="For tests.",
                    built_at="2026-01-01T00:00:00Z",
                    build_id=identity,
                    collections=[
                        CollectionSummary(name, name, len(records))
                        for name, records in contents.items()
                    ],
                ),
            )
            fields = small_fields(
                contents, title="Small KB", version=version, description="For tests.", search={}
            )
            staging.publish(fields, None, keep=3)
        return identity


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    corpus = Corpus(tmp_path / "out")
    corpus.publish()
    return corpus


@pytest.fixture
def dispatch(corpus: Corpus) -> Iterator[Callable[..., Dispatcher]]:
    """`dispatch(profile)`: a dispatcher over the small artifact."""
    opened: list[LiveArtifact] = []

    def make(profile: str = "all") -> Dispatcher:
        live = LiveArtifact(corpus.path)
        opened.append(live)
        return Dispatcher(live, profile)

    yield make
    for live in opened:
        live.close()


@pytest.fixture
def dispatcher(dispatch: Callable[..., Dispatcher]) -> Dispatcher:
    return dispatch()
