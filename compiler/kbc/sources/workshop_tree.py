"""Selects the files of a folder of workshops: exercises, their descriptions, exported contexts.

A workshop repository contains much else (an application, pictures, dependencies, a playground with a copy
of one step), which is neither read nor watched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath

MAX_STEP_FILE_BYTES = 250_000
"""A larger file in a step is data, not something to learn from."""

MAX_UNKNOWN_ENDING = 5
"""Characters, with the dot, of an ending that nobody has heard of and that still may be text."""

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

_SKIPPED_FOLDERS = frozenset({"node_modules", "build", "dist", "coverage"})

_BINARY_ENDINGS = frozenset([
    ".7z", ".bin", ".bmp", ".bz2", ".db", ".dll", ".doc", ".docx", ".exe", ".gif", ".gz", ".ico",
    ".jar", ".jpeg", ".jpg", ".mkv", ".mov", ".mp3", ".mp4", ".o", ".ogg", ".otf", ".pdf", ".png",
    ".ppt", ".pptx", ".pyc", ".rar", ".so", ".tar", ".tgz", ".tif", ".tiff", ".ttf", ".wasm",
    ".wav", ".webm", ".webp", ".woff", ".woff2", ".xls", ".xlsx", ".xz", ".zip",
])  # fmt: skip
_TEXT_ENDINGS = frozenset([
    ".astro", ".gradle", ".graphql", ".ipynb", ".jsonc", ".json5", ".markdown", ".prettierrc",
    ".prisma", ".properties", ".proto", ".scala", ".svelte", ".swift",
])  # fmt: skip


class WorkshopTree:
    """Walks one path of a collection: a workshop, or a folder of workshops and exported contexts. Folders
    that have nothing of a workshop are `without_exercises`."""

    def __init__(self) -> None:
        self.without_exercises: list[Path] = []

    def walk(self, root: Path) -> Iterator[Path]:
        """The files below `root`, depth first, by name; links are not followed. Raises `OSError` when
        `root` cannot be read."""
        if _is_folder(root / EXERCISES):
            yield from _workshop(root)
            return
        for entry in _entries(root):
            if entry.is_dir():
                files = list(_workshop(entry))
                if not files and entry.name not in _SKIPPED_FOLDERS:
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


def is_text_name(name: str) -> bool:
    """Whether a file of a step may be text, by the ending of its name."""
    ending = PurePath(name).suffix.lower()
    if ending in _BINARY_ENDINGS:
        return False
    return ending in _TEXT_ENDINGS or len(ending) <= MAX_UNKNOWN_ENDING


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
            if entry.name not in _SKIPPED_FOLDERS:
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
