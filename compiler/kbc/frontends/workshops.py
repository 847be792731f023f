"""Front end for workshops: exercises with steps, each a problem, a solution and the diff between them.

It reads repositories in the numbered layout (`exercises/NN.name/MM.problem.name/...`) and the JSON that
the workshop application exports. A record for the workshop, which lists its content, is followed by one
for each section, in the order in which they are taught. Nothing is cut.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kbc.diagnostics import Diagnostics
from kbc.frontends.markdown_file import line_count, shorten
from kbc.frontends.metadata import read_json
from kbc.languages import markdown
from kbc.languages.diffs import CONTEXT_LINES, unified_diff
from kbc.project.model import PROJECT_FILE, Collection, SourceFile
from kbc.records import Record, WorkshopRecord, WorkshopSection
from kbc.sources.workshop_tree import CONTEXT_FILE, EXERCISES, IGNORE_FILE, PACKAGE_FILE

IGNORED_IN_DIFFS = ("README.*", "package-lock.json", ".DS_Store", ".git/*")
"""What is never part of a diff, besides what a workshop's own ignore file says."""

DIFF_KINDS = frozenset({"diff-summary", "diff-hunk"})

_EXERCISE = re.compile(r"0*([1-9]\d*)\.(.+)")
_STEP = re.compile(r"0*([1-9]\d*)\.(problem|solution)(?:\.(.+))?")
_REPOSITORY = re.compile(
    r"(?:https?://github\.com/|git@github\.com:)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?"
)
_PAGES = (("README", "instructions"), ("FINISHED", "finished"))
_DIFF_SIDE = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(\S[^\t\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Section:
    """A section before it has a place; `path` is where its text is stored, below the workshop."""

    kind: str
    label: str
    text: str
    path: str = ""
    exercise: int = 0
    step: int = 0
    name: str = ""  # tells sections of one kind and step apart


@dataclass(slots=True)
class _Step:
    number: int
    title: str = ""
    problem_dir: str = ""
    solution_dir: str = ""
    sections: list[_Section] = field(default_factory=list)


@dataclass(slots=True)
class _Exercise:
    number: int
    title: str
    sections: list[_Section] = field(default_factory=list)
    steps: dict[int, _Step] = field(default_factory=dict)


@dataclass(slots=True)
class _Workshop:
    slug: str
    folder: str  # or the path of the exported file
    title: str = ""
    subtitle: str = ""
    product: str = ""
    repository: str = ""
    sections: list[_Section] = field(default_factory=list)
    exercises: dict[int, _Exercise] = field(default_factory=dict)


def read(
    collection: Collection, files: Sequence[SourceFile], diagnostics: Diagnostics
) -> list[Record]:
    """The records of each workshop, by slug, followed by those of its sections."""
    context = collection.options.get("diff_context", CONTEXT_LINES)
    if context < 0:
        diagnostics.error(
            "toml-bad-value",
            f"`diff_context` is {context}; it is a number of lines",
            PROJECT_FILE,
            collection.line or None,
        )
        return []
    workshops: dict[str, _Workshop] = {}
    for workshop in _workshops(collection, files, context, diagnostics):
        earlier = workshops.setdefault(workshop.slug, workshop)
        if earlier is not workshop:
            diagnostics.error(
                "workshop-duplicate",
                f"the workshop {workshop.slug!r} is in {earlier.folder} too",
                workshop.folder,
                hint="Rename one of the folders: a workshop is called like its folder.",
            )
        if not workshop.exercises:
            diagnostics.warning(
                "workshop-without-exercises",
                f"the workshop {workshop.slug!r} has no exercises",
                workshop.folder,
                hint="Exercises are folders such as exercises/01.name with steps in them.",
            )
    records: list[Record] = []
    for slug in sorted(workshops):
        records += _records(collection, workshops[slug])
    return records


def _workshops(
    collection: Collection, files: Sequence[SourceFile], context: int, diagnostics: Diagnostics
) -> Iterable[_Workshop]:
    folders: dict[str, list[SourceFile]] = {}
    exports: list[SourceFile] = []
    for file in files:
        folder, name = posixpath.split(file.path)
        before, marker, _ = f"/{file.path}".partition(f"/{EXERCISES}/")
        if marker:
            folders.setdefault(before.removeprefix("/"), []).append(file)
        elif file.path.endswith(IGNORE_FILE):
            folders.setdefault(posixpath.dirname(folder), []).append(file)
        elif name == PACKAGE_FILE:
            folders.setdefault(folder, []).append(file)
        elif name.endswith(".json"):
            exports.append(file)
    for folder, inside in folders.items():
        yield _Reader(collection, folder, inside, context, diagnostics).workshop()
    for file in exports:
        exported = _exported(file, diagnostics)
        if exported is not None:
            yield exported


class _Reader:
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
        self._workshop = _Workshop(slug, folder)
        self._context = context
        self._diagnostics = diagnostics
        start = len(folder) + 1 if folder else 0
        self._files = {file.path[start:]: file for file in files}
        self._texts = {
            path: file.data.decode("utf-8-sig", "replace") for path, file in self._files.items()
        }

    def workshop(self) -> _Workshop:
        self._describe()
        ignored = _ignore_pattern(self._texts.get(IGNORE_FILE, ""))
        self._workshop.sections += self._pages(EXERCISES, "workshop", "Workshop")
        for name in self._folders(EXERCISES):
            if match := _EXERCISE.fullmatch(name):
                exercise = _Exercise(int(match[1]), match[2])
                if self._is_new(exercise.number, self._workshop.exercises, name):
                    self._workshop.exercises[exercise.number] = exercise
                    self._read_exercise(exercise, f"{EXERCISES}/{name}", ignored)
        return self._workshop

    def _describe(self) -> None:
        """What `epicshop` in package.json says."""
        file = self._files.get(PACKAGE_FILE)
        parsed = read_json(file, self._diagnostics) if file is not None else None
        settings = _mapping(parsed[0] if parsed else None, "epicshop")
        product = _mapping(settings, "product")
        self._workshop.title = _text(settings, "title")
        self._workshop.subtitle = _text(settings, "subtitle")
        self._workshop.repository = _text(settings, "githubRepo")
        self._workshop.product = next(
            filter(None, (_text(product, key) for key in ("displayNameShort", "host", "slug"))), ""
        )

    def _read_exercise(self, exercise: _Exercise, folder: str, ignored: re.Pattern[str]) -> None:
        label = f"Exercise {exercise.number} ({exercise.title})"
        for page in self._pages(folder, "exercise", label):
            exercise.sections.append(_placed(page, exercise.number))
        for name in self._folders(folder):
            match = _STEP.fullmatch(name)
            if not match:
                continue
            number, side, title = int(match[1]), match[2], match[3] or ""
            step = exercise.steps.setdefault(number, _Step(number, title))
            if side == "problem" and not step.problem_dir:
                step.problem_dir = f"{folder}/{name}"
            elif side == "solution" and not step.solution_dir:
                step.solution_dir = f"{folder}/{name}"
            else:
                self._duplicate(f"{folder}/{name}", f"step {number}")
        for number in sorted(exercise.steps):
            self._read_step(exercise, exercise.steps[number], ignored)
        exercise.steps = {number: exercise.steps[number] for number in sorted(exercise.steps)}

    def _read_step(self, exercise: _Exercise, step: _Step, ignored: re.Pattern[str]) -> None:
        label = f"Exercise {exercise.number}, step {step.number}"
        found: list[_Section] = []
        for side, folder in (("problem", step.problem_dir), ("solution", step.solution_dir)):
            path = self._page_path(folder, "README") if folder else None
            if path is not None:
                text = self._texts[path]
                found.append(_Section(f"{side}-instructions", f"{label}: {side}", text, path))
                if side == "problem" or not step.problem_dir:
                    step.title = _heading(text) or step.title
        if step.problem_dir and step.solution_dir:
            found += self._differences(step, label, ignored)
        step.sections += [_placed(each, exercise.number, step.number) for each in found]

    def _differences(self, step: _Step, label: str, ignored: re.Pattern[str]) -> Iterable[_Section]:
        """The code of both sides of each changed file, then a summary, then the diffs."""
        before = self._below(step.problem_dir)
        after = self._below(step.solution_dir)
        changed = [
            path
            for path in sorted(before.keys() | after.keys())
            if not ignored.fullmatch(path) and before.get(path) != after.get(path)
        ]
        summary = []
        diffs = []
        for path in changed:
            old, new = before.get(path), after.get(path)
            old_path, new_path = f"{step.problem_dir}/{path}", f"{step.solution_dir}/{path}"
            if old is not None:
                title = f"{label}: problem code {path}"
                yield _Section("problem-code", title, old, old_path, name=path)
            if new is not None:
                title = f"{label}: solution code {path}"
                yield _Section("solution-code", title, new, new_path, name=path)
            what = "added" if old is None else "removed" if new is None else "modified"
            summary.append(f"- {what}: {path}\n")
            diff = unified_diff(path, old, new, self._context)
            place = old_path if new is None else new_path
            diffs.append(_Section("diff-hunk", f"{label}: diff of {path}", diff, place, name=path))
        if changed:
            yield _Section("diff-summary", f"{label}: changed files", "".join(summary))
        yield from diffs

    def _pages(self, folder: str, scope: str, label: str) -> Iterable[_Section]:
        for stem, what in _PAGES:
            path = self._page_path(folder, stem)
            if path is not None:
                yield _Section(f"{scope}-{what}", f"{label}: {what}", self._texts[path], path)

    def _page_path(self, folder: str, stem: str) -> str | None:
        for ending in (".mdx", ".md"):
            if self._texts.get(f"{folder}/{stem}{ending}", "").strip():
                return f"{folder}/{stem}{ending}"
        return None

    def _folders(self, folder: str) -> list[str]:
        start = len(folder) + 1
        inside = (path[start:] for path in self._files if path.startswith(f"{folder}/"))
        return sorted({path.partition("/")[0] for path in inside if "/" in path})

    def _below(self, folder: str) -> dict[str, str]:
        """The texts of a step by their path in it."""
        start = len(folder) + 1
        return {
            path[start:]: text
            for path, text in self._texts.items()
            if path.startswith(f"{folder}/")
        }

    def _is_new(self, number: int, known: Mapping[int, _Exercise], name: str) -> bool:
        if number not in known:
            return True
        self._duplicate(f"{EXERCISES}/{name}", f"exercise {number}")
        return False

    def _duplicate(self, path: str, what: str) -> None:
        folder = self._workshop.folder
        self._diagnostics.warning(
            "workshop-number-taken",
            f"there is another {what}; this folder was left out",
            f"{folder}/{path}" if folder else path,
            hint="Number exercises, and the steps of an exercise, from 1 on.",
        )


def _exported(file: SourceFile, diagnostics: Diagnostics) -> _Workshop | None:
    """The workshop in a file that the workshop application exported; None when it is none."""
    parsed = read_json(file, diagnostics)
    if parsed is None:
        return None
    data = parsed[0]
    if not isinstance(data, dict) or not isinstance(data.get("exercises"), list):
        diagnostics.error(
            "workshop-context-invalid",
            "the file has no list `exercises`: it is no exported workshop",
            file.path,
            1,
            hint="Export it with the workshop application, or keep the file out of the folder.",
        )
        return None
    folder, name = posixpath.split(file.path)
    slug = posixpath.basename(folder) if name == CONTEXT_FILE else name.removesuffix(".json")
    about = _mapping(data, "workshop")
    workshop = _Workshop(
        slug,
        file.path,
        title=_text(about, "title"),
        subtitle=_text(about, "subtitle"),
        product=_text(about, "product"),
    )
    workshop.sections += _exported_pages(data, "workshop", "Workshop")
    for entry in data["exercises"]:
        number = _number(entry, "exerciseNumber")
        if number is None or number in workshop.exercises:
            _bad_number(file, entry, "exerciseNumber", diagnostics)
            continue
        exercise = _Exercise(number, _text(entry, "title") or f"Exercise {number}")
        workshop.exercises[number] = exercise
        pages = _exported_pages(entry, "exercise", f"Exercise {number} ({exercise.title})")
        exercise.sections += [_placed(page, number) for page in pages]
        steps = entry.get("steps")
        for each in steps if isinstance(steps, list) else ():
            step_number = _number(each, "stepNumber")
            if step_number is None or step_number in exercise.steps:
                _bad_number(file, each, "stepNumber", diagnostics)
                continue
            step = _Step(step_number, _text(each, "title"))
            exercise.steps[step_number] = step
            label = f"Exercise {number}, step {step_number}"
            found = _exported_step(each, label)
            step.sections += [_placed(section, number, step_number) for section in found]
        exercise.steps = dict(sorted(exercise.steps.items()))
    workshop.exercises = dict(sorted(workshop.exercises.items()))
    return workshop


def _exported_pages(data: Mapping[str, Any], scope: str, label: str) -> Iterable[_Section]:
    for key, what in (("instructions", "instructions"), ("finishedInstructions", "finished")):
        if text := _content(data.get(key)):
            yield _Section(f"{scope}-{what}", f"{label}: {what}", text)


def _exported_step(data: Mapping[str, Any], label: str) -> Iterable[_Section]:
    for side in ("problem", "solution"):
        entry = _mapping(data, side)
        if text := _content(entry.get("instructions")):
            yield _Section(f"{side}-instructions", f"{label}: {side}", text)
        transcripts = entry.get("transcripts")
        for position, each in enumerate(transcripts if isinstance(transcripts, list) else (), 1):
            yield _Section(
                f"{side}-transcript",
                f"{label}: {side} video {position}",
                _transcript(each),
                name=str(position),
            )
    diff = data.get("diff")
    if isinstance(diff, str) and diff.strip():
        paths = list(dict.fromkeys(_DIFF_SIDE.findall(diff)))
        changed = "".join(f"- {path}\n" for path in paths if path != "/dev/null")
        if changed:
            yield _Section("diff-summary", f"{label}: changed files", changed)
        yield _Section("diff-hunk", f"{label}: diff", diff)


def _transcript(data: Any) -> str:
    """What is said in a video; of one without a transcript, a line that says so."""
    text = _text(data, "transcript")
    if text:
        return text
    embed, status = _text(data, "embed") or "a video", _text(data, "status") or "unknown"
    return f"No transcript of {embed} (status: {status}).\n"


def _records(collection: Collection, workshop: _Workshop) -> list[Record]:
    sections = [
        *workshop.sections,
        *(
            section
            for exercise in workshop.exercises.values()
            for section in (
                *exercise.sections,
                *(each for step in exercise.steps.values() for each in step.sections),
            )
        ),
    ]
    title = workshop.title or workshop.slug
    records = [
        _section_record(collection, workshop, title, order, section)
        for order, section in enumerate(sections)
    ]
    match = _REPOSITORY.fullmatch(workshop.repository)
    about = WorkshopRecord(
        id=workshop.slug,
        collection=collection.name,
        title=title,
        path=workshop.folder,
        text="",
        summary=shorten(workshop.subtitle),
        url=workshop.repository if workshop.repository.startswith("http") else "",
        product=workshop.product,
        repository_owner=match[1] if match else "",
        repository_name=match[2] if match else "",
        content=_outline(workshop, title),
        exercises=tuple(_exercise_entry(exercise) for exercise in workshop.exercises.values()),
        sections=tuple(_section_entry(record) for record in records),
        has_diffs=any(record.is_diff for record in records),
    )
    return [about, *records]


def _section_record(
    collection: Collection, workshop: _Workshop, title: str, order: int, section: _Section
) -> WorkshopSection:
    place = [workshop.slug]
    if section.exercise:
        place.append(f"{section.exercise:02}")
    if section.step:
        place.append(f"{section.step:02}")
    place.append(section.kind)
    if section.name:
        place.append(section.name)
    path = section.path and posixpath.join(workshop.folder, section.path)
    return WorkshopSection(
        id="/".join(place),
        collection=collection.name,
        title=f"{title}: {section.label}",
        path=path or workshop.folder,
        text=section.text,
        size=len(section.text.encode()),
        lines=line_count(section.text),
        workshop=workshop.slug,
        exercise=section.exercise,
        step=section.step,
        order=order,
        kind=section.kind,
        label=section.label,
        source_path=section.path,
        is_diff=section.kind in DIFF_KINDS,
    )


def _exercise_entry(exercise: _Exercise) -> dict[str, Any]:
    return {
        "number": exercise.number,
        "title": exercise.title,
        "steps": [
            {
                name: value
                for name, value in {
                    "number": step.number,
                    "title": step.title,
                    "problem_dir": step.problem_dir,
                    "solution_dir": step.solution_dir,
                    "has_diff": any(each.kind in DIFF_KINDS for each in step.sections),
                }.items()
                if value != ""
            }
            for step in exercise.steps.values()
        ],
    }


def _section_entry(section: WorkshopSection) -> dict[str, Any]:
    """What selecting sections needs to know, so that it need not read them."""
    return {
        "exercise": section.exercise,
        "step": section.step,
        "kind": section.kind,
        "is_diff": section.is_diff,
        "chars": len(section.text),
    }


def _outline(workshop: _Workshop, title: str) -> str:
    lines = [f"# {title}", "", *([workshop.subtitle, ""] if workshop.subtitle else [])]
    for exercise in workshop.exercises.values():
        lines.append(f"{exercise.number}. {exercise.title}")
        lines += [f"   {step.number}. {step.title}" for step in exercise.steps.values()]
    return "\n".join(lines) + "\n"


def _ignore_pattern(text: str) -> re.Pattern[str]:
    """Matches step-relative paths that diffs leave out; `*` stands for any characters, also slashes."""
    own = (line.strip() for line in text.split("\n"))
    patterns = [*IGNORED_IN_DIFFS, *(line for line in own if line and not line.startswith("#"))]
    return re.compile(
        "|".join(".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns),
        re.IGNORECASE | re.DOTALL,
    )


def _placed(section: _Section, exercise: int, step: int = 0) -> _Section:
    return _Section(
        section.kind, section.label, section.text, section.path, exercise, step, section.name
    )


def _heading(text: str) -> str:
    headings = markdown.parse(text, mdx=True).headings
    return next((heading.title for heading in headings if heading.level == 1), "")


def _content(value: Any) -> str:
    """The text of a page, which is an object with `content` or the text itself."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) and text.strip() else ""


def _mapping(data: Any, key: str) -> Mapping[str, Any]:
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, dict) else {}


def _text(data: Any, key: str) -> str:
    value = data.get(key) if isinstance(data, Mapping) else None
    return value.strip() if isinstance(value, str) else ""


def _number(data: Any, key: str) -> int | None:
    value = data.get(key) if isinstance(data, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return None
    return value


def _bad_number(file: SourceFile, data: Any, key: str, diagnostics: Diagnostics) -> None:
    value = data.get(key) if isinstance(data, Mapping) else None
    diagnostics.error(
        "workshop-context-invalid",
        f"`{key}` is {value!r}: it must be a whole number from 1 on that no other has",
        file.path,
        1,
        hint="Export the workshop again.",
    )
