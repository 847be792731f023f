"""Reports on artifacts: the output of `kbc diff`, and the pages of `--html`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb_runtime.knowledge.examination.comparison import Diff
from kb_runtime.store.atomic_files import output_file
from kb_runtime.text.tables import size

if TYPE_CHECKING:
    from kbc.evaluation.answers import Evaluation

SHOWN_IDS = 10
"""Records named by a diff per collection and kind of change; `--json` has them all."""


SHOWN_CHARS = 200
"""Characters of a value in a diff; `--json` has all of them."""
_SELF_TEST = "encoder.self_test"
"""Vectors, which say nothing to a reader."""


def render_diff(diff: Diff) -> str:
    """Added, removed and changed records by collection, then settings, encoder and sizes."""
    if diff.same:
        return f"{diff.old} and {diff.new}: no difference"
    lines = [f"{diff.old} -> {diff.new}"]
    for name, changes in diff.collections.items():
        for sign, ids in (("+", changes.added), ("-", changes.removed), ("~", changes.changed)):
            lines += [f"{sign} {name}/{id}" for id in ids[:SHOWN_IDS]]
            if len(ids) > SHOWN_IDS:
                lines.append(f"{sign} {name}: {len(ids) - SHOWN_IDS} more")
    for what, differences in (("setting", diff.settings), ("encoder", diff.encoder)):
        lines += [
            f"{what} {name}: {_shown(old)} -> {_shown(new)}"
            for name, (old, new) in differences.items()
            if not name.startswith(_SELF_TEST)
        ]
    lines += [
        f"size {section}: {size(old)} -> {size(new)}"
        for section, (old, new) in diff.sizes.items()
        if size(old) != size(new)
    ]
    if not (diff.collections or diff.settings or diff.encoder):
        lines.append(f"no records or settings changed, only files: {', '.join(diff.files)}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    """A value of a setting; an encoder as a whole by its model."""
    text = str(value["model"] if isinstance(value, dict) and "model" in value else value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"


def write_health(artifact: Path, html: Path) -> None:
    import kb_runtime
    from kb_runtime.explorer.files import health_file

    with kb_runtime.open(artifact) as kb:
        _write(html, health_file(kb))


def write_quality(
    artifact: Path, html: Path, measured: Evaluation, before: Evaluation | None
) -> None:
    import kb_runtime
    from kb_runtime.explorer.files import quality_file

    with kb_runtime.open(artifact) as kb:
        earlier = None if before is None else before.as_dict()
        _write(html, quality_file(kb, measured.as_dict(), earlier))


def _write(path: Path, page: str) -> None:
    data = page.encode()
    with output_file(path, size=len(data)) as file:
        file.write(data)
    click.echo(f"wrote {path}", err=True)
