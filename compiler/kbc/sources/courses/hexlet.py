"""Courses of Hexlet: modules of lessons, each with a solved program, its test, and in a folder for each
language what it teaches and what it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.well_formed import line_at, mapping, sequence, text_at, texts, yaml_table
from kbc.sources.courses.blanks import marked
from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedStep,
    in_order,
    joined,
    numbered,
    pages_of,
    text_in,
    title_in,
)

_CONFIG, _FOLDER = "spec.yml", "modules"
_THEORY, _TASK, _ABOUT = "README.md", "EXERCISE.md", "data.yml"
_PREFERRED = "en"


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    if _CONFIG not in tree.names(""):
        return None
    spec = mapping(yaml_table(text_in(tree, _CONFIG)).get("language"))
    program, test = line_at(spec, "exercise_filename"), line_at(spec, "exercise_test_filename")
    modules = {
        joined(_FOLDER, name): lessons
        for name in in_order(tree.names(_FOLDER))
        if (lessons := dict(_lessons(tree, joined(_FOLDER, name))))
    }
    if not program or not modules:
        return None
    settings = [_CONFIG]
    exercises = []
    for number, module in numbered(modules):
        lessons = modules[module]
        about = joined(module, f"description.{next(iter(lessons.values()))}.yml")
        settings += [about, *(joined(each, language, _ABOUT) for each, language in lessons.items())]
        steps = tuple(
            _step(tree, lesson, lessons[lesson], at, program, test)
            for at, lesson in numbered(lessons)
        )
        title = line_at(yaml_table(text_in(tree, about)), "name")
        exercises.append(
            PlannedExercise(title=title, name=title_in(module), number=number, steps=steps)
        )
    return Course(
        title=line_at(spec, "name"),
        exercises=tuple(exercises),
        settings=tuple(settings),
        folders=(_FOLDER,),
    )


def _lessons(tree: CourseTree, module: str) -> Iterator[tuple[str, str]]:
    """The lessons of a module, with the language in which each is read."""
    for name in in_order(tree.names(module)):
        lesson = joined(module, name)
        languages = [
            each for each in tree.names(lesson) if _TASK in tree.names(joined(lesson, each))
        ]
        if languages:
            yield lesson, _PREFERRED if _PREFERRED in languages else languages[0]


def _step(
    tree: CourseTree, lesson: str, language: str, number: int, program: str, test: str
) -> PlannedStep:
    folder, names = joined(lesson, language), tree.names(lesson)
    about = yaml_table(text_in(tree, joined(folder, _ABOUT)))
    solved = {program: joined(lesson, program)} if program in names else {}
    blanks = {path: tuple(marked(text_in(tree, path))) for path in solved.values()}
    has_blanks = any(blanks.values())
    pages = [name for name in (_THEORY, _TASK) if name in tree.names(folder)]
    return PlannedStep(
        title=line_at(about, "name"),
        name=title_in(lesson),
        number=number,
        pages=pages_of("problem-instructions", (joined(folder, name) for name in pages)),
        problem=solved if has_blanks else {},
        solution=solved,
        given={test: joined(lesson, test)} if test in names else {},
        problem_dir=lesson,
        solution_dir=lesson if solved else "",
        blanks=blanks if has_blanks else {},
        texts=tuple(_hints(about)),
    )


def _hints(about: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What helps with a task, and the terms that it explains."""
    if tips := "".join(f"- {each.strip()}\n" for each in texts(sequence(about.get("tips")))):
        yield "problem-instructions", "hints", tips
    terms = [
        f"- {name}: {text_at(each, 'description')}\n"
        for each in map(mapping, sequence(about.get("definitions")))
        if (name := line_at(each, "name"))
    ]
    if terms:
        yield "problem-instructions", "terms", "".join(terms)
