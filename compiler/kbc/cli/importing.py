"""`kbc import`: saved sites become trees of pages."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json
from kb_runtime.text.tables import count_of
from kbc.cli.options import PATH, flag, path_option


@click.command("import")
@click.argument("source", type=PATH)
@path_option("--out", help="The folder to write.", required=True)
@click.option("--base", default="", help="URL of SOURCE, if its files do not state it.")
@click.option(
    "--sitemap", type=click.Path(path_type=Path, exists=True), help="A sitemap file for SOURCE."
)
@click.option(
    "--include", multiple=True, help="Import only pages whose HOST/PATH matches; repeatable."
)
@click.option(
    "--exclude", multiple=True, help="Leave out pages whose HOST/PATH matches; repeatable."
)
@click.option("--depth", type=click.IntRange(0), help="Maximum number of folders above a page.")
@click.option("--limit", type=click.IntRange(1), help="Maximum number of pages.")
@flag("--quiet", help="Print no progress or counts.")
@AS_JSON
def import_command(
    source: Path,
    out: Path,
    base: str,
    sitemap: Path | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    depth: int | None,
    limit: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Convert SOURCE to a tree of pages: a saved site, a web archive or a dump.

    SOURCE is a mirror made with wget or httrack, a folder with a sitemap.xml or an llms.txt, a ZIP of one
    of these, a WARC (also .warc.gz), or a MediaWiki XML dump. Pages keep their URLs, titles and dates;
    duplicates and pages that ask not to be indexed are left out. A second run continues the first.
    Nothing is downloaded.
    """
    from kb_runtime.store.temporary_folders import temporary_folder
    from kbc.cli import reporting
    from kbc.cli.opening import show_accounting
    from kbc.importing.running import ImportOptions, import_site
    from kbc.sources.accounting import UNREADABLE

    options = ImportOptions(
        base=base, sitemap=sitemap, include=include, exclude=exclude, depth=depth, limit=limit
    )
    with (
        closing(reporting.progress(quiet or as_json)) as progress,
        temporary_folder("kbc-import-") as folder,
    ):
        report = import_site(source, out, options, Path(folder), progress)
    if as_json:
        print_json(report.as_dict())
        return
    if not quiet:
        show_accounting(report.files)
    warnings = [
        f"{found.path}: not imported: {found.reason}"
        for found in report.files
        if found.outcome == UNREADABLE
    ]
    warnings += [
        f"{out / path}: not replaced: no import wrote it, or it was edited since;"
        " to take the page from the source, remove it and run the import again"
        for path in report.not_replaced
    ]
    warnings += [
        f"{out / path}: not removed: the source no longer has its page, but it was edited"
        for path in report.not_removed
    ]
    for warning in warnings:
        click.secho(f"warning: {warning}", err=True, fg="yellow")
    for hint in report.hints:
        click.echo(f"hint: {hint}", err=True)
    kept = f", {report.kept:,} of them kept" if report.kept else ""
    removed = f"; {report.removed:,} removed" if report.removed else ""
    click.echo(f"{report.what}: {count_of(report.pages, 'page')} in {out}{kept}{removed}")
    click.echo(f"next: kbc build {shlex.quote(str(out))}")
