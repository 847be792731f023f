"""Courses of JetBrains Academy: `course-info.yaml` lists sections and lessons, `lesson-info.yaml` tasks, and
`task-info.yaml` the files of a task, with the places that learners fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kbc.project.well_formed import line_at, mapping, sequence, text_at, texts, yaml_table
from kbc.sources.courses.blanks import Blank
from kbc.sources.courses.plan import (
    Course,
    CourseTree,
    PlannedExercise,
    PlannedPage,
    PlannedStep,
    is_folder,
    joined,
    text_in,
)

_COURSE, _SECTION = "course-info.yaml", "section-info.yaml"
_LESSON, _TASK = "lesson-info.yaml", "task-info.yaml"
_PAGES = ("task.md", "task.html")
_READ_ONLY = "theory"
"""The type of a task in which there is nothing to do."""
_ONE_PROJECT = "framework"
"""The type of a lesson whose tasks go on with the same project."""


def plan(tree: CourseTree) -> Course | None:
    """The plan of the course whose root is that of `tree`; None of another tree."""
    return _AcademyReader(tree).course() if _COURSE in tree.names("") else None


@dataclass(frozen=True, slots=True)
class _AcademyReader:
    """Reads the settings of a course, and keeps what they are called."""

    tree: CourseTree
    settings: list[str] = field(default_factory=list)

    def course(self) -> Course | None:
        about = self._table("", _COURSE)
        exercises = tuple(
            self._exercise(folder, section, number)
            for number, (folder, section) in enumerate(self._lessons(about), 1)
        )
        if not any(each.steps for each in exercises):
            return None
        return Course(
            title=line_at(about, "title"),
            exercises=exercises,
            settings=tuple(self.settings),
            folders=tuple(self._listed("", about)),
        )

    def _table(self, folder: str, name: str) -> Mapping[str, Any]:
        """A settings file in a folder; empty where it has none."""
        if name not in self.tree.names(folder):
            return {}
        path = joined(folder, name)
        self.settings.append(path)
        return yaml_table(text_in(self.tree, path))

    def _listed(self, folder: str, about: Mapping[str, Any]) -> Iterator[str]:
        """The folders that the settings of one list, each once, as far as they are there."""
        known = {*self.tree.names(folder)}
        for name in dict.fromkeys(texts(sequence(about.get("content")))):
            if name in known and is_folder(self.tree, joined(folder, name)):
                yield joined(folder, name)

    def _lessons(self, about: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The folders of the lessons, each with what its section is called, "" outside of sections."""
        for folder in self._listed("", about):
            if _SECTION in self.tree.names(folder):
                section = self._table(folder, _SECTION)
                for lesson in self._listed(folder, section):
                    yield lesson, _called(section, folder)
            else:
                yield folder, ""

    def _exercise(self, folder: str, section: str, number: int) -> PlannedExercise:
        about = self._table(folder, _LESSON)
        title = _called(about, folder)
        goes_on = about.get("type") == _ONE_PROJECT and about.get("is_template_based") is False
        steps: list[PlannedStep] = []
        begun: dict[str, str] = {}
        for task in self._listed(folder, about):
            step, shown = self._step(task, len(steps) + 1, begun)
            steps.append(step)
            begun = shown if goes_on else {}
        return PlannedExercise(
            title=f"{section}: {title}" if section not in ("", title) else title,
            number=number,
            steps=tuple(steps),
        )

    def _step(
        self, folder: str, number: int, begun: Mapping[str, str]
    ) -> tuple[PlannedStep, dict[str, str]]:
        """A task, and the files of it that learners see. `begun` are those of the task that it goes on from:
        its own then hold its solution."""
        about = self._table(folder, _TASK)
        page = next((name for name in _PAGES if name in self.tree.names(folder)), "")
        is_asked = about.get("type") != _READ_ONLY
        blanks, shown, places = {}, {}, {}
        for each in _entries(about, "files"):
            name = text_at(each, "name")
            if not name or ".." in name:
                continue
            path = places[name] = joined(folder, name)
            if each.get("visible", True) is not False:  # others build the program, or check it
                shown[name] = path
                if is_asked and (found := tuple(_blanks(each))):
                    blanks[path] = found
        if begun and is_asked:
            problem = {name: begun[name] for name in shown if name in begun}
            solution = shown
        else:
            solution = {name: path for name, path in shown.items() if path in blanks}
            problem = solution or (shown if is_asked else {})
        own = {**problem, **solution}
        step = PlannedStep(
            title=_called(about, folder),
            number=number,
            pages=(PlannedPage("problem-instructions", joined(folder, page)),) if page else (),
            problem=problem,
            solution=solution,
            given={name: path for name, path in places.items() if name not in own},
            problem_dir=folder,
            solution_dir=folder if solution else "",
            blanks=blanks,
            texts=tuple(_choices(about)),
        )
        return step, shown


def _called(about: Mapping[str, Any], folder: str) -> str:
    return line_at(about, "custom_name") or folder.rpartition("/")[2]


def _entries(about: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    yield from map(mapping, sequence(about.get(name)))


def _blanks(entry: Mapping[str, Any]) -> Iterator[Blank]:
    """The places of a file that learners fill in; one that takes over what they wrote before is none."""
    for each in _entries(entry, "placeholders"):
        offset, length = each.get("offset"), each.get("length")
        if isinstance(offset, int) and isinstance(length, int) and not each.get("dependency"):
            shown = each.get("placeholder_text")
            yield Blank(offset, length, shown if isinstance(shown, str) else "")


def _choices(about: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What a question with answers to choose from offers, and which of them are right."""
    options = [
        (text, each) for each in _entries(about, "options") if (text := text_at(each, "text"))
    ]
    if options:
        offered = "".join(f"- {text}\n" for text, _ in options)
        header = text_at(about, "quiz_header")
        yield "problem-instructions", "choices", f"{header}\n\n{offered}" if header else offered
        right = "".join(f"- {text}\n" for text, each in options if each.get("is_correct") is True)
        if right:
            yield "solution-instructions", "answer", right
