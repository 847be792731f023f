"""Compares two artifacts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.knowledge.examination.inspection import section_sizes

SETTINGS = (
    *("name", "title", "version", "description", "license"),
    *("prefix", "scopes", "search", "tools", "package"),
)
"""Manifest fields that `diff` compares as settings."""


@dataclass(frozen=True, slots=True)
class CollectionDiff:
    """Ids of the records of one collection that differ, sorted."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between two artifacts; `old` and `new` are their build ids.

    `collections` holds those with differences. `settings` and `encoder` map dotted names
    (`rrf_k` of `search` is one) to the old and the new value, None where there is none. `sizes` maps every
    section to its bytes, old and new; `files` lists paths whose content differs.
    """

    old: str
    new: str
    collections: Mapping[str, CollectionDiff]
    settings: Mapping[str, tuple[Any, Any]]
    encoder: Mapping[str, tuple[Any, Any]]
    sizes: Mapping[str, tuple[int, int]]
    files: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether both hold the same records, settings and bytes."""
        return not (self.collections or self.settings or self.encoder or self.files)

    def as_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"same": self.same, **asdict(self)}


def diff(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Diff:
    """Compares the artifacts at two paths record by record. Raises `ArtifactError`."""
    with Artifact.open(old) as before, Artifact.open(new) as after:
        return compare(before, after)


def compare(before: Artifact, after: Artifact) -> Diff:
    """Compares two open artifacts record by record."""
    names = sorted({info.name for info in (*before.collections, *after.collections)})
    collections = {name: _compare(_records(before, name), _records(after, name)) for name in names}
    sizes_before, sizes_after = section_sizes(before), section_sizes(after)
    files_before, files_after = before.manifest.files, after.manifest.files
    return Diff(
        old=before.build_id,
        new=after.build_id,
        collections={name: found for name, found in collections.items() if found},
        settings=_differences(
            {name: before.manifest.get(name) for name in SETTINGS},
            {name: after.manifest.get(name) for name in SETTINGS},
        ),
        encoder=_differences(
            {"encoder": before.manifest.get("encoder")},
            {"encoder": after.manifest.get("encoder")},
        ),
        sizes={
            name: (sizes_before.get(name, 0), sizes_after.get(name, 0))
            for name in sorted({*sizes_before, *sizes_after})
        },
        files=tuple(
            path
            for path in sorted({*files_before, *files_after})
            if files_before.get(path) != files_after.get(path)
        ),
    )


def _records(artifact: Artifact, collection: str) -> dict[str, bytes]:
    """Each record's encoded bytes by id; empty when the artifact lacks the collection."""
    try:
        catalog = artifact.catalog(collection)
    except KeyError:
        return {}
    return {catalog.id(index): catalog.raw(index) for index in range(len(catalog))}


def _compare(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> CollectionDiff:
    return CollectionDiff(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(sorted(id for id in old.keys() & new.keys() if old[id] != new[id])),
    )


def _differences(old: Any, new: Any, name: str = "") -> dict[str, tuple[Any, Any]]:
    """Where two JSON values differ, by dotted name; maps are entered, lists compared as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        found: dict[str, tuple[Any, Any]] = {}
        for key in sorted({*old, *new}):
            found |= _differences(old.get(key), new.get(key), f"{name}.{key}" if name else key)
        return found
    return {} if old == new else {name: (old, new)}
