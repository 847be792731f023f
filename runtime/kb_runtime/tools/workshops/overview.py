"""`list_workshops` and `list_exercises`: what there is to learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.text.names import quoted
from kb_runtime.text.tables import some_of
from kb_runtime.text.written_json import json_text
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager
from kb_runtime.tools.refusal import bad_input
from kb_runtime.tools.workshops.bundles import CURSOR, EXERCISE
from kb_runtime.tools.workshops.lookup import (
    PlacedWorkshop,
    check_scope,
    find_workshop,
    workshop_tools,
    workshops,
)
from kb_runtime.tools.workshops.text import failure, listing, next_steps, shown, title

if TYPE_CHECKING:
    from kb_runtime.records.entries import ListedStep
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.workshops.answers import (
        ExerciseList,
        ExerciseSummary,
        StepSummary,
        WorkshopList,
        WorkshopSummary,
    )

PAGE = 100
MAX_PAGES = 500
MAX_WORKSHOPS = 10_000
"""What `all` reads at most: pages of `limit` workshops, and workshops."""
MAX_BULLETS = 50
MAX_PRODUCTS = 10
"""Product labels that are named where no workshop has the one asked for."""


TOOLS = workshop_tools()


@TOOLS.tool(
    "List the workshops with their coverage: exercises, steps, diffs.",
    parameter.integer("limit", "page size", 1, PAGE, default=PAGE),
    parameter.flag("all", "false: one page; default: everything"),
    CURSOR,
    parameter.text("product", "only this product label", 300),
    parameter.flag("hasDiffs", "only workshops with, or without, diffs"),
    on_error=failure(
        "List workshops", "For less in one answer give `all: false` and a smaller `limit`."
    ),
)
def list_workshops(session: Session, arguments: dict[str, Any]) -> Answer[WorkshopList]:
    product, has_diffs, limit = arguments["product"], arguments["hasDiffs"], arguments["limit"]
    known = workshops(session)
    products = sorted({one.record["product"] for one in known if "product" in one.record})
    if product is not None and product not in products:
        listed = f"; there is {some_of(products, MAX_PRODUCTS)}" if products else ""
        session.notes.append(f"no workshop has the product {quoted(product)}{listed}")
    found = [
        workshop
        for workshop in known
        if product in (None, workshop.record.get("product"))
        and has_diffs in (None, workshop.record["has_diffs"])
    ]
    scope = {"product": product, "hasDiffs": has_diffs}
    everything = arguments["all"] is not False
    pager = Pager(session.artifact.build_id, "list_workshops", scope)
    most = MAX_WORKSHOPS if everything else limit
    page = pager.items(arguments["cursor"], len(found), most)
    count = page.stop - page.start
    if everything and count > MAX_PAGES * limit:
        raise bad_input(
            f"{count} workshops in pages of {limit} are more than {MAX_PAGES} pages",
            f"Give a limit of at least {-(-count // MAX_PAGES)}.",
        )
    entries, page = pager.shown(
        arguments["cursor"],
        found,
        most,
        session.max_chars,
        lambda workshop: _summary(session, workshop),
    )
    structured: WorkshopList = {
        "workshops": entries,
        "limit": limit,
        "totals": {
            "workshops": len(found),
            "exercises": sum(len(workshop.exercises) for workshop in found),
            "steps": sum(workshop.step_count for workshop in found),
            "sections": sum(len(workshop.sections) for workshop in found),
        },
    }
    structured |= present(nextCursor=page.next)
    given = {name: value for name, value in arguments.items() if value is not None}
    call = json_text({**given, "cursor": page.next, **present(kb=session.kb)})
    following = f"Call `{session.name_of('list_workshops')}` with `{call}`."
    return Answer(_workshops_text(entries, arguments, page.next, following), structured)


def _summary(session: Session, workshop: PlacedWorkshop) -> WorkshopSummary:
    entry: WorkshopSummary = {
        "workshop": workshop.slug,
        "title": workshop.record["title"],
        "exerciseCount": len(workshop.exercises),
        "hasDiffs": workshop.record["has_diffs"],
        "lastIndexedAt": session.artifact.built_at(workshop.info.name),
        "stepCount": workshop.step_count,
        "sectionCount": len(workshop.sections),
    }
    entry |= present(
        product=workshop.record.get("product"), address=lookup.own_address(session, workshop.record)
    )
    return entry


def _workshops_text(
    entries: Sequence[WorkshopSummary],
    arguments: Mapping[str, Any],
    cursor: str | None,
    following: str,
) -> str:
    bullets = []
    for entry in entries[:MAX_BULLETS]:
        product = f" ({entry['product']})" if "product" in entry else ""
        diffs = "yes" if entry["hasDiffs"] else "no"
        bullets.append(
            f"- `{entry['workshop']}` {entry['title']}{product}, exercises:"
            f" {entry['exerciseCount']}, steps: {entry['stepCount']}, diffs: {diffs},"
            f" lastIndexedAt: {entry['lastIndexedAt']}"
            + (f", address: `{entry['address']}`" if "address" in entry else "")
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
    if cursor is not None:
        parts.append(next_steps([following]))
    elif arguments["all"] is False:
        parts.append(next_steps(["This was the last page."]))
    return "\n\n".join(parts)


@TOOLS.tool(
    "List the exercises of a workshop with their steps: numbers, titles, diffs.",
    parameter.required("workshop", "slug from list_workshops", 300),
    EXERCISE,
    on_error=failure("List exercises"),
)
def list_exercises(session: Session, arguments: dict[str, Any]) -> Answer[ExerciseList]:
    workshop = find_workshop(session, arguments["workshop"])
    number = arguments["exerciseNumber"]
    check_scope([workshop], number, None)
    exercises: list[ExerciseSummary] = [
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
        count = f"{exercise['stepCount']} step{'s' * (exercise['stepCount'] != 1)}"
        lines.append(f"- exercise {exercise['number']}: {exercise['title']} ({count})")
        for step in exercise["steps"]:
            name = f": {step['title']}" if "title" in step else ""
            diff = "" if step["hasDiff"] else " (no diff)"
            missing = sum(not video["hasTranscript"] for video in step.get("videos", ()))
            state = (
                f" ({missing} of {len(step['videos'])} videos without transcript)"
                if missing
                else ""
            )
            lines.append(f"  - step {step['number']}{name}{diff}{state}")
    parts = [
        title("Exercises"),
        f"Workshop: `{workshop.slug}` {workshop.record['title']}",
        "\n".join(lines) or "_no exercises_",
        next_steps(
            [
                f"Call `{session.name_of('retrieve_learning_context')}` with a workshop and an"
                " exerciseNumber."
            ]
        ),
    ]
    structured: ExerciseList = {
        "workshop": workshop.slug,
        "title": workshop.record["title"],
        "exercises": exercises,
    }
    return Answer("\n\n".join(parts), structured)


def _step(step: ListedStep) -> StepSummary:
    entry: StepSummary = {"number": step["number"], "hasDiff": step["has_diff"]}
    entry |= present(
        title=step.get("title"),
        problemDir=step.get("problem_dir"),
        solutionDir=step.get("solution_dir"),
        videos=[
            {
                "side": video["side"],
                "embed": video["embed"],
                "status": video["status"],
                "hasTranscript": video["has_transcript"],
            }
            for video in step.get("videos", ())
        ],
    )
    return entry
