"""Workshops in other layouts: the plan of a course and the files that it names become sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from kbc.formats import html
from kbc.formats.document import FormatError
from kbc.frontends.workshops.code_parts import Side, code_parts, whole_code
from kbc.frontends.workshops.lesson_steps import divided, page_title, solutions_apart
from kbc.frontends.workshops.notebooks import notebook_text
from kbc.frontends.workshops.parts import Exercise, Part, Workshop, WorkshopStep, placed
from kbc.languages.front_matter import below_front_matter
from kbc.project.source_file import SourceFile, decode_any
from kbc.project.well_formed import text_at
from kbc.sources.courses.blanks import Blank, blanked
from kbc.sources.courses.detection import course_at
from kbc.sources.courses.plan import (
    Course,
    PlannedExercise,
    PlannedPage,
    PlannedStep,
    title_in,
)

_UNNAMED = frozenset(
    ["exercise", "index", "instruction", "instructions", "problem", "readme", "task"]
)
"""Pages that are called as those of any other folder."""


class FileTree:
    """The files of a collection below `folder`, as a tree in which a course may be found."""

    def __init__(self, folder: str, files: Iterable[SourceFile]) -> None:
        start = f"{folder}/" if folder else ""
        self.files = {
            file.path.removeprefix(start): file for file in files if file.path.startswith(start)
        }
        below: dict[str, set[str]] = {}
        for path in self.files:
            parts = path.split("/")
            for depth, name in enumerate(parts):
                below.setdefault("/".join(parts[:depth]), set()).add(name)
        self._names = {place: sorted(names) for place, names in below.items()}

    def by_folder(self) -> dict[str, list[SourceFile]]:
        """The files in each folder at the top."""
        found: dict[str, list[SourceFile]] = {}
        for path, file in self.files.items():
            folder, slash, _ = path.partition("/")
            if slash:
                found.setdefault(folder, []).append(file)
        return found

    def names(self, folder: str) -> list[str]:
        return self._names.get(folder, [])

    def peek(self, path: str) -> bytes | None:
        return self.files[path].data if path in self.files else None


def planned_workshop(slug: str, folder: str, tree: FileTree, context: int) -> Workshop | None:
    """The workshop that a tree of files is, called `slug`; None of one in no known layout."""
    course = course_at(tree)
    return None if course is None else _CourseReader(folder, tree, context).workshop(slug, course)


class _CourseReader:
    def __init__(self, folder: str, tree: FileTree, context: int) -> None:
        self._folder = folder
        self._files = tree.files
        self._context = context

    def workshop(self, slug: str, course: Course) -> Workshop:
        workshop = Workshop(slug, self._folder, title=course.title, subtitle=course.subtitle)
        for page in course.pages:
            workshop.sections += self._page(page, "Workshop")
        for each in course.exercises:
            exercise = self._exercise(each)
            workshop.exercises[exercise.number] = exercise
        return workshop

    def _exercise(self, planned: PlannedExercise) -> Exercise:
        own = planned.steps[0].pages if len(planned.steps) == 1 else ()
        pages = [*planned.pages, *own]
        title = planned.title or self._title(pages) or planned.name or f"Exercise {planned.number}"
        exercise = Exercise(planned.number, title)
        label = f"Exercise {planned.number} ({title})"
        for page in planned.pages:
            if planned.lesson:
                self._divide(exercise, page, planned, label)
            else:
                found = self._page(page, label)
                exercise.sections += (placed(part, exercise.number) for part in found)
        for each in planned.steps:
            name = each.title or self._title(each.pages) or each.name
            step = WorkshopStep(each.number, name, each.problem_dir, each.solution_dir)
            exercise.steps[step.number] = step
            label = f"Exercise {exercise.number}, step {step.number}"
            step.sections += (
                placed(part, exercise.number, step.number) for part in self._step(each, label)
            )
        return exercise

    def _title(self, pages: Iterable[PlannedPage]) -> str:
        """What the first page says that it is called, else the name of its file."""
        for page in pages:
            if page.path in self._files:
                data, text = below_front_matter(self._page_text(page.path))
                lab = data.get("lab")
                stated = text_at(data, "title") or text_at(lab, "title")
                name = page.path.rpartition("/")[2].split(".")[0]
                named = "" if name.lower() in _UNNAMED else title_in(name)
                return stated or page_title(text) or named
        return ""

    def _divide(
        self, exercise: Exercise, page: PlannedPage, planned: PlannedExercise, label: str
    ) -> None:
        """Makes steps of the parts of a page; what is around them is the text of the exercise."""
        own, steps = divided(self._text(page.path), planned.lesson)
        for part in self._instructions(page.kind, own, label, page.path):
            exercise.sections.append(placed(part, exercise.number))
        for number, found in enumerate(steps, 1):
            step = WorkshopStep(number, found.title)
            exercise.steps[number] = step
            around = f"Exercise {exercise.number}, step {number}"
            for part in self._instructions("problem-instructions", found.text, around, page.path):
                step.sections.append(placed(part, exercise.number, number))

    def _page(self, page: PlannedPage, label: str) -> Iterator[Part]:
        if page.path in self._files:
            text = self._page_text(page.path)
            yield from self._instructions(page.kind, text, label, page.path, page.what)

    def _instructions(
        self, kind: str, text: str, label: str, path: str, called: str = ""
    ) -> Iterator[Part]:
        """A page, and apart from it the solutions that it shows."""
        scope, what = kind.split("-", 1)
        said = f"{label}: {called or (scope if scope in ('problem', 'solution') else what)}"
        if kind != "problem-instructions":
            if text.strip():
                yield Part(kind, said, text, path, name=path)
            return
        problem, solution = solutions_apart(text)
        if problem:
            yield Part(kind, said, problem, path, name=path)
        if solution:
            yield Part("solution-instructions", f"{label}: solution", solution, path, name=path)

    def _step(self, step: PlannedStep, label: str) -> Iterator[Part]:
        found = [part for page in step.pages for part in self._page(page, label)]
        for kind, name, text in step.texts:
            found.append(Part(kind, f"{label}: {name}", text, name=name))
        found.sort(key=lambda part: part.kind)  # what is asked before what solves it
        yield from found
        given = self._side(step.given)
        said = {name: (path, text) for name, (path, text) in given.items() if text.strip()}
        yield from whole_code(label, "problem", said)
        before = self._side(step.problem, step.blanks) if step.problem else None
        after = self._side(step.solution, is_solved=True) if step.solution else None
        changed = list(code_parts(label, before, after, self._context))
        yield from changed or whole_code(label, "problem", before or {})
        if step.patch in self._files:
            yield Part("diff-hunk", f"{label}: diff", self._text(step.patch), step.patch)

    def _side(
        self,
        paths: Mapping[str, str],
        blanks: Mapping[str, Sequence[Blank]] = MappingProxyType({}),
        *,
        is_solved: bool = False,
    ) -> Side:
        return {
            name: (path, blanked(self._text(path, is_solved=is_solved), blanks.get(path, ())))
            for name, path in paths.items()
            if path in self._files
        }

    def _page_text(self, path: str) -> str:
        """The text of a page; HTML as it is read."""
        if not path.endswith((".html", ".htm")):
            return self._text(path)
        try:
            return html.convert(path, self._files[path].data, lambda _: None).text
        except FormatError:
            return self._text(path)

    def _text(self, path: str, *, is_solved: bool = False) -> str:
        """The text of a file; notebooks as they are read."""
        data = self._files[path].data
        if path.endswith(".ipynb"):
            return notebook_text(path, data, is_solved=is_solved)
        return decode_any(data)
