"""`kbc cache`: shows and shrinks the compiler's cache."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, replace
from pathlib import Path

import click

from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json
from kb_runtime.errors import UsageError, exit_codes
from kb_runtime.text.tables import utc_time
from kbc.cli.environment import default_cache
from kbc.cli.options import flag, path_option

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|kB|KB|MB|GB)?")
_SIZE_UNITS = {None: 1, "B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_AGE = re.compile(r"(\d+)\s*(h|d|w)")
_AGE_UNITS_S = {"h": 3_600, "d": 86_400, "w": 604_800}

CACHE = path_option("--cache", "folder", help="The cache folder.")


@click.group()
def cache() -> None:
    """Show or shrink the cache: parsed, chunked and embedded content, unpacked archives, builds of try and
    tune.

    Deleting it is safe: the next build takes longer and produces the same bytes.
    """


@cache.command()
@CACHE
@AS_JSON
def info(folder: Path | None, as_json: bool) -> None:
    """Show what the cache holds, by kind."""
    from kb_runtime.text.tables import size, table
    from kbc.cli.cache_contents import read_contents

    contents = read_contents(folder or default_cache())
    summaries = contents.summaries()
    if as_json:
        kinds = [
            {
                **asdict(each),
                "oldest_use": _moment(each.oldest_use),
                "newest_use": _moment(each.newest_use),
            }
            for each in summaries
        ]
        print_json(
            {
                "location": str(contents.folder),
                "bytes": contents.bytes,
                "disk_bytes": contents.disk_bytes,
                "kinds": kinds,
                "problems": contents.problems,
            }
        )
        return
    rows = [["kind", "entries", "size", "oldest use", "newest use"]]
    rows += [
        [
            each.kind,
            f"{each.entries:,}",
            size(each.bytes),
            (_moment(each.oldest_use) or "unknown")[:10],
            (_moment(each.newest_use) or "unknown")[:10],
        ]
        for each in summaries
    ]
    if summaries:
        click.echo(table(rows, frozenset({1, 2})))
    _show(contents.problems)
    click.echo(f"{contents.folder}: {size(contents.disk_bytes)} on disk")


@cache.command()
@CACHE
@click.option("--max-size", metavar="SIZE", help="Keep at most this much: 500MB, 2GB.")
@click.option(
    "--older-than", metavar="AGE", help="Remove entries not used for this long: 12h, 30d."
)
@flag("--dry-run", help="Show what would be removed, and remove nothing.")
@AS_JSON
def prune(
    folder: Path | None,
    max_size: str | None,
    older_than: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Remove the least recently used entries of the cache. Safe while builds run.

    What a build, a search or a server uses stays. Exits with code 5 if a part of the cache cannot be read or
    changed.
    """
    from kb_runtime.text.tables import count_of, size
    from kbc.cli.cache_contents import Pruned, chosen, read_contents, remove

    if max_size is None and older_than is None:
        raise click.UsageError("give --max-size, --older-than, or both")
    before = None if older_than is None else time.time() - _seconds(older_than)
    contents = read_contents(folder or default_cache())
    going = chosen(contents, before, None if max_size is None else _bytes(max_size))
    if dry_run:
        freed = sum(entry.size for entry in going)
        done = Pruned(len(going), freed, contents.disk_bytes, contents.problems)
    else:
        done = remove(contents.folder, going)
        done = replace(done, problems=[*contents.problems, *done.problems])
    left = bool(contents.problems) or (not dry_run and done.entries < len(going))
    code = exit_codes.OUTPUT if left else exit_codes.OK
    if as_json:
        print_json({"location": str(contents.folder), "dry_run": dry_run, **asdict(done)})
        click.get_current_context().exit(code)
    _show(done.problems)
    verb = "would remove" if dry_run else "removed"
    entries = count_of(done.entries, "entry")
    click.echo(f"{verb} {entries} with {size(done.bytes)}; {size(done.disk_bytes)} on disk")
    click.get_current_context().exit(code)


def _show(problems: list[str]) -> None:
    for problem in problems:
        click.echo(f"note: {problem}", err=True)


def _moment(seconds: int | None) -> str | None:
    return None if seconds is None else utc_time(seconds)


def _bytes(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a size; use a form such as 500MB or 2GB")
    return int(float(match[1]) * _SIZE_UNITS[match[2]])


def _seconds(text: str) -> int:
    match = _AGE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not an age; use a form such as 12h, 30d or 8w")
    return int(match[1]) * _AGE_UNITS_S[match[2]]
