"""The licence texts that are distributed with an artifact."""

from __future__ import annotations

from pathlib import Path

from kb_runtime.knowledge.artifact import Artifact
from kbc.backends.licences import FOLDER

NOTICE = "NOTICE"


def texts(artifact: Artifact) -> dict[str, bytes]:
    """The texts by path below a package's `licenses` folder, sorted. Raises `ArtifactError`."""
    found = {}
    for path in sorted(artifact.manifest.files):
        if path == NOTICE or path.startswith(f"{FOLDER}/"):
            artifact.manifest.check_file(path)
            found[path.removeprefix(f"{FOLDER}/")] = Path(artifact.manifest.path(path)).read_bytes()
    return found
