"""`retrieve_learning_context`: everything about an exercise or a step, stated or drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.cursors import bad_cursor
from kb_runtime.text.names import quoted, quoted_all, separated, suggest_all
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.declaration import Answer, Argument
from kb_runtime.tools.paging import Pager
from kb_runtime.tools.refusal import bad_input
from kb_runtime.tools.workshops import bundles
from kb_runtime.tools.workshops.lookup import (
    SECTION_KINDS,
    STORED_KINDS,
    PlacedWorkshop,
    covering,
    find_workshop,
    workshop_tools,
    workshops,
)
from kb_runtime.tools.workshops.text import failure, shown

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.workshops.answers import LearningContext

_ALL_KINDS = ("Leave kinds out for all sections.",)


TOOLS = workshop_tools()


@TOOLS.tool(
    "Instructions, transcripts, code and diffs of one exercise or step, to write"
    " questions from. Give workshop and exerciseNumber (and stepNumber), or random: true for a"
    " random exercise.",
    bundles.WORKSHOP._replace(description="slug; with random: draw from this workshop alone"),
    bundles.EXERCISE,
    bundles.STEP,
    parameter.flag("random", "draw an exercise; numbers are ignored"),
    parameter.texts(
        "kinds",
        f"only sections of these kinds, default all: {', '.join(SECTION_KINDS)}; or a kind that an"
        " answer shows",
    ),
    Argument("seed", "integer", "with random: the same seed draws the same"),
    bundles.MAX_CHARS_ARGUMENT,
    bundles.CURSOR,
    name="retrieve_learning_context",
    idempotent=False,
    on_error=failure("Learning context"),
    setting_texts=bundles.limit_texts,
)
def learning_context(session: Session, arguments: dict[str, Any]) -> Answer[LearningContext]:
    """All sections for one exercise or step, in the order in which they are taught.

    The position in a cursor is workshop, exercise, step, section, character: it carries its scope, so
    that what was drawn at random can be continued.
    """
    warnings: list[str] = []
    kinds = _kinds(arguments["kinds"] or ())
    if arguments["random"]:
        scope, section, offset = _drawn(session, arguments, kinds, warnings)
    else:
        if arguments["seed"] is not None:
            warnings.append("seed ignored: it needs random: true")
        missing = [name for name in ("workshop", "exerciseNumber") if arguments[name] is None]
        if missing:
            raise bad_input(
                f"{' and '.join(missing)} missing: give workshop and exerciseNumber,"
                " or random: true for a random exercise",
                "Call list_workshops, then list_exercises for the numbers.",
            )
        scope, section, offset = _stated(session, arguments, kinds)
    chosen = covering(scope.workshop, scope.exercise, scope.step, kinds)
    if not chosen:
        what = f"no sections of the kinds {', '.join(kinds)}" if kinds else "no sections"
        raise ToolError("NO_MATCH", f"{scope} has {what}", next_steps=_ALL_KINDS if kinds else ())
    limit = bundles.limit_of(session, arguments["maxChars"], warnings)
    bundle = bundles.bundle_from(session, scope.workshop, chosen, (section, offset), limit)
    cursor = None
    if bundle.next is not None:
        index = [each.place for each in workshops(session)].index(scope.workshop.place)
        cursor = _pager(session, kinds).write(index, scope.exercise, scope.step or 0, *bundle.next)
    structured: LearningContext = {
        "workshop": scope.workshop.slug,
        "exerciseNumber": scope.exercise,
        "sections": bundle.sections,
        "truncated": cursor is not None,
        "maxChars": limit,
    }
    structured |= present(
        stepNumber=scope.step,
        kinds=list(kinds),
        nextCursor=cursor,
        warnings=warnings,
        address=lookup.own_address(session, scope.workshop.record),
    )
    facts = {"random": shown(bool(arguments["random"]), "")}
    if "address" in structured:
        facts["address"] = shown(structured["address"], "")
    if kinds:
        facts["kinds"] = shown(", ".join(kinds), "")
    tool = session.name_of("retrieve_learning_context")
    text = bundles.BundleText(tool, "Learning context", scope, facts)
    bodies = [(each, each["content"]) for each in bundle.sections]
    further = present(kinds=list(kinds), kb=session.kb)
    return Answer(text.write(bodies, arguments["maxChars"], cursor, further, warnings), structured)


def _stated(
    session: Session, arguments: Mapping[str, Any], kinds: tuple[str, ...]
) -> tuple[bundles.ExerciseScope, int, int]:
    """The exercise or step that the arguments name. Of several workshops with that slug a cursor
    continues the one that it was made for."""
    if arguments["cursor"] is None:
        return bundles.stated_scope(session, arguments), 0, 0
    continued = _continued(session, arguments["cursor"], kinds)
    if not continued[0].is_stated(arguments):
        bundles.stated_scope(session, arguments)
        raise bad_cursor("it belongs to another exercise or step")
    return continued


def _kinds(given: Sequence[str]) -> tuple[str, ...]:
    """The kinds that are asked for, each once, in their order; none for all. Raises BAD_INPUT."""
    wanted = {each.casefold() for each in separated(given)}
    known = (*SECTION_KINDS, *STORED_KINDS)
    if unknown := sorted(wanted.difference(known)):
        raise bad_input(
            f"kinds holds {quoted_all(unknown)}, but takes only: {', '.join(known)}",
            suggestions=suggest_all(unknown, known) or list(SECTION_KINDS),
        )
    return tuple(kind for kind in known if kind in wanted)


def _drawn(
    session: Session, arguments: Mapping[str, Any], kinds: tuple[str, ...], warnings: list[str]
) -> tuple[bundles.ExerciseScope, int, int]:
    """An exercise drawn at random, each with the same chance, or the one that the cursor continues."""
    given = [
        name for name in ("workshop", "exerciseNumber", "stepNumber") if arguments[name] is not None
    ]
    if arguments["cursor"] is not None:
        if given:
            warnings.append(f"{', '.join(given)} ignored: the cursor continues what was drawn")
        return _continued(session, arguments["cursor"], kinds)
    if numbers := [name for name in given if name != "workshop"]:
        warnings.append(f"{', '.join(numbers)} ignored: random draws an exercise")
    exercises = [
        (workshop, exercise["number"])
        for workshop in _drawn_from(session, arguments["workshop"], warnings)
        for exercise in workshop.exercises
        if not kinds or covering(workshop, exercise["number"], None, kinds)
    ]
    if not exercises:
        raise ToolError(
            "NO_MATCH",
            f"no exercise has sections of the kinds {', '.join(kinds)}",
            next_steps=_ALL_KINDS,
        )
    import random

    seed = arguments["seed"]
    source = random.SystemRandom() if seed is None else random.Random(seed)
    workshop, number = exercises[source.randrange(len(exercises))]
    return bundles.ExerciseScope(workshop, number, None), 0, 0


def _drawn_from(session: Session, slug: str | None, warnings: list[str]) -> list[PlacedWorkshop]:
    """The workshop of that slug; all of them without a slug, and for one that cannot be honoured: the
    contract of random draws wants no error for it, but a warning. Raises UNAVAILABLE."""
    known = workshops(session)
    if not any(workshop.exercises for workshop in known):
        raise ToolError(
            "UNAVAILABLE",
            "no indexed exercises exist",
            next_steps=["Add workshops with exercises and build the knowledge base again."],
        )
    if slug is None:
        return known
    try:
        workshop = find_workshop(session, slug)
    except ToolError as error:
        reason = error.message
    else:
        if workshop.exercises:
            return [workshop]
        reason = f"the workshop {quoted(workshop.slug)} has no exercises"
    warnings.append(f"workshop ignored: {reason}, so the exercise was drawn from all workshops")
    return known


def _pager(session: Session, kinds: tuple[str, ...]) -> Pager:
    """A cursor counts the sections of some kinds, and is of no use for others."""
    scope = {"kinds": list(kinds)} if kinds else {}
    return Pager(session.artifact.build_id, "retrieve_learning_context", scope)


def _continued(
    session: Session, cursor: str, kinds: tuple[str, ...]
) -> tuple[bundles.ExerciseScope, int, int]:
    index, exercise, step, section, offset = _pager(session, kinds).read(cursor, 5)
    known = workshops(session)
    if index >= len(known):
        raise bad_cursor("it is beyond the end")
    return bundles.ExerciseScope(known[index], exercise, step or None), section, offset
