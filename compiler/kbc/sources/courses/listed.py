"""Exercises that `info.toml` lists with their hints, as rustlings does: a folder for each topic, and the
solutions below the same paths."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.limits import toml_excess
from kbc.project.well_formed import mapping, sequence, text_at
from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedPage,
    PlannedStep,
    by_name,
    files_below,
    joined,
    numbered,
    text_in,
    title_in,
)

_LIST = "info.toml"
_FOLDER, _SOLUTIONS = "exercises", "solutions"


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    if not tree.names(_FOLDER):
        return None
    places = ["", *(name for name in tree.names("") if not name.startswith("."))]
    paths = (joined(place, _LIST) for place in places if _LIST in tree.names(place))
    path = next((each for each in paths if sequence(_table(tree, each).get("exercises"))), "")
    if not path:
        return None
    table = _table(tree, path)
    by_topic: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for entry in map(mapping, sequence(table["exercises"])):
        if place := _place(tree, entry):
            by_topic.setdefault(_topic(place), []).append((place, entry))
    if not by_topic:
        return None
    exercises = tuple(
        PlannedExercise(
            title=title_in(topic),
            number=number,
            pages=tuple(_page(tree, topic)),
            steps=tuple(
                _step(tree, place, entry, at)
                for at, (place, entry) in enumerate(by_topic[topic], 1)
            ),
        )
        for number, topic in numbered(by_topic)
    )
    taken = [_FOLDER, *([_SOLUTIONS] if tree.names(_SOLUTIONS) else [])]
    return Course(
        exercises=exercises,
        settings=(path,),
        folders=tuple(taken),
        pages=(*_page(tree, _FOLDER, "workshop-instructions"),),
    )


def _table(tree: CourseTree, path: str) -> Mapping[str, Any]:
    text = text_in(tree, path)
    try:
        return {} if toml_excess(text) else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _place(tree: CourseTree, entry: Mapping[str, Any]) -> str:
    """The file of an exercise, or the folder of its files; "" of one that is not there."""
    stated, name = text_at(entry, "path"), text_at(entry, "name")
    if stated.startswith(f"{_FOLDER}/"):
        folder, _, file = stated.rpartition("/")
        held = tree.names(folder)
        # A file that is called as in every other exercise stands for its folder.
        return "" if file not in held else folder if folder.rpartition("/")[2] == name else stated
    folder = joined(_FOLDER, text_at(entry, "dir"))
    held = tree.names(folder)
    return next((joined(folder, each) for each in held if name and each.split(".")[0] == name), "")


def _topic(place: str) -> str:
    """The folder of an exercise's topic; of one that is in none, its own place."""
    folder = place.rpartition("/")[0]
    return folder if folder != _FOLDER else place


def _page(
    tree: CourseTree, folder: str, kind: str = "exercise-instructions"
) -> Iterator[PlannedPage]:
    if "README.md" in tree.names(folder):
        yield PlannedPage(kind, joined(folder, "README.md"))


def _step(tree: CourseTree, place: str, entry: Mapping[str, Any], number: int) -> PlannedStep:
    solved = joined(_SOLUTIONS, place.removeprefix(f"{_FOLDER}/"))
    hint = text_at(entry, "hint")
    return PlannedStep(
        title=text_at(entry, "name"),
        number=number,
        problem=_code(tree, place),
        solution=_code(tree, solved),
        problem_dir=place,
        solution_dir=solved if _code(tree, solved) else "",
        texts=(("problem-instructions", "hint", hint),) if hint else (),
    )


def _code(tree: CourseTree, place: str) -> dict[str, str]:
    if tree.names(place):
        return by_name(place, files_below(tree, place))
    folder, _, name = place.rpartition("/")
    return {name: place} if name in tree.names(folder) else {}
