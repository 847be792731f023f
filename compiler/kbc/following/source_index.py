"""The index of a source tree: which files it is made of, and how it is built without a kb.toml."""

from __future__ import annotations

import json
import os
from collections.abc import Collection as Names
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kb_runtime.errors import ArtifactError
from kb_runtime.live.workspace import CodeFolder
from kb_runtime.store.atomic_files import replace_file
from kb_runtime.store.location import resolve
from kb_runtime.store.locks import open_locked
from kb_runtime.store.manifest import CURRENT, LISTING, load
from kb_runtime.store.symbols import SUFFIX
from kbc.cache import toolchain
from kbc.diagnostics import Diagnostics
from kbc.encoding.pinned import PINNED_WEIGHTS_SHA256
from kbc.following.source_files import TreeError
from kbc.frontends import code
from kbc.linking import retention
from kbc.pipeline.build import BuildOptions, BuildReport, build_from
from kbc.pipeline.inputs import Inputs
from kbc.project.model import Collection, Project
from kbc.project.settings import CODE_PREFIX
from kbc.project.source_file import SourceFile
from kbc.sources.source_tree import SourceTree

NAME = "code"
"""Of the knowledge base and its collection."""
PARSED_EDITS = 200
"""Edited files that are parsed at once, at some milliseconds each; of more, symbols come with the index."""
KEPT_BUILDS = 1
"""The live one; others are removed as soon as no server has them open."""


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """A published artifact: the SHA-256 of each file by its path in the tree, whether it has vectors,
    and symbols, and whether this compiler's libraries and model made it (`is_current`)."""

    files: Mapping[str, str]
    has_vectors: bool
    has_symbols: bool
    is_current: bool


@dataclass(frozen=True, slots=True)
class SourceIndex:
    """Where and how `tree` is indexed.

    `cache` is the workspace's, `exclude` are ignore patterns, the ids of files begin with `prefix`, and
    `model` is the folder of the encoder's model with these weights, None for the pinned one, of which
    `models` may have a copy: nothing is downloaded for a server.
    """

    tree: Path
    folder: CodeFolder
    cache: Path
    exclude: tuple[str, ...] = ()
    prefix: str = ""
    jobs: int = 2
    model: Path | None = None
    weights_sha256: str = PINNED_WEIGHTS_SHA256
    models: Path | None = None

    def published(self) -> PublishedFiles | None:
        """The index of all files; None where there is none, or it cannot be read."""
        return self._published(self.folder.index)

    def published_edits(self) -> PublishedFiles | None:
        """The overlay of edited files; None where there is none."""
        return self._published(self.folder.edits)

    def build(self, *, draft: bool, parsed: bool = False) -> BuildReport:
        """Publishes the index of all files, which replaces their list; a draft has no vectors, and is not
        parsed unless `parsed`.

        Raises what `build_from` raises, `TreeError` and `OSError`.
        """
        report = self._build(self.folder.index, None, draft=draft, parsed=parsed)
        Path(self.folder.kb_folders[0], LISTING).unlink(missing_ok=True)
        return report

    def record_status(self) -> None:
        """Says for other commands which tree is indexed here, and that it is. A process that follows the tree
        says more, so its status stays. Raises `OSError`."""
        published = self.published()
        if published is None:
            return
        lock = open_locked(self.folder.lock_path)
        if lock is None:
            return
        try:
            status = {
                "tree": self.tree.as_posix(),
                "state": "ready",
                "files": len(published.files),
                "edited": 0,
                "vectors": published.has_vectors,
            }
            replace_file(self.folder.status_path, json.dumps(status).encode())
        finally:
            os.close(lock)

    def publish_edits(self, names: Names[str]) -> None:
        """Publishes a draft of these files as the overlay. Raises as `build`."""
        parsed = len(names) <= PARSED_EDITS
        self._build(self.folder.edits, names, draft=True, parsed=parsed)

    def withdraw_edits(self) -> None:
        """Removes the overlay. Readers keep what they have open. Raises `OSError`."""
        kb_folder = Path(self.folder.edits, NAME)
        (kb_folder / CURRENT).unlink(missing_ok=True)
        retention.remove_builds(kb_folder)

    def _published(self, out: str) -> PublishedFiles | None:
        try:
            manifest = load(resolve(out))
        except ArtifactError:
            return None
        encoder = manifest["encoder"]
        base = f"{self.tree.as_posix()}/"
        return PublishedFiles(
            {file["path"].removeprefix(base): file["sha256"] for file in manifest.inputs()},
            encoder is not None,
            f"catalog/{NAME}{SUFFIX}" in manifest.files,
            manifest["libraries"] == toolchain.library_versions()
            and (encoder is None or encoder["weights_sha256"] == self.weights_sha256),
        )

    def _build(
        self, out: str, only: Names[str] | None, *, draft: bool, parsed: bool
    ) -> BuildReport:
        options = BuildOptions(
            out=Path(out),
            jobs=self.jobs,
            model=self.model,
            models=self.models,
            offline=True,
            cache=None if draft and not (parsed and only is None) else self.cache,
            keep=KEPT_BUILDS,
            draft=draft,
            parsed=parsed,
            partial=only is not None,
            prefix=self.prefix,
        )
        return build_from(
            lambda found: read_tree(
                self.tree,
                found,
                only=only,
                exclude=self.exclude,
                prefix=self.prefix,
                with_definitions=parsed or not draft,
            ),
            options,
        )


def read_tree(
    tree: Path,
    diagnostics: Diagnostics,
    *,
    only: Names[str] | None = None,
    exclude: Iterable[str] = (),
    prefix: str = "",
    with_definitions: bool = True,
) -> Inputs:
    """The source files below `tree`, or those of them whose paths in it are in `only`; `exclude` are
    further patterns, as in an ignore file at the top of the tree, and `prefix` what ids begin with.

    A file that vanishes or cannot be read meanwhile is left out: the follower is notified of it
    again. Raises `TreeError` when the tree itself cannot be read, or contains no source file.
    """
    collection = Collection(name=NAME, kind="code", paths=(tree.as_posix(),))
    selection = SourceTree(exclude)
    try:
        files = list(_files(tree, selection, only))
    except OSError as error:
        raise TreeError(f"{tree} cannot be read: {error.strerror}.") from error
    if not files:
        left_out = f"; left out: {selection.summary()}" if selection.left_out else ""
        raise TreeError(f"{tree} contains no source file{left_out}.")
    records = code.read(
        collection, files, diagnostics, prefix=prefix, with_definitions=with_definitions
    )
    project = Project(
        root=tree,
        name=NAME,
        title=f"Source files of {tree.name}",
        version="0",
        prefix=CODE_PREFIX,
        description="",
        license="",
        collections=(collection,),
    )
    return Inputs(project, (collection,), tuple(file.read for file in files), {NAME: records})


def _files(tree: Path, selection: SourceTree, only: Names[str] | None) -> Iterator[SourceFile]:
    base = tree.as_posix()
    for path in selection.walk(tree):
        name = path.as_posix()
        if only is not None and name.removeprefix(f"{base}/") not in only:
            continue
        try:
            data = path.read_bytes()
        except OSError:
            continue
        if selection.admits(path, data):
            yield SourceFile(name, data, base)
