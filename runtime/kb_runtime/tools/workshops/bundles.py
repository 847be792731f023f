"""Sections of an exercise or a step in parts of bounded length, for the tools that retrieve them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.text.addresses import parse_address
from kb_runtime.text.cursors import bad_cursor
from kb_runtime.text.names import quoted
from kb_runtime.text.rendering import cut
from kb_runtime.text.written_json import json_text
from kb_runtime.tools import lookup, parameter
from kb_runtime.tools.answers import present
from kb_runtime.tools.workshops.lookup import KIND, PlacedWorkshop, check_scope, find_workshop
from kb_runtime.tools.workshops.text import listing, next_steps, shown, title

if TYPE_CHECKING:
    from kb_runtime.records.entries import WorkshopSectionEntry
    from kb_runtime.tools.session import Session
    from kb_runtime.tools.workshops.answers import ContextSection

DEFAULT_CHARS = 50_000
MAX_CHARS = 80_000
"""Of section content in one answer; kb.toml may say otherwise."""


WORKSHOP = parameter.text("workshop", "slug of the workshop", 300)
EXERCISE = parameter.integer("exerciseNumber", "exercise, from 1", 1, out_of_range="reject")
STEP = parameter.integer("stepNumber", "step of it, from 1", 1, out_of_range="reject")
MAX_CHARS_ARGUMENT = parameter.integer(
    "maxChars",
    "characters of content in one answer, default {context_chars}, at most {max_context_chars}",
    1,
    out_of_range="reject",
)
CURSOR = parameter.cursor("nextCursor of the previous answer")


class ExerciseScope(NamedTuple):
    """The exercise, or the step of it, that a bundle of sections is about."""

    workshop: PlacedWorkshop
    exercise: int
    step: int | None

    @property
    def fields(self) -> dict[str, Any]:
        fields = {"workshop": self.workshop.slug, "exerciseNumber": self.exercise}
        return fields if self.step is None else {**fields, "stepNumber": self.step}

    def is_stated(self, arguments: Mapping[str, Any]) -> bool:
        """Whether it has the numbers and the slug in the arguments."""
        slug: str = arguments["workshop"]
        numbers = (arguments["exerciseNumber"], arguments["stepNumber"])
        if address := parse_address(slug):
            slug = address[2]
        is_slug = self.workshop.slug.casefold() == slug.casefold()
        return is_slug and numbers == (self.exercise, self.step)

    def __str__(self) -> str:
        step = "" if self.step is None else f", step {self.step}"
        return f"the workshop {quoted(self.workshop.slug)}, exercise {self.exercise}{step}"


def stated_scope(session: Session, arguments: Mapping[str, Any]) -> ExerciseScope:
    """The scope that the arguments name. Raises NOT_FOUND."""
    workshop = find_workshop(session, arguments["workshop"])
    exercise, step = arguments["exerciseNumber"], arguments["stepNumber"]
    check_scope([workshop], exercise, step)
    return ExerciseScope(workshop, exercise, step)


class Bundle(NamedTuple):
    """Sections as the structure shows them, and where the rest begins: section and character."""

    sections: list[ContextSection]
    next: tuple[int, int] | None


def bundle_from(
    session: Session,
    workshop: PlacedWorkshop,
    chosen: Sequence[int],
    start: tuple[int, int],
    limit: int,
) -> Bundle:
    """Sections from `start` on with `limit` characters of content: whole ones, then the first that
    does not fit, cut. At least one character, or an empty section, is delivered."""
    first, offset = start
    if first >= len(chosen):
        raise bad_cursor("it is beyond the end")
    taken: list[ContextSection] = []
    left = limit
    for number in range(first, len(chosen)):
        record = workshop.section(session, chosen[number])
        content = record.get("text", "")
        if offset and offset >= len(content):
            raise bad_cursor("it is beyond the end")
        end = cut(content, offset, left) if left or not content else offset
        if left < limit and end - offset > left:  # one visible character that does not fit
            end = offset
        if end > offset or not content:
            taken.append(_section(record, content[offset:end]))
        if end < len(content):
            return Bundle(taken, (number, end))
        left -= end - offset
        offset = 0
    return Bundle(taken, None)


def _section(record: WorkshopSectionEntry, content: str) -> ContextSection:
    entry: ContextSection = {"label": record["label"], "kind": record["kind"], "content": content}
    entry |= present(
        sourcePath=record.get("source_path"),
        exerciseNumber=record["exercise"] or None,
        stepNumber=record["step"] or None,
    )
    return entry


def context_limits(settings: Mapping[str, Any]) -> tuple[int, int]:
    """The characters of an answer by default and at most, by `[tools]` of kb.toml."""
    highest = max(1, settings.get("max_context_chars") or MAX_CHARS)
    return min(settings.get("context_chars") or DEFAULT_CHARS, highest), highest


def limit_texts(settings: Mapping[str, Any]) -> dict[str, int]:
    default, highest = context_limits(settings)
    return {"context_chars": default, "max_context_chars": highest}


def limit_of(session: Session, wanted: int | None, warnings: list[str]) -> int:
    """The characters of one answer, as asked for and as kb.toml allows."""
    default, highest = context_limits(lookup.settings(session.artifact, (KIND,)))
    if wanted is not None and wanted > highest:
        warnings.append(f"maxChars is at most {highest}: that was used instead of {wanted}")
    return min(wanted or session.asked_chars or default, highest)


class BundleText(NamedTuple):
    """The text of an answer that retrieves sections with `tool`: `heading`, the scope, of which `facts`
    are more, and the sections."""

    tool: str
    heading: str
    scope: ExerciseScope
    facts: Mapping[str, str]

    def write(
        self,
        bodies: Sequence[tuple[ContextSection, str]],
        max_chars: int | None,
        cursor: str | None,
        continued: Mapping[str, Any],
        warnings: Sequence[str],
    ) -> str:
        """`bodies` are the sections with their texts as they are shown. The call that goes on with
        `cursor` has the arguments `continued` besides the scope, which is spelled out: it continues
        what was drawn at random too."""
        scope = self.scope
        parts = [
            title(self.heading),
            listing(
                "Scope",
                {
                    "workshop": f"`{scope.workshop.slug}`",
                    "exerciseNumber": f"`{scope.exercise}`",
                    "stepNumber": shown(scope.step, "all steps"),
                    **self.facts,
                },
            ),
            listing(
                "Payload",
                {
                    "maxChars": shown(max_chars, "default"),
                    "truncated": shown(cursor is not None, ""),
                    "nextCursor": shown(cursor, "none"),
                    "sections": f"**{len(bodies)}**",
                },
            ),
            "\n\n---\n\n".join(
                _section_text(number, *each) for number, each in enumerate(bodies, start=1)
            ),
        ]
        if cursor is not None:
            call = {**scope.fields, **continued, "cursor": cursor}
            if max_chars is not None:
                call["maxChars"] = max_chars
            parts.append(next_steps([f"Call `{self.tool}` with `{json_text(call)}`."]))
        return "\n\n".join([*parts, *(f"Note: {warning}" for warning in warnings)])


def _section_text(number: int, section: ContextSection, body: str) -> str:
    lines = [f"### {number}) {section['label']}", f"_kind_: `{section['kind']}`"]
    if "sourcePath" in section:
        lines.append(f"_Source_: `{section['sourcePath']}`")
    return "\n".join([*lines, "", body or "_This section is empty._"])
