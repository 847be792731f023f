"""Workshops in the JSON that the workshop application exports."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Any

from kbc.diagnostics import Diagnostics
from kbc.frontends.metadata import read_json
from kbc.frontends.workshops.parts import Exercise, Part, Workshop, WorkshopStep, mapping_at, placed
from kbc.project.source_file import SourceFile
from kbc.project.well_formed import mapping, sequence, text_at
from kbc.sources.workshop_tree import CONTEXT_FILE

_DIFF_SIDE = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(\S[^\t\n]*)", re.MULTILINE)

_NO_TRANSCRIPT = re.compile(
    r"(?:no transcripts?|transcripts?(?: is| are)? not)\b[^\n]{0,80}", re.IGNORECASE
)
"""The application's "Transcripts not available" and its like."""


def read_export(file: SourceFile, diagnostics: Diagnostics) -> Workshop | None:
    """The workshop in a file that the workshop application exported; None when it is none."""
    parsed = read_json(file, diagnostics)
    if parsed is None:
        return None
    data = parsed[0]
    if not isinstance(data, dict) or not isinstance(data.get("exercises"), list):
        message = "the file has no list `exercises`: it is not an exported workshop"
        hint = "Export it with the workshop application, or remove the file from the folder."
        diagnostics.error("workshop-context-invalid", message, file.path, 1, hint=hint)
        return None
    folder, name = posixpath.split(file.path)
    slug = posixpath.basename(folder) if name == CONTEXT_FILE else name.removesuffix(".json")
    about = mapping_at(data, "workshop")
    workshop = Workshop(slug, file.path, title=text_at(about, "title"))
    workshop.subtitle = text_at(about, "subtitle")
    workshop.product = text_at(about, "product")
    workshop.sections += _exported_pages(data, "workshop", "Workshop")
    for entry in data["exercises"]:
        number = _number(entry, "exerciseNumber")
        if number is None or number in workshop.exercises:
            _bad_number(file, entry, "exerciseNumber", diagnostics)
            continue
        exercise = Exercise(number, text_at(entry, "title") or f"Exercise {number}")
        workshop.exercises[number] = exercise
        pages = _exported_pages(entry, "exercise", f"Exercise {number} ({exercise.title})")
        exercise.sections += [placed(page, number) for page in pages]
        for each in sequence(entry.get("steps")):
            step_number = _number(each, "stepNumber")
            if step_number is None or step_number in exercise.steps:
                _bad_number(file, each, "stepNumber", diagnostics)
                continue
            step = WorkshopStep(step_number, text_at(each, "title"))
            exercise.steps[step_number] = step
            label = f"Exercise {number}, step {step_number}"
            step.videos += _videos(each)
            found = _exported_step(each, label)
            step.sections += [placed(section, number, step_number) for section in found]
        exercise.steps = dict(sorted(exercise.steps.items()))
    workshop.exercises = dict(sorted(workshop.exercises.items()))
    return workshop


def _exported_pages(data: Mapping[str, Any], scope: str, label: str) -> Iterable[Part]:
    for key, what in (("instructions", "instructions"), ("finishedInstructions", "finished")):
        if text := _content(data.get(key)):
            yield Part(f"{scope}-{what}", f"{label}: {what}", text)


def _exported_step(data: Mapping[str, Any], label: str) -> Iterable[Part]:
    for side in ("problem", "solution"):
        entry = mapping_at(data, side)
        if text := _content(entry.get("instructions")):
            yield Part(f"{side}-instructions", f"{label}: {side}", text)
        for position, each in enumerate(sequence(entry.get("transcripts")), 1):
            if text := _transcript(each):
                label_ = f"{label}: {side} video {position}"
                yield Part(f"{side}-transcript", label_, text, name=str(position))
    diff = data.get("diff")
    if isinstance(diff, str) and diff.strip():
        paths = list(dict.fromkeys(_DIFF_SIDE.findall(diff)))
        changed = "".join(f"- {path}\n" for path in paths if path != "/dev/null")
        if changed:
            yield Part("diff-summary", f"{label}: changed files", changed)
        yield Part("diff-hunk", f"{label}: diff", diff)


def _transcript(data: Any) -> str:
    """What is said in a video, "" where nobody has written it down: what the application says instead
    is no content."""
    text = text_at(data, "transcript")
    return "" if _NO_TRANSCRIPT.fullmatch(text) else text


def _videos(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The videos of a step and whether each has a transcript."""
    return [
        {
            "side": side,
            "embed": text_at(each, "embed"),
            "status": text_at(each, "status") or "unknown",
            "has_transcript": bool(_transcript(each)),
        }
        for side in ("problem", "solution")
        for each in sequence(mapping_at(data, side).get("transcripts"))
    ]


def _content(value: Any) -> str:
    """The text of a page, which is an object with `content` or the text itself."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) and text.strip() else ""


def _number(data: Any, key: str) -> int | None:
    value = mapping(data).get(key)
    is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    return value if is_number else None


def _bad_number(file: SourceFile, data: Any, key: str, diagnostics: Diagnostics) -> None:
    value = mapping(data).get(key)
    message = f"`{key}` is {value!r}: it must be a unique whole number from 1"
    hint = "Export the workshop again."
    diagnostics.error("workshop-context-invalid", message, file.path, 1, hint=hint)
