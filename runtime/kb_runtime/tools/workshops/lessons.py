"""`list_workshops`, `list_exercises`, `retrieve_learning_context`, `retrieve_diff_context`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.errors import ToolError
from kb_runtime.text.cursors import bad_cursor, read_cursor, write_cursor
from kb_runtime.text.names import quoted
from kb_runtime.text.rendering import cut, exact_fence
from kb_runtime.tools import library
from kb_runtime.tools.declaration import Answer, Argument, Tool
from kb_runtime.tools.schemas import BOOLEAN, INTEGER, LIST, OBJECT, STRING, structure
from kb_runtime.tools.workshops.shelf import (
    KIND,
    Workshop,
    check_scope,
    covering,
    find_workshop,
    workshops,
)
from kb_runtime.tools.workshops.text import failure, listing, next_steps, shown, title

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session

FAMILY = "workshops"

PAGE = 100
MAX_PAGES = 500
MAX_WORKSHOPS = 10_000
"""What `all` reads at most: pages of `limit` workshops, and workshops."""
MAX_BULLETS = 50

DEFAULT_CHARS = 50_000
MAX_CHARS = 80_000
"""Of section content in one answer; kb.toml may say otherwise."""

MAX_PATHS_SHOWN = 10


def list_workshops(session: Session, arguments: dict[str, Any]) -> Answer:
    product, has_diffs, limit = arguments["product"], arguments["hasDiffs"], arguments["limit"]
    found = [
        workshop
        for workshop in workshops(session)
        if product in (None, workshop.record.get("product"))
        and has_diffs in (None, workshop.record["has_diffs"])
    ]
    scope = {"product": product, "hasDiffs": has_diffs}
    start = 0
    if arguments["cursor"] is not None:
        build = session.artifact.build_id
        (start,) = read_cursor(arguments["cursor"], build, "list_workshops", scope, 1)
        if start >= len(found):
            raise bad_cursor("it is beyond the end")
    everything = arguments["all"] is not False
    stop = min(start + (MAX_WORKSHOPS if everything else limit), len(found))
    if everything and stop - start > MAX_PAGES * limit:
        raise ToolError(
            "BAD_INPUT",
            f"{stop - start} workshops in pages of {limit} are more than {MAX_PAGES} pages",
            next_steps=[f"Give a limit of at least {-(-(stop - start) // MAX_PAGES)}."],
        )
    entries = [_summary(session, workshop) for workshop in found[start:stop]]
    structured: dict[str, Any] = {
        "workshops": entries,
        "limit": limit,
        "totals": {
            "workshops": len(found),
            "exercises": sum(len(workshop.exercises) for workshop in found),
            "steps": sum(workshop.step_count for workshop in found),
            "sections": sum(len(workshop.sections) for workshop in found),
        },
    }
    cursor = None
    if stop < len(found):
        cursor = write_cursor(session.artifact.build_id, "list_workshops", scope, [stop])
        structured["nextCursor"] = cursor
    return Answer(_workshops_text(entries, arguments, cursor), structured)


def _summary(session: Session, workshop: Workshop) -> dict[str, Any]:
    entry = {
        "workshop": workshop.slug,
        "title": workshop.record["title"],
        "exerciseCount": len(workshop.exercises),
        "hasDiffs": workshop.record["has_diffs"],
        "lastIndexedAt": session.artifact.manifest["built_at"],
        "stepCount": workshop.step_count,
        "sectionCount": len(workshop.sections),
    }
    if product := workshop.record.get("product"):
        entry["product"] = product
    return entry


def _workshops_text(
    entries: Sequence[Mapping[str, Any]], arguments: Mapping[str, Any], cursor: str | None
) -> str:
    bullets = []
    for entry in entries[:MAX_BULLETS]:
        product = f" ({entry['product']})" if "product" in entry else ""
        diffs = "yes" if entry["hasDiffs"] else "no"
        bullets.append(
            f"- `{entry['workshop']}` {entry['title']}{product}, exercises:"
            f" {entry['exerciseCount']}, diffs: {diffs}, lastIndexedAt: {entry['lastIndexedAt']}"
        )
    parts = [
        title("Indexed workshops"),
        f"Returned: **{len(entries)}**\nNext cursor: {shown(cursor, 'none')}",
        listing(
            "Filters",
            {
                "product": shown(arguments["product"], "any"),
                "hasDiffs": shown(arguments["hasDiffs"], "any"),
                "all": shown(arguments["all"], "default"),
            },
        ),
        f"Showing: **{len(bullets)}** of **{len(entries)}** workshop(s)",
    ]
    if bullets:
        parts.append("\n".join(bullets))
    if len(entries) > len(bullets):
        parts.append(f"_{len(entries) - len(bullets)} more are not shown here._")
    if arguments["all"] is False:
        step = "This was the last page."
        if cursor is not None:
            step = f'Call `list_workshops` with `all: false` and `cursor: "{cursor}"`.'
        parts.append(next_steps([step]))
    elif cursor is not None:
        parts.append(next_steps([f'Call `list_workshops` with `cursor: "{cursor}"`.']))
    return "\n\n".join(parts)


def list_exercises(session: Session, arguments: dict[str, Any]) -> Answer:
    workshop = find_workshop(session, arguments["workshop"])
    number = arguments["exerciseNumber"]
    check_scope([workshop], number, None)
    exercises = [
        {
            "number": exercise["number"],
            "title": exercise["title"],
            "stepCount": len(exercise["steps"]),
            "steps": [_step(step) for step in exercise["steps"]],
        }
        for exercise in workshop.exercises
        if number in (None, exercise["number"])
    ]
    lines = []
    for exercise in exercises:
        lines.append(f"- exercise {exercise['number']}: {exercise['title']}")
        for step in exercise["steps"]:
            name = f": {step['title']}" if "title" in step else ""
            diff = "" if step["hasDiff"] else " (no diff)"
            lines.append(f"  - step {step['number']}{name}{diff}")
    parts = [
        title("Exercises"),
        f"Workshop: `{workshop.slug}` {workshop.record['title']}",
        "\n".join(lines) or "_no exercises_",
        next_steps(["Call `retrieve_learning_context` with a workshop and an exerciseNumber."]),
    ]
    structured = {
        "workshop": workshop.slug,
        "title": workshop.record["title"],
        "exercises": exercises,
    }
    return Answer("\n\n".join(parts), structured)


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    entry = {
        "number": step["number"],
        "title": step.get("title"),
        "hasDiff": step["has_diff"],
        "problemDir": step.get("problem_dir"),
        "solutionDir": step.get("solution_dir"),
    }
    return {name: value for name, value in entry.items() if value is not None}


class _Scope(NamedTuple):
    """The exercise, or the step of it, that a bundle of sections is about."""

    workshop: Workshop
    exercise: int
    step: int | None

    @property
    def fields(self) -> dict[str, Any]:
        fields = {"workshop": self.workshop.slug, "exerciseNumber": self.exercise}
        return fields if self.step is None else {**fields, "stepNumber": self.step}

    def __str__(self) -> str:
        step = "" if self.step is None else f", step {self.step}"
        return f"the workshop {quoted(self.workshop.slug)}, exercise {self.exercise}{step}"


def learning_context(session: Session, arguments: dict[str, Any]) -> Answer:
    """All sections for one exercise or step, in the order in which they are taught.

    The position in a cursor is workshop, exercise, step, section, character: it carries its scope, so
    that what was drawn at random can be continued.
    """
    warnings: list[str] = []
    section, offset = 0, 0
    if arguments["random"]:
        scope, section, offset = _drawn(session, arguments, warnings)
    else:
        if arguments["seed"] is not None:
            warnings.append("seed ignored: it needs random: true")
        missing = [name for name in ("workshop", "exerciseNumber") if arguments[name] is None]
        if missing:
            raise ToolError(
                "BAD_INPUT",
                f"{' and '.join(missing)} missing: give workshop and exerciseNumber,"
                " or random: true for an exercise drawn by chance",
                next_steps=["Call list_workshops, then list_exercises for the numbers."],
            )
        scope = _stated(session, arguments)
        if arguments["cursor"] is not None:
            continued, section, offset = _continued(session, arguments["cursor"])
            if continued.fields != scope.fields:
                raise bad_cursor("it belongs to another exercise or step")
    chosen = covering(scope.workshop, scope.exercise, scope.step)
    if not chosen:
        raise ToolError("NO_MATCH", f"{scope} has no sections")
    limit = _limit(session, arguments["maxChars"], warnings)
    bundle = _bundle(session, scope.workshop, chosen, (section, offset), limit)
    structured: dict[str, Any] = {
        **scope.fields,
        "sections": bundle.sections,
        "truncated": bundle.next is not None,
        "maxChars": limit,
    }
    cursor = None
    if bundle.next is not None:
        index = [each.slug for each in workshops(session)].index(scope.workshop.slug)
        cursor = write_cursor(
            session.artifact.build_id,
            "retrieve_learning_context",
            {},
            [index, scope.exercise, scope.step or 0, *bundle.next],
        )
        structured["nextCursor"] = cursor
    parts = [
        title("Learning context"),
        _scope_text(scope, {"random": shown(bool(arguments["random"]), "")}),
        _payload_text(arguments["maxChars"], cursor, len(bundle.sections)),
        "\n\n---\n\n".join(
            _section_text(number, each, str(each["content"]))
            for number, each in enumerate(bundle.sections, start=1)
        ),
    ]
    if cursor is not None:
        parts.append(_next_text("retrieve_learning_context", scope, arguments["maxChars"], cursor))
    return _with_notes(parts, structured, warnings)


def _drawn(
    session: Session, arguments: Mapping[str, Any], warnings: list[str]
) -> tuple[_Scope, int, int]:
    """An exercise drawn at random, each with the same chance, or the one that the cursor continues."""
    given = [
        name for name in ("workshop", "exerciseNumber", "stepNumber") if arguments[name] is not None
    ]
    if arguments["cursor"] is not None:
        if given:
            warnings.append(f"{', '.join(given)} ignored: the cursor continues what was drawn")
        return _continued(session, arguments["cursor"])
    if numbers := [name for name in given if name != "workshop"]:
        warnings.append(f"{', '.join(numbers)} ignored: random draws an exercise")
    exercises = [
        (workshop, exercise["number"])
        for workshop in _drawn_from(session, arguments["workshop"], warnings)
        for exercise in workshop.exercises
    ]
    import random

    seed = arguments["seed"]
    source = random.SystemRandom() if seed is None else random.Random(seed)
    workshop, number = exercises[source.randrange(len(exercises))]
    return _Scope(workshop, number, None), 0, 0


def _drawn_from(session: Session, slug: str | None, warnings: list[str]) -> list[Workshop]:
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


def _continued(session: Session, cursor: str) -> tuple[_Scope, int, int]:
    build = session.artifact.build_id
    position = read_cursor(cursor, build, "retrieve_learning_context", {}, 5)
    index, exercise, step, section, offset = position
    known = workshops(session)
    if index >= len(known):
        raise bad_cursor("it is beyond the end")
    return _Scope(known[index], exercise, step or None), section, offset


def _stated(session: Session, arguments: Mapping[str, Any]) -> _Scope:
    """The scope that the arguments name. Raises NOT_FOUND."""
    workshop = find_workshop(session, arguments["workshop"])
    exercise, step = arguments["exerciseNumber"], arguments["stepNumber"]
    check_scope([workshop], exercise, step)
    return _Scope(workshop, exercise, step)


def diff_context(session: Session, arguments: dict[str, Any]) -> Answer:
    """The diffs for one exercise or step, or those of them that hold `focus`."""
    warnings: list[str] = []
    scope = _stated(session, arguments)
    focus = arguments["focus"]
    listed = scope.workshop.sections
    diffs = [
        index
        for index in covering(scope.workshop, scope.exercise, scope.step)
        if listed[index]["is_diff"]
    ]
    if not diffs:
        raise ToolError(
            "NO_MATCH",
            f"{scope} has no diffs",
            next_steps=["Call list_exercises to see which steps have diffs."],
        )
    chosen = diffs if focus is None else _focused(session, scope, diffs, focus)
    filters = {**scope.fields, "focus": focus}
    start = (0, 0)
    if arguments["cursor"] is not None:
        build = session.artifact.build_id
        section, offset = read_cursor(
            arguments["cursor"], build, "retrieve_diff_context", filters, 2
        )
        start = (section, offset)
    limit = _limit(session, arguments["maxChars"], warnings)
    bundle = _bundle(session, scope.workshop, chosen, start, limit)
    structured: dict[str, Any] = {
        **scope.fields,
        "diffSections": bundle.sections,
        "truncated": bundle.next is not None,
        "maxChars": limit,
    }
    if focus is not None:
        structured["focus"] = focus
    cursor = None
    if bundle.next is not None:
        cursor = write_cursor(
            session.artifact.build_id, "retrieve_diff_context", filters, bundle.next
        )
        structured["nextCursor"] = cursor
    parts = [
        title("Diff context"),
        _scope_text(scope, {"focus": shown(focus, "none")}),
        _payload_text(arguments["maxChars"], cursor, len(bundle.sections)),
        "\n\n---\n\n".join(
            _section_text(
                number, each, exact_fence(each["content"], "diff") if each["content"] else ""
            )
            for number, each in enumerate(bundle.sections, start=1)
        ),
    ]
    if cursor is not None:
        more = {} if focus is None else {"focus": focus}
        parts.append(
            _next_text("retrieve_diff_context", scope, arguments["maxChars"], cursor, more)
        )
    return _with_notes(parts, structured, warnings)


def _focused(session: Session, scope: _Scope, diffs: Sequence[int], focus: str) -> list[int]:
    """The diffs that hold `focus` anywhere, whatever its case. Raises NO_MATCH."""
    folded = focus.casefold()
    chosen = []
    paths: dict[str, None] = {}
    for index in diffs:
        record = scope.workshop.section(session, index)
        path = record.get("source_path", "")
        if path:
            paths[path] = None
        texts = (record["label"], record["kind"], path, record.get("text", ""))
        if any(folded in text.casefold() for text in texts):
            chosen.append(index)
    if not chosen:
        known = list(paths)[:MAX_PATHS_SHOWN]
        raise ToolError(
            "NO_MATCH",
            f"no diff of {scope} matches the focus {quoted(focus)}",
            suggestions=known,
            next_steps=["Use a part of one of these paths as focus, or leave focus out."],
            details={"sourcePaths": known},
        )
    return chosen


class _Bundle(NamedTuple):
    """Sections as the structure shows them, and where the rest begins: section and character."""

    sections: list[dict[str, Any]]
    next: tuple[int, int] | None


def _bundle(
    session: Session,
    workshop: Workshop,
    chosen: Sequence[int],
    start: tuple[int, int],
    limit: int,
) -> _Bundle:
    """Sections from `start` on with `limit` characters of content: whole ones, then the first that
    does not fit, cut. At least one character, or an empty section, is delivered."""
    first, offset = start
    if first >= len(chosen):
        raise bad_cursor("it is beyond the end")
    taken: list[dict[str, Any]] = []
    room = limit
    for number in range(first, len(chosen)):
        record = workshop.section(session, chosen[number])
        content: str = record.get("text", "")
        if offset and offset >= len(content):
            raise bad_cursor("it is beyond the end")
        end = cut(content, offset, room) if room or not content else offset
        if room < limit and end - offset > room:  # one visible character that does not fit
            end = offset
        if end > offset or not content:
            taken.append(_section(record, content[offset:end]))
        if end < len(content):
            return _Bundle(taken, (number, end))
        room -= end - offset
        offset = 0
    return _Bundle(taken, None)


def _section(record: library.Record, content: str) -> dict[str, Any]:
    entry = {
        "label": record["label"],
        "kind": record["kind"],
        "content": content,
        "sourcePath": record.get("source_path"),
        "exerciseNumber": record["exercise"] or None,
        "stepNumber": record["step"] or None,
    }
    return {name: value for name, value in entry.items() if value is not None}


def context_limits(settings: Mapping[str, Any]) -> tuple[int, int]:
    """The characters of an answer by default and at most, by `[tools]` of kb.toml."""
    highest = max(1, settings.get("max_context_chars") or MAX_CHARS)
    return min(settings.get("context_chars") or DEFAULT_CHARS, highest), highest


def _limit_words(settings: Mapping[str, Any]) -> dict[str, int]:
    default, highest = context_limits(settings)
    return {"context_chars": default, "max_context_chars": highest}


def _limit(session: Session, wanted: int | None, warnings: list[str]) -> int:
    """The characters of one answer, as asked for and as kb.toml allows."""
    default, highest = context_limits(library.settings(session.artifact, (KIND,)))
    if wanted is not None and wanted > highest:
        warnings.append(f"maxChars is at most {highest}: that was used instead of {wanted}")
    return min(wanted or default, highest)


def _scope_text(scope: _Scope, more: Mapping[str, str]) -> str:
    return listing(
        "Scope",
        {
            "workshop": f"`{scope.workshop.slug}`",
            "exerciseNumber": f"`{scope.exercise}`",
            "stepNumber": shown(scope.step, "all steps"),
            **more,
        },
    )


def _payload_text(max_chars: int | None, cursor: str | None, sections: int) -> str:
    return listing(
        "Payload",
        {
            "maxChars": shown(max_chars, "default"),
            "truncated": shown(cursor is not None, ""),
            "nextCursor": shown(cursor, "none"),
            "sections": f"**{sections}**",
        },
    )


def _section_text(number: int, section: Mapping[str, Any], body: str) -> str:
    lines = [f"### {number}) {section['label']}", f"_kind_: `{section['kind']}`"]
    if "sourcePath" in section:
        lines.append(f"_Source_: `{section['sourcePath']}`")
    return "\n".join([*lines, "", body or "_This section is empty._"])


def _next_text(
    tool: str,
    scope: _Scope,
    max_chars: int | None,
    cursor: str,
    more: Mapping[str, Any] | None = None,
) -> str:
    """The call that goes on, with the scope spelled out: it continues what was drawn at random too."""
    from kb_runtime.text.rendering import json_text

    call = {**scope.fields, **(more or {}), "cursor": cursor}
    if max_chars is not None:
        call["maxChars"] = max_chars
    return next_steps([f"Call `{tool}` with `{json_text(call)}`."])


def _with_notes(
    parts: Sequence[str], structured: dict[str, Any], warnings: Sequence[str]
) -> Answer:
    if warnings:
        structured["warnings"] = list(warnings)
    return Answer("\n\n".join([*parts, *_notes(warnings)]), structured)


def _notes(warnings: Sequence[str]) -> Iterator[str]:
    for warning in warnings:
        yield f"Note: {warning}"


_WORKSHOP = Argument("workshop", "string", "slug of the workshop", max_length=300)
_EXERCISE = Argument(
    "exerciseNumber", "integer", "exercise, from 1", minimum=1, out_of_range="reject"
)
_STEP = Argument("stepNumber", "integer", "step of it, from 1", minimum=1, out_of_range="reject")
_MAX_CHARS = Argument(
    "maxChars",
    "integer",
    "characters of content in one answer, default {context_chars}, at most {max_context_chars}",
    minimum=1,
    out_of_range="reject",
)
_CURSOR = Argument("cursor", "string", "nextCursor of the previous answer", max_length=2_000)


TOOLS = (
    Tool(
        name="list_workshops",
        title="List Workshops",
        family=FAMILY,
        description="List the workshops with their coverage: exercises, steps, diffs.",
        run=list_workshops,
        arguments=(
            Argument("limit", "integer", "page size", default=PAGE, minimum=1, maximum=PAGE),
            Argument("all", "boolean", "false: one page; default: everything"),
            _CURSOR,
            Argument("product", "string", "only this product label", max_length=300),
            Argument("hasDiffs", "boolean", "only workshops with, or without, diffs"),
        ),
        output=structure(
            {
                "workshops": LIST,
                "limit": INTEGER,
                "totals": OBJECT,
            },
            {"nextCursor": STRING},
        ),
        needs=(KIND,),
        on_error=failure(
            "List workshops", "For less in one answer give `all: false` and a smaller `limit`."
        ),
    ),
    Tool(
        name="list_exercises",
        title="List Exercises",
        family=FAMILY,
        description="List the exercises of a workshop with their steps: numbers, titles, diffs.",
        run=list_exercises,
        arguments=(
            Argument(
                "workshop",
                "string",
                "slug from list_workshops",
                required=True,
                max_length=300,
            ),
            _EXERCISE,
        ),
        output=structure(
            {
                "workshop": STRING,
                "title": STRING,
                "exercises": LIST,
            }
        ),
        needs=(KIND,),
        on_error=failure("List exercises"),
    ),
    Tool(
        name="retrieve_learning_context",
        title="Retrieve Learning Context",
        family=FAMILY,
        description="Instructions, transcripts, code and diffs of one exercise or step, to write"
        " questions from. Give workshop and exerciseNumber (and stepNumber), or random: true for an"
        " exercise drawn by chance.",
        run=learning_context,
        arguments=(
            replace(_WORKSHOP, description="slug; with random: draw from this workshop alone"),
            _EXERCISE,
            _STEP,
            Argument("random", "boolean", "draw an exercise; numbers are ignored"),
            Argument("seed", "integer", "with random: the same seed draws the same"),
            _MAX_CHARS,
            _CURSOR,
        ),
        output=structure(
            {
                "workshop": STRING,
                "exerciseNumber": INTEGER,
                "sections": LIST,
                "truncated": BOOLEAN,
                "maxChars": INTEGER,
            },
            {"stepNumber": INTEGER, "nextCursor": STRING},
        ),
        needs=(KIND,),
        idempotent=False,
        on_error=failure("Learning context"),
        words=_limit_words,
    ),
    Tool(
        name="retrieve_diff_context",
        title="Retrieve Diff Context",
        family=FAMILY,
        description="The diffs between problem and solution of one exercise or step.",
        run=diff_context,
        arguments=(
            replace(_WORKSHOP, required=True),
            replace(_EXERCISE, required=True),
            _STEP,
            Argument(
                "focus", "string", "only diffs whose label, path or text has this", max_length=1000
            ),
            _MAX_CHARS,
            _CURSOR,
        ),
        output=structure(
            {
                "workshop": STRING,
                "exerciseNumber": INTEGER,
                "diffSections": LIST,
                "truncated": BOOLEAN,
                "maxChars": INTEGER,
            },
            {"stepNumber": INTEGER, "focus": STRING, "nextCursor": STRING},
        ),
        needs=(KIND,),
        on_error=failure("Diff context"),
        words=_limit_words,
    ),
)
