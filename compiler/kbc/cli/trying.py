"""`kbc try`: builds any documentation into the cache and answers queries at once."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kbc.cli.environment import default_cache
from kbc.cli.opening import opened, show_accounting
from kbc.cli.options import PATH, takes_build_options

if TYPE_CHECKING:
    from kbc.pipeline.build import BuildOptions

PROMPT = "search> "
END = ("q", "quit", "exit")
TRIED = "try"
"""The folder of the cache that these builds are in."""


@click.command("try")
@click.argument("kb", metavar="PATH", default=".", type=PATH)
@click.option("--name", default="", help="Name of the knowledge base; default: the site's title.")
@click.option("--limit", type=click.IntRange(1, 50), default=5, help="Hits per query; default: 5.")
@takes_build_options
@AS_JSON
def try_command(kb: Path, name: str, limit: int, options: BuildOptions, as_json: bool) -> None:
    """Build PATH (a folder, file or archive of documentation) into the cache and search it.

    Queries are read from stdin, one per line; q ends. Nothing is written next to PATH. With --json each
    answer is one line of JSON.
    """
    from kb_runtime.cli import lookup
    from kb_runtime.knowledge.artifact import Artifact
    from kb_runtime.text.tables import count_of
    from kbc.cli import reporting
    from kbc.linking.errors import PublishError
    from kbc.pipeline.build import build
    from kbc.sources.accounting import UNREADABLE

    chosen: Path | None = click.get_current_context().params["cache"]
    cache = chosen or default_cache()  # what is tried is there with --no-cache, too
    options = replace(options, out=cache / TRIED, keep=1)
    try:
        with closing(reporting.progress(False)) as progress:
            report = build(opened(kb, name, cache), options, progress)
    except PublishError as error:
        if error.code in ("no-space", "unwritable"):
            error.hint = "Name a folder for the cache with $KBC_CACHE or --cache."
        raise
    show_accounting(report.files)
    unread = {found.path for found in report.files if found.outcome == UNREADABLE}
    reporting.show_diagnostics(found for found in report.diagnostics if found.path in unread)
    where = str(report.path)
    click.echo(f"{count_of(report.records, 'record')} in {where}", err=True)
    with Artifact.open(where) as artifact:  # one that is open stays, whatever is tried meanwhile
        for query in _queries():
            found = lookup.search(artifact, query, (), limit, "hybrid")
            if not options.has_vectors:  # as was asked for
                found = replace(found, answer=replace(found.answer, warnings=()))
            click.echo(json.dumps(found.as_dict(), ensure_ascii=False) if as_json else str(found))
    kept = ["kbc", "build", str(kb)]
    if options.model:
        kept += ["--model", str(options.model)]
    kept += [] if options.embed else ["--lexical-only"]
    click.echo(f"keep it: {shlex.join(kept)}; serve it: kbc serve {shlex.quote(where)}", err=True)


# These builds have a place of their own, of which one version is kept.
try_command.params = [
    each for each in try_command.params if each.name not in ("out", "keep", "no_draft")
]


def _queries() -> Iterator[str]:
    """The lines of stdin up to the end or one of `END`; a prompt where somebody types."""
    if sys.stdin is None:  # closed
        return
    is_typed = sys.stdin.isatty()
    while True:
        if is_typed:
            click.echo(PROMPT, nl=False, err=True)
        line = sys.stdin.readline()
        query = line.strip()
        if not line or query in END:
            return
        if query:
            yield query
