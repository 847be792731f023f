"""Builds a source tree into its folder of a workspace."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb_runtime.errors import ArtifactError
from kb_runtime.live.workspace import CodeFolder
from kb_runtime.store.manifest import load, resolve
from kbc.cache import toolchain
from kbc.encoding.model import PINNED_WEIGHTS_SHA256
from kbc.following.code_tree import read_tree
from kbc.pipeline.build import BuildOptions, BuildReport, build_from

KEPT_BUILDS = 1
"""The live one; others go when no server has them open any more."""

_EDITED = "edited.json"


@dataclass(frozen=True, slots=True)
class Published:
    """What is live: the SHA-256 of each file by its path, and whether it has vectors. `is_ours` tells
    whether a compiler with the libraries and the model of this one made it."""

    files: Mapping[str, str]
    has_vectors: bool
    is_ours: bool


@dataclass(frozen=True, slots=True)
class Indexing:
    """How to index `tree` into `folder`; `cache` is the workspace's, `exclude` are ignore patterns, and
    `model` is the folder of the encoder's model with these weights, None for the pinned one."""

    tree: Path
    folder: CodeFolder
    cache: Path
    exclude: tuple[str, ...] = ()
    jobs: int = 2
    model: Path | None = None
    weights_sha256: str = PINNED_WEIGHTS_SHA256

    def published(self, out: str) -> Published | None:
        """What is live in `folder.index` or `folder.edits`; None where nothing is, or cannot be read."""
        try:
            manifest = load(resolve(out))
        except ArtifactError:
            return None
        encoder = manifest["encoder"]
        base = f"{self.tree.as_posix()}/"
        return Published(
            {file["path"].removeprefix(base): file["sha256"] for file in manifest["inputs"]},
            encoder is not None,
            manifest["libraries"] == toolchain.library_versions()
            and (encoder is None or encoder["weights_sha256"] == self.weights_sha256),
        )

    def build(self, only: Collection[str] | None, *, draft: bool) -> BuildReport:
        """Publishes the whole tree as the index, or the files `only` as the edits. Raises what
        `pipeline.build_from` raises, and `TreeError`."""
        out = self.folder.index if only is None else self.folder.edits
        options = BuildOptions(
            out=Path(out),
            jobs=self.jobs,
            model=self.model,
            cache=None if draft else self.cache,
            keep=KEPT_BUILDS,
            draft=draft,
        )
        return build_from(
            lambda found: read_tree(
                self.tree, found, only=only, exclude=self.exclude, with_definitions=not draft
            ),
            options,
        )

    def note_edited(self, names: Sequence[str]) -> None:
        """Keeps the names of edited files for the process that builds them."""
        Path(self.folder.folder, _EDITED).write_text(json.dumps(names), encoding="utf-8")

    def noted_edited(self) -> list[str]:
        names: list[str] = json.loads(Path(self.folder.folder, _EDITED).read_bytes())
        return names
