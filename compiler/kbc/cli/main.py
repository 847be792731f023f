"""The command line: options and exit codes. The modules that commands call do the work.

Imports are inside the commands: `kbc version` must not load the compiler, and a command that needs the
compiler's extra dependencies must be able to say so.
"""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb_runtime.cli import artifact_commands, runner
from kb_runtime.cli.artifact_commands import AS_JSON
from kb_runtime.cli.runner import print_json, tell
from kb_runtime.errors import exit_codes
from kb_runtime.version import FORMAT_VERSION, __version__
from kbc.cli import failures
from kbc.cli.cache import cache
from kbc.cli.environment import default_cache
from kbc.cli.explore import explore
from kbc.cli.files import inspect
from kbc.cli.importing import import_command
from kbc.cli.install import doctor, install
from kbc.cli.model import model
from kbc.cli.opening import opened, show_accounting
from kbc.cli.options import (
    ALLOW_OUTSIDE,
    NAME,
    PATH,
    SCOPE,
    flag,
    path_option,
    takes_build_options,
)
from kbc.cli.packages import bundle, export, keygen, sign, wheel
from kbc.cli.trying import try_command
from kbc.cli.tune import tune_command
from kbc.cli.watch import watch
from kbc.cli.workspace import workspace
from kbc.errors import BelowBoundError

if TYPE_CHECKING:
    from kb_runtime.search.request import Mode
    from kbc.pipeline.build import BuildOptions


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 success, 1 broken installation, 2 usage, 3 errors in the knowledge base,"
    " 4 artifact refused, 5 output not writable, 6 model, 7 not found, 8 compiler not installed,"
    " 9 eval below a limit, 10 workers refused or lost, 70 bug in kbc, 71 out of memory, threads or"
    " file descriptors.",
)
@flag("--debug", help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="kbc")
def cli(debug: bool) -> None:
    """Compile a knowledge base into one artifact, and serve it over MCP, offline."""


KB = click.argument("kb", default=".", type=PATH)
ARTIFACT = click.argument("artifact", type=PATH)


@cli.command()
@click.argument("folder", default=".", type=PATH)
@click.option(
    "--kind",
    type=click.Choice(["docs", "pages", "workshops", "code", "tests"]),
    help="Also write starter files of this kind.",
)
@flag("--sample", help="Also write a starter page.")
@click.option("--name", default="", help="Name of the knowledge base; default: the site's title.")
@AS_JSON
def init(folder: Path, kind: str | None, sample: bool, name: str, as_json: bool) -> None:
    """Write a commented kb.toml into FOLDER for the documentation in it.

    Nothing else is written, except with --sample or --kind the first files of a new knowledge base.
    """
    from kbc.cli.opening import recognised
    from kbc.project.loading import PROJECT_FILE
    from kbc.project.starter import write_kb_toml, write_starter
    from kbc.recognition.described import kb_toml

    has_content = folder.is_dir() and any(
        not each.name.startswith(".") and each.name != PROJECT_FILE for each in folder.iterdir()
    )
    if sample or kind is not None:
        written = write_starter(folder, kind or "docs")
    elif has_content and not (folder / PROJECT_FILE).exists():
        found = recognised(folder, name, None)
        folder = found.project.root if folder.resolve() != found.project.root else folder
        written = [write_kb_toml(folder, kb_toml(found))]
    else:
        written = write_starter(folder, None)
    if as_json:
        print_json({"written": [str(path) for path in written]})
        return
    for path in written:
        click.echo(f"wrote {path}")
    where = shlex.quote(str(folder))
    click.echo(f"next: kbc check {where}; kbc build {where}")


@cli.command()
@KB
@NAME
@ALLOW_OUTSIDE
@flag("--strict", help="Fail on warnings as well.")
@AS_JSON
def check(kb: Path, name: str, allow_outside: bool, strict: bool, as_json: bool) -> None:
    """Report all errors and warnings in the knowledge base KB, without building it, and count its files.

    KB is a folder with a kb.toml, or any folder, file or archive of documentation.
    """
    from kbc.cli import reporting
    from kbc.diagnostics import Severity
    from kbc.pipeline.checking import check_files

    found, files = check_files(opened(kb, name, default_cache(), as_json), allow_outside)
    if as_json:
        listed = [each.as_dict() for each in found]
        print_json({"diagnostics": listed, "files": files and files.as_dict()})
    else:
        if files is not None:
            show_accounting(files)
        reporting.show_diagnostics(found)
        if not found:
            click.echo("no problems found", err=True)
    worst = min((each.severity for each in found), default=Severity.NOTE)
    if worst <= (Severity.WARNING if strict else Severity.ERROR):
        raise SystemExit(exit_codes.INPUT)


