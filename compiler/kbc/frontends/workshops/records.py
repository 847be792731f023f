"""Records of a workshop: one that lists what it holds, and one for each section."""

from __future__ import annotations

import posixpath
import re
from typing import Any

from kb_runtime.text.tests import is_test
from kbc.frontends.markdown_file import shorten
from kbc.frontends.workshops.parts import DIFF_KINDS, Exercise, Part, Workshop, WorkshopStep
from kbc.project.model import Collection
from kbc.records import CompiledRecord, WorkshopRecord, WorkshopSection

_REPOSITORY = re.compile(
    r"(?:https?://github\.com/|git@github\.com:)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?"
)


def workshop_records(collection: Collection, workshop: Workshop) -> list[CompiledRecord]:
    sections = [*workshop.sections]
    for exercise in workshop.exercises.values():
        sections += exercise.sections
        sections += (each for step in exercise.steps.values() for each in step.sections)
    title = workshop.title or workshop.slug
    records = [
        _section_record(collection, workshop, title, order, section)
        for order, section in enumerate(sections)
    ]
    match = _REPOSITORY.fullmatch(workshop.repository)
    about = WorkshopRecord(
        id=workshop.slug,
        collection=collection.name,
        title=title,
        path=workshop.folder,
        text="",
        summary=shorten(workshop.subtitle),
        url=workshop.repository if workshop.repository.startswith("http") else "",
        product=workshop.product,
        repository_owner=match[1] if match else "",
        repository_name=match[2] if match else "",
        content=_outline(workshop, title),
        exercises=tuple(_exercise_entry(exercise) for exercise in workshop.exercises.values()),
        sections=tuple(_section_entry(record) for record in records),
        has_diffs=any(record.is_diff for record in records),
    )
    return [about, *records]


def _section_record(
    collection: Collection, workshop: Workshop, title: str, order: int, section: Part
) -> WorkshopSection:
    numbers = (f"{number:02}" for number in (section.exercise, section.step) if number)
    place = [workshop.slug, *numbers, section.kind]
    if section.name:
        place.append(section.name)
    path = section.path and posixpath.join(workshop.folder, section.path)
    return WorkshopSection(
        id="/".join(place),
        collection=collection.name,
        title=f"{title}: {section.label}",
        path=path or workshop.folder,
        text=section.text,
        workshop=workshop.slug,
        exercise=section.exercise,
        step=section.step,
        order=order,
        kind=section.kind,
        label=section.label,
        source_path=section.path,
        is_diff=section.kind in DIFF_KINDS,
    )


def _exercise_entry(exercise: Exercise) -> dict[str, Any]:
    steps = [_step_entry(step) for step in exercise.steps.values()]
    return {"number": exercise.number, "title": exercise.title, "steps": steps}


def _step_entry(step: WorkshopStep) -> dict[str, Any]:
    names = ("number", "title", "problem_dir", "solution_dir")
    entry = {name: getattr(step, name) for name in names}
    entry["has_diff"] = any(each.kind in DIFF_KINDS for each in step.sections)
    entry["videos"] = step.videos
    return {name: value for name, value in entry.items() if value not in ("", [])}


def _section_entry(section: WorkshopSection) -> dict[str, Any]:
    """What selecting sections needs to know, so that it need not read them."""
    in_step = section.source_path.split("/", 3)[-1]  # exercises/NN.name/NN.side.name/in_step
    tests = section.kind.endswith("-code") and is_test(in_step)
    return {
        "exercise": section.exercise,
        "step": section.step,
        "kind": section.kind,
        "is_diff": section.is_diff,
        "chars": len(section.text),
        **({"is_test": True} if tests else {}),
    }


def _outline(workshop: Workshop, title: str) -> str:
    lines = [f"# {title}", "", *([workshop.subtitle, ""] if workshop.subtitle else [])]
    for exercise in workshop.exercises.values():
        lines.append(f"{exercise.number}. {exercise.title}")
        lines += [f"   {step.number}. {step.title}" for step in exercise.steps.values()]
    return "\n".join(lines) + "\n"
