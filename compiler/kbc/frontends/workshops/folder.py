"""Workshops in the numbered layout: `exercises/NN.name/MM.problem.name/...`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from kb_runtime.text.tables import first_of
from kbc.diagnostics import Diagnostics
from kbc.frontends.metadata import read_json
from kbc.frontends.workshops.code_parts import Side, code_parts
from kbc.frontends.workshops.parts import Exercise, Part, Workshop, WorkshopStep, mapping_at, placed
from kbc.languages import markdown
from kbc.project.model import Collection
from kbc.project.source_file import SourceFile
from kbc.project.well_formed import text_at
from kbc.sources.workshop_tree import (
    EXERCISE_FOLDER,
    EXERCISES,
    EXERCISES_HINT,
    IGNORE_FILE,
    NO_PLACE,
    PACKAGE_FILE,
    STEP_FOLDER,
    has_no_place,
)

IGNORED_IN_DIFFS = ("README.*", "package-lock.json", ".DS_Store", ".git/*")
"""What is never part of a diff, besides what a workshop's own ignore file says."""

_REST_OF_ADDRESS = re.compile(r"/(?:blob|tree)/.*")
_PAGES = (("README", "instructions"), ("FINISHED", "finished"))


class FolderReader:
    """Reads one workshop in the numbered layout."""

    def __init__(
        self,
        collection: Collection,
        folder: str,
        files: Iterable[SourceFile],
        context: int,
        diagnostics: Diagnostics,
    ) -> None:
        slug = posixpath.basename(folder) or collection.name
        self._workshop = Workshop(slug, folder)
        self._context = context
        self._diagnostics = diagnostics
        start = len(folder) + 1 if folder else 0
        self._files = {file.path[start:]: file for file in files}
        self._texts = {
            path: file.data.decode("utf-8-sig", "replace") for path, file in self._files.items()
        }

    def workshop(self) -> Workshop:
        self._describe()
        ignored = _ignore_pattern(self._texts.get(IGNORE_FILE, ""))
        self._workshop.sections += self._pages(EXERCISES, "workshop", "Workshop")
        for name in self._folders(EXERCISES):
            if match := EXERCISE_FOLDER.fullmatch(name):
                exercise = Exercise(int(match[1]), match[2])
                if exercise.number in self._workshop.exercises:
                    self._duplicate(f"{EXERCISES}/{name}", f"exercise {exercise.number}")
                    continue
                self._workshop.exercises[exercise.number] = exercise
                self._read_exercise(exercise, f"{EXERCISES}/{name}", ignored)
        if self._workshop.exercises:
            self._report_unplaced()
        return self._workshop

    def _describe(self) -> None:
        """What `epicshop` in package.json says."""
        file = self._files.get(PACKAGE_FILE)
        parsed = read_json(file, self._diagnostics) if file is not None else None
        settings = mapping_at(parsed[0] if parsed else None, "epicshop")
        product = mapping_at(settings, "product")
        self._workshop.title = text_at(settings, "title")
        self._workshop.subtitle = text_at(settings, "subtitle")
        root = _REST_OF_ADDRESS.sub("", text_at(settings, "githubRoot"))
        self._workshop.repository = text_at(settings, "githubRepo") or root
        names = (text_at(product, key) for key in ("displayNameShort", "host", "slug"))
        self._workshop.product = next(filter(None, names), "")

    def _read_exercise(self, exercise: Exercise, folder: str, ignored: re.Pattern[str]) -> None:
        label = f"Exercise {exercise.number} ({exercise.title})"
        for page in self._pages(folder, "exercise", label):
            exercise.sections.append(placed(page, exercise.number))
        for name in self._folders(folder):
            match = STEP_FOLDER.fullmatch(name)
            if not match:
                continue
            number, side, title = int(match[1]), match[2], match[3] or ""
            step = exercise.steps.setdefault(number, WorkshopStep(number, title))
            if side == "problem" and not step.problem_dir:
                step.problem_dir = f"{folder}/{name}"
            elif side == "solution" and not step.solution_dir:
                step.solution_dir = f"{folder}/{name}"
            else:
                self._duplicate(f"{folder}/{name}", f"step {number}")
        for number in sorted(exercise.steps):
            self._read_step(exercise, exercise.steps[number], ignored)
        exercise.steps = {number: exercise.steps[number] for number in sorted(exercise.steps)}

    def _read_step(self, exercise: Exercise, step: WorkshopStep, ignored: re.Pattern[str]) -> None:
        label = f"Exercise {exercise.number}, step {step.number}"
        found: list[Part] = []
        for side, folder in (("problem", step.problem_dir), ("solution", step.solution_dir)):
            path = self._page_path(folder, "README") if folder else None
            if path is not None:
                text = self._texts[path]
                found.append(Part(f"{side}-instructions", f"{label}: {side}", text, path))
                if side == "problem" or not step.problem_dir:
                    step.title = markdown.parse(text, mdx=True).title or step.title
        sides = (self._side(step.problem_dir, ignored), self._side(step.solution_dir, ignored))
        found += code_parts(label, *sides, self._context)
        step.sections += [placed(each, exercise.number, step.number) for each in found]

    def _side(self, folder: str, ignored: re.Pattern[str]) -> Side | None:
        """The code of a folder; None where a step has no such folder."""
        if not folder:
            return None
        return {
            path: (f"{folder}/{path}", text)
            for path, text in self._below(folder).items()
            if not ignored.fullmatch(path)
        }

    def _pages(self, folder: str, scope: str, label: str) -> Iterable[Part]:
        for stem, what in _PAGES:
            path = self._page_path(folder, stem)
            if path is not None:
                yield Part(f"{scope}-{what}", f"{label}: {what}", self._texts[path], path)

    def _page_path(self, folder: str, stem: str) -> str | None:
        for ending in (".mdx", ".md"):
            if self._texts.get(f"{folder}/{stem}{ending}", "").strip():
                return f"{folder}/{stem}{ending}"
        return None

    def _folders(self, folder: str) -> list[str]:
        return sorted({path.partition("/")[0] for path in self._below(folder) if "/" in path})

    def _below(self, folder: str) -> dict[str, str]:
        """The texts in a folder by their path in it."""
        start = f"{folder}/"
        inside = ((path, text) for path, text in self._texts.items() if path.startswith(start))
        return {path.removeprefix(start): text for path, text in inside}

    def _report_unplaced(self) -> None:
        folder = self._workshop.folder
        if lost := sorted(path for path in self._files if has_no_place(path)):
            self._diagnostics.warning(
                "workshop-unplaced",
                f"files {NO_PLACE}, which were left out: {len(lost):,} ({first_of(lost, 3)})",
                f"{folder}/{lost[0]}" if folder else lost[0],
                hint=f"{EXERCISES_HINT} Other pages belong in a collection of kind docs.",
            )

    def _duplicate(self, path: str, what: str) -> None:
        folder = self._workshop.folder
        message = f"there is another {what}; this folder was left out"
        hint = "Number exercises, and the steps of each exercise, from 1."
        self._diagnostics.warning(
            "workshop-number-taken", message, f"{folder}/{path}" if folder else path, hint=hint
        )


def _ignore_pattern(text: str) -> re.Pattern[str]:
    """Matches step-relative paths that diffs leave out; `*` stands for any characters, also slashes."""
    own = (line.strip() for line in text.split("\n"))
    patterns = [*IGNORED_IN_DIFFS, *(line for line in own if line and not line.startswith("#"))]
    return re.compile(
        "|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns),
        re.IGNORECASE | re.DOTALL,
    )
