"""The report of a build: what it read, wrote and took over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from kb_runtime.store.manifest import load as load_manifest
from kbc.cache.outputs import replaced_source
from kbc.diagnostics import Diagnostic, Diagnostics
from kbc.encoding.encoder import EncodingCounts
from kbc.linking.linker import Published
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.options import BuildOptions
from kbc.pipeline.progress import Phase
from kbc.project.loading import PROJECT_FILE
from kbc.sources.accounting import Accounting

MANY_CHUNKS = 2_000
"""Chunks whose vectors take about a minute on two cores."""

_DWARFS = 4
"""Times as many chunks as everything else has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build did. `reused`: the build was there already; `was_live`: and was live. `embedded`
    texts with `tokens` tokens were computed, `cached` ones were not; a chunk has one text, or two
    (`encoding.views`). `files` says what became of every file that was found."""

    name: str
    path: Path
    build_id: str
    reused: bool
    was_live: bool
    removed: tuple[str, ...]
    records: int
    chunks: int
    embedded: int
    cached: int
    tokens: int
    size_bytes: int
    phases: tuple[Phase, ...]
    diagnostics: tuple[Diagnostic, ...]
    files: Accounting = field(default_factory=Accounting)

    def as_dict(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            **values,
            "path": str(self.path),
            "removed": list(self.removed),
            "phases": [asdict(phase) for phase in self.phases],
            "files": self.files.as_dict(),
            "diagnostics": [found.as_dict() for found in self.diagnostics],
        }


def note_replaced(
    diagnostics: Diagnostics, options: BuildOptions, inputs: Inputs, published: Published
) -> None:
    """A note where what was live was compiled from another folder, which this build takes the name of."""
    if options.cache_folder is None or published.was_live:
        return
    output, source = published.path.parent, inputs.project.root
    before = replaced_source(options.cache_folder, output, source)
    if before is not None:
        diagnostics.note(
            "source-replaced",
            f"{output} was previously compiled from {before} and is now compiled from {source}",
            hint="To keep both, give one of them another name: with --name, or `name` in its kb.toml.",
        )


def _note_largest(
    diagnostics: Diagnostics, inputs: Inputs, collections: Sequence[Mapping[str, Any]]
) -> None:
    """A note where what was recognised has pages beside its documentation, such as a copy of another
    project's, that are most of what is searched, and take most of the time."""
    project = inputs.project
    if (project.root / PROJECT_FILE).exists():
        return
    beside = [each for each in project.collections if each.kind in ("docs", "pages")][1:]
    counts = {each["name"]: each["chunks"] for each in collections}
    chunks = sum(counts.values())
    for each in beside:
        own = counts.get(each.name, 0)
        if own >= MANY_CHUNKS and own > _DWARFS * (chunks - own):
            diagnostics.note(
                "large-collection",
                f"{own:,} of {chunks:,} chunks are from {', '.join(each.paths)} (collection {each.name!r}),"
                " which takes most of the time",
                hint="If that documents another project, leave it out: `kbc init` writes a kb.toml for this.",
            )


def report_of(
    inputs: Inputs,
    published: Published,
    counts: EncodingCounts,
    phases: Iterable[Phase],
    diagnostics: Diagnostics,
) -> BuildReport:
    folder = published.path
    collections = load_manifest(folder)["collections"]
    _note_largest(diagnostics, inputs, collections)
    return BuildReport(
        name=inputs.project.name,
        path=folder,
        build_id=published.build_id,
        reused=published.reused,
        was_live=published.was_live,
        removed=published.removed,
        records=sum(collection["records"] for collection in collections),
        chunks=sum(collection["chunks"] for collection in collections),
        embedded=counts.embedded,
        cached=counts.cached,
        tokens=counts.tokens,
        size_bytes=sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        phases=tuple(phases),
        diagnostics=tuple(diagnostics),
        files=inputs.accounting,
    )
