"""The licence texts that go with an artifact wherever it goes."""

from __future__ import annotations

from pathlib import Path

from kb_runtime.artifact import Artifact

NOTICE = "NOTICE"
FOLDER = "licenses/"
"""Where an artifact holds the texts: of the knowledge base, and in a folder each of other parts."""


def texts(artifact: Artifact) -> dict[str, bytes]:
    """The texts by path below a package's `licenses` folder, sorted. Raises `ArtifactError`."""
    found = {}
    for path in sorted(artifact.manifest.files):
        if path == NOTICE or path.startswith(FOLDER):
            artifact.manifest.check_file(path)
            found[path.removeprefix(FOLDER)] = Path(artifact.manifest.path(path)).read_bytes()
    return found
