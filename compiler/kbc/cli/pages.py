"""Writes the pages of health and quality as files, for `--html`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kbc.evaluation.questions import Evaluation


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
    path.write_text(page, encoding="utf-8")
    click.echo(f"wrote {path}", err=True)
