"""`retrieve_diff_context`: what the solution of an exercise or a step changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kb_runtime.errors import ToolError
from kb_runtime.text.names import quoted
from kb_runtime.text.rendering import exact_fence
from kb_runtime.tools import parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.declaration import Answer
from kb_runtime.tools.paging import Pager
from kb_runtime.tools.workshops import bundles
from kb_runtime.tools.workshops.lookup import covering, workshop_tools
from kb_runtime.tools.workshops.text import failure, shown

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.workshops.answers import DiffContext

MAX_PATHS_SHOWN = 10


TOOLS = workshop_tools()


@TOOLS.tool(
    "The diffs between problem and solution of one exercise or step.",
    bundles.WORKSHOP._replace(required=True),
    bundles.EXERCISE._replace(required=True),
    bundles.STEP,
    parameter.text("focus", "only diffs whose label, path or text has this", 1000),
    bundles.MAX_CHARS_ARGUMENT,
    bundles.CURSOR,
    name="retrieve_diff_context",
    on_error=failure("Diff context"),
    setting_texts=bundles.limit_texts,
)
def diff_context(session: Session, arguments: dict[str, Any]) -> Answer[DiffContext]:
    """The diffs for one exercise or step, or those of them that hold `focus`."""
    warnings: list[str] = []
    scope = bundles.stated_scope(session, arguments)
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
    pager = Pager(session.artifact.build_id, "retrieve_diff_context", filters)
    section, offset = 0, 0
    if arguments["cursor"] is not None:
        section, offset = pager.read(arguments["cursor"], 2)
    limit = bundles.limit_of(session, arguments["maxChars"], warnings)
    bundle = bundles.bundle_from(session, scope.workshop, chosen, (section, offset), limit)
    cursor = None if bundle.next is None else pager.write(*bundle.next)
    structured: DiffContext = {
        "workshop": scope.workshop.slug,
        "exerciseNumber": scope.exercise,
        "diffSections": bundle.sections,
        "truncated": cursor is not None,
        "maxChars": limit,
    }
    structured |= present(stepNumber=scope.step, focus=focus, nextCursor=cursor, warnings=warnings)
    tool = session.name_of("retrieve_diff_context")
    text = bundles.BundleText(tool, "Diff context", scope, {"focus": shown(focus, "none")})
    bodies = [
        (each, exact_fence(each["content"], "diff") if each["content"] else "")
        for each in bundle.sections
    ]
    continued = present(focus=focus, kb=session.kb)
    return Answer(
        text.write(bodies, arguments["maxChars"], cursor, continued, warnings), structured
    )


def _focused(
    session: Session, scope: bundles.ExerciseScope, diffs: Sequence[int], focus: str
) -> list[int]:
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
