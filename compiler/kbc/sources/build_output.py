"""Recognises what a build must not read as its input: what kbc itself has written (versions, bundles), and
docsets, which repeat the pages beside them."""

from __future__ import annotations

from collections.abc import Collection

from kb_runtime.store.manifest import CURRENT, INPUTS, MANIFEST, is_build_id

PUBLISHED = "published by kbc"
"""Why such a folder is left out."""

DOCSET = "a docset of the pages beside it"

_OF_BUNDLE = frozenset({"server.json", "skills", "plugin", "llms.txt", "llms-full.txt"})
"""What `kbc bundle` writes beside the `.mcpb` file, with all pages once more."""


def is_published(entries: Collection[str]) -> bool:
    """Whether a folder with these entries has versions of a knowledge base, is one of them, or a bundle."""
    if CURRENT in entries:
        return any(map(is_build_id, entries))
    if "plugin" in entries and "skills" in entries:
        others = [name for name in entries if name not in _OF_BUNDLE]
        return len(others) == 1 and others[0].endswith(".mcpb")
    return MANIFEST in entries and INPUTS in entries


def is_docset(name: str, beside: Collection[str]) -> bool:
    """Whether a folder is a docset, or Jazzy's folder of them, in a site whose pages it has once more.
    `beside` are the names in the folder around it."""
    folded = name.lower()
    return "index.html" in beside and (folded == "docsets" or folded.endswith(".docset"))
