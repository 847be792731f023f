"""Writes `licenses/`, the licence texts of an artifact's parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kbc.project.source_file import SourceFile

FOLDER = "licenses"
KNOWLEDGE_BASE = "knowledge-base"
ENCODER = "encoder"


def write_licences(folder: Path, own: Sequence[SourceFile], encoder: Sequence[Path]) -> None:
    """The knowledge base's `own` texts, and those of its encoder's model, in a folder each; nothing
    where there are none."""
    texts = {f"{KNOWLEDGE_BASE}/{file.path}": file.data for file in own}
    texts |= {f"{ENCODER}/{path.name}": path.read_bytes() for path in encoder}
    for name, data in texts.items():
        path = folder / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
