"""What a server of source trees alone serves before their first index: their files, or nothing yet."""

from __future__ import annotations

import json
import os

from kb_runtime.knowledge.unindexed.empty import EmptyArtifact
from kb_runtime.mcp.answers import TOOLS_FILE, greeting
from kb_runtime.mcp.introduction import REFERENCE_ONLY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kb_runtime.knowledge.unindexed.scanned_tree import ScannedTree

_NAME = "code"
_PREFIX = f"{_NAME}_kb"


def awaiting_trees(trees: Iterable[str]) -> EmptyArtifact:
    """What a server of source trees alone serves before it knows their files."""
    title = _title(trees)
    return _AwaitedTrees(_NAME, _PREFIX, title, _files(title))


class _AwaitedTrees(EmptyArtifact):
    """Nothing yet."""

    def prepare(self) -> None:
        """Loads what the first search needs, while the compiler lists the files."""
        import numpy  # noqa: F401
        import tantivy  # noqa: F401

        import kb_runtime.knowledge.unindexed.scanned_tree
        import kb_runtime.search.searcher
        import kb_runtime.tools.code.retrieval  # noqa: F401


def scan_of_tree(listing: str, trees: Iterable[str]) -> ScannedTree:
    """What such a server serves before the first index of a tree: the files that are listed. Raises
    `ArtifactError`."""
    from kb_runtime.knowledge.unindexed.scanned_tree import ScannedTree

    return ScannedTree(listing, _NAME, _PREFIX, _files(_title(trees)))


def _title(trees: Iterable[str]) -> str:
    return f"Source files of {', '.join(os.path.basename(tree) for tree in trees)}"


def _files(title: str) -> dict[str, bytes]:
    document = {
        **greeting({"name": _NAME, "version": "0", "title": title}),
        "instructions": {"introduction": f"{title}.\n{REFERENCE_ONLY}", "families": {}},
        "families": {},
        "names": {},
        "templates": {"resourceTemplates": []},
    }
    return {TOOLS_FILE: json.dumps(document).encode()}
