"""Courses that are pages: lessons of the Carpentries, codelabs, scenarios, steps and units in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kbc.project.well_formed import json_value, mapping, sequence, text_at, texts, yaml_table
from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    Lesson,
    PlannedExercise,
    PlannedPage,
    PlannedStep,
    in_order,
    is_folder,
    joined,
    numbered,
    pages_of,
    stated_path,
    text_in,
    title_in,
)

_MARKDOWN = (".md", ".Rmd")
_STEPS = ".github/steps"
_SCENARIO, _LISTING = "index.json", "structure.json"
_MODULE = re.compile(r"### YamlMime: ?Module\s")
_UNIT = re.compile(r"### YamlMime: ?ModuleUnit\s")
_INCLUDED = re.compile(r"\[!include\s*\[[^\[\]]*\]\(([^()\s]+)\)\]", re.IGNORECASE)
_LABS = ("Instructions/Labs", "Instructions/Exercises", "Instructions")
_LAB = re.compile(r"---\s*\n(?:[^\n]*\n){0,20}?lab:\s*\n")
_CODELAB = re.compile(r"(?:\A|\n)id:[ \t]*[\w-]+[ \t]*\n")
_DURATION = re.compile(r"^##[ \t][^\n]*+\n++Duration:[ \t]*+[\d:]++[ \t]*+$", re.MULTILINE)
_OF_CODELABS = frozenset(
    ["codelabs", "content", "guides", "labs", "markdown", "sfguides", "src", "tutorials"]
)
_MOST_PLACES = 400
_DEEPEST_MODULE = 4


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    readers = (_carpentries, _skills, _scenarios, _modules, _labs, _codelabs)
    return next(filter(None, (reader(tree) for reader in readers)), None)


def _carpentries(tree: CourseTree) -> Course | None:
    """A lesson of the Workbench: its episodes in the order of config.yaml, each with its challenges."""
    data = yaml_table(text_in(tree, "config.yaml")) if "config.yaml" in tree.names("") else {}
    if "carpentry" not in data:
        return None
    held = [name for name in tree.names("episodes") if name.endswith(_MARKDOWN)]
    order = [name for name in texts(data.get("episodes")) if name in held] or in_order(held)
    paths = [joined("episodes", name) for name in order]
    return _of_pages(paths, "challenges", text_at(data, "title"), ("config.yaml",))


def _skills(tree: CourseTree) -> Course | None:
    """A course of GitHub Skills: each step is an exercise, whose activities are its steps."""
    names = [name for name in in_order(tree.names(_STEPS)) if name.endswith(".md")]
    steps = [name for name in names if name[:1].isdecimal()]
    if not steps:
        return None
    pages = [
        PlannedPage("workshop-finished", joined(_STEPS, each))
        for each in names
        if each not in steps
    ]
    if "README.md" in tree.names(""):
        pages.insert(0, PlannedPage("workshop-instructions", "README.md"))
    found = _of_pages([joined(_STEPS, name) for name in steps], "activities")
    return Course(exercises=found.exercises, pages=tuple(pages)) if found else None


def _of_pages(
    paths: list[str], lesson: Lesson, title: str = "", settings: tuple[str, ...] = ()
) -> Course | None:
    """A course with an exercise for each page."""
    exercises = tuple(
        PlannedExercise(
            number=number, pages=pages_of("exercise-instructions", [path]), lesson=lesson
        )
        for number, path in numbered(paths)
    )
    return Course(exercises=exercises, title=title, settings=settings) if paths else None


def _scenarios(tree: CourseTree) -> Course | None:
    """Scenarios of Killercoda: an index.json each, in the order of structure.json where there is one."""
    places = [""]
    if not _steps_of(tree, ""):
        places = _ordered(tree, "")[:_MOST_PLACES]
        listing = any(_LISTING in tree.names(place) for place in ("", *places))
        if listing or any(_steps_of(tree, each) for each in places):
            inner = [each for place in places for each in (place, *_ordered(tree, place))]
            places = inner[:_MOST_PLACES]
    listings = ("", *(name for name in tree.names("") if "." not in name))
    settings = [joined(at, _LISTING) for at in listings if _LISTING in tree.names(at)]
    exercises: list[PlannedExercise] = []
    for place in dict.fromkeys(places):
        if steps := _steps_of(tree, place):
            path = joined(place, _SCENARIO)
            settings.append(path)
            exercises.append(_scenario(tree, place, steps, len(exercises) + 1))
    if not exercises:
        return None
    return Course(exercises=tuple(exercises), settings=tuple(settings))


def _ordered(tree: CourseTree, folder: str) -> list[str]:
    """The folders of a course as its structure.json lists them, then the others."""
    listed = [
        text_at(each, "path").strip("/")
        for each in sequence(mapping(_json(tree, folder, _LISTING)).get("items"))
    ]
    names = [*filter(None, listed), *(n for n in in_order(tree.names(folder)) if "." not in n)]
    return [joined(folder, name) for name in dict.fromkeys(names) if ".." not in name]


def _json(tree: CourseTree, folder: str, name: str) -> Any:
    return json_value(text_in(tree, joined(folder, name))) if name in tree.names(folder) else None


def _steps_of(tree: CourseTree, place: str) -> list[Any]:
    return sequence(mapping(mapping(_json(tree, place, _SCENARIO)).get("details")).get("steps"))


def _scenario(tree: CourseTree, place: str, steps: list[Any], number: int) -> PlannedExercise:
    data = mapping(_json(tree, place, _SCENARIO))
    details = mapping(data["details"])
    pages = [
        PlannedPage(f"exercise-{what}", path)
        for part, what in (("intro", "instructions"), ("finish", "finished"))
        if (path := stated_path(place, text_at(details.get(part), "text")))
    ]
    return PlannedExercise(
        title=text_at(data, "title") or title_in(place),
        number=number,
        pages=tuple(pages),
        steps=tuple(
            _scenario_step(place, each, at) for at, each in enumerate(map(mapping, steps), 1)
        ),
    )


def _scenario_step(place: str, step: Mapping[str, Any], number: int) -> PlannedStep:
    path, check = (stated_path(place, text_at(step, name)) for name in ("text", "verify"))
    return PlannedStep(
        title=text_at(step, "title"),
        number=number,
        pages=pages_of("problem-instructions", [path] if path else []),
        solution={text_at(step, "verify"): check} if check else {},
    )


def _modules(tree: CourseTree) -> Course | None:
    """Modules of Microsoft Learn: an index.yml that lists the units, each a file with its text or quiz."""
    places = [""] if "index.yml" in tree.names("") else _module_places(tree)
    exercises: list[PlannedExercise] = []
    settings: list[str] = []
    for place in places:
        path = joined(place, "index.yml")
        text = text_in(tree, path)
        if not _MODULE.match(text):
            continue
        data = yaml_table(text)
        units = _units(tree, place)
        order = [uid for uid in texts(data.get("units")) if uid in units]
        if order:
            settings += [path, *(units[uid][0] for uid in order)]
            steps = tuple(_unit(place, *units[uid], at) for at, uid in enumerate(order, 1))
            title = text_at(data, "title") or title_in(place)
            exercises.append(PlannedExercise(title=title, number=len(exercises) + 1, steps=steps))
    if not exercises:
        return None
    return Course(exercises=tuple(exercises), settings=tuple(settings))


def _module_places(tree: CourseTree) -> list[str]:
    """Folders with an index.yml, of `learn-pr` those further below as well."""
    level = [name for name in in_order(tree.names("")) if "." not in name]
    found = [each for each in level if "index.yml" in tree.names(each)]
    level = ["learn-pr"] if "learn-pr" in level else []
    for _ in range(_DEEPEST_MODULE):
        below = [
            joined(folder, name)
            for folder in level
            for name in in_order(tree.names(folder))
            if "." not in name
        ]
        found += [each for each in below if "index.yml" in tree.names(each)]
        level = [each for each in below if is_folder(tree, each)]
    return found[:_MOST_PLACES]


def _units(tree: CourseTree, place: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Path and settings of the units of a module, by uid."""
    found = {}
    for name in tree.names(place):
        if name.endswith(".yml") and name != "index.yml":
            path = joined(place, name)
            text = text_in(tree, path)
            if _UNIT.match(text):
                data = yaml_table(text)
                found[text_at(data, "uid")] = (path, data)
    return found


