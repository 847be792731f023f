"""Assignments for nbgrader: notebooks in `source`, whose cells say what is the solution."""

from __future__ import annotations

from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedStep,
    in_order,
    joined,
    made_of,
    numbered,
    title_in,
)

_CONFIG, _FOLDER = "nbgrader_config.py", "source"


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    if _CONFIG not in tree.names(""):
        return None
    books = {
        name: [
            each for each in in_order(tree.names(joined(_FOLDER, name))) if each.endswith(".ipynb")
        ]
        for name in in_order(tree.names(_FOLDER))
    }
    names = [name for name, held in books.items() if held]
    exercises = tuple(
        PlannedExercise(
            title=title_in(name),
            number=number,
            steps=tuple(_step(name, book, at) for at, book in enumerate(books[name], 1)),
        )
        for number, name in numbered(names)
    )
    if not exercises:
        return None
    return Course(exercises=exercises, settings=(_CONFIG,), folders=made_of(exercises))


def _step(assignment: str, book: str, number: int) -> PlannedStep:
    path = joined(_FOLDER, assignment, book)
    both = {book: path}
    name = title_in(book.rpartition(".")[0])
    return PlannedStep(
        title=name, number=number, problem=both, solution=both, problem_dir=path, solution_dir=path
    )
