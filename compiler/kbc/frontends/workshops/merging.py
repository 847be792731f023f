"""Makes one workshop of its repository and its exported context.

The repository has the code and its own wording of the pages; the application that exports the context knows
the transcripts of the videos besides. So the repository's sections stay, and the export adds what is missing.
"""

from __future__ import annotations

from kbc.frontends.workshops.parts import DIFF_KINDS, Part, Workshop, WorkshopStep

_ORDER = (
    "problem-instructions", "problem-transcript", "solution-instructions", "solution-transcript",
    "problem-code", "solution-code", "diff-summary", "diff-hunk",
)  # fmt: skip
"""Sections of a step as they are taught; both kinds of code stand together, file by file."""

_PLACES = {kind: place for place, kind in enumerate(_ORDER)} | {"solution-code": 4}


def merged(repository: Workshop, export: Workshop) -> Workshop:
    """`repository` with what only `export` has."""
    for name in ("title", "subtitle", "product", "repository"):
        setattr(repository, name, getattr(repository, name) or getattr(export, name))
    _add(repository.sections, export.sections)
    for number, exported in export.exercises.items():
        exercise = repository.exercises.setdefault(number, exported)
        if exercise is exported:
            continue
        _add(exercise.sections, exported.sections)
        for place, step in exported.steps.items():
            known = exercise.steps.setdefault(place, step)
            if known is not step:
                _add_to_step(known, step)
        exercise.steps = dict(sorted(exercise.steps.items()))
    repository.exercises = dict(sorted(repository.exercises.items()))
    return repository


def _add_to_step(known: WorkshopStep, step: WorkshopStep) -> None:
    known.title = known.title or step.title
    known.videos = known.videos or step.videos
    _add(known.sections, step.sections)
    known.sections.sort(key=lambda part: _PLACES.get(part.kind, len(_ORDER)))


def _add(known: list[Part], others: list[Part]) -> None:
    """Sections of kinds that are missing; a diff of either kind says what all of them say."""
    kinds = {part.kind for part in known}
    if kinds & DIFF_KINDS:
        kinds |= DIFF_KINDS
    known += [part for part in others if part.kind not in kinds]