def _unit(place: str, path: str, data: Mapping[str, Any], number: int) -> PlannedStep:
    content = text_at(data, "content")
    included = [*filter(None, (stated_path(place, each) for each in _INCLUDED.findall(content)))]
    pages = pages_of("problem-instructions", included)
    said = [] if included or not content else [("problem-instructions", "text", content)]
    return PlannedStep(
        title=text_at(data, "title"), number=number, pages=pages, texts=(*said, *_quiz(data))
    )


def _quiz(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The questions of a unit with their choices, and apart from them what is right and why."""
    posed, solved = [], []
    quiz = mapping(data.get("quiz")) or mapping(mapping(data.get("quizzes")).get("quiz"))
    for number, question in enumerate(map(mapping, sequence(quiz.get("questions"))), 1):
        posed.append(f"{number}. {text_at(question, 'content')}\n")
        for choice in map(mapping, sequence(question.get("choices"))):
            said = text_at(choice, "content")
            posed.append(f"   - {said}\n")
            if choice.get("isCorrect") is True:
                solved.append(f"{number}. {said}: {text_at(choice, 'explanation')}\n")
    if posed:
        yield "problem-instructions", "questions", "".join(posed)
    if solved:
        yield "solution-instructions", "answers", "".join(solved)


def _labs(tree: CourseTree) -> Course | None:
    """Labs of Microsoft's courses: pages with `lab` in their front matter."""
    if not tree.names("Instructions"):
        return None
    paths = [
        joined(folder, name)
        for folder in _LABS
        for name in in_order(tree.names(folder))
        if name.endswith(".md") and _LAB.match(text_in(tree, joined(folder, name)))
    ]
    return _of_pages(paths, "headings")


def _codelabs(tree: CourseTree) -> Course | None:
    """Codelabs for `claat`: pages that state an id above their title, and whose sections take a time."""
    folders = [name for name in in_order(tree.names("")) if "." not in name]
    holders = [name for name in folders if name.lower() in _OF_CODELABS]
    inner = [joined(each, name) for each in holders for name in in_order(tree.names(each))]
    paths = [
        joined(folder, name)
        for folder in ["", *holders, *folders, *inner][:_MOST_PLACES]
        for name in in_order(tree.names(folder))
        if name.endswith(".md") and (folder in holders or _is_called_as(name, folder))
    ]
    return _of_pages([each for each in dict.fromkeys(paths) if _is_codelab(tree, each)], "headings")


def _is_called_as(name: str, folder: str) -> bool:
    """Whether a page is the one of its folder, as `claat` and those who use it call it."""
    stem = name.removesuffix(".md").lower()
    return stem in ("codelab", "index", folder.rpartition("/")[2].lower())


def _is_codelab(tree: CourseTree, path: str) -> bool:
    text = text_in(tree, path)
    head = text.partition("\n# ")[0]
    return (
        len(head) < len(text)
        and _CODELAB.search(head) is not None
        and _DURATION.search(text) is not None
    )
