"""`kbc explore`: pages over artifacts, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbc.cli.options import flag, path_option

if TYPE_CHECKING:
    from kb_runtime import KnowledgeBase


@click.command()
@click.argument("artifacts", metavar="ARTIFACT...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port; default: 8766, 0 for a free one."
)
@flag("--no-open", help="Do not open the browser.")
@path_option(
    "--questions", help="File of labelled questions to ask; labels given to hits are written to it."
)
@click.option(
    "--runs",
    type=click.Path(),
    default="",
    help="Folder of `kbc eval --json` outputs, shown as history.",
)
@click.option(
    "--report",
    type=click.Path(),
    default="",
    help="Output of `kbc build --json`, shown as phases and what was left out.",
)
def explore(
    artifacts: tuple[str, ...],
    port: int | None,
    no_open: bool,
    questions: Path | None,
    runs: str,
    report: str,
) -> None:
    """Show ARTIFACT in the browser: search, records, map, quality, health, tools and versions.

    The pages are served on 127.0.0.1 and follow new builds. Several artifacts can be compared.
    """
    from kb_runtime.explorer.bases import Bases
    from kb_runtime.explorer.serving import DEFAULT_PORT, serve
    from kb_runtime.explorer.visit import Explorer
    from kb_runtime.start.evidence import read_report, read_runs

    explorer = Explorer(
        Bases(artifacts),
        None if questions is None else _Questions(questions),
        read_runs(runs),
        read_report(report),
    )

    def announce(address: str) -> None:
        click.echo(f"exploring at {address} (press Ctrl-C to stop)", err=True)

    serve(explorer, DEFAULT_PORT if port is None else port, announce, open_browser=not no_open)


class _Questions:
    """A file of labelled questions: measured by `kbc eval`, and added to."""

    def __init__(self, path: Path) -> None:
        """A file that does not exist is written with the first label. Raises `EvaluationError`."""
        from kbc.evaluation.questions import read_questions

        self._path = path
        if path.exists():
            read_questions(path)

    @property
    def path(self) -> str:
        return str(self._path)

    def measure(self, kb: KnowledgeBase) -> dict[str, Any]:
        from kb_runtime.knowledge.artifact import Artifact
        from kbc.evaluation.answers import evaluate
        from kbc.evaluation.questions import read_questions

        with Artifact.open(kb.path) as artifact:
            return evaluate(artifact, read_questions(self._path), complete=False).as_dict()

    def label(self, query: str, name: str, scope: str) -> None:
        from kbc.evaluation.labels import add_label

        add_label(self._path, query, name, scope)
