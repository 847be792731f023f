"""Writes the release notes of an artifact: changes since the previous one, evaluation results, sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kb_runtime.knowledge.examination.comparison import CollectionDiff, Diff
from kb_runtime.text.tables import count_of, size
from kbc.evaluation.answers import MEASURES, Evaluation
from kbc.shipping.product import Product
from kbc.shipping.readme import paragraphs, table

MAX_LISTED = 40
"""Records listed by name in one list; of more, the number is told."""
MAX_VALUE_CHARS = 60


def notes(
    product: Product,
    build_id: str,
    diff: Diff | None,
    evaluations: Mapping[str, Evaluation],
    files: Mapping[str, int],
) -> str:
    """Markdown. `diff` is None for a first release; `evaluations` are by the name of their questions;
    `files` are the bytes of what is released."""
    parts = [f"# {product.title} {product.version}", f"Build `{build_id}`.", "## Changes"]
    parts += ["The first release."] if diff is None else _changes(diff)
    if evaluations:
        rows = [
            [name, str(len(each.answers)), *(f"{each.means()[one][0]:.3f}" for one in MEASURES)]
            for name, each in evaluations.items()
        ]
        parts.append("## Answers to labelled questions")
        parts.append(table(["questions", "number", *MEASURES], rows))
    sizes = [[name, size(count)] for name, count in files.items()]
    return paragraphs([*parts, "## Files", table(["file", "size"], sizes)])


def _changes(diff: Diff) -> Iterator[str]:
    if diff.same:
        yield f"The same as build `{diff.old}`."
        return
    yield f"Since build `{diff.old}`:"
    for name, found in diff.collections.items():
        yield f"### {name}: {_summary(found)}"
        changed = {what: getattr(found, what) for what in ("added", "changed", "removed")}
        yield "\n".join(_listed(what, ids) for what, ids in changed.items() if ids)
    settings = {**diff.settings, **diff.encoder}
    if settings:
        yield "### Settings"
        yield table(
            ["setting", "before", "now"],
            [[f"`{name}`", _shown(old), _shown(new)] for name, (old, new) in settings.items()],
        )


def _summary(found: CollectionDiff) -> str:
    counts = {"added": found.added, "changed": found.changed, "removed": found.removed}
    return ", ".join(f"{len(ids)} {what}" for what, ids in counts.items() if ids)


def _listed(what: str, ids: Sequence[str]) -> str:
    more = len(ids) - MAX_LISTED
    names = ", ".join(f"`{id}`" for id in ids[:MAX_LISTED])
    return f"- {what}: {names}" + (f" and {count_of(more, 'other')}" if more > 0 else "")


def _shown(value: object) -> str:
    if value is None:
        return "none"
    text = str(value).replace("\n", " ")
    return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}…"
