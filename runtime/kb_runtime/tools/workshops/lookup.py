"""Look-ups of workshops, their exercises and their sections.

In a collection of workshops each workshop is followed by its sections and contains a list of them:
selecting reads nothing else, and only what is shown is decoded.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from kb_runtime.text.names import quoted, suggest
from kb_runtime.tools import lookup
from kb_runtime.tools.declaration import Tools
from kb_runtime.tools.refusal import not_found

if TYPE_CHECKING:
    from kb_runtime.knowledge.artifact import CollectionInfo
    from kb_runtime.records.entries import (
        ListedExercise,
        ListedSection,
        WorkshopEntry,
        WorkshopSectionEntry,
    )
    from kb_runtime.tools.session import Session

KIND = "workshops"
workshop_tools = partial(Tools, titled=True, family="workshops", needs=(KIND,))
_SHOWN_NUMBERS = 50
SECTION_KINDS = ("instructions", "transcripts", "diffs", "code", "tests", "problem", "solution")
"""What sections can be chosen by: `tests` is code in files of tests, `instructions` all pages, `problem` what
one begins with, `solution` what solves it."""
STORED_KINDS = (
    *(
        "workshop-instructions",
        "exercise-instructions",
        "problem-instructions",
        "problem-transcript",
    ),
    *("problem-code", "solution-instructions", "solution-transcript", "solution-code"),
    *("diff-summary", "diff-hunk", "exercise-finished", "workshop-finished"),
)
"""The kinds that sections have."""


class PlacedWorkshop(NamedTuple):
    """A workshop and its place: its sections are the records after `position`."""

    info: CollectionInfo
    position: int
    record: WorkshopEntry

    @property
    def slug(self) -> str:
        return self.record["id"]

    @property
    def place(self) -> tuple[str, int]:
        """What no other workshop has, as the slug may be in several knowledge bases."""
        return self.info.name, self.position

    @property
    def exercises(self) -> list[ListedExercise]:
        return self.record.get("exercises", [])

    @property
    def sections(self) -> list[ListedSection]:
        return self.record.get("sections", [])

    @property
    def step_count(self) -> int:
        return sum(len(exercise["steps"]) for exercise in self.exercises)

    def exercise(self, number: int) -> ListedExercise | None:
        return next((each for each in self.exercises if each["number"] == number), None)

    def section(self, session: Session, index: int) -> WorkshopSectionEntry:
        """The record of a section; its `text` is missing when it is empty."""
        record: Any = session.artifact.catalog(self.info.name)[self.position + 1 + index]
        return cast("WorkshopSectionEntry", record)


def workshops(session: Session) -> list[PlacedWorkshop]:
    """Every workshop, by slug in code point order."""
    found = (PlacedWorkshop(*head) for head in lookup.heads(session, KIND, "sections"))
    return sorted(found, key=lambda each: each.slug)


def find_workshop(session: Session, slug: str) -> PlacedWorkshop:
    """The workshop of that slug, else of that slug in another case, or of that address. Raises
    NOT_FOUND."""
    known, slug = lookup.addressed(session, slug, workshops(session), lambda each: each.info.name)
    for fold in (str, str.casefold):
        found = [workshop for workshop in known if fold(workshop.slug) == fold(slug)]
        if found:
            places = [(workshop.info.name, workshop.slug) for workshop in found]
            lookup.note_duplicates(session, slug, places)
            return found[0]
    slugs = [workshop.slug for workshop in known]
    raise not_found(
        f"there is no workshop {quoted(slug)}",
        "Call list_workshops for the slugs.",
        suggestions=suggest(slug, slugs) or slugs[:10],
    )


def check_scope(among: Sequence[PlacedWorkshop], exercise: int | None, step: int | None) -> None:
    """Raises NOT_FOUND unless one of the workshops has the exercise, and in it the step."""
    if exercise is None:
        return
    where = f" of the workshop {quoted(among[0].slug)}" if len(among) == 1 else ""
    found = [each for workshop in among if (each := workshop.exercise(exercise)) is not None]
    if not found:
        known = sorted({each["number"] for workshop in among for each in workshop.exercises})
        raise not_found(
            f"there is no exercise {exercise}{where}. Exercises: {_numbers(known)}",
            "Call list_exercises for the exercises and steps of a workshop.",
        )
    if step is None:
        return
    steps = sorted({each["number"] for exercise_ in found for each in exercise_["steps"]})
    if step not in steps:
        raise not_found(
            f"there is no step {step} in exercise {exercise}{where}. Steps: {_numbers(steps)}",
            "Call list_exercises for the exercises and steps of a workshop.",
        )


def covering(
    workshop: PlacedWorkshop, exercise: int, step: int | None, kinds: Collection[str] = ()
) -> list[int]:
    """The sections for an exercise or a step: its own and those of what it is part of. `kinds` are
    names of `SECTION_KINDS` or `STORED_KINDS`, none means all of them."""
    return [
        index
        for index, section in enumerate(workshop.sections)
        if section["exercise"] in (0, exercise)
        and (step is None or section["step"] in (0, step))
        and (not kinds or not _kinds(section).isdisjoint(kinds))
    ]


def _kinds(section: ListedSection) -> set[str]:
    """What the kind of a section is called: the kind itself, what it holds, and for whom."""
    kind = section["kind"]
    if section["is_diff"]:
        return {kind, "diffs", "solution"}
    held = "transcripts" if kind.endswith("-transcript") else "instructions"
    if kind.endswith("-code"):
        held = "tests" if section.get("is_test") else "code"
    if kind.endswith("-finished"):
        return {kind, held}
    return {kind, held, "solution" if kind.startswith("solution-") else "problem"}


def rows_within(
    session: Session, among: Sequence[PlacedWorkshop], exercise: int | None, step: int | None
) -> tuple[range, ...]:
    """The chunks of exactly these workshops, this exercise, this step, in row order."""
    return lookup.joined(
        session.artifact.chunks.rows_of(place, workshop.info.rows)
        for workshop in sorted(among, key=lambda each: (each.info.first_row, each.position))
        for place, section in enumerate(workshop.sections, workshop.position + 1)
        if exercise in (None, section["exercise"]) and step in (None, section["step"])
    )


def _numbers(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_SHOWN_NUMBERS]))
    return f"{shown}, …" if len(numbers) > _SHOWN_NUMBERS else shown or "none"
