"""Selects the files of a folder of workshops: exercises, their descriptions, exported contexts.

A workshop repository contains much else (an application, pictures, dependencies, a playground with a copy
of one step), which is neither read nor watched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from kbc.limits import MAX_FILE_BYTES
from kbc.project.include_tree import IncludeTree
from kbc.sources.courses.detection import course_at
from kbc.sources.courses.plan import CourseTree
from kbc.sources.courses.text_files import SKIPPED_FOLDERS, is_text_name

MAX_STEP_FILE_BYTES = 250_000
"""A larger file in a step is data, not something to learn from."""

EXERCISES = "exercises"
EXERCISE_FOLDER = re.compile(r"0*([1-9]\d*)\.(.+)")
STEP_FOLDER = re.compile(r"0*([1-9]\d*)\.(problem|solution)(?:\.(.+))?")
_PLACE = re.compile(
    r"(?:0*[1-9]\d*\.[^/]+/)?(?:README|FINISHED)\.mdx?"
    r"|0*[1-9]\d*\.[^/]+/0*[1-9]\d*\.(?:problem|solution)(?:\.[^/]+)?/.+"
)
"""Below `exercises/`: the pages of the workshop and of an exercise, and whatever is in a step."""

PACKAGE_FILE = "package.json"
CONTEXT_FILE = "context.json"
IGNORE_FILE = "epicshop/.diffignore"

NO_PLACE = "in no exercise and no step"
WITHOUT_EXERCISES = "workshop-without-exercises"
EXERCISES_HINT = (
    "Exercises are folders with a number and a name, and so are their steps:"
    " exercises/01.name/01.problem.name beside 01.solution.name."
)


class WorkshopTree:
    """Walks one path of a collection: a workshop, or a folder of workshops and exported contexts. Folders
    that have nothing of a workshop are `without_exercises`."""

    def __init__(self) -> None:
        self.without_exercises: list[Path] = []

    def walk(self, root: Path) -> Iterator[Path]:
        """The files below `root`, depth first, by name; links are not followed. Raises `OSError` when
        `root` cannot be read."""
        if files := _files_of_course(root):
            yield from files
            return
        if _is_folder(root / EXERCISES):
            yield from _workshop(root)
            return
        for entry in _entries(root):
            if entry.is_dir():
                files = _files_of_course(entry) or list(_workshop(entry))
                if not files and entry.name not in SKIPPED_FOLDERS:
                    self.without_exercises.append(entry)
                yield from files
            elif entry.suffix.lower() == ".json":
                yield entry

    def admits(self, path: Path, data: bytes) -> bool:
        """Whether the content is text; an exported context is told apart from text when it is parsed."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return b"\0" not in data


def has_no_place(path: str) -> bool:
    """Whether a file below the exercises of a workshop belongs to none of them, so that nothing shows it."""
    _, exercises, place = f"/{path}".partition(f"/{EXERCISES}/")
    return bool(exercises) and not _PLACE.fullmatch(place)


def unplaced(paths: Iterable[str], shown: Set[str]) -> Iterator[str]:
    """The files that belong to no exercise of their workshop; `shown` are those that sections are made of. A
    workshop in another layout than the numbered one has none: of what is the same on both sides, it shows
    nothing either."""
    others = {_workshop_of(path) for path in shown if has_no_place(path)}
    for path in paths:
        if path not in shown and has_no_place(path) and _workshop_of(path) not in others:
            yield path


def _workshop_of(path: str) -> str:
    return f"/{path}".partition(f"/{EXERCISES}/")[0]


def is_numbered(tree: CourseTree) -> bool:
    """Whether the root of `tree` has exercises in numbered folders, whose steps are a problem and its
    solution."""
    return any(
        any(map(STEP_FOLDER.fullmatch, tree.names(f"{EXERCISES}/{exercise}")))
        for exercise in filter(EXERCISE_FOLDER.fullmatch, tree.names(EXERCISES))
    )


def _files_of_course(root: Path) -> list[Path]:
    """The files of a course in another layout than the numbered one; none of another folder."""
    tree = IncludeTree(root)
    course = None if is_numbered(tree) else course_at(tree)
    paths = [root / path for path in course.files if tree.exists(path)] if course else []
    return [
        path
        for path in paths
        if not path.is_symlink() and path.stat().st_size <= _most_bytes(path.name)
    ]


def _most_bytes(name: str) -> int:
    """Of a file of a course: pages are to be read whole, and pictures in notebooks are not read."""
    is_page = name.lower().endswith((".ipynb", ".md", ".mdx", ".rmd"))
    return MAX_FILE_BYTES if is_page else MAX_STEP_FILE_BYTES


def _workshop(folder: Path) -> Iterator[Path]:
    for name in (PACKAGE_FILE, CONTEXT_FILE, IGNORE_FILE):
        path = folder / name
        if path.is_file() and not path.is_symlink():
            yield path
    if _is_folder(folder / EXERCISES):
        yield from _step_files(folder / EXERCISES)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _step_files(folder: Path) -> Iterator[Path]:
    for entry in _entries(folder):
        if entry.is_dir():
            if entry.name not in SKIPPED_FOLDERS:
                yield from _step_files(entry)
        elif is_text_name(entry.name) and entry.stat().st_size <= MAX_STEP_FILE_BYTES:
            yield entry


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, by name, without links and hidden entries."""
    return sorted(
        entry
        for entry in folder.iterdir()
        if not entry.name.startswith(".") and not entry.is_symlink()
    )
