"""An artifact without records, in memory: what a server of source trees serves before their first index."""

from __future__ import annotations

from kb_runtime.knowledge.artifact import Artifact
from kb_runtime.store.manifest import BUILD_ID_LENGTH, Manifest
from kb_runtime.version import UNSHARDED_FORMAT_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class EmptyArtifact(Artifact):
    """Answers like a build without files, by default one without collections. Stays usable after `close`."""

    def __init__(
        self,
        name: str,
        prefix: str,
        title: str,
        files: dict[str, bytes],
        collections: Sequence[Mapping[str, Any]] = (),
        build_id: str = "0" * BUILD_ID_LENGTH,
    ) -> None:
        """`prefix` is that of its tools; `files` are what `read` gives, such as `tools.json`;
        `collections` are those that a subclass answers for."""
        fields: dict[str, Any] = {
            "format": UNSHARDED_FORMAT_VERSION,
            "build_id": build_id,
            "name": name,
            "title": title,
            "version": "0",
            "description": "",
            "license": "",
            "prefix": prefix,
            "built_at": "",
            "collections": list(collections),
            "scopes": {},
            "encoder": None,
            "search": {},
            "tools": {},
            "warnings": [],
            "inputs": [],
            "files": [],
        }
        super().__init__(Manifest("", fields), -1)
        self._content = files

    def read(self, relative: str) -> bytes:
        return self._content[relative]

    def prepare(self) -> None:
        """There is nothing to open."""

    def close(self) -> None:
        """Nothing is open."""
