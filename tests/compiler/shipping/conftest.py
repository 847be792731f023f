"""A small artifact with the answers of a server: what every target of shipping reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kb_runtime.knowledge.artifact import Artifact
from kbc.backends.tools import CollectionSummary, ServerFacts, write_tools_json
from kbc.linking.linker import Published

Ship = Callable[..., Artifact]


def write_parts(folder: Path) -> None:
    """What a build writes beside its sections."""
    collections = [
        CollectionSummary("builtins", "builtins", 2),
        CollectionSummary("docs", "docs", 1),
    ]
    facts = ServerFacts(
        name="small",
        title="Small",
        version="1",
        prefix="small",
        description="All about sets.",
        built_at="2026-01-01T00:00:00Z",
        build_id="",
        collections=collections,
    )
    write_tools_json(folder / "tools.json", facts)
    (folder / "NOTICE").write_text("Small 1\n")
    (folder / "licenses" / "knowledge-base").mkdir(parents=True)
    (folder / "licenses" / "knowledge-base" / "LICENSE").write_text("Do what you like.\n")


@pytest.fixture
def ship(publish: Callable[..., Published]) -> Iterator[Ship]:
    """`ship(**manifest_fields)`: an open artifact."""
    opened: list[Artifact] = []

    def run(*entries: Any, **changes: Any) -> Artifact:
        published = publish(*entries, more_sections=write_parts, **changes)
        opened.append(Artifact.open(published.path.parent))
        return opened[-1]

    yield run
    for artifact in opened:
        artifact.close()
