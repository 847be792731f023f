"""Sections of an exercise or a step in parts of bounded length, for the tools that retrieve them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_runtime.text.cursors import bad_cursor
from kb_runtime.text.names import quoted
from kb_runtime.text.rendering import cut
from kb_runtime.tools import library
from kb_runtime.tools.declaration import Answer, Argument
from kb_runtime.tools.paging import cursor_argument
from kb_runtime.tools.workshops.shelf import (
    KIND,
    Workshop,
    check_scope,
    find_workshop,
)
from kb_runtime.tools.workshops.text import listing, next_steps, shown

if TYPE_CHECKING:
    from kb_runtime.tools.session import Session

DEFAULT_CHARS = 50_000
MAX_CHARS = 80_000
"""Of section content in one answer; kb.toml may say otherwise."""


WORKSHOP = Argument("workshop", "string", "slug of the workshop", max_length=300)
EXERCISE = Argument(
    "exerciseNumber", "integer", "exercise, from 1", minimum=1, out_of_range="reject"
)
STEP = Argument("stepNumber", "integer", "step of it, from 1", minimum=1, out_of_range="reject")
MAX_CHARS_ARGUMENT = Argument(
    "maxChars",
    "integer",
    "characters of content in one answer, default {context_chars}, at most {max_context_chars}",
    minimum=1,
    out_of_range="reject",
)
CURSOR = cursor_argument("nextCursor of the previous answer")


class Scope(NamedTuple):
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


def stated_scope(session: Session, arguments: Mapping[str, Any]) -> Scope:
    """The scope that the arguments name. Raises NOT_FOUND."""
    workshop = find_workshop(session, arguments["workshop"])
    exercise, step = arguments["exerciseNumber"], arguments["stepNumber"]
    check_scope([workshop], exercise, step)
    return Scope(workshop, exercise, step)


class Bundle(NamedTuple):
    """Sections as the structure shows them, and where the rest begins: section and character."""

    sections: list[dict[str, Any]]
    next: tuple[int, int] | None


def bundle_from(
    session: Session,
    workshop: Workshop,
    chosen: Sequence[int],
    start: tuple[int, int],
    limit: int,
) -> Bundle:
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
            return Bundle(taken, (number, end))
        room -= end - offset
        offset = 0
    return Bundle(taken, None)


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


def limit_words(settings: Mapping[str, Any]) -> dict[str, int]:
    default, highest = context_limits(settings)
    return {"context_chars": default, "max_context_chars": highest}


def limit_of(session: Session, wanted: int | None, warnings: list[str]) -> int:
    """The characters of one answer, as asked for and as kb.toml allows."""
    default, highest = context_limits(library.settings(session.artifact, (KIND,)))
    if wanted is not None and wanted > highest:
        warnings.append(f"maxChars is at most {highest}: that was used instead of {wanted}")
    return min(wanted or default, highest)


def scope_text(scope: Scope, more: Mapping[str, str]) -> str:
    return listing(
        "Scope",
        {
            "workshop": f"`{scope.workshop.slug}`",
            "exerciseNumber": f"`{scope.exercise}`",
            "stepNumber": shown(scope.step, "all steps"),
            **more,
        },
    )


def payload_text(max_chars: int | None, cursor: str | None, sections: int) -> str:
    return listing(
        "Payload",
        {
            "maxChars": shown(max_chars, "default"),
            "truncated": shown(cursor is not None, ""),
            "nextCursor": shown(cursor, "none"),
            "sections": f"**{sections}**",
        },
    )


def section_text(number: int, section: Mapping[str, Any], body: str) -> str:
    lines = [f"### {number}) {section['label']}", f"_kind_: `{section['kind']}`"]
    if "sourcePath" in section:
        lines.append(f"_Source_: `{section['sourcePath']}`")
    return "\n".join([*lines, "", body or "_This section is empty._"])


def next_text(
    tool: str,
    scope: Scope,
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


def with_notes(parts: Sequence[str], structured: dict[str, Any], warnings: Sequence[str]) -> Answer:
    if warnings:
        structured["warnings"] = list(warnings)
    return Answer("\n\n".join([*parts, *_notes(warnings)]), structured)


def _notes(warnings: Sequence[str]) -> Iterator[str]:
    for warning in warnings:
        yield f"Note: {warning}"
