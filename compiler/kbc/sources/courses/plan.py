"""The plan of a course: its exercises and steps, and the files that each of them is made of.

A layout makes a plan of the names in a tree and of the settings that the course has there. The tree may be a
folder, or the files that were read of one: both give the same plan.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

from kbc.sources.courses.blanks import Blank
from kbc.sources.courses.text_files import SKIPPED_FOLDERS, is_text_name

MOST_FILES = 20_000
"""Of a course; what lies deeper or later is left out."""

_LEADING = re.compile(
    r"(?i)(?:chapter|day|ex|exercise|lab|lesson|module|part|section|step|unit|week)?[-_ .]*0*(\d+)"
    r"(?![^\W\d_])"
)
_BEHIND_NUMBER = re.compile(r"(?i)(?:[a-z]{2,12}[-_ .]*)?\d+[-_. ]+(?=\w)")

Lesson = Literal["", "headings", "activities", "challenges"]
"""What divides the page of an exercise into steps: nothing, headings of level 2, headings of activities,
or fenced divisions with challenges."""


class CourseTree(Protocol):
    """A tree in which courses are looked for, such as `kbc.project.include_tree.IncludeTree`."""

    def names(self, folder: str) -> list[str]:
        """The names of the entries of a folder, sorted; none where there is no such folder."""

    def peek(self, path: str) -> bytes | None:
        """The content of a file; None where there is none."""


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page of a workshop, an exercise or a step; `kind` is one of the kinds of sections, and `what` says
    what it is among those of its kind."""

    kind: str
    path: str
    what: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """`title` is what the settings of the course call the step, and `name` what its files are called, which
    counts where no page has a title. `problem`, `solution` and `given` are paths of files by their names in
    the step: code of both sides, and what both have, such as tests. `patch` is a file with the difference;
    `texts` are kinds of sections with what is written in the settings of the course, such as a hint.
    `blanks` are the parts of files of the problem, by their paths, that learners are to write."""

    title: str = ""
    name: str = ""
    number: int = 0
    pages: tuple[PlannedPage, ...] = ()
    problem: Mapping[str, str] = field(default_factory=dict)
    solution: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    problem_dir: str = ""
    solution_dir: str = ""
    patch: str = ""
    texts: tuple[tuple[str, str, str], ...] = ()
    blanks: Mapping[str, Sequence[Blank]] = field(default_factory=dict)

    @property
    def files(self) -> Iterator[str]:
        yield from (page.path for page in self.pages)
        for side in (self.problem, self.solution, self.given):
            yield from side.values()
        if self.patch:
            yield self.patch


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedExercise:
    """`title` and `name` are as those of a step."""

    title: str = ""
    name: str = ""
    number: int = 0
    pages: tuple[PlannedPage, ...] = ()
    steps: tuple[PlannedStep, ...] = ()
    lesson: Lesson = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """`folders` are those that hold nothing but the course, and files of it elsewhere: none where its pages
    are documentation as well. `settings` are the files that say what it consists of."""

    exercises: tuple[PlannedExercise, ...]
    title: str = ""
    subtitle: str = ""
    pages: tuple[PlannedPage, ...] = ()
    settings: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def files(self) -> list[str]:
        """The paths of all files, each once, in order."""
        found = [*self.settings, *(page.path for page in self.pages)]
        for exercise in self.exercises:
            found += (page.path for page in exercise.pages)
            found += (path for step in exercise.steps for path in step.files)
        return list(dict.fromkeys(found))[:MOST_FILES]


def made_of(
    exercises: Iterable[PlannedExercise], pages: Iterable[PlannedPage] = ()
) -> tuple[str, ...]:
    """What exercises consist of: the folders of both sides of their steps, their pages and `pages`, and files
    elsewhere. What lies beside these, such as slides, is no part of the course."""
    found = dict.fromkeys(page.path for page in pages)
    for exercise in exercises:
        found |= dict.fromkeys(page.path for page in exercise.pages)
        for step in exercise.steps:
            sides = [each for each in (step.problem_dir, step.solution_dir) if each]
            inside = tuple(f"{each}/" for each in sides)
            found |= dict.fromkeys(sides)
            found |= dict.fromkeys(each for each in step.files if not each.startswith(inside))
    return tuple(found)


def in_order(names: Iterable[str]) -> list[str]:
    """Names as people count them: `2` before `10`."""

    def place(name: str) -> tuple[list[tuple[int, int, str]], str]:
        parts = re.split(r"(\d+)", name.casefold())
        return [
            (0, int(each[:18]), "") if each.isdecimal() else (1, 0, each) for each in parts
        ], name

    return sorted(names, key=place)


def number_in(path: str) -> int | None:
    """The number that the name of a file or folder begins with, perhaps behind a word such as `lesson`; None
    without one."""
    found = _LEADING.match(path.rpartition("/")[2])
    return int(found[1][:9]) if found else None


def numbered(paths: Iterable[str]) -> list[tuple[int, str]]:
    """The paths with a number each: that of the name where all have one, which rise from 1 on; else the
    place."""
    paths = list(paths)
    stated = [each for each in map(number_in, paths) if each]
    is_usable = len(stated) == len(paths) and all(a < b for a, b in pairwise(stated))
    return list(zip(stated, paths, strict=True) if is_usable else enumerate(paths, 1))


def title_in(path: str) -> str:
    """What a file or folder is called in words, without its number: `01_first-steps` is `first steps`."""
    name = path.rpartition("/")[2]
    own = _BEHIND_NUMBER.sub("", name, count=1)
    return re.sub(r"[-_ ]+", " ", own).strip() or name


def pages_of(kind: str, paths: Iterable[str]) -> tuple[PlannedPage, ...]:
    return tuple(PlannedPage(kind, path) for path in paths)


def is_folder(tree: CourseTree, path: str) -> bool:
    return bool(tree.names(path))


def joined(*parts: str) -> str:
    return "/".join(filter(None, parts))


def stated_path(folder: str, path: str) -> str:
    """The path of a file that the settings in `folder` name, without `.` and `..`; "" for none, and for one
    outside of the course."""
    found = posixpath.normpath(joined(folder, path.strip("/")))
    return "" if not path.strip("/") or found.split("/")[0] in (".", "..") else found


def matching(tree: CourseTree, folder: str, pattern: re.Pattern[str]) -> list[str]:
    """The paths of the entries of a folder whose whole names match."""
    return [joined(folder, name) for name in tree.names(folder) if pattern.fullmatch(name)]


def files_below(tree: CourseTree, folder: str, *, depth: int = 12) -> Iterator[str]:
    """The paths of the texts below a folder, in order, without hidden files, dependencies and output."""
    for name in in_order(tree.names(folder)):
        path = joined(folder, name)
        if name.startswith(".") or name in SKIPPED_FOLDERS:
            continue
        if is_folder(tree, path):
            if depth:
                yield from files_below(tree, path, depth=depth - 1)
        elif is_text_name(name):
            yield path


def by_name(folder: str, paths: Iterable[str]) -> dict[str, str]:
    """Paths by what they are called in a folder."""
    return {path.removeprefix(f"{folder}/"): path for path in paths}


def text_in(tree: CourseTree, path: str) -> str:
    """The text of a settings file; "" where there is none."""
    data = tree.peek(path)
    return "" if data is None else data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
