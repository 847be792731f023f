"""Checks a knowledge base before anything is computed or written."""

from __future__ import annotations

from pathlib import Path

from kbc.diagnostics import Diagnostics
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


def check(root: Path, allow_outside: bool = False) -> Diagnostics:
    """Everything that is wrong or doubtful in the knowledge base at `root`; nothing is written."""
    diagnostics = Diagnostics()
    read_checked(root, diagnostics, allow_outside)
    return diagnostics