@cli.command()
@KB
@NAME
@takes_build_options
@click.option(
    "--executor",
    default="threads",
    show_default=True,
    help="Where to embed: threads, processes, or dask:tcp://HOST:PORT for a Dask cluster.",
)
@flag("--check-reproducible", help="Build twice and compare every byte.")
@flag("--quiet", help="Print only problems.")
@AS_JSON
def build(
    kb: Path,
    name: str,
    options: BuildOptions,
    check_reproducible: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compile the knowledge base KB into OUT/<name>/ and make it the live version.

    KB is a folder with a kb.toml, or any folder, file or archive of documentation.
    """
    from kbc import build as run_build
    from kbc.cli import reporting
    from kbc.pipeline.build import build_twice

    with closing(reporting.progress(quiet or as_json)) as progress:
        subject = opened(kb, name, options.cache, quiet or as_json)
        report = (build_twice if check_reproducible else run_build)(subject, options, progress)
    if as_json:
        print_json(report.as_dict())
        return
    reporting.show_diagnostics(report.diagnostics, reporting.MOST_OF_A_CODE, notes=not quiet)
    if not quiet:
        show_accounting(report.files)
        reporting.show_build(report)
        if check_reproducible:
            click.echo("both builds are identical")


for command in (
    *(artifact_commands.verify, inspect, try_command, import_command, explore),
    *(artifact_commands.search, artifact_commands.get, tune_command, watch, cache, model),
    *(wheel, keygen, sign, bundle, export, install, doctor, workspace),
):
    cli.add_command(command)


@cli.command()
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
@AS_JSON
def diff(old: Path, new: Path, as_json: bool) -> None:
    """Show which records, settings and sizes changed from artifact OLD to NEW."""
    from kb_runtime.knowledge.examination import comparison
    from kbc.cli import artifact_reports

    changes = comparison.diff(old, new)
    if as_json:
        print_json(changes.as_dict())
    else:
        click.echo(artifact_reports.render_diff(changes))


@cli.command("eval")
@ARTIFACT
@path_option("--questions", help="A file with [[question]] tables; default: questions.toml.")
@path_option("--beir", help="Labelled queries in BEIR layout.")
@SCOPE
@path_option("--compare", help="Compare with this artifact: list the questions whose rank changed.")
@click.option(
    "--fail-under",
    "bounds",
    multiple=True,
    help="Fail below MEASURE=NUMBER, such as success@3=0.95; repeatable.",
)
@flag("--suggest", help="List badly answered questions and records that no question finds.")
@artifact_commands.MODE
@path_option("--html", help="Also write the result as a single-file page.")
@AS_JSON
def evaluate(
    artifact: Path,
    questions: Path | None,
    beir: Path | None,
    scope: str,
    compare: Path | None,
    bounds: tuple[str, ...],
    suggest: bool,
    mode: Mode,
    html: Path | None,
    as_json: bool,
) -> None:
    """Measure how well ARTIFACT answers labelled questions."""
    from kb_runtime.knowledge.artifact import Artifact
    from kbc.cli import artifact_reports
    from kbc.evaluation import answers as evaluation
    from kbc.evaluation.questions import QUESTIONS, read_beir, read_questions

    if questions is not None and beir is not None:
        raise click.UsageError("--questions and --beir cannot be combined")
    limits = dict(map(evaluation.read_bound, bounds))
    asked = read_questions(questions or Path(QUESTIONS)) if beir is None else read_beir(beir)
    with Artifact.open(artifact) as opened:
        measured_name = opened.manifest["name"]
        measured = evaluation.evaluate(opened, asked, mode, scope=scope)
        advice = evaluation.suggestions(opened, measured) if suggest else None
    moved, before = None, None
    if compare is not None:
        with Artifact.open(compare) as other:
            if (other_name := other.manifest["name"]) != measured_name:
                click.echo(
                    f"note: {compare} is a build of {other_name!r}, {artifact} of {measured_name!r}",
                    err=True,
                )
            before = evaluation.evaluate(other, asked, mode, complete=False, scope=scope)
            moved = evaluation.compare(before, measured)
    if html is not None:
        artifact_reports.write_quality(artifact, html, measured, before)
    if as_json:
        facts = measured.as_dict()
        if moved is not None:
            facts["moved"] = [
                {"query": query, "before": before, "after": after} for query, before, after in moved
            ]
        print_json(facts | ({} if advice is None else {"suggestions": advice}))
    else:
        click.echo(evaluation.render(measured, moved, advice))
    missed = evaluation.below(measured, limits)
    if missed:
        raise BelowBoundError("; ".join(missed))


# `kb_runtime.__main__` declares its options: a server starts without a parser of command lines.
@cli.command(context_settings={"ignore_unknown_options": True}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def serve(arguments: tuple[str, ...]) -> None:
    """Serve ARTIFACT over MCP: on stdio, or with --http over streamable HTTP."""
    from kb_runtime.start.main import main as serve_main

    raise SystemExit(serve_main(list(arguments)))


@cli.command()
@AS_JSON
def version(as_json: bool) -> None:
    """Print the version of kbc and of the artifact format."""
    facts = {"kbc": __version__, "format": FORMAT_VERSION}
    tell(facts, f"kbc {__version__}, artifact format {FORMAT_VERSION}", as_json=as_json)


def run(arguments: list[str] | None = None) -> int:
    """Runs the command line and gives its exit code; every expected error is one sentence on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    is_builder = not failures.BUILDERS.isdisjoint(arguments[:2])
    interrupted = failures.INTERRUPTED if is_builder else runner.INTERRUPTED
    return runner.run(cli, arguments, "kbc", failures.explain, interrupted)
