"""Checks a knowledge base before anything is computed or written."""

from __future__ import annotations

from pathlib import Path

from kbc.cache.phases import PhaseCache, remembering
from kbc.diagnostics import Diagnostic, Diagnostics
from kbc.languages.containment import contained
from kbc.pipeline import sections
from kbc.pipeline.inputs import Inputs
from kbc.pipeline.memory import few_collections
from kbc.pipeline.options import StrPath
from kbc.pipeline.reading import read_inputs
from kbc.project.model import Project
from kbc.sources.accounting import Accounting


def read_checked(
    root: StrPath | Project,
    diagnostics: Diagnostics,
    allow_outside: bool = False,
    cache: Path | None = None,
) -> Inputs | None:
    """The inputs of a build, checked as a whole. None when kb.toml is unusable. Archives are unpacked
    below `cache`."""
    inputs = read_inputs(root, diagnostics, allow_outside, cache)
    if inputs is not None:
        sections.check_answers(inputs, diagnostics)
    return inputs


def check(root: StrPath | Project, allow_outside: bool = False) -> tuple[Diagnostic, ...]:
    """Everything that is wrong or doubtful in the knowledge base at `root`, in the order of the files;
    nothing is written. With `allow_outside` its paths and links may lead out of the folder."""
    return check_files(root, allow_outside)[0]


def check_files(
    root: StrPath | Project, allow_outside: bool = False
) -> tuple[tuple[Diagnostic, ...], Accounting | None]:
    """What `check` gives, and what became of each file of the knowledge base (None when its kb.toml is
    unusable)."""
    diagnostics = Diagnostics()
    # What is asked of a text several times is computed once: its blocks by the front end and by the links.
    with few_collections(), contained(), remembering(PhaseCache(None)):
        inputs = read_checked(root, diagnostics, allow_outside)
    if inputs is None:
        return tuple(diagnostics), None
    if not inputs.project.is_file:
        inputs.accounting.complete(inputs.project.root)
    return tuple(diagnostics), inputs.accounting
