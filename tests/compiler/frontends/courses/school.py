"""Workshops of small trees of our own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.compiler.recognition.trees import read, write_tree

from kbc.records import WorkshopRecord, WorkshopSection


def course(root: Path, files: Mapping[str, str]) -> tuple[WorkshopRecord, list[WorkshopSection]]:
    """The only workshop that is recognised in a tree of `files`, and its sections."""
    records = [
        record
        for found in read(write_tree(root / "nests", files))[0].records.values()
        for record in found
    ]
    (workshop,) = (record for record in records if isinstance(record, WorkshopRecord))
    return workshop, [record for record in records if isinstance(record, WorkshopSection)]


def outline(workshop: WorkshopRecord) -> list[tuple[int, str, list[str]]]:
    return [
        (each["number"], each["title"], [step.get("title", "") for step in each["steps"]])
        for each in workshop.exercises
    ]


def told(sections: list[WorkshopSection], exercise: int, step: int) -> list[tuple[str, str]]:
    """Kind and text of the sections of a step."""
    return [
        (each.kind, each.text)
        for each in sections
        if (each.exercise, each.step) == (exercise, step) and not each.is_diff
    ]
