"""Checks a knowledge base before anything is computed or written."""

from __future__ import annotations

import os
from pathlib import Path

from kbc.diagnostics import Diagnostic, Diagnostics
from kbc.pipeline import sections
from kbc.pipeline.inputs import Inputs, read_inputs


def read_checked(
    root: Path, diagnostics: Diagnostics, allow_outside: bool = False
) -> Inputs | None:
    """The inputs of a build, checked as a whole. None when kb.toml is unusable."""
    inputs = read_inputs(root, diagnostics, allow_outside)
    if inputs is not None:
        sections.check_answers(inputs, diagnostics)
    return inputs


def check(root: str | os.PathLike[str], allow_outside: bool = False) -> tuple[Diagnostic, ...]:
    """Everything that is wrong or doubtful in the knowledge base at `root`, in the order of the files;
    nothing is written. With `allow_outside` its paths and links may lead out of the folder."""
    diagnostics = Diagnostics()
    read_checked(Path(root), diagnostics, allow_outside)
    return tuple(diagnostics)
