"""Describes an artifact by the facts in its manifest, as JSON values and as text."""

from __future__ import annotations

import os
from typing import Any

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.manifest import MANIFEST
from kb_runtime.text.rendering import printable
from kb_runtime.text.tables import count_of, counted, size, table

DRAFT = "keyword search only; the build that it is a draft of has not ended: run `kbc build` again"
WARNINGS = 20
"""As many of a build's warnings are shown as text."""


def inspect(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts of an artifact as JSON values: the manifest, with the lists of files and inputs
    summed up as `counts` and `sizes` (bytes by section). Raises `ArtifactError`."""
    with Artifact.open(path) as artifact:
        manifest = artifact.manifest.as_dict()
        inputs = artifact.manifest.inputs()
        manifest.pop("inputs", None)
        files = manifest.pop("files")
        manifest.pop("seal")
        sizes = section_sizes(artifact)
        return {
            **manifest,
            "path": artifact.root,
            "draft": artifact.manifest.is_draft,
            "counts": {
                "records": sum(info.records for info in artifact.collections),
                "chunks": sum(info.chunks for info in artifact.collections),
                "inputs": len(inputs),
                "files": len(files) + 1,
            },
            "sizes": {**sizes, "total": sum(sizes.values())},
        }


def section_sizes(artifact: Artifact) -> dict[str, int]:
    """Bytes by section: the first part of the path, a file's name for files outside of sections."""
    sizes = {MANIFEST: os.stat(artifact.manifest.path(MANIFEST)).st_size}
    for path, (size_bytes, _) in artifact.manifest.files.items():
        section = path.split("/")[0]
        sizes[section] = sizes.get(section, 0) + size_bytes
    return dict(sorted(sizes.items()))


def render_inspection(facts: dict[str, Any]) -> str:
    """The manifest's facts: what it is, what it holds, what encodes it, how large it is."""
    encoder = facts["encoder"]
    head = [
        [f"{facts['name']} {facts['version']}", facts["title"]],
        ["build", f"{facts['build_id']}, {facts['built_at']}, format {facts['format']}"],
        ["path", facts["path"]],
        ["holds", ", ".join(counted(count, what) for what, count in facts["counts"].items())],
    ]
    if facts["draft"]:
        head.append(["draft", DRAFT])
    if encoder:
        said = f"{encoder['model']}, {encoder['dimensions']} dimensions,"
        said += f" documents {encoder['documents']}, queries {encoder['queries']}"
        head.append(["encoder", said])
    if reranker := facts.get("reranker"):
        head.append(["re-ranker", reranker["model"]])
    collections = [["collection", "kind", "group", "records", "chunks"]]
    collections += [
        [each["name"], each["kind"], each["group"], f"{each['records']:,}", f"{each['chunks']:,}"]
        for each in facts["collections"]
    ]
    sizes = [[section, size(size_bytes)] for section, size_bytes in facts["sizes"].items()]
    parts = [table(head), table(collections, frozenset({3, 4})), table(sizes, frozenset({1}))]
    if warnings := facts["warnings"]:
        listed = [f"{count_of(len(warnings), 'warning')} at build time"]
        listed += map(_warning, warnings[:WARNINGS])
        if len(warnings) > WARNINGS:
            listed.append(f"and {len(warnings) - WARNINGS:,} more: --json lists all")
        parts.append("\n".join(listed))
    return "\n\n".join(parts)


def _warning(warning: dict[str, Any]) -> str:
    place = ":".join(str(warning[key]) for key in ("path", "line") if warning.get(key))
    return printable(f"{place}{': ' * bool(place)}warning[{warning['code']}]: {warning['message']}")
