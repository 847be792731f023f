"""Source trees compiled for a test, and what a search finds in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.search.request import SearchRequest
from kbc.pipeline.build import BuildOptions, build


def compiled(
    kb: Path, settings: str = "", *, files: Mapping[str, str], embed: bool = True
) -> Artifact:
    for path, text in files.items():
        (kb / "code" / path).parent.mkdir(parents=True, exist_ok=True)
        (kb / "code" / path).write_text(text, encoding="utf-8")
    (kb / "kb.toml").write_text(
        '[kb]\nname = "tree"\n\n[[collection]]\nname = "code"\nkind = "code"\npaths = ["code"]\n'
        + settings,
        encoding="utf-8",
    )
    return Artifact.open(build(kb, BuildOptions(out=kb / "out", embed=embed)).path)


def found(tree: Artifact, query: str, limit: int = 10) -> list[str]:
    hits = tree.searcher.search(SearchRequest(query, limit=limit)).hits
    return [tree.catalog(hit.collection).id(hit.record) for hit in hits]


def changed(tree: Artifact, query: str) -> dict[str, set[str]]:
    """The steps that changed the score of a passage, by record."""
    steps_of: dict[str, set[str]] = {}
    for hit in tree.searcher.search(SearchRequest(query, limit=50)).hits:
        record = tree.catalog(hit.collection).id(hit.record)
        steps_of.setdefault(record, set()).update(step for step, _ in hit.adjustments)
    return steps_of


def demoted(tree: Artifact, query: str) -> set[str]:
    return {record for record, steps in changed(tree, query).items() if "demotion" in steps}
