"""Writes `licenses/`, the licence texts of an artifact's parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kbc.project.source_file import SourceFile

FOLDER = "licenses"
KNOWLEDGE_BASE = "knowledge-base"


def write_licences(
    folder: Path, own: Sequence[SourceFile], models: Mapping[str, Sequence[Path]]
) -> None:
    """The knowledge base's `own` texts, and those of its `models`, in a folder each; nothing where there are
    none."""
    texts = {f"{KNOWLEDGE_BASE}/{file.path}": file.data for file in own}
    texts |= {
        f"{name}/{path.name}": path.read_bytes() for name, paths in models.items() for path in paths
    }
    for name, data in texts.items():
        path = folder / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
