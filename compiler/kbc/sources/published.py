"""Tells what builds publish from what they are made of: many are in the folder that was compiled."""

from __future__ import annotations

from collections.abc import Collection

from kb_runtime.store.manifest import CURRENT, INPUTS, MANIFEST, is_build_id

PUBLISHED = "published by kbc"
"""Why such a folder is left out."""


def is_published(entries: Collection[str]) -> bool:
    """Whether a folder with these entries has the versions of a knowledge base, or is one of them."""
    if CURRENT in entries:
        return any(map(is_build_id, entries))
    return MANIFEST in entries and INPUTS in entries
