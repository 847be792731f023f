"""Presents a source tree as the inputs of a build without a kb.toml, for a workspace."""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterable, Iterator
from pathlib import Path

from kb_runtime.errors import SingleCodeError, exit_codes
from kbc.diagnostics import Diagnostics
from kbc.frontends import code
from kbc.pipeline.inputs import Inputs
from kbc.project.model import Collection, Project
from kbc.project.source_file import SourceFile
from kbc.sources.source_tree import SourceTree

NAME = "code"
"""Of the knowledge base, its collection and its prefix."""


class TreeError(SingleCodeError):
    """The source tree cannot be indexed."""

    code = "source-tree"
    exit_code = exit_codes.INPUT


def read_tree(
    tree: Path,
    diagnostics: Diagnostics,
    *,
    only: Names[str] | None = None,
    exclude: Iterable[str] = (),
    with_definitions: bool = True,
) -> Inputs:
    """The source files below `tree`, or those of them whose paths in it are in `only`; `exclude` are
    further patterns, as in an ignore file at the top of the tree.

    A file that vanishes or cannot be read meanwhile is left out: whoever follows the tree hears of it
    again. Raises `TreeError` when the tree itself cannot be read, or holds no source file.
    """
    collection = Collection(name=NAME, kind="code", paths=(tree.as_posix(),))
    selection = SourceTree(exclude)
    try:
        files = list(_files(tree, selection, only))
    except OSError as error:
        raise TreeError(f"{tree} cannot be read: {error.strerror}.") from error
    if not files:
        left_out = f"; left out: {selection.summary()}" if selection.left_out else ""
        raise TreeError(f"{tree} holds no source file{left_out}.")
    records = code.read(collection, files, diagnostics, with_definitions=with_definitions)
    project = Project(
        root=tree,
        name=NAME,
        title=f"Source files of {tree.name}",
        version="0",
        prefix=NAME,
        description="",
        license="",
        collections=(collection,),
    )
    return Inputs(project, (collection,), tuple(files), {NAME: records})


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
