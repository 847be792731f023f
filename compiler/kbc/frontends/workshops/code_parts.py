"""The sections of a step that show code: both sides of what changes, a summary, the diffs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kbc.frontends.workshops.parts import Part
from kbc.languages.diffs import unified_diff

Side = Mapping[str, tuple[str, str]]
"""Place and text of each file, by its name in the step."""


def code_parts(label: str, before: Side | None, after: Side | None, context: int) -> Iterator[Part]:
    """The code of a step called `label`; all of it where a side is missing."""
    if before is not None and after is not None:
        yield from _differences(label, before, after, context)
    elif side := before or after:
        yield from whole_code(label, "problem" if before is not None else "solution", side)


def whole_code(label: str, kind: str, side: Side) -> Iterator[Part]:
    for name, (place, text) in sorted(side.items()):
        yield Part(f"{kind}-code", f"{label}: {kind} code {name}", text, place, name=name)


def _differences(label: str, before: Side, after: Side, context: int) -> Iterator[Part]:
    """The code of both sides of each changed file, then a summary, then the diffs."""
    summary = []
    diffs = []
    for name in sorted(before.keys() | after.keys()):
        (old_place, old), (new_place, new) = (
            side.get(name, ("", None)) for side in (before, after)
        )
        if old == new:
            continue
        for kind, text, place in (("problem", old, old_place), ("solution", new, new_place)):
            if text is not None:
                yield Part(f"{kind}-code", f"{label}: {kind} code {name}", text, place, name=name)
        what = "added" if old is None else "removed" if new is None else "modified"
        summary.append(f"- {what}: {name}\n")
        diff = unified_diff(name, old, new, context)
        diffs.append(
            Part("diff-hunk", f"{label}: diff of {name}", diff, new_place or old_place, name=name)
        )
    if summary:
        yield Part("diff-summary", f"{label}: changed files", "".join(summary))
    yield from diffs
