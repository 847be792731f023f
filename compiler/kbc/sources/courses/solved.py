"""Exercises that hold their own solution: a folder `solution` beside what one begins with. They are numbered,
or each has a page with its task in a folder that is called what exercises are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedStep,
    by_name,
    files_below,
    in_order,
    is_folder,
    joined,
    matching,
    number_in,
    numbered,
    pages_of,
    title_in,
)
from kbc.sources.courses.sides import EXERCISES, divided, without_pages
from kbc.sources.courses.text_files import SKIPPED_FOLDERS

_SOLUTION = re.compile(r"(?i)solutions?")
_PAGE = re.compile(r"(?i)(?:readme|instructions?)\.mdx?")
_TASK = re.compile(r"(?i)(?:readme|instructions?|problem|task)\.mdx?")
_TRANSLATION = re.compile(
    r"(?i)(?:readme|instructions?|problem|task)[._-][a-z]{2}(?:[-_][a-z]{2,4})?\.mdx?"
)
_FEWEST = 3
"""Exercises: fewer may be called so by chance."""
_MOST_FOLDERS = 200


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    topics = {folder: found for folder in _topics(tree) if (found := _solved(tree, folder))}
    if sum(map(len, topics.values())) < _FEWEST:
        return None
    taken = tuple(joined(folder, name) for folder, names in topics.items() for name in names)
    if len(topics) == 1:
        ((folder, names),) = topics.items()
        exercises = tuple(
            PlannedExercise(name=title_in(name), number=number, steps=(step,))
            for number, name in numbered(names)
            for step in [_step(tree, joined(folder, name), 1)]
        )
        return Course(exercises=exercises, folders=taken)
    exercises = tuple(
        _topic(tree, folder, topics[folder], number) for number, folder in numbered(topics)
    )
    return Course(exercises=exercises, folders=taken)


def _topics(tree: CourseTree) -> Iterator[str]:
    """Folders that may have exercises: the root, those in it, and those in folders that hold nothing but
    folders and pages."""
    top = _folders(tree, "")
    seen = [
        joined(folder, name)
        for folder in top
        if _is_shelf(tree, folder)
        for name in _folders(tree, folder)
    ]
    yield from ["", *top, *seen][:_MOST_FOLDERS]


def _folders(tree: CourseTree, folder: str) -> list[str]:
    return [
        name
        for name in in_order(tree.names(folder))
        if "." not in name and name not in SKIPPED_FOLDERS and is_folder(tree, joined(folder, name))
    ]


def _is_shelf(tree: CourseTree, folder: str) -> bool:
    names = [name for name in tree.names(folder) if not name.startswith(".")]
    return len(names) <= _MOST_FOLDERS and all(
        "." not in name or _PAGE.fullmatch(name) for name in names
    )


def _solved(tree: CourseTree, folder: str) -> list[str]:
    """The exercises in a folder, most of which hold their solution; else none."""
    with_numbers = [
        name
        for name in in_order(tree.names(folder))[:_MOST_FOLDERS]
        if number_in(name) is not None and "." not in name
    ]
    solved = [name for name in with_numbers if _own_solution(tree, joined(folder, name))]
    if solved and len(solved) * 2 >= len(with_numbers):
        return solved
    if not EXERCISES.fullmatch(folder.rpartition("/")[2]):
        return []
    folders = _folders(tree, folder)[:_MOST_FOLDERS]
    told = [
        name
        for name in folders
        if _own_solution(tree, joined(folder, name)) and matching(tree, joined(folder, name), _TASK)
    ]
    return told if len(told) * 2 >= len(folders) else []


def _own_solution(tree: CourseTree, folder: str) -> str:
    """What the solution in the folder of an exercise is called; "" without one."""
    return next(filter(_SOLUTION.fullmatch, tree.names(folder)), "")


def _topic(tree: CourseTree, folder: str, names: Sequence[str], number: int) -> PlannedExercise:
    name = folder.rpartition("/")[2]
    pages = pages_of("exercise-instructions", matching(tree, folder, _PAGE))
    steps = tuple(_step(tree, joined(folder, each), at) for at, each in numbered(names))
    title = "" if pages else title_in(name)
    return PlannedExercise(title=title, name=name, number=number, pages=pages, steps=steps)


def _step(tree: CourseTree, folder: str, number: int) -> PlannedStep:
    pages = matching(tree, folder, _TASK)
    left_out = [*pages, *matching(tree, folder, _TRANSLATION)]
    problem, solution = divided(without_pages(by_name(folder, files_below(tree, folder)), left_out))
    own = _own_solution(tree, folder)
    return PlannedStep(
        name=title_in(folder),
        number=number,
        pages=pages_of("problem-instructions", pages),
        problem=problem,
        solution=solution,
        problem_dir=folder,
        solution_dir=joined(folder, own),
    )
