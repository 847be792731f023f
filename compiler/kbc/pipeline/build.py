"""Builds a knowledge base: the functions that the command line and the follower call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kb_runtime.errors.shortages import require_address_space
from kb_runtime.store.temporary_folders import temporary_folder
from kbc.diagnostics import Diagnostics
from kbc.execution.pool import THREADS
from kbc.linking.errors import PublishError
from kbc.pipeline.executor import Executor, Read
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.options import BuildOptions, StrPath
from kbc.pipeline.progress import Progress
from kbc.pipeline.report import BuildReport
from kbc.pipeline.resident import Resident
from kbc.project.model import Project

__all__ = [
    "BuildOptions",
    "BuildReport",
    "build",
    "build_from",
    "build_twice",
    "differing_files",
    "warm_up",
]

_MIN_ADDRESSES = 250 << 20
"""Bytes: to read the input, and to find that its version is there. Other builds need more; see `options`."""


def build(
    root: StrPath | Project,
    options: BuildOptions | None = None,
    progress: Progress | None = None,
    resident: Resident | None = None,
) -> BuildReport:
    """Compiles the knowledge base at `root`, a folder with a kb.toml or any folder, file or archive of
    documentation, and makes the result live. `root` may also be a project in memory.

    `progress` is told of the phases; `resident` is what earlier builds of it left in this process.
    Raises `BuildError` when the input has errors, `ModelError`, `EncodingError` and `PublishError`; in
    each case what was live before still is. Where memory is limited to too little, `ShortageError`.
    """
    chosen = options or BuildOptions()
    return build_from(_reader(root, chosen, resident), chosen, progress, resident)


def build_from(
    read: Read,
    options: BuildOptions,
    progress: Progress | None = None,
    resident: Resident | None = None,
) -> BuildReport:
    """`build`, of inputs that are not in a folder with a kb.toml."""
    require_address_space(_MIN_ADDRESSES, "a build")
    return Executor(read, options, progress or Progress(), resident).run()


def warm_up(root: Path, options: BuildOptions, resident: Resident) -> None:
    """Loads into `resident` what a build of the knowledge base at `root` after an edit takes from the
    cache and the model; publishes nothing.

    For a process whose build found its version there already, which needs none of that. What the cache
    does not have is computed, as that build would have to. Raises what `build` raises.
    """
    Executor(_reader(root, options), options, Progress(), resident).warm_up()


def _reader(
    root: StrPath | Project, options: BuildOptions, resident: Resident | None = None
) -> Read:
    def read(diagnostics: Diagnostics) -> Inputs | None:
        # With all front ends, which source trees do without.
        from kbc.execution.converters import converting
        from kbc.pipeline.checking import read_checked

        with converting(options.jobs):
            inputs = read_checked(root, diagnostics, options.allow_outside, options.cache_folder)
        if inputs is not None and resident is not None:
            resident.beyond = inputs.beyond
        return inputs

    return read


def build_twice(
    root: StrPath | Project, options: BuildOptions, progress: Progress | None = None
) -> BuildReport:
    """Builds, then builds again from nothing in another folder, and compares byte by byte.

    Raises `PublishError` naming the first file that differs.
    """
    report = build(root, options, progress)
    with temporary_folder("kbc-again-") as folder:
        again = replace(options, out=Path(folder), cache=None, draft_first=False, executor=THREADS)
        second = build(root, again, progress)
        differing = differing_files(report.path, second.path)
    if differing:
        more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
        raise PublishError(
            "not-reproducible",
            f"Two builds of the same input differ in {differing[0]}{more}.",
            "Please report this as a bug in kbc. The first of the two is live.",
        )
    return report


def differing_files(left: Path, right: Path) -> list[str]:
    """Relative paths of files that are not the same bytes in both folders, sorted."""

    def files(folder: Path) -> dict[str, Path]:
        return {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.is_file()
        }

    one, other = files(left), files(right)
    return sorted(
        name
        for name in one.keys() | other.keys()
        if name not in one
        or name not in other
        or one[name].read_bytes() != other[name].read_bytes()
    )
