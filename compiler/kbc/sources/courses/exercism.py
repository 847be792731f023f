"""Tracks of Exercism: `config.json` lists the exercises. Each has its instructions in `.docs`, and lists its
files, with an example solution, in `.meta/config.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kbc.project.well_formed import json_value, mapping, sequence, text_at, texts
from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedPage,
    PlannedStep,
    joined,
    text_in,
)

_CONFIG = "config.json"
_FOLDER = "exercises"
_META = ".meta/config.json"
_KINDS = ("concept", "practice")
_WITHDRAWN = frozenset({"deprecated", "wip"})
"""States of exercises that learners are not shown."""
_HINTS = "hints.md"
_PAGES = ("introduction.md", "instructions.md", "instructions.append.md", _HINTS)
_ABOUT_SOLUTIONS = (".approaches", ".articles")
"""Folders with an introduction, and a folder for each way to solve the exercise."""
_SOLUTIONS = ("example", "exemplar")
_UNSOLVED = re.compile(r"%\{(\w+)\}")


def plan(tree: CourseTree) -> Course | None:
    """The plan of the track whose root is that of `tree`; None of another tree."""
    if not tree.names(_FOLDER):
        return None
    config = mapping(json_value(text_in(tree, _CONFIG)))
    listed = mapping(config.get("exercises"))
    if not any(isinstance(listed.get(kind), list) for kind in _KINDS):
        return None
    settings = [_CONFIG]
    exercises: list[PlannedExercise] = []
    for kind, entry in _entries(listed):
        folder = joined(_FOLDER, kind, text_at(entry, "slug"))
        if "instructions.md" not in tree.names(joined(folder, ".docs")):
            continue
        number = len(exercises) + 1
        settings.append(joined(folder, _META))
        title = text_at(entry, "name") or text_at(entry, "slug")
        step = _step(tree, folder, title)
        exercises.append(PlannedExercise(title=title, number=number, steps=(step,)))
    if not exercises:
        return None
    return Course(
        title=text_at(config, "language"),
        subtitle=text_at(config, "blurb"),
        exercises=tuple(exercises),
        settings=tuple(settings),
        folders=(_FOLDER,),
    )


def _entries(listed: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The exercises as they are taught: those about concepts in the order of the list, then the others by
    their difficulty, the greeting that every track begins with first."""
    for kind in _KINDS:
        known = [
            each
            for each in map(mapping, sequence(listed.get(kind)))
            if text_at(each, "slug") and each.get("status") not in _WITHDRAWN
        ]
        if kind == "practice":
            known.sort(key=_difficulty)
        yield from ((kind, each) for each in known)


def _difficulty(entry: Mapping[str, Any]) -> tuple[bool, int]:
    stated = entry.get("difficulty")
    return text_at(entry, "slug") != "hello-world", stated if isinstance(stated, int) else 0


def _step(tree: CourseTree, folder: str, title: str) -> PlannedStep:
    files = mapping(mapping(json_value(text_in(tree, joined(folder, _META)))).get("files"))
    slug = folder.rpartition("/")[2]
    named = {kind: _named(files.get(kind), slug) for kind in ("solution", "test", "editor")}
    stubs = named["solution"]
    found = next((each for kind in _SOLUTIONS if (each := _named(files.get(kind), slug))), [])
    # An example stands for the stub at the same place, which is called otherwise.
    names = stubs if len(stubs) == len(found) else [_shown(each) for each in found]
    pages = [name for name in _PAGES if name in tree.names(joined(folder, ".docs"))]
    return PlannedStep(
        title=title,
        number=1,
        pages=(
            *(
                PlannedPage(
                    "problem-instructions",
                    joined(folder, ".docs", name),
                    "hints" if name == _HINTS else "",
                )
                for name in pages
            ),
            *(PlannedPage("solution-instructions", path) for path in _explained(tree, folder)),
        ),
        problem={name: joined(folder, name) for name in stubs},
        solution={name: joined(folder, each) for name, each in zip(names, found, strict=True)},
        given={name: joined(folder, name) for kind in ("test", "editor") for name in named[kind]},
        problem_dir=folder,
        solution_dir=joined(folder, ".meta") if found else "",
    )


def _explained(tree: CourseTree, folder: str) -> Iterator[str]:
    """The pages about solutions of an exercise."""
    for place in (joined(folder, name) for name in _ABOUT_SOLUTIONS):
        names = tree.names(place)
        if "introduction.md" in names:
            yield joined(place, "introduction.md")
        for name in names:
            if "content.md" in tree.names(joined(place, name)):
                yield joined(place, name, "content.md")


def _named(value: Any, slug: str) -> list[str]:
    """The names of files in a list, in which a pattern may stand for the name of the exercise."""
    written = {
        "kebab_slug": slug,
        "snake_slug": slug.replace("-", "_"),
        "camel_slug": _camel(slug.split("-")),
        "pascal_slug": "".join(map(str.capitalize, slug.split("-"))),
    }
    return [
        _UNSOLVED.sub(lambda found: written.get(found[1], found[0]), each)
        for each in texts(value)
        if ".." not in each
    ]


def _camel(words: Sequence[str]) -> str:
    return "".join((words[0], *map(str.capitalize, words[1:])))


def _shown(path: str) -> str:
    return path.removeprefix(".meta/")
