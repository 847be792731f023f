"""A workshop as it is read, before its sections become records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kbc.project.well_formed import mapping

DIFF_KINDS = frozenset({"diff-summary", "diff-hunk"})


@dataclass(frozen=True, slots=True)
class Part:
    """A section before it has a place; `path` is where its text is stored, below the workshop."""

    kind: str
    label: str
    text: str
    path: str = ""
    exercise: int = 0
    step: int = 0
    name: str = ""  # tells sections of one kind and step apart


@dataclass(slots=True)
class WorkshopStep:
    number: int
    title: str = ""
    problem_dir: str = ""
    solution_dir: str = ""
    # `kb_runtime.records.entries.ListedVideo`
    videos: list[dict[str, Any]] = field(default_factory=list)
    sections: list[Part] = field(default_factory=list)


@dataclass(slots=True)
class Exercise:
    number: int
    title: str
    sections: list[Part] = field(default_factory=list)
    steps: dict[int, WorkshopStep] = field(default_factory=dict)


@dataclass(slots=True)
class Workshop:
    slug: str
    folder: str  # or the path of the exported file
    title: str = ""
    subtitle: str = ""
    product: str = ""
    repository: str = ""
    sections: list[Part] = field(default_factory=list)
    exercises: dict[int, Exercise] = field(default_factory=dict)


def placed(section: Part, exercise: int, step: int = 0) -> Part:
    return replace(section, exercise=exercise, step=step)


def mapping_at(data: Any, key: str) -> Mapping[str, Any]:
    return mapping(mapping(data).get(key))
