"""The index of a source tree: which files it is made of, and how it is built without a kb.toml."""

from __future__ import annotations

import hashlib
from collections.abc import Collection as Names
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kb_runtime.errors import ArtifactError, SingleCodeError, exit_codes
from kb_runtime.live.workspace import CodeFolder
from kb_runtime.store.manifest import CURRENT, load, resolve
from kb_runtime.store.symbols import SUFFIX
from kbc.cache import toolchain
from kbc.diagnostics import Diagnostics
from kbc.encoding.pinned import PINNED_WEIGHTS_SHA256
from kbc.following.file_changes import Signature, signature
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


class TreeError(SingleCodeError):
    """The source tree cannot be indexed."""

    code = "source-tree"
    exit_code = exit_codes.INPUT


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
        """Publishes the index of all files; a draft has no vectors, and is not parsed unless `parsed`.

        Raises what `pipeline.build_from` raises, and `TreeError`.
        """
        return self._build(self.folder.index, None, draft=draft, parsed=parsed)

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


class SourceFiles:
    """The source files of `tree` as the last `scan` found them; `exclude` are ignore patterns."""

    def __init__(self, tree: Path, exclude: Sequence[str] = ()) -> None:
        self._tree = tree
        self._exclude = exclude
        self._known: dict[str, tuple[Signature, str]] = {}
        self.digests: Mapping[str, str] = {}
        """SHA-256 by path in the tree, of the files that belong into the index."""

    def forget(self) -> None:
        """Has the next `scan` read every file."""
        self._known = {}

    def scan(self) -> bool:
        """Looks at every file, reads those that changed, and returns whether `digests` changed.

        The signature is taken before a file is read: one that changes meanwhile has another one at the
        next scan. Raises `OSError` when the tree cannot be read.
        """
        selection = SourceTree(self._exclude)
        base = f"{self._tree.as_posix()}/"
        found: dict[str, tuple[Signature, str]] = {}
        for path in selection.walk(self._tree):
            name = path.as_posix().removeprefix(base)
            with suppress(OSError):  # gone, or not ours to read
                now = signature(path.stat(follow_symlinks=False))
                if name in self._known and self._known[name][0] == now:
                    found[name] = self._known[name]
                    continue
                data = path.read_bytes()
                admitted = selection.admits(path, data)
                found[name] = (now, hashlib.sha256(data).hexdigest() if admitted else "")
        self._known = found
        digests = {name: digest for name, (_, digest) in found.items() if digest}
        changed = digests != self.digests
        self.digests = digests
        return changed


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
